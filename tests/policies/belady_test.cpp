#include <map>

#include "tests/policies/twin.h"

namespace {

using namespace support;

// The farthest next use leaves; of blocks never used again the one used last.
class NaiveBelady : public Twin {
 public:
  explicit NaiveBelady(std::size_t capacity) : capacity_(capacity) {}

  Played access(BlockId block, std::uint32_t next_use) override {
    const bool hit = contains(block);
    BlockId victim = kNoBlock;
    if (!hit && blocks_.size() == capacity_) {
      const auto farthest = std::max_element(blocks_.begin(), blocks_.end(), [](const auto& a, const auto& b) {
        return std::pair(a.second.next, a.second.last) < std::pair(b.second.next, b.second.last);
      });
      victim = farthest->first;
      blocks_.erase(farthest);
    }
    blocks_[block] = {next_use, position_++};
    return {hit ? Outcome::hit : Outcome::miss, victim};
  }
  void forget(BlockId block) override { blocks_.erase(block); }
  bool contains(BlockId block) const override { return blocks_.contains(block); }

 private:
  struct Uses {
    std::uint32_t next, last;
  };
  std::size_t capacity_;
  std::uint32_t position_ = 0;
  std::map<BlockId, Uses> blocks_;
};

TEST(Belady, EqualsTwin) {
  expect_equal_to_twin("belady", [](std::size_t capacity) { return std::make_unique<NaiveBelady>(capacity); });
}

// No choice of victims whatever does better, found by trying all of them.
int fewest_misses(const SmallTrace& trace, std::size_t at, std::vector<BlockId> cache) {
  if (at == trace.blocks.size()) return 0;
  const BlockId block = trace.blocks[at];
  if (std::find(cache.begin(), cache.end(), block) != cache.end()) return fewest_misses(trace, at + 1, cache);
  if (cache.size() < trace.capacity) {
    cache.push_back(block);
    return 1 + fewest_misses(trace, at + 1, cache);
  }
  int fewest = INT32_MAX;
  for (BlockId& place : cache) {
    const BlockId victim = std::exchange(place, block);
    fewest = std::min(fewest, 1 + fewest_misses(trace, at + 1, cache));
    place = victim;
  }
  return fewest;
}

TEST(Belady, IsOptimal) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Dice dice(seed);
    SmallTrace trace;
    trace.footprint = 5;
    trace.capacity = 2 + dice.below(2);
    for (int i = 0; i < 14; ++i) trace.blocks.push_back(dice.below(trace.footprint));
    trace.next_use = next_uses(trace.blocks, trace.footprint);
    const auto played =
        play(*choice("belady").make(trace.capacity, trace.footprint), trace, 0, trace.blocks.size(), true);
    const auto misses = std::count_if(played.begin(), played.end(), [](auto p) { return p.outcome == Outcome::miss; });
    EXPECT_EQ(misses, fewest_misses(trace, 0, {})) << seed;
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
