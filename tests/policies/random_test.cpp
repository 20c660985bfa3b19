#include <set>

#include "tests/policies/play.h"

namespace {

using namespace support;

SmallTrace uniform(std::uint32_t footprint, int count) {
  SmallTrace trace;
  trace.footprint = footprint;
  Dice dice(1);
  for (int i = 0; i < count; ++i) trace.blocks.push_back(dice.below(footprint));
  return trace;
}

// Uniform references to n blocks hit a cache of c of them with probability c/n, whatever the policy; but here each
// block that is pushed out has been there for a time of geometric distribution, so the times tell RANDOM from others.
TEST(Random, PushesOutAnyBlock) {
  constexpr std::uint32_t kCapacity = 30;
  const SmallTrace trace = uniform(100, 200'000);
  const auto played = play(*choice("random").make(kCapacity, 100), trace, 0, trace.blocks.size(), false);
  std::vector<int> arrival(100), ages(8 * kCapacity + 1);
  int hits = 0, misses = 0, victims = 0;
  for (std::size_t i = 0; i < played.size(); ++i) {
    if (played[i].outcome == Outcome::hit) {
      ++hits;
      continue;
    }
    ++misses;
    arrival[trace.blocks[i]] = misses;
    if (played[i].victim == kNoBlock) continue;
    ++victims;
    ++ages[std::min<std::size_t>(static_cast<std::size_t>(misses - arrival[played[i].victim]), 8 * kCapacity)];
  }
  EXPECT_NEAR(hits, 60'000, 1'000);
  // The share pushed out by one of the first `age` misses after their own.
  int younger = 0;
  double stays = 1;
  for (std::size_t age = 1; age < 8 * kCapacity; ++age) {
    younger += ages[age];
    stays *= 1 - 1.0 / kCapacity;
    EXPECT_NEAR(static_cast<double>(younger) / victims, 1 - stays, 0.01) << age;
  }
}

TEST(Random, SeedsDiffer) {
  const SmallTrace trace = uniform(100, 1000);
  std::set<std::vector<BlockId>> victims;
  for (const char* text : {"random", "random:seed=1", "random:seed=2", "random:seed=4294967295"}) {
    std::vector<BlockId> sequence;
    for (const Played& one : play(*choice(text).make(30, 100), trace, 0, 1000, false)) sequence.push_back(one.victim);
    victims.insert(sequence);
  }
  EXPECT_EQ(victims.size(), 3u);
}

}  // namespace
