// Belady's MIN as a Policy: the block whose next use is farthest away leaves. With kMayRefuse a new block that would be
// that one does not come in, once the cache is full.
//
// Of several blocks that are never used again the one used last leaves first. 8 bytes per block of footprint, 8 per
// block of capacity, and 0.2 to 0.4 per access.
//
// No heap: next uses are distinct positions, so the resident blocks are a set of positions. The access at position t
// is a hit if t is in the set, and the victim is the largest member. Which block a position belongs to is asked only
// for the victim's name. For that, blocks are chained by groups of 64 positions; a block that is pushed out stays in
// its chain until a search passes it. Chains are never unlinked: a group's links are overwritten only once its own
// positions are being accessed, and by then they have been copied (`current_`).
#pragma once

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "policies/admission.h"
#include "policies/parts/position_set.h"
#include "policies/parts/queue.h"
#include "policies/policy.h"

namespace policies {

template <bool kMayRefuse>
class FarthestNextUse final : public Policy {
 public:
  FarthestNextUse(std::uint32_t capacity, std::uint32_t footprint)
      : capacity_(capacity), state_(footprint), done_(std::min(capacity, footprint)) {}

  void access(const Accesses& accesses) override {
    make_room(accesses.next_use);
    if (accesses.treatments.empty()) {
      accesses.victims.empty() ? play<false, false>(accesses) : play<true, false>(accesses);
    } else {
      accesses.victims.empty() ? play<false, true>(accesses) : play<true, true>(accesses);
    }
  }

  void forget(BlockId block) override {
    if (!contains(block)) return;
    State& state = state_[block];
    if (state.next_use == kNever) {
      done_.erase(state.place);
      state.next_use = kUnknown;
    } else {
      positions_.erase(state.next_use);
    }
    --resident_;
  }

  bool contains(BlockId block) const override {
    const std::uint32_t next_use = state_[block].next_use;
    return next_use == kNever || (next_use != kUnknown && positions_.contains(next_use));
  }

  std::uint32_t resident() const override { return resident_; }

 private:
  static constexpr std::uint32_t kUnknown = kNever - 1;  // as a next use: absent, and expected nowhere
  static constexpr std::uint32_t kGroup = PositionSet::kWordBits;
  static constexpr std::size_t kAhead = 16;

  struct State {
    std::uint32_t next_use = kUnknown;  // stays when the block leaves, unless there is none
    std::uint32_t place = kNoBlock;     // the next block in its group; or among those never used again, an index
  };

  // The one thing that cannot be allocated at the start: how long the sequence is shows only here.
  void make_room(std::span<const std::uint32_t> next_uses) {
    std::uint64_t end = std::uint64_t{position_} + next_uses.size();
    for (const std::uint32_t next_use : next_uses) {
      if (next_use != kNever) end = std::max(end, std::uint64_t{next_use} + 1);
    }
    if (end <= positions_.room()) return;
    positions_.reserve(std::max(end, positions_.room() * 2));
    chains_.resize(positions_.room() / kGroup, kNoBlock);
  }

  template <bool kVictims, bool kTreated>
  void play(const Accesses& accesses) {
    const std::size_t count = accesses.blocks.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (i + kAhead < count) prefetch(accesses.blocks[i + kAhead], accesses.next_use[i + kAhead]);
      if (position_ % kGroup == 0) enter_group(position_ / kGroup);
      BlockId victim = kNoBlock;
      accesses.outcomes[i] = kTreated ? treat<kVictims>(accesses, i, victim)
                                      : admit<kVictims>(accesses.blocks[i], accesses.next_use[i], victim);
      ++position_;
      if constexpr (kVictims) accesses.victims[i] = victim;
    }
  }

  void prefetch(BlockId block, std::uint32_t next_use) const {
    __builtin_prefetch(&state_[block], 1);
    if (next_use == kNever) return;
    positions_.prefetch(next_use);
    __builtin_prefetch(&chains_[next_use / kGroup], 1);
  }

