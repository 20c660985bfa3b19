#include "experiments/second_level.h"

#include <gtest/gtest.h>

#include <list>

#include "tests/support/made_trace.h"

namespace {

using experiments::FirstLevel;
using experiments::Windows;
using support::made;
using support::random_requests;
using traces::Granularity;
using traces::Op;

policies::Choice choice(const char* text) { return policies::parse_choices(text).at(0); }

Windows one_window(const traces::Trace& trace, std::uint64_t warmup = 0) {
  return Windows::split(warmup, trace.times()[warmup], trace.times().back(), 1);
}

// Hits of the second level, behind an LRU of `first` blocks.
std::uint64_t second_level_hits(const traces::Trace& trace, std::uint32_t first, std::uint32_t second, bool exclusive,
                                std::uint64_t& first_hits) {
  const traces::Blocks blocks(trace, sim::Bytes{4096}, Granularity::block);
  const auto passed =
      pass_on(blocks, {.choice = choice("lru"), .capacity_blocks = first, .exclusive = exclusive}, one_window(trace));
  first_hits = passed.hits;
  if (passed.trace.size() == 0) return 0;
  const traces::Blocks behind(passed.trace, sim::Bytes{4096}, Granularity::block);
  const auto lru = policies::parse_choices("lru");
  const auto rates =
      hit_rates(behind, lru, {&second, 1}, one_window(passed.trace), {.simulate_lru = true}, passed.derived());
  EXPECT_EQ(rates.demand.accesses.sum(), passed.accesses - passed.hits);
  return rates.rows[0].hits.sum();
}

// An exclusive LRU behind an LRU is one LRU of both sizes together (Wong, Wilkes, "My cache or yours? Making storage
// more exclusive", USENIX 2002), block by block: of a longer request all lookups come before what it pushes out.
TEST(SecondLevel, ExclusiveLruBehindLruIsOneLargeLru) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    auto requests = random_requests(seed, 2000, false);
    for (auto& r : requests) r.offset.bytes = r.offset.bytes / 4096 * 4096, r.length.count = 4096;
    const auto trace = made(requests);
    const traces::Blocks blocks(trace, sim::Bytes{4096}, Granularity::block);
    for (const auto& [first, second] : {std::pair{3u, 1u}, {1u, 9u}, {10u, 15u}, {20u, 40u}}) {
      std::uint64_t first_hits = 0;
      const std::uint64_t second_hits = second_level_hits(trace, first, second, true, first_hits);
      const std::uint32_t both = first + second;
      const auto whole = hit_rates(blocks, policies::parse_choices("lru"), {&both, 1}, one_window(trace), {});
      ASSERT_EQ(first_hits + second_hits, whole.rows[0].hits.sum()) << "seed " << seed << ' ' << first << '+' << second;
    }
  }
}

// Two lists, by definition: what misses in the first is looked for in the second, and both keep it.
TEST(SecondLevel, InclusiveEqualsTwoLists) {
  const auto touch = [](std::list<std::uint64_t>& list, std::uint64_t block, std::size_t capacity) {
    const bool hit = std::find(list.begin(), list.end(), block) != list.end();
    list.remove(block);
    list.push_front(block);
    if (list.size() > capacity) list.pop_back();
    return hit;
  };
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto requests = random_requests(seed, 800, true);
    std::list<std::uint64_t> first, second;
    std::uint64_t first_hits = 0, second_hits = 0;
    for (const auto& r : requests) {
      const std::uint64_t end = r.offset.bytes + static_cast<std::uint64_t>(r.length.count);
      for (std::uint64_t b = (r.offset.bytes + 4095) / 4096; r.op == Op::discard && (b + 1) * 4096 <= end; ++b)
        first.remove(b), second.remove(b);
      for (std::uint64_t b = r.offset.bytes / 4096; r.op != Op::discard && b * 4096 < end; ++b) {
        if (touch(first, b, 8)) {
          ++first_hits;
        } else {
          second_hits += touch(second, b, 20);
        }
      }
    }
    std::uint64_t counted = 0;
    ASSERT_EQ(second_level_hits(made(requests), 8, 20, false, counted), second_hits) << "seed " << seed;
    ASSERT_EQ(counted, first_hits);
  }
}

TEST(SecondLevel, GetsTheRunsThatTheFirstDoesNotServe) {
  // Block 2 is there when blocks 0 to 4 are asked for, from the middle of 0 to the middle of 4.
  const auto trace =
      made({support::request(0, Op::read, 2 * 4096, 4096), support::request(1, Op::read, 2048, 4 * 4096)});
  const traces::Blocks blocks(trace, sim::Bytes{4096}, Granularity::block);
  const auto passed = pass_on(blocks, {.choice = choice("lru"), .capacity_blocks = 8}, one_window(trace));
  ASSERT_EQ(passed.trace.size(), 3u);
  EXPECT_EQ(passed.trace.offsets()[1].bytes, 2048u);
  EXPECT_EQ(passed.trace.lengths()[1], 2048u + 4096);
  EXPECT_EQ(passed.trace.offsets()[2].bytes, 3u * 4096);
  EXPECT_EQ(passed.trace.lengths()[2], 4096u + 2048);
  EXPECT_EQ(passed.origins, (std::vector<std::uint64_t>{0, 1, 1}));
}

TEST(SecondLevel, GetsEveryWriteThroughAFirstThatOnlyUpdates) {
  const auto trace = made({support::request(0, Op::read, 0, 4096), support::request(1, Op::write, 0, 4096)});
  const traces::Blocks blocks(trace, sim::Bytes{4096}, Granularity::block);
  const FirstLevel back{.choice = choice("lru"), .capacity_blocks = 8};
  FirstLevel through = back;
  through.writes = policies::Writes::update;
  EXPECT_EQ(pass_on(blocks, back, one_window(trace)).trace.size(), 1u);
  EXPECT_EQ(pass_on(blocks, through, one_window(trace)).trace.size(), 2u);
}

}  // namespace
