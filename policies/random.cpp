// RANDOM: any block leaves.
//
// Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems Journal 5(2), 1966.
//
// Every block in the cache is as likely to be pushed out as every other. Keeps nothing but which blocks are there.
//
// seed: another seed makes other choices
#include "sim/random.h"

#include <algorithm>

#include "policies/parts/batch.h"
#include "policies/parts/whole_number.h"

namespace policies {
namespace {

class Random {
 public:
  Random(std::uint32_t capacity, std::uint32_t footprint, std::uint64_t seed)
      : capacity_(capacity), seed_(seed), place_(footprint, kAbsent) {
    blocks_.reserve(std::min(capacity, footprint));
  }

  Outcome access(BlockId block, BlockId& victim) {
    if (contains(block)) return Outcome::hit;
    if (blocks_.size() < capacity_) {
      place_[block] = resident();
      blocks_.push_back(block);
      return Outcome::miss;
    }
    const auto place = static_cast<std::uint32_t>(sim::random_word(seed_, evictions_++) % capacity_);
    victim = std::exchange(blocks_[place], block);
    place_[victim] = kAbsent;
    place_[block] = place;
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

extern const Spec random{
    .name = "random",
    .idea = "any block leaves",
    .paper = "Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems Journal 1966",
    .parameters = kParameters,
    .make = [](std::uint32_t capacity, std::uint32_t footprint, const Settings& settings) -> std::unique_ptr<Policy> {
      const std::uint64_t seed = sim::mix(whole_number(settings, "seed", 0, UINT32_MAX));
      return std::make_unique<Batched<Random>>(capacity, footprint, seed);
    },
};

}  // namespace policies