  template <bool kVictims>
  Outcome admit(BlockId block, std::uint32_t next_use, BlockId& victim) {
    State& state = state_[block];
    if (state.next_use != position_ && state.next_use != kUnknown) [[unlikely]]
      wrong_future(block);
    const bool hit = positions_.contains(position_);
    if (hit) {
      positions_.erase(position_);
    } else if (resident_ < capacity_) {
      ++resident_;
    } else if (kMayRefuse && is_farthest(next_use)) {
      state.next_use = kUnknown;
      return Outcome::rejected;
    } else {
      victim = evict<kVictims>();
    }
    expect(block, next_use);
    return hit ? Outcome::hit : Outcome::miss;
  }

  template <bool kVictims>
  Outcome treat(const Accesses& accesses, std::size_t i, BlockId& victim) {
    const BlockId block = accesses.blocks[i];
    const Treatment treatment = accesses.gate->now(accesses.treatments[i], resident_);
    const bool present = contains(block);
    if (treatment == Treatment::pass) {
      pass(block, accesses.next_use[i]);
      return Outcome::rejected;
    }
    if (treatment == Treatment::drop) {
      forget(block);
      pass(block, kNever);
      return present ? Outcome::dropped : Outcome::rejected;
    }
    if (!present && (treatment != Treatment::admit || !accesses.gate->admits(block, resident_))) {
      pass(block, kNever);
      return Outcome::rejected;
    }
    const Outcome outcome = admit<kVictims>(block, accesses.next_use[i], victim);
    if (treatment == Treatment::take) forget(block);
    return outcome;
  }

  // This access, if it was expected, is not the block's use after all.
  void pass(BlockId block, std::uint32_t next_use) {
    if (state_[block].next_use != position_) return;
    if (!positions_.contains(position_)) {
      state_[block].next_use = kUnknown;
      return;
    }
    positions_.erase(position_);
    expect(block, next_use);
  }

  // The block, which is resident, is used next at `next_use`.
  void expect(BlockId block, std::uint32_t next_use) {
    State& state = state_[block];
    state.next_use = next_use;
    if (next_use == kNever) {
      state.place = done_.push(block, [this](BlockId moved, QueueIndex, QueueIndex to) { state_[moved].place = to; });
      return;
    }
    positions_.insert(next_use);
    if (next_use / kGroup == position_ / kGroup) {
      current_[next_use % kGroup] = block;
    } else {
      state.place = std::exchange(chains_[next_use / kGroup], block);
    }
  }

  [[noreturn, gnu::noinline]] void wrong_future(BlockId block) const {
    throw std::logic_error("block " + std::to_string(block) + " is accessed at position " + std::to_string(position_) +
                           " but its next use was said to be elsewhere");
  }

  void enter_group(std::uint32_t group) {
    for (BlockId block = chains_[group]; block != kNoBlock; block = state_[block].place) {
      current_[state_[block].next_use % kGroup] = block;
    }
  }

  // Of a full cache and a new block.
  bool is_farthest(std::uint32_t next_use) const {
    return next_use == kNever || (done_.size() == 0 && next_use > positions_.largest());
  }

  template <bool kVictims>
  BlockId evict() {
    if (done_.size() > 0) {
      const BlockId block = done_.pop_youngest();
      state_[block].next_use = kUnknown;
      return block;
    }
    const std::uint32_t farthest = positions_.largest();
    positions_.erase(farthest);
    return kVictims ? owner(farthest) : kNoBlock;
  }

  // The block whose next use is at `position`. Takes those out of the chain that it finds gone.
  BlockId owner(std::uint32_t position) {
    if (position / kGroup == position_ / kGroup) return current_[position % kGroup];
    BlockId* link = &chains_[position / kGroup];
    for (;;) {
      State& state = state_[*link];
      if (state.next_use == position) return std::exchange(*link, state.place);
      if (!positions_.contains(state.next_use)) {
        *link = state.place;
      } else {
        link = &state.place;
      }
    }
  }

  std::uint32_t capacity_;
  std::uint32_t resident_ = 0;
  std::uint32_t position_ = 0;  // of the next access
  PositionSet positions_;       // next uses of the resident blocks, without kNever
  std::vector<State> state_;
  std::vector<BlockId> chains_;            // first of each group of positions ahead of the current one
  std::array<BlockId, kGroup> current_{};  // the current group's blocks, by position
  Queue done_;                             // those never used again
};

}  // namespace policies
