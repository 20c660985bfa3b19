#include "experiments/hit_rate.h"

#include <gtest/gtest.h>

#include <list>
#include <map>
#include <set>

#include "sim/random.h"
#include "tests/support/made_trace.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_files.h"

namespace {

using experiments::HitRateOptions;
using experiments::HitRates;
using experiments::Windows;
using support::made;
using support::MadeReader;
using support::random_requests;
using support::request;
using traces::Granularity;
using traces::Op;
using traces::Request;

// A hundred windows, after the warm-up.
Windows windows_of(const traces::Blocks& blocks, std::uint64_t warmup = 0) {
  const auto times = blocks.trace().times();
  return Windows::split(warmup, times[warmup], times.back(), 100);
}

HitRates hit_rates(const traces::Blocks& blocks, std::span<const policies::Choice> choices,
                   std::span<const std::uint32_t> capacities, const HitRateOptions& options, std::uint64_t warmup = 0) {
  return experiments::hit_rates(blocks, choices, capacities, windows_of(blocks, warmup), options);
}

TEST(HitRate, SplitsAnUnalignedRequestIntoTheBlocksThatItOverlaps) {
  // 12 KiB from 2 KiB on overlap blocks 0, 1, 2 and 3: 2, 4, 4 and 2 KiB of them.
  const auto trace = made({request(0, Op::read, 2048, 12'288), request(1, Op::read, 4096, 4096),
                           request(2, Op::read, 2048, 12'288), request(3, Op::write, 14'336, 12'288)});
  traces::Blocks blocks(trace, sim::Bytes{4096}, Granularity::block);
  EXPECT_EQ(blocks.footprint(), 7u);
  EXPECT_EQ(std::vector<traces::BlockId>(blocks.accesses().begin(), blocks.accesses().end()),
            (std::vector<traces::BlockId>{0, 1, 2, 3, 1, 0, 1, 2, 3, 3, 4, 5, 6}));
  const std::uint32_t capacity = 7;
  const auto rates = hit_rates(blocks, policies::parse_choices("lru,fifo"), {&capacity, 1}, {});
  for (const auto& row : rates.rows) {
    EXPECT_EQ(row.hits.reads, 5u) << row.policy;
    EXPECT_EQ(row.hits.writes, 1u);
    EXPECT_EQ(row.request_hits, 2u);
    EXPECT_EQ(row.hit_bytes.reads, 4096u + 12'288u);
    EXPECT_EQ(row.hit_bytes.writes, 2048u);  // 14 to 16 KiB lie in block 3
    EXPECT_EQ(row.backend_requests.reads, 1u);
    EXPECT_EQ(row.backend_bytes.reads, 4u * 4096);
    EXPECT_EQ(row.cache_write_bytes, 4u * 4096 + 12'288);
  }
  EXPECT_EQ(rates.demand.cold_misses, 7u);
  EXPECT_EQ(rates.demand.write_requests, 1u);
}

TEST(HitRate, AdjacentMissedBlocksOfARequestAreOneBackendRead) {
  // The second request misses blocks 0 and 1, hits 2, misses 3.
  const auto trace = made({request(0, Op::read, 2 * 4096, 4096), request(1, Op::read, 0, 4 * 4096)});
  traces::Blocks blocks(trace, sim::Bytes{4096}, Granularity::block);
  const std::uint32_t capacity = 4;
  const auto rates = hit_rates(blocks, policies::parse_choices("lru,clock"), {&capacity, 1}, {});
  for (const auto& row : rates.rows) EXPECT_EQ(row.backend_requests.reads, 1u + 2u) << row.policy;
}

TEST(HitRate, ReadsOfOneDiskNeverHitBlocksOfAnother) {
  MadeReader reader(
      {request(0, Op::read, 0, 4096, 0), request(1, Op::read, 0, 4096, 1), request(2, Op::read, 0, 4096, 0)},
      {"a", "b"});
  const auto trace = traces::Trace::load(reader);
  traces::Blocks blocks(trace, sim::Bytes{4096}, Granularity::block);
  EXPECT_EQ(blocks.footprint(), 2u);
  const std::uint32_t capacity = 2;
  EXPECT_EQ(hit_rates(blocks, policies::parse_choices("lru"), {&capacity, 1}, {}).rows[0].hits.reads, 1u);
}

// Every figure of a row, to compare two ways of computing them.
using Figures = std::vector<std::uint64_t>;
void append(const experiments::Counts& c, Figures& figures) {
  figures.insert(figures.end(), {c.hits.reads, c.hits.writes, c.request_hits, c.hit_bytes.reads, c.hit_bytes.writes,
                                 c.backend_requests.reads, c.backend_requests.writes, c.backend_bytes.reads,
                                 c.backend_bytes.writes, c.cache_write_bytes});
}
Figures figures(const experiments::HitRate& row) {
  Figures figures{row.capacity_blocks, row.full ? static_cast<std::uint64_t>(row.full->count) + 1 : 0};
  append(row, figures);
  for (const experiments::Counts& window : row.windows) append(window, figures);
  return figures;
}

void expect_one_pass_equals_simulation(traces::Blocks& blocks, const std::vector<std::uint32_t>& sizes,
                                       std::uint64_t warmup, const std::string& where) {
  const auto lru = policies::parse_choices("lru");
  const auto one_pass = hit_rates(blocks, lru, sizes, {}, warmup);
  const auto simulated = hit_rates(blocks, lru, sizes, {.simulate_lru = true}, warmup);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    ASSERT_EQ(figures(one_pass.rows[i]), figures(simulated.rows[i])) << where << " capacity " << sizes[i];
    ASSERT_TRUE(one_pass.rows[i].stack_distance && !simulated.rows[i].stack_distance);
  }
}

TEST(HitRate, OnePassOfLruEqualsSimulationAtEverySize) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto trace = made(random_requests(seed, 1500, seed % 2 == 1));
    for (const auto granularity : {Granularity::block, Granularity::request}) {
      traces::Blocks blocks(trace, sim::Bytes{seed % 3 == 2 ? 3000 : 4096}, granularity);
      std::vector<std::uint32_t> sizes(blocks.footprint() + 2);
      for (std::uint32_t i = 0; i < sizes.size(); ++i) sizes[i] = i + 1;
      expect_one_pass_equals_simulation(blocks, sizes, seed % 5 * 100, "seed " + std::to_string(seed));
    }
  }
}

TEST(HitRate, OnePassOfLruEqualsSimulationOnARealTrace) {
  NEEDS_SHARED_DATA("traces/cloudPhysicsIO.vscsi");
  const auto reader = traces::open_trace(support::shared_data("traces/cloudPhysicsIO.vscsi").string(), "", {});
  const auto trace = traces::Trace::load(*reader);
  traces::Blocks blocks(trace, sim::Bytes{4096}, Granularity::block);
  EXPECT_EQ(blocks.accesses().size(), 1'141'869u);
  EXPECT_EQ(blocks.footprint(), 269'210u);
  expect_one_pass_equals_simulation(blocks, {1, 2, 100, 269, 2692, 26'921, 80'763, 200'000, 269'210}, 20'000,
                                    "cloudPhysics");

  // Misses that the reference simulator has for the same blocks.
  const std::vector<std::uint32_t> sizes{269, 2692, 26'921, 80'763};
  const auto rates = hit_rates(blocks, policies::parse_choices("lru,fifo,arc"), sizes, {.threads = 2});
  const std::vector<std::uint64_t> misses{1'039'963, 1'024'107, 998'105,   711'119,   1'042'312, 1'025'066,
                                          996'687,   733'446,   1'036'248, 1'025'309, 941'434,   787'185};
  for (std::size_t i = 0; i < misses.size(); ++i)
    EXPECT_EQ(rates.demand.accesses.sum() - rates.rows[i].hits.sum(), misses[i]) << rates.rows[i].policy;
}

// Counts everything from the definitions, with a map of blocks and a list for LRU.
struct NaiveLru {
  std::list<std::uint64_t> order;
  std::uint64_t hits = 0, request_hits = 0, hit_bytes = 0, backend_reads = 0;

  void play(const Request& r, std::uint64_t block, std::size_t capacity) {
    const std::uint64_t begin = r.offset.bytes, end = begin + static_cast<std::uint64_t>(r.length.count);
    if (r.op == Op::discard) {
      for (std::uint64_t b = (begin + block - 1) / block; (b + 1) * block <= end; ++b) order.remove(b);
      return;
    }
    bool all = true, missed = false;
    for (std::uint64_t b = begin / block; b * block < end; ++b) {
      const auto found = std::find(order.begin(), order.end(), b);
      const bool hit = found != order.end();
      if (hit) {
        order.erase(found);
        ++hits;
        hit_bytes += std::min(end, (b + 1) * block) - std::max(begin, b * block);
      } else if (r.op == Op::read && !missed) {
        ++backend_reads;
      }
      order.push_front(b);
      if (order.size() > capacity) order.pop_back();
      all &= hit;
      missed = !hit;
    }
    request_hits += all;
  }
};

TEST(HitRate, EqualsCountingByDefinition) {
  for (std::uint64_t seed = 100; seed < 140; ++seed) {
    const auto requests = random_requests(seed, 800, true);
    const auto trace = made(requests);
    traces::Blocks blocks(trace, sim::Bytes{4096}, Granularity::block);
    for (const std::uint32_t capacity : {1u, 3u, 17u, 60u}) {
      NaiveLru naive;
      for (const Request& r : requests) naive.play(r, 4096, capacity);
      const auto row = hit_rates(blocks, policies::parse_choices("lru"), {&capacity, 1}, {}).rows[0];
      ASSERT_EQ(std::tuple(naive.hits, naive.request_hits, naive.hit_bytes, naive.backend_reads),
                std::tuple(row.hits.sum(), row.request_hits, row.hit_bytes.sum(), row.backend_requests.reads))
          << "seed " << seed << " capacity " << capacity;
    }
  }
}

TEST(HitRate, NoPolicyHitsWhatNoCacheCanHit) {
  for (std::uint64_t seed = 200; seed < 220; ++seed) {
    const auto trace = made(random_requests(seed, 1000, true));
    traces::Blocks blocks(trace, sim::Bytes{4096}, Granularity::block);
    const std::uint32_t capacity = blocks.footprint() + 1;
    const auto rates =
        hit_rates(blocks, policies::parse_choices("lru,fifo,clock,sieve,arc,belady"), {&capacity, 1}, {});
    const auto& d = rates.demand;
    for (const auto& row : rates.rows)
      EXPECT_EQ(row.hits.sum(), d.accesses.sum() - d.cold_misses - d.discard_misses) << row.policy << " seed " << seed;
  }
}

TEST(HitRate, ThreadsChangeNothing) {
  const auto trace = made(random_requests(9, 5000, true));
  traces::Blocks blocks(trace, sim::Bytes{4096}, Granularity::block);
  const std::vector<std::uint32_t> sizes{1, 2, 5, 10, 20, 30};
  const auto choices = policies::parse_choices("lru,fifo,clock,sieve,arc,s3_fifo,belady");
  const auto one = hit_rates(blocks, choices, sizes, {.threads = 1});
  for (const unsigned threads : {2u, 3u, 8u}) {
    const auto many = hit_rates(blocks, choices, sizes, {.threads = threads});
    for (std::size_t i = 0; i < one.rows.size(); ++i) EXPECT_EQ(figures(one.rows[i]), figures(many.rows[i]));
  }
}

TEST(HitRate, WarmupFillsButDoesNotCount) {
  std::vector<Request> requests;
  for (int i = 0; i < 100; ++i)
    requests.push_back(request(i, Op::read, static_cast<std::uint64_t>(i % 10) * 4096, 4096));
  const auto trace = made(requests);
  traces::Blocks blocks(trace, sim::Bytes{4096}, Granularity::block);
  const std::uint32_t capacity = 10;
  const auto rates = hit_rates(blocks, policies::parse_choices("lru,sieve"), {&capacity, 1}, {}, 10);
  EXPECT_EQ(rates.demand.accesses.sum(), 90u);
  EXPECT_EQ(rates.demand.cold_misses, 0u);
  for (const auto& row : rates.rows) EXPECT_EQ(row.hits.sum(), 90u);
}

// What each write handling does, by definition: an LRU list, and what the storage behind is sent.
struct NaiveWrites {
  policies::Writes writes;
  bool write_back = false;
  std::size_t capacity = 1;
  std::list<std::uint64_t> order;
  std::set<std::uint64_t> dirty;
  std::uint64_t read_hits = 0, write_hits = 0, backend_writes = 0, cache_write_bytes = 0;

  bool take(std::uint64_t block) {
    const bool there = std::find(order.begin(), order.end(), block) != order.end();
    order.remove(block);
    return there;
  }
  void put(std::uint64_t block) {
    order.push_front(block);
    if (order.size() <= capacity) return;
    backend_writes += dirty.erase(order.back());
    order.pop_back();
  }
  void access(bool write, std::uint64_t block, std::uint64_t bytes) {
    if (write && writes == policies::Writes::bypass) return;
    const bool hit = take(block);
    if (write && writes == policies::Writes::invalidate) return;
    (write ? write_hits : read_hits) += hit;
    if (write && writes == policies::Writes::update && !hit) return;
    if (write) cache_write_bytes += bytes;
    if (!write && !hit) cache_write_bytes += 4096;
    put(block);
    if (write && write_back) dirty.insert(block);
  }
  void play(const Request& r) {
    const std::uint64_t begin = r.offset.bytes, end = begin + static_cast<std::uint64_t>(r.length.count);
    if (r.op == Op::discard) {
      for (std::uint64_t b = (begin + 4095) / 4096; (b + 1) * 4096 <= end; ++b) take(b), dirty.erase(b);
      return;
    }
    if (r.op == Op::write && !write_back) ++backend_writes;
    for (std::uint64_t b = begin / 4096; b * 4096 < end; ++b)
      access(r.op == Op::write, b, std::min(end, (b + 1) * 4096) - std::max(begin, b * 4096));
  }
};

TEST(HitRate, WritesDoWhatTheirHandlingSays) {
  using policies::Writes;
  for (std::uint64_t seed = 300; seed < 330; ++seed) {
    const auto requests = random_requests(seed, 800, true);
    const auto trace = made(requests);
    const traces::Blocks blocks(trace, sim::Bytes{4096}, Granularity::block);
    for (const auto& [writes, back] : {std::pair{Writes::allocate, false},
                                       {Writes::allocate, true},
                                       {Writes::update, false},
                                       {Writes::invalidate, false},
                                       {Writes::bypass, false}}) {
      for (const std::uint32_t capacity : {1u, 5u, 19u, 50u}) {
        NaiveWrites naive{.writes = writes, .write_back = back, .capacity = capacity, .order = {}, .dirty = {}};
        for (const Request& r : requests) naive.play(r);
        const auto row =
            hit_rates(blocks, policies::parse_choices("lru"), {&capacity, 1}, {.writes = writes, .write_back = back})
                .rows[0];
        ASSERT_EQ(std::tuple(naive.read_hits, naive.write_hits, naive.backend_writes, naive.cache_write_bytes),
                  std::tuple(row.hits.reads, row.hits.writes, row.backend_requests.writes, row.cache_write_bytes))
            << "seed " << seed << " capacity " << capacity << " writes " << static_cast<int>(writes) << back;
      }
    }
  }
}

TEST(HitRate, SizeLimitTurnsLargeReadsAwayAndSendsLargeWritesAround) {
  const auto trace = made({request(0, Op::read, 0, 8192), request(1, Op::read, 0, 4096), request(2, Op::read, 0, 4096),
                           request(3, Op::write, 0, 8192), request(4, Op::read, 0, 4096)});
  const traces::Blocks blocks(trace, sim::Bytes{4096}, Granularity::block);
  const std::uint32_t capacity = 4;
  HitRateOptions options;
  options.admission = policies::parse_stages("size:over=4KiB");
  const auto row = hit_rates(blocks, policies::parse_choices("lru"), {&capacity, 1}, options).rows[0];
  EXPECT_EQ(row.hits.sum(), 1u);            // the third request; the write has dropped its block again
  EXPECT_EQ(row.cache_write_bytes, 8192u);  // the second and the last
}

TEST(HitRate, PiecesGiveTheBytesOfTheWhole) {
  const std::vector<std::uint32_t> sizes{1, 2, 5, 10, 20, 30, 45};
  for (std::uint64_t seed = 400; seed < 410; ++seed) {
    const auto requests = random_requests(seed, 1000, seed % 2 == 0);
    const auto trace = made(requests);
    const traces::Blocks blocks(trace, sim::Bytes{4096}, Granularity::block);
    const auto choices = policies::parse_choices("lru,fifo,arc,smq,open_cas");
    HitRateOptions options;
    options.working_sets = true;
    options.threads = 2;
    const Windows windows = windows_of(blocks, 77);
    const auto whole = experiments::hit_rates(blocks, choices, sizes, windows, options);
    experiments::HitRateStream stream(blocks.footprint(), trace.info().streams.names(), choices, sizes, windows,
                                      options);
    MadeReader reader(requests);
    traces::Pieces pieces(reader, 1 + seed % 7 * 50, std::nullopt, std::nullopt);
    traces::BlockNumbers numbers;
    for (traces::Trace piece; pieces.next(piece);)
      stream.play(traces::Blocks(piece, sim::Bytes{4096}, Granularity::block, numbers));
    const auto in_pieces = stream.finish();
    for (std::size_t i = 0; i < whole.rows.size(); ++i)
      ASSERT_EQ(figures(whole.rows[i]), figures(in_pieces.rows[i])) << whole.rows[i].policy << " seed " << seed;
    for (std::size_t w = 0; w < windows.count; ++w) {
      ASSERT_EQ(whole.window_demand[w].working_set, in_pieces.window_demand[w].working_set);
      ASSERT_EQ(whole.window_demand[w].cold_misses, in_pieces.window_demand[w].cold_misses);
      ASSERT_EQ(whole.window_demand[w].discard_misses, in_pieces.window_demand[w].discard_misses);
    }
  }
}

TEST(HitRate, WindowsHaveTheWorkingSetsAndSumUp) {
  const auto requests = random_requests(12, 1000, false);
  const auto trace = made(requests);
  const traces::Blocks blocks(trace, sim::Bytes{4096}, Granularity::block);
  HitRateOptions options;
  options.working_sets = true;
  const auto windows = Windows::of_width(100, trace.times()[100], trace.times().back(), sim::Nanoseconds{150'000});
  EXPECT_EQ(windows.count, 6u);
  const std::uint32_t capacity = 9;
  const auto rates =
      experiments::hit_rates(blocks, policies::parse_choices("lru,sieve"), {&capacity, 1}, windows, options);
  std::vector<std::set<std::uint64_t>> touched(windows.count);
  std::vector<std::uint64_t> accesses(windows.count);
  for (std::size_t r = 100; r < requests.size(); ++r) {
    const auto w = static_cast<std::size_t>((requests[r].time.since_origin.count - 100'000) / 150'000);
    const std::uint64_t end = requests[r].offset.bytes + static_cast<std::uint64_t>(requests[r].length.count);
    for (std::uint64_t b = requests[r].offset.bytes / 4096; b * 4096 < end; ++b) touched[w].insert(b), ++accesses[w];
  }
  for (std::size_t w = 0; w < windows.count; ++w) {
    EXPECT_EQ(rates.window_demand[w].working_set, touched[w].size());
    EXPECT_EQ(rates.window_demand[w].accesses.sum(), accesses[w]);
  }
  for (const auto& row : rates.rows) {
    std::uint64_t hits = 0;
    for (const auto& window : row.windows) hits += window.hits.sum();
    EXPECT_EQ(hits, row.hits.sum());
  }
}

TEST(HitRate, FillTimeIsWhenTheLastFreeBlockIsTaken) {
  const auto trace =
      made({request(0, Op::read, 0, 4096), request(10, Op::read, 4096, 4096), request(20, Op::discard, 0, 4096),
            request(30, Op::read, 8192, 4096), request(40, Op::read, 12'288, 4096)});
  const traces::Blocks blocks(trace, sim::Bytes{4096}, Granularity::block);
  const std::vector<std::uint32_t> sizes{1, 2, 3, 4};
  for (const auto& row : hit_rates(blocks, policies::parse_choices("lru,fifo,arc"), sizes, {}).rows) {
    const std::optional<std::int64_t> expected[] = {0, 10, 40, std::nullopt};
    const auto& full = expected[row.capacity_blocks - 1];
    EXPECT_EQ(row.full ? row.full->count : -1, full.value_or(-1)) << row.policy << row.capacity_blocks;
  }
}

}  // namespace
