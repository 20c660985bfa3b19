// CAR: CLOCK with adaptive replacement.
//
// Bansal, Modha, "CAR: clock with adaptive replacement", FAST 2004, figure 2.
//
// ARC with clocks for its two LRU lists: blocks seen once (T1) and more often (T2) stand in two circles, and a use only
// marks them. When room is needed, the hand of T1, if that has at least its target size, or else of T2 goes on: a
// marked block moves to the tail of T2, one that is not becomes a ghost (B1, B2). A miss that is found among the ghosts
// moves the target, and joins T2.
//
// The target is a real number, as in the paper and in `arc`. After a discard the cache may have room though the history
// is full: then nothing is pushed out, but the history is kept within its bounds.
//
// variant: paper
//          libcachesim  equal to libCacheSim's CAR: the target moves before room is made for the miss instead of
//                       after, by quotients rounded down; every victim, whatever it was pushed out for, lets the oldest
//                       of B1 go when T1 and B1 have reached the capacity; B2 has no bound
#include <algorithm>

#include "policies/parts/batch.h"
#include "policies/parts/queue.h"
#include "policies/parts/variant.h"

namespace policies {
namespace {

class Car {
 public:
  Car(std::uint32_t capacity, std::uint32_t footprint, bool libcachesim)
      : capacity_(capacity),
        libcachesim_(libcachesim),
        state_(footprint, kAbsent),
        where_(footprint),
        once_(std::min(capacity, footprint)),
        again_(std::min(capacity, footprint)),
        once_ghosts_(std::min(capacity, footprint)),
        again_ghosts_(libcachesim ? footprint : std::min(capacity, footprint)) {}

  Outcome access(BlockId block, BlockId& victim) {
    State& state = state_[block];
    if (state >= kOnce) {
      state = marked(state);
      return Outcome::hit;
    }
    const State was = state;
    libcachesim_ ? make_room_as_libcachesim(block, victim) : make_room(block, victim);
    was == kAbsent ? join(once_, block, kOnce) : join(again_, block, kAgain);
    return Outcome::miss;
  }

  void prefetch(BlockId block) const { __builtin_prefetch(&state_[block], 1); }

  void forget(BlockId block) {
    if (!contains(block)) return;
    (state_[block] >= kAgain ? again_ : once_).erase(where_[block]);
    state_[block] = kAbsent;
  }
  bool contains(BlockId block) const { return state_[block] >= kOnce; }
  std::uint32_t resident() const { return once_.size() + again_.size(); }

 private:
  enum State : std::uint8_t { kAbsent = 0, kOnceGhost = 1, kAgainGhost = 2, kMark = 1, kOnce = 4, kAgain = 6 };
  static State marked(State state) { return static_cast<State>(state | kMark); }

  bool full() const { return resident() == capacity_; }
  std::uint64_t seen_once() const { return std::uint64_t{once_.size()} + once_ghosts_.size(); }
  std::uint64_t seen_again() const { return std::uint64_t{again_.size()} + again_ghosts_.size(); }

  void make_room(BlockId block, BlockId& victim) {
    if (full()) victim = replace();
    if (state_[block] == kAbsent) {
      if (seen_once() == capacity_) {
        drop_oldest(once_ghosts_);
      } else if (seen_once() + seen_again() == std::uint64_t{capacity_} * 2) {
        drop_oldest(again_ghosts_);
      }
    }
    adapt(state_[block]);
    leave_ghosts(block);
  }

  void make_room_as_libcachesim(BlockId block, BlockId& victim) {
    adapt(state_[block]);
    leave_ghosts(block);
    if (!full()) return;
    victim = replace();
    if (seen_once() >= capacity_) drop_oldest(once_ghosts_);
  }

  void adapt(State was) {
    if (was == kOnceGhost) {
      target_ = std::min(target_ + step(again_ghosts_, once_ghosts_), static_cast<double>(capacity_));
    } else if (was == kAgainGhost) {
      target_ = std::max(target_ - step(once_ghosts_, again_ghosts_), 0.0);
    }
  }

  double step(const Queue& other, const Queue& found) const {
    const double quotient =
        libcachesim_ ? other.size() / found.size() : static_cast<double>(other.size()) / found.size();
    return std::max(quotient, 1.0);
  }

  BlockId replace() {
    for (;;) {
      const bool from_once = once_.size() >= std::max(target_, 1.0);
      const BlockId block = (from_once ? once_ : again_).pop();
      if ((state_[block] & kMark) == 0) {
        from_once ? join(once_ghosts_, block, kOnceGhost) : join(again_ghosts_, block, kAgainGhost);
        return block;
      }
      join(again_, block, kAgain);
    }
  }

  void join(Queue& queue, BlockId block, State state) {
    where_[block] = queue.push(block, [this](BlockId moved, QueueIndex, QueueIndex to) { where_[moved] = to; });
    state_[block] = state;
  }

  void leave_ghosts(BlockId block) {
    if (state_[block] == kOnceGhost) once_ghosts_.erase(where_[block]);
    if (state_[block] == kAgainGhost) again_ghosts_.erase(where_[block]);
  }

  void drop_oldest(Queue& ghosts) { state_[ghosts.pop()] = kAbsent; }

  std::uint32_t capacity_;
  bool libcachesim_;
  double target_ = 0;
  std::vector<State> state_;
  std::vector<QueueIndex> where_;
  Queue once_;
  Queue again_;
  Queue once_ghosts_;
  Queue again_ghosts_;
};

constexpr Parameter kParameters[] = {
    {"variant", "paper, or libcachesim: the target moves first, by whole steps; other bounds of the history", "paper"},
};

}  // namespace

extern const Spec car{
    .name = "car",
    .idea = "ARC with clocks in place of its LRU lists: a use only marks a block",
    .paper = "Bansal, Modha, CAR: clock with adaptive replacement, FAST 2004",
    .parameters = kParameters,
    .make = [](std::uint32_t capacity, std::uint32_t footprint, const Settings& settings) -> std::unique_ptr<Policy> {
      return std::make_unique<Batched<Car>>(capacity, footprint, is_libcachesim_variant(settings));
    },
};

}  // namespace policies
