#include <map>

#include "tests/policies/twin.h"

namespace {

using namespace support;

// The farthest next use leaves; of blocks never used again the one used last.
class NaiveBelady : public Twin {
 public:
  NaiveBelady(std::size_t capacity, bool may_refuse) : capacity_(capacity), may_refuse_(may_refuse) {}

  Played access(BlockId block, std::uint32_t next_use) override {
    const bool hit = contains(block);
    BlockId victim = kNoBlock;
    if (!hit && blocks_.size() == capacity_) {
      const auto farthest = std::max_element(blocks_.begin(), blocks_.end(), [](const auto& a, const auto& b) {
        return std::pair(a.second.next, a.second.last) < std::pair(b.second.next, b.second.last);
      });
      if (may_refuse_ && next_use >= farthest->second.next) return {Outcome::rejected, kNoBlock};
      victim = farthest->first;
      blocks_.erase(farthest);
    }
    blocks_[block] = {next_use, clock_++};
    return {hit ? Outcome::hit : Outcome::miss, victim};
  }
  void forget(BlockId block) override { blocks_.erase(block); }
  bool contains(BlockId block) const override { return blocks_.contains(block); }

  Played access(const SmallTrace& trace, std::size_t i, policies::Gate& gate) {
    const BlockId block = trace.blocks[i];
    const Treatment treatment = gate.now(trace.treatments[i], static_cast<std::uint32_t>(blocks_.size()));
    const auto known = blocks_.find(block);
    if (treatment == Treatment::pass) {
      if (known != blocks_.end() && known->second.next == i) known->second = {trace.next_use[i], clock_++};
      return {Outcome::rejected, kNoBlock};
    }
    if (treatment == Treatment::drop) return {blocks_.erase(block) ? Outcome::dropped : Outcome::rejected, kNoBlock};
    if (known == blocks_.end()) {
      const bool asks = treatment == Treatment::admit;
      if (!asks || !gate.admits(block, static_cast<std::uint32_t>(blocks_.size())))
        return {Outcome::rejected, kNoBlock};
    }
    const Played played = access(block, trace.next_use[i]);
    if (treatment == Treatment::take) blocks_.erase(block);
    return played;
  }

 private:
  struct Uses {
    std::uint32_t next, last;
  };
  std::size_t capacity_;
  bool may_refuse_;
  std::uint32_t clock_ = 0;
  std::map<BlockId, Uses> blocks_;
};

constexpr std::pair<const char*, bool> kBoth[] = {{"belady", false}, {"belady_bypass", true}};

TEST(Belady, EqualsTwin) {
  for (const auto& [text, may_refuse] : kBoth) {
    expect_equal_to_twin(text, [refuses = may_refuse](std::size_t capacity) {
      return std::make_unique<NaiveBelady>(capacity, refuses);
    });
  }
}

TEST(Belady, EqualsTwinWithTreatments) {
  for (const auto& [text, may_refuse] : kBoth) {
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
      SmallTrace trace = small_trace(seed, false);
      treat(trace, seed);
      SCOPED_TRACE(trace.name);
      const auto stages = policies::parse_stages(seed % 3 == 0 ? "" : "probabilistic:p=0.7");
      policies::Gate gate(stages, trace.capacity, trace.footprint), same(stages, trace.capacity, trace.footprint);
      NaiveBelady twin(trace.capacity, may_refuse);
      const auto played =
          play(*choice(text).make(trace.capacity, trace.footprint), trace, 0, trace.blocks.size(), true, true, &gate);
      for (std::size_t i = 0; i < played.size(); ++i) ASSERT_EQ(played[i], twin.access(trace, i, same)) << i;
    }
  }
}

// No choice of victims whatever does better, found by trying all of them.
int fewest_misses(const SmallTrace& trace, std::size_t at, std::vector<BlockId> cache, bool may_refuse) {
  if (at == trace.blocks.size()) return 0;
  const BlockId block = trace.blocks[at];
  if (std::find(cache.begin(), cache.end(), block) != cache.end())
    return fewest_misses(trace, at + 1, cache, may_refuse);
  if (cache.size() < trace.capacity) {
    cache.push_back(block);
    return 1 + fewest_misses(trace, at + 1, cache, may_refuse);
  }
  int fewest = may_refuse ? 1 + fewest_misses(trace, at + 1, cache, may_refuse) : INT32_MAX;
  for (BlockId& place : cache) {
    const BlockId victim = std::exchange(place, block);
    fewest = std::min(fewest, 1 + fewest_misses(trace, at + 1, cache, may_refuse));
    place = victim;
  }
  return fewest;
}

TEST(Belady, IsOptimal) {
  for (const auto& [text, may_refuse] : kBoth) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      Dice dice(seed);
      SmallTrace trace;
      trace.footprint = 5;
      trace.capacity = 2 + dice.below(2);
      for (int i = 0; i < 13; ++i) trace.blocks.push_back(dice.below(trace.footprint));
      trace.next_use = next_uses(trace.blocks, trace.footprint);
      const auto played =
          play(*choice(text).make(trace.capacity, trace.footprint), trace, 0, trace.blocks.size(), true);
      const auto misses = std::count_if(played.begin(), played.end(), [](auto p) { return p.outcome != Outcome::hit; });
      EXPECT_EQ(misses, fewest_misses(trace, 0, {}, may_refuse)) << text << " " << seed;
    }
  }
}

// The next uses are of other accesses than those that come: not a wrong count, but a stop.
TEST(Belady, NoticesAWrongFuture) {
  SmallTrace trace;
  trace.footprint = 2;
  trace.blocks = {0, 1, 0};
  trace.next_use = {1, kNever, kNever};
  const auto policy = choice("belady").make(1, 2);
  EXPECT_THROW(play(*policy, trace, 0, 3, true), std::logic_error);
}

}  // namespace
