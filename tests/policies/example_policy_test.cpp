// The worked example of policies/README.md: RANDOM, which pushes out any block. Between the two rules is what would be
// policies/random.cpp; below them is its test.
#include "tests/policies/play.h"

// ---------------------------------------------------------------------------------------------------------------------
// RANDOM: any block leaves.
//
// Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems Journal 5(2), 1966.
//
// Keeps nothing but which blocks are there. seed: another seed makes other choices.
#include <algorithm>

#include "policies/parts/batch.h"
#include "sim/random.h"

namespace policies {
namespace {

class Random {
 public:
  Random(std::uint32_t capacity, std::uint32_t footprint, std::uint64_t seed)
      : capacity_(capacity), seed_(seed), place_(footprint, kAbsent) {
    blocks_.reserve(std::min(capacity, footprint));
  }

  Outcome access(BlockId block, BlockId& victim) {
    if (place_[block] != kAbsent) return Outcome::hit;
    if (blocks_.size() == capacity_) {
      victim = blocks_[sim::random_word(seed_, evictions_++) % blocks_.size()];
      forget(victim);
    }
    place_[block] = static_cast<std::uint32_t>(blocks_.size());
    blocks_.push_back(block);
    return Outcome::miss;
  }

  void prefetch(BlockId block) const { __builtin_prefetch(&place_[block], 1); }

  void forget(BlockId block) {
    if (!contains(block)) return;
    blocks_[place_[block]] = blocks_.back();
    place_[blocks_.back()] = place_[block];
    blocks_.pop_back();
    place_[block] = kAbsent;
  }
  bool contains(BlockId block) const { return place_[block] != kAbsent; }
  std::uint32_t resident() const { return static_cast<std::uint32_t>(blocks_.size()); }

 private:
  static constexpr std::uint32_t kAbsent = UINT32_MAX;

  std::uint32_t capacity_;
  std::uint64_t seed_;
  std::uint64_t evictions_ = 0;
  std::vector<std::uint32_t> place_;  // by block, in blocks_
  std::vector<BlockId> blocks_;       // those in the cache, in no order
};

constexpr Parameter kParameters[] = {{"seed", "another seed makes other choices", "1"}};

}  // namespace

extern const Spec random_example{
    .name = "random",
    .idea = "any block leaves",
    .paper = "Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems Journal 1966",
    .parameters = kParameters,
    .make = [](std::uint32_t capacity, std::uint32_t footprint, const Settings& settings) -> std::unique_ptr<Policy> {
      const auto seed = static_cast<std::uint64_t>(settings.number("seed"));
      return std::make_unique<Batched<Random>>(capacity, footprint, seed);
    },
};

}  // namespace policies
// ---------------------------------------------------------------------------------------------------------------------

namespace {

using namespace support;
using Given = std::vector<std::pair<std::string, std::string>>;

TEST(ExamplePolicy, KeepsTheContract) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const SmallTrace trace = small_trace(seed, false);
    const policies::Settings settings(Given{{"seed", std::to_string(seed)}});
    const auto policy = policies::random_example.make(trace.capacity, trace.footprint, settings);
    std::vector<bool> resident(trace.footprint);
    const auto played = play(*policy, trace, 0, trace.blocks.size(), false);
    for (std::size_t i = 0; i < played.size(); ++i) {
      ASSERT_EQ(played[i].outcome == Outcome::hit, resident[trace.blocks[i]]) << trace.name << " access " << i;
      resident[trace.blocks[i]] = true;
      if (played[i].victim == kNoBlock) continue;
      ASSERT_TRUE(resident[played[i].victim]) << trace.name << " access " << i;
      resident[played[i].victim] = false;
    }
    ASSERT_EQ(policy->resident(), std::count(resident.begin(), resident.end(), true));
    policy->forget(trace.blocks.back());
    ASSERT_FALSE(policy->contains(trace.blocks.back()));
  }
}

// Uniform references to n blocks hit a random cache of c of them with probability c/n.
TEST(ExamplePolicy, HitsAsOftenAsChanceSays) {
  SmallTrace trace;
  trace.footprint = 100;
  Dice dice(1);
  for (int i = 0; i < 100'000; ++i) trace.blocks.push_back(dice.below(100));
  const policies::Settings settings(Given{{"seed", "1"}});
  const auto played = play(*policies::random_example.make(30, 100, settings), trace, 0, trace.blocks.size(), false);
  const auto hits =
      std::count_if(played.begin(), played.end(), [](const Played& p) { return p.outcome == Outcome::hit; });
  EXPECT_NEAR(static_cast<double>(hits), 30'000, 600);
}

}  // namespace
