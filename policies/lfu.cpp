// LFU: least frequently used.
//
// Named among others by Mattson, Gecsei, Slutz, Traiger, "Evaluation techniques for storage hierarchies", IBM Systems
// Journal 9(2), 1970.
//
// The block with the fewest uses since it came in leaves; its count is forgotten with it. Of those with equally few,
// the one unused for longest. No parameters. Equal to the reference (libCacheSim's LFU). Counts stop at 2^32 - 1.
//
// A use only counts. New blocks wait in order of arrival; when room is needed, those at the old end that have been used
// move to a heap, and the first that has not leaves. Only when none is left unused is the heap asked.
#include <algorithm>

#include "policies/parts/batch.h"
#include "policies/parts/growing_heap.h"
#include "policies/parts/queue.h"

namespace policies {
namespace {

class Lfu {
 public:
  Lfu(std::uint32_t capacity, std::uint32_t footprint)
      : capacity_(capacity),
        state_(footprint),
        arrivals_(std::min(capacity, footprint)),
        used_(std::min(capacity, footprint)) {}

  Outcome access(BlockId block, BlockId& victim) {
    State& state = state_[block];
    if (state.uses != 0) {
      state.uses += state.uses != UINT32_MAX;
      state.last_use = clock_++;
      return Outcome::hit;
    }
    if (resident() == capacity_) victim = evict();
    const QueueIndex index =
        arrivals_.push(block, [this](BlockId moved, QueueIndex, QueueIndex to) { state_[moved].place = to; });
    state = {.last_use = clock_++, .uses = 1, .place = index};
    return Outcome::miss;
  }

  void prefetch(BlockId block) const { __builtin_prefetch(&state_[block], 1); }

  void forget(BlockId block) {
    State& state = state_[block];
    if (state.uses == 0) return;
    if (used_.holds(block, state.place)) {
      used_.erase(state.place, Placed{state_});
    } else {
      arrivals_.erase(state.place);
    }
    state.uses = 0;
  }
  bool contains(BlockId block) const { return state_[block].uses != 0; }
  std::uint32_t resident() const { return arrivals_.size() + used_.size(); }

 private:
  struct State {
    std::uint64_t last_use = 0;
    std::uint32_t uses = 0;   // 0: absent
    std::uint32_t place = 0;  // in arrivals_ or used_
  };
  struct Entry {
    std::uint64_t last_use;
    std::uint32_t uses;
    BlockId block;
    bool operator<(const Entry& other) const {
      return uses != other.uses ? uses < other.uses : last_use < other.last_use;
    }
  };

  // Keeps a block's place when the heap moves it.
  struct Placed {
    std::vector<State>& state;
    void operator()(BlockId block, std::uint32_t place) const { state[block].place = place; }
  };

  Entry entry(BlockId block) const { return {state_[block].last_use, state_[block].uses, block}; }

  BlockId evict() {
    while (arrivals_.size() > 0) {
      const BlockId block = arrivals_.pop();
      if (state_[block].uses == 1) {
        state_[block].uses = 0;
        return block;
      }
      used_.push(entry(block), Placed{state_});
    }
    const BlockId block = used_.least([this](BlockId top) { return entry(top); }, Placed{state_}).block;
    forget(block);
    return block;
  }

  std::uint32_t capacity_;
  std::uint64_t clock_ = 0;
  std::vector<State> state_;
  Queue arrivals_;           // every block that has not been used again, and some that have
  GrowingHeap<Entry> used_;  // by uses; blocks of at least two
};

}  // namespace

extern const Spec lfu{
    .name = "lfu",
    .idea = "the block with the fewest uses since it came in leaves",
    .paper = "Mattson, Gecsei, Slutz, Traiger, Evaluation techniques for storage hierarchies, IBM Systems Journal 1970",
    .make = [](std::uint32_t capacity, std::uint32_t footprint, const Settings&) -> std::unique_ptr<Policy> {
      return std::make_unique<Batched<Lfu>>(capacity, footprint);
    },
};

}  // namespace policies
