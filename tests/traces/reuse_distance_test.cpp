#include "traces/reuse_distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>

#include "sim/random.h"

namespace {

using traces::ReuseDistance;

std::vector<std::uint32_t> distances_of(std::uint32_t footprint, const std::vector<std::uint32_t>& blocks) {
  std::vector<std::uint32_t> distances(blocks.size());
  ReuseDistance(footprint).access(blocks, distances);
  return distances;
}

TEST(ReuseDistance, CountsDistinctBlocksSinceTheLastAccess) {
  constexpr auto inf = ReuseDistance::kInfinite;
  EXPECT_EQ(distances_of(3, {0, 0, 1, 2, 1, 0, 0}), (std::vector<std::uint32_t>{inf, 1, inf, inf, 2, 3, 1}));
}

TEST(ReuseDistance, EqualsTheDepthInAListOverManyRenumberings) {
  for (const std::uint32_t footprint : {1u, 7u, 300u, 3000u}) {
    std::vector<std::uint32_t> blocks(60'000);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const double u = sim::to_unit(sim::random_word(footprint, i));
      blocks[i] = static_cast<std::uint32_t>(u * u * footprint);
    }
    const auto distances = distances_of(footprint, blocks);
    std::list<std::uint32_t> stack;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const auto found = std::find(stack.begin(), stack.end(), blocks[i]);
      const auto depth = found == stack.end() ? ReuseDistance::kInfinite
                                              : static_cast<std::uint32_t>(std::distance(stack.begin(), found)) + 1;
      ASSERT_EQ(distances[i], depth) << "footprint " << footprint << ", access " << i;
      if (found != stack.end()) stack.erase(found);
      stack.push_front(blocks[i]);
    }
  }
}

// LRU of one size with discards, straight from its definition.
class NaiveLru {
 public:
  explicit NaiveLru(std::size_t capacity) : capacity_(capacity) {}
  bool access(std::uint32_t block) {
    const auto found = std::find(blocks_.begin(), blocks_.end(), block);
    const bool hit = found != blocks_.end();
    if (hit) blocks_.erase(found);
    blocks_.push_front(block);
    if (blocks_.size() > capacity_) blocks_.pop_back();
    return hit;
  }
  void forget(std::uint32_t block) { blocks_.remove(block); }

 private:
  std::size_t capacity_;
  std::list<std::uint32_t> blocks_;
};

TEST(ReuseDistance, GivesTheHitsOfLruAtEverySizeAlsoWithDiscards) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::uint32_t footprint = 2 + static_cast<std::uint32_t>(sim::random_word(seed, 0) % 20);
    std::vector<NaiveLru> caches;
    for (std::uint32_t c = 1; c <= footprint; ++c) caches.emplace_back(c);
    ReuseDistance reuse(footprint);
    for (std::uint64_t i = 1; i < 400; ++i) {
      const std::uint64_t word = sim::random_word(seed, i);
      const auto block = static_cast<std::uint32_t>(word % footprint);
      if ((word >> 32) % 4 == 0) {
        reuse.forget(block);
        for (auto& cache : caches) cache.forget(block);
        continue;
      }
      std::uint32_t distance = 0;
      reuse.access({&block, 1}, {&distance, 1});
      for (std::uint32_t c = 1; c <= footprint; ++c) {
        ASSERT_EQ(caches[c - 1].access(block), distance <= c) << "seed " << seed << " step " << i << " size " << c;
      }
    }
  }
}

}  // namespace
