// The lists of ARC and its kin: blocks seen once (T1) and more often (T2), each continued by the ghosts of those that
// it has lost last (B1, B2). How long each is, and which gives up a block, is the policies' own.
//
// 8 bytes a block of footprint, and the queues'.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/parts/queue.h"
#include "policies/policy.h"

namespace policies {

// The base of rules for Batched: they add access().
class FourLists {
 public:
  // `resident` blocks at most in each of T1 and T2, `ghosts` in each of B1 and B2.
  FourLists(std::uint32_t footprint, std::uint32_t resident, std::uint32_t ghosts)
      : state_(footprint), lists_{Queue(resident), Queue(resident), Queue(ghosts), Queue(ghosts)} {}

  void prefetch(BlockId block) const { __builtin_prefetch(&state_[block], 1); }
  void prefetch_linked(BlockId block) const {
    if (state_[block].list != kNone) lists_[state_[block].list].prefetch(state_[block].where);
  }

  void forget(BlockId block) {
    if (contains(block)) leave(block);
  }
  bool contains(BlockId block) const { return state_[block].list <= kT2; }
  std::uint32_t resident() const { return size(kT1) + size(kT2); }

 protected:
  enum List : std::uint32_t { kT1, kT2, kB1, kB2, kNone };

  std::uint32_t size(List list) const { return lists_[list].size(); }
  List list_of(BlockId block) const { return state_[block].list; }

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

  // The oldest of T1 or T2 becomes the youngest of its ghosts.
  BlockId become_ghost(List from) {
    const BlockId block = lists_[from].pop();
    join(from == kT1 ? kB1 : kB2, block);
    return block;
  }

 private:
  struct State {
    QueueIndex where;
    List list = kNone;
  };

  std::vector<State> state_;
  Queue lists_[4];
};

}  // namespace policies
