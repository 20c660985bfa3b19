// A cache of two FIFO queues and one of ghosts: what S3-FIFO and QD-LP-FIFO have in common. New blocks join a small
// queue; those worth it go on to the main one, a CLOCK with a counter of 2 bits; those that leave the small one
// otherwise become ghosts. Which blocks are worth it, and which queue gives one up, is the policies' own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "policies/parts/queue.h"
#include "policies/parts/variant.h"
#include "policies/policy.h"
#include "sim/error.h"

namespace policies {

struct SmallAndMainShape {
  std::uint32_t capacity = 0;
  std::uint32_t small = 0;   // of the capacity, at least 1
  std::uint32_t ghosts = 0;  // kept at most
  bool libcachesim = false;
  bool closed = false;  // libCacheSim lets nothing in when its small queue has no room for two blocks

  // From the parameters small (a share of the capacity), ghost (a multiple of it) and variant. Throws UsageError.
  static SmallAndMainShape from(const Settings& settings, std::uint32_t capacity, std::uint32_t footprint) {
    const bool libcachesim = is_libcachesim_variant(settings);
    const double ghost = settings.number("ghost");
    if (ghost < 0) throw sim::UsageError("ghost is a multiple of the capacity, at least 0");
    const auto small = static_cast<std::uint32_t>(settings.fraction("small") * capacity);
    return {.capacity = capacity,
            .small = std::max(small, std::uint32_t{1}),
            .ghosts = static_cast<std::uint32_t>(std::min(ghost * capacity, static_cast<double>(footprint))),
            .libcachesim = libcachesim,
            .closed = libcachesim && small < 2};
  }
};

// The base of rules for Batched: they add access().
class SmallAndMain {
 public:
  SmallAndMain(const SmallAndMainShape& shape, std::uint32_t footprint)
      : shape_(shape),
        state_(footprint, kAbsent),
        where_(footprint),
        small_(std::min(shape.capacity, footprint)),
        main_(std::min(shape.capacity, footprint)),
        ghosts_(std::min(shape.ghosts, footprint)) {}

  void prefetch(BlockId block) const { __builtin_prefetch(&state_[block], 1); }

  void forget(BlockId block) {
    if (!contains(block)) return;
    (state_[block] >= kMain ? main_ : small_).erase(where_[block]);
    state_[block] = kAbsent;
  }
  bool contains(BlockId block) const { return state_[block] >= kSmall; }
  std::uint32_t resident() const { return small_.size() + main_.size(); }

 protected:
  // Where a block is, and in the low bits the uses counted there, up to 3.
  enum State : std::uint8_t { kAbsent = 0, kGhost = 1, kUses = 3, kSmall = 4, kMain = 8 };
  static State used(State state) { return static_cast<State>((state & kUses) == kUses ? state : state + 1); }
  int uses(BlockId block) const { return state_[block] & kUses; }

  bool full() const { return resident() == shape_.capacity; }

  void join(Queue& queue, BlockId block, State state) {
    where_[block] = queue.push(block, [this](BlockId moved, QueueIndex, QueueIndex to) { where_[moved] = to; });
    state_[block] = state;
  }

  void become_ghost(BlockId block) {
    state_[block] = kAbsent;
    if (shape_.ghosts == 0) return;
    if (ghosts_.size() == shape_.ghosts) state_[ghosts_.pop()] = kAbsent;
    join(ghosts_, block, kGhost);
  }

  BlockId evict_from_main() {
    for (;;) {
      const BlockId oldest = main_.pop();
      const State state = state_[oldest];
      if (uses(oldest) == 0) {
        state_[oldest] = kAbsent;
        return oldest;
      }
      join(main_, oldest, static_cast<State>(state - 1));
    }
  }

  SmallAndMainShape shape_;
  std::vector<State> state_;
  std::vector<QueueIndex> where_;
  Queue small_;
  Queue main_;
  Queue ghosts_;
};

}  // namespace policies
