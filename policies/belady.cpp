// Belady's MIN: the block whose next use is farthest away leaves. Needs the future; no policy that lets every miss in
// has fewer misses.
//
// Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems Journal 5(2), 1966.
//
// Every miss is let in, as in the reference (libCacheSim's Belady), even where the new block's own next use is the
// farthest. Of several blocks that are never used again the one used last leaves first. No parameters.
//
// No heap: next uses are distinct positions, so the resident blocks are a set of positions. The access at position t
// is a hit if t is in the set, and the victim is the largest member. Which block a position belongs to is asked only
// for the victim's name. For that, blocks are chained by groups of 64 positions; a block that is pushed out stays in
// its chain until a search passes it. Chains are never unlinked: a group's links are overwritten only once its own
// positions are being accessed, and by then they have been copied (`current_`).
#include <algorithm>
#include <array>
#include <stdexcept>

#include "policies/parts/position_set.h"
#include "policies/policy.h"

namespace policies {
namespace {

class Belady final : public Policy {
 public:
  Belady(std::uint32_t capacity, std::uint32_t footprint) : capacity_(capacity), state_(footprint) {}

  void access(const Accesses& accesses) override {
    make_room(accesses.next_use);
    accesses.victims.empty() ? play<false>(accesses) : play<true>(accesses);
  }

  void forget(BlockId block) override {
    if (!contains(block)) return;
    if (state_[block].next_use != kNever) positions_.erase(state_[block].next_use);
    state_[block].next_use = kUnknown;
    --resident_;
  }

  bool contains(BlockId block) const override {
    const std::uint32_t next_use = state_[block].next_use;
    return next_use == kNever || (next_use != kUnknown && positions_.contains(next_use));
  }

  std::uint32_t resident() const override { return resident_; }

 private:
  static constexpr std::uint32_t kUnknown = kNever - 1;  // as a next use: not seen yet, or forgotten
  static constexpr std::uint32_t kGroup = PositionSet::kWordBits;
  static constexpr std::size_t kAhead = 16;

  struct State {
    std::uint32_t next_use = kUnknown;  // stays when the block is pushed out
    BlockId chained = kNoBlock;         // the next one in its group, or among those never used again
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

  template <bool kVictims>
  void play(const Accesses& accesses) {
    const std::size_t count = accesses.blocks.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (i + kAhead < count) prefetch(accesses.blocks[i + kAhead], accesses.next_use[i + kAhead]);
      if (position_ % kGroup == 0) enter_group(position_ / kGroup);
      BlockId victim = kNoBlock;
      const bool hit = positions_.contains(position_);
      if (hit) {
        positions_.erase(position_);
      } else if (resident_ == capacity_) {
        victim = evict<kVictims>();
      } else {
        ++resident_;
      }
      keep(accesses.blocks[i], accesses.next_use[i]);
      ++position_;
      accesses.outcomes[i] = hit ? Outcome::hit : Outcome::miss;
      if constexpr (kVictims) accesses.victims[i] = victim;
    }
  }

  void prefetch(BlockId block, std::uint32_t next_use) const {
    __builtin_prefetch(&state_[block], 1);
    if (next_use == kNever) return;
    positions_.prefetch(next_use);
    __builtin_prefetch(&chains_[next_use / kGroup], 1);
  }

  void keep(BlockId block, std::uint32_t next_use) {
    State& state = state_[block];
    if (state.next_use != position_ && state.next_use != kUnknown) [[unlikely]]
      wrong_future(block);
    state.next_use = next_use;
    if (next_use == kNever) {
      state.chained = std::exchange(done_, block);
      return;
    }
    positions_.insert(next_use);
    if (next_use / kGroup == position_ / kGroup) {
      current_[next_use % kGroup] = block;
    } else {
      state.chained = std::exchange(chains_[next_use / kGroup], block);
    }
  }

  [[noreturn, gnu::noinline]] void wrong_future(BlockId block) const {
    throw std::logic_error("belady: block " + std::to_string(block) + " is accessed at position " +
                           std::to_string(position_) + " but its next use was said to be elsewhere");
  }

  void enter_group(std::uint32_t group) {
    for (BlockId block = chains_[group]; block != kNoBlock; block = state_[block].chained) {
      if (state_[block].next_use != kUnknown) current_[state_[block].next_use % kGroup] = block;
    }
  }

  template <bool kVictims>
  BlockId evict() {
    while (done_ != kNoBlock) {
      const BlockId block = std::exchange(done_, state_[done_].chained);
      if (state_[block].next_use == kUnknown) continue;
      state_[block].next_use = kUnknown;
      return block;
    }
    const std::uint32_t farthest = positions_.largest();
    positions_.erase(farthest);
    return kVictims ? owner(farthest) : kNoBlock;
  }

  // The block whose next use is at `position`. Takes those out of the chain that it finds pushed out or forgotten.
  BlockId owner(std::uint32_t position) {
    if (position / kGroup == position_ / kGroup) return current_[position % kGroup];
    BlockId* link = &chains_[position / kGroup];
    for (;;) {
      State& state = state_[*link];
      if (state.next_use == position) return std::exchange(*link, state.chained);
      if (state.next_use == kUnknown || !positions_.contains(state.next_use)) {
        *link = state.chained;
      } else {
        link = &state.chained;
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
  BlockId done_ = kNoBlock;                // first of those never used again
};

}  // namespace

extern const Spec belady{
    .name = "belady",
    .idea = "the block whose next use is farthest away leaves: the fewest misses possible, with the future known",
    .paper = "Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems Journal 1966",
    .needs_future = true,
    .make = [](std::uint32_t capacity, std::uint32_t footprint, const Settings&) -> std::unique_ptr<Policy> {
      return std::make_unique<Belady>(capacity, footprint);
    },
};

}  // namespace policies
