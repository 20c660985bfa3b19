#include "policies/parts/frequency_sketch.h"

#include <map>

#include "tests/policies/play.h"

namespace {

using policies::BlockId;
using policies::FrequencySketch;

constexpr std::uint64_t kNeverAges = UINT64_MAX;

// The doorkeeper takes the first sighting, the counters 15 more.
TEST(FrequencySketch, CountsOneBlockExactly) {
  FrequencySketch sketch(100, kNeverAges);
  EXPECT_EQ(sketch.estimate(7), 0u);
  for (unsigned times = 1; times <= 40; ++times) {
    sketch.add(7);
    EXPECT_EQ(sketch.estimate(7), std::min(times, 16u));
  }
}

TEST(FrequencySketch, IsNeverTooLow) {
  for (const std::uint32_t blocks : {1u, 20u, 300u}) {
    support::Dice dice(blocks);
    FrequencySketch sketch(blocks, kNeverAges);
    std::map<BlockId, unsigned> seen;
    for (int i = 0; i < 5000; ++i) {
      const BlockId block = std::min(dice.below(1000), dice.below(1000));
      sketch.add(block);
      ++seen[block];
      ASSERT_GE(sketch.estimate(block), std::min(seen[block], 16u));
    }
    for (const auto& [block, times] : seen) ASSERT_GE(sketch.estimate(block), std::min(times, 16u));
  }
}

// Blocks as many as the sketch is made for, seen 1 to 8 times each, and as many others never seen.
TEST(FrequencySketch, IsSeldomTooHigh) {
  constexpr std::uint32_t kBlocks = 10'000;
  FrequencySketch sketch(kBlocks, kNeverAges);
  for (unsigned round = 1; round <= 8; ++round) {
    for (BlockId block = 0; block < kBlocks; ++block) {
      if (block % 8 < round) sketch.add(block);
    }
  }
  unsigned wrong = 0;
  for (BlockId block = 0; block < kBlocks; ++block) wrong += sketch.estimate(block) != 8 - block % 8;
  for (BlockId block = kBlocks; block < 2 * kBlocks; ++block) wrong += sketch.estimate(block) != 0;
  EXPECT_LT(wrong, 2 * kBlocks / 20);
}

// At the eighth sighting, before it is counted: counters are halved, the doorkeeper is emptied, and the sample is half
// full.
TEST(FrequencySketch, Ages) {
  FrequencySketch sketch(100, 8);
  for (int i = 0; i < 7; ++i) sketch.add(3);
  EXPECT_EQ(sketch.estimate(3), 7u);
  sketch.add(5);
  EXPECT_EQ(sketch.estimate(3), 3u);
  EXPECT_EQ(sketch.estimate(5), 1u);
  for (int i = 0; i < 3; ++i) sketch.add(3);
  EXPECT_EQ(sketch.estimate(3), 6u);
  sketch.add(5);
  EXPECT_EQ(sketch.estimate(3), 2u);
}

}  // namespace
