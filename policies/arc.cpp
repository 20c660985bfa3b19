// ARC: adaptive replacement cache.
//
// Megiddo, Modha, "ARC: a self-tuning, low overhead replacement cache", FAST 2003, figure 4.
//
// Two LRU lists, of blocks seen once (T1) and more often (T2), share the cache; each is continued by a list of the
// blocks that it has lost last (ghosts: B1, B2). A miss that is found in B1 says that T1 should have been larger, one
// in B2 that T2 should have been: that moves the target size of T1.
//
// No parameters. The target is a real number, as in the paper (its increment is a quotient of list lengths, not
// rounded; many programs round it). Equal to the reference (libCacheSim's ARC). Where the paper takes a full cache for
// granted (after forget() it need not be), nothing is pushed out before it is full.
#include <algorithm>

#include "policies/parts/batch.h"
#include "policies/parts/queue.h"

namespace policies {
namespace {

class Arc {
 public:
  Arc(std::uint32_t capacity, std::uint32_t footprint)
      : capacity_(capacity),
        state_(footprint),
        lists_{make(footprint), make(footprint), make(footprint), make(footprint)} {}

  Outcome access(BlockId block, BlockId& victim) {
    switch (state_[block].list) {
      case kT1:
      case kT2:
        leave(block);
        join(kT2, block);
        return Outcome::hit;
      case kB1:
        target_ = std::min(target_ + std::max(ratio(kB2, kB1), 1.0), static_cast<double>(capacity_));
        leave(block);
        if (full()) victim = replace(false);
        join(kT2, block);
        return Outcome::miss;
      case kB2:
        target_ = std::max(target_ - std::max(ratio(kB1, kB2), 1.0), 0.0);
        leave(block);
        if (full()) victim = replace(true);
        join(kT2, block);
        return Outcome::miss;
      default:
        victim = make_room();
        join(kT1, block);
        return Outcome::miss;
    }
  }

  void prefetch(BlockId block) const { __builtin_prefetch(&state_[block], 1); }
  void prefetch_linked(BlockId block) const {
    if (state_[block].list != kNone) lists_[state_[block].list].prefetch(state_[block].where);
  }

  void forget(BlockId block) {
    if (contains(block)) leave(block);
  }
  bool contains(BlockId block) const { return state_[block].list <= kT2; }
  std::uint32_t resident() const { return size(kT1) + size(kT2); }

 private:
  enum List : std::uint32_t { kT1, kT2, kB1, kB2, kNone };
  struct State {
    QueueIndex where;
    List list = kNone;
  };

  Queue make(std::uint32_t footprint) const { return Queue(std::min(capacity_, footprint)); }
  std::uint32_t size(List list) const { return lists_[list].size(); }
  bool full() const { return resident() == capacity_; }
  double ratio(List a, List b) const { return static_cast<double>(size(a)) / size(b); }

  void join(List list, BlockId block) {
    const QueueIndex where =
        lists_[list].push(block, [this](BlockId moved, QueueIndex, QueueIndex to) { state_[moved].where = to; });
    state_[block] = {where, list};
  }

  void leave(BlockId block) {
    State& state = state_[block];
    lists_[state.list].erase(state.where);
    state.list = kNone;
  }

  BlockId drop_oldest(List list) {
    const BlockId block = lists_[list].pop();
    state_[block].list = kNone;
    return block;
  }

  // The paper's case IV: no trace of the block in any list.
  BlockId make_room() {
    const std::uint64_t seen_once = std::uint64_t{size(kT1)} + size(kB1);
    if (seen_once == capacity_) {
      if (size(kB1) == 0) return drop_oldest(kT1);
      drop_oldest(kB1);
    } else if (seen_once + size(kT2) + size(kB2) == std::uint64_t{capacity_} * 2) {
      drop_oldest(kB2);
    }
    return full() ? replace(false) : kNoBlock;
  }

  // The paper's REPLACE: the oldest of T1 or T2 becomes a ghost.
  BlockId replace(bool was_in_b2) {
    const double once = size(kT1);
    const bool from_once = once > 0 && (once > target_ || (was_in_b2 && once == target_));
    const List from = from_once || size(kT2) == 0 ? kT1 : kT2;
    const BlockId block = lists_[from].pop();
    join(from == kT1 ? kB1 : kB2, block);
    return block;
  }

  std::uint32_t capacity_;
  double target_ = 0;
  std::vector<State> state_;
  Queue lists_[4];
};

}  // namespace

extern const Spec arc{
    .name = "arc",
    .idea = "two LRU lists, seen once and seen again, whose shares follow the misses that each has just regretted",
    .paper = "Megiddo, Modha, ARC: a self-tuning, low overhead replacement cache, FAST 2003",
    .make = [](std::uint32_t capacity, std::uint32_t footprint, const Settings&) -> std::unique_ptr<Policy> {
      return std::make_unique<Batched<Arc>>(capacity, footprint);
    },
};

}  // namespace policies
