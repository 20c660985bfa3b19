// SIEVE: a CLOCK whose hand takes blocks out and leaves the others where they are.
//
// Zhang, Yang, Yue, Vigfusson, Rashmi, "SIEVE is simpler than LRU: an efficient turn-key eviction algorithm for web
// caches", NSDI 2024.
//
// Blocks stand in order of arrival and stay there; a use only marks a block. When room is needed, a hand goes from the
// oldest to the youngest, takes the mark of each marked block and pushes out the first without one. It waits at the
// next younger block, and starts again from the oldest after the youngest: new blocks, in front of the hand, are
// looked at sooner than those which have passed once. No parameters. Equal to the reference (libCacheSim's Sieve).
#include <algorithm>

#include "policies/parts/batch.h"
#include "policies/parts/queue.h"

namespace policies {
namespace {

class Sieve {
 public:
  Sieve(std::uint32_t capacity, std::uint32_t footprint)
      : capacity_(capacity),
        state_(footprint, State::absent),
        where_(footprint),
        arrivals_(std::min(capacity, footprint)) {}

  Outcome access(BlockId block, BlockId& victim) {
    State& state = state_[block];
    if (state != State::absent) {
      state = State::marked;
      return Outcome::hit;
    }
    if (arrivals_.size() == capacity_) victim = evict();
    state = State::unmarked;
    where_[block] = arrivals_.push(block, [this](BlockId moved, QueueIndex from, QueueIndex to) {
      where_[moved] = to;
      if (hand_ == from) hand_ = to;
    });
    return Outcome::miss;
  }

  void prefetch(BlockId block) const { __builtin_prefetch(&state_[block], 1); }

  void forget(BlockId block) {
    if (contains(block)) remove(block, where_[block]);
  }
  bool contains(BlockId block) const { return state_[block] != State::absent; }
  std::uint32_t resident() const { return arrivals_.size(); }

 private:
  enum class State : std::uint8_t { absent, unmarked, marked };

  BlockId evict() {
    for (;;) {
      if (hand_ == kNowhere) hand_ = arrivals_.oldest();
      const BlockId block = arrivals_.at(hand_);
      if (state_[block] == State::unmarked) {
        remove(block, hand_);
        return block;
      }
      state_[block] = State::unmarked;
      hand_ = arrivals_.younger(hand_);
    }
  }

  void remove(BlockId block, QueueIndex index) {
    if (hand_ == index) hand_ = arrivals_.younger(index);
    arrivals_.erase(index);
    state_[block] = State::absent;
  }

  std::uint32_t capacity_;
  std::vector<State> state_;
  std::vector<QueueIndex> where_;
  Queue arrivals_;
  QueueIndex hand_ = kNowhere;  // at a resident block, or before the oldest
};

}  // namespace

extern const Spec sieve{
    .name = "sieve",
    .idea = "a hand goes from old to young, spares the used blocks without moving them, and takes the first unused one",
    .paper = "Zhang, Yang, Yue, Vigfusson, Rashmi, SIEVE is simpler than LRU, NSDI 2024",
    .make = [](std::uint32_t capacity, std::uint32_t footprint, const Settings&) -> std::unique_ptr<Policy> {
      return std::make_unique<Batched<Sieve>>(capacity, footprint);
    },
};

}  // namespace policies
