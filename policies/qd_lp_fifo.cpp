// QD-LP-FIFO: quick demotion and lazy promotion, of FIFO queues.
//
// Yang, Qiu, Zhang, Yue, Rashmi, "FIFO can be better than LRU: the power of lazy promotion and quick demotion", HotOS
// 2023.
//
// A new block joins a small probationary FIFO. The oldest block there moves to the main queue, a CLOCK with a counter
// of 2 bits, if it has been used; else it is pushed out and becomes a ghost. A miss that is found among the ghosts goes
// straight to the main queue. What is pushed out of the main queue leaves no ghost.
//
// small: share of the capacity that the main queue leaves to the probationary one (rounded down, at least one block)
// ghost: ghosts kept, as a multiple of the capacity (rounded down); 0.9 is as many as the main queue has, as in the
// paper
// variant: paper
//          libcachesim  equal to libCacheSim's QDLP, for comparing miss counts only. When a ghost comes back to a full
//                       main queue, that program pushes out two blocks, of either queue, where the paper's pushes out
//                       one of the main queue; so the next miss finds room. The first one is named as the victim, the
//                       other is gone without. Lets nothing in when the probationary queue has no room for two blocks
//                       (capacities below 20)
//
// While the main queue is not full, the probationary one may have the rest: nothing is pushed out of a cache with room.
#include <algorithm>

#include "policies/parts/batch.h"
#include "policies/parts/closed.h"
#include "policies/parts/queue.h"
#include "policies/parts/variant.h"

namespace policies {
namespace {

struct Shape {
  std::uint32_t capacity = 0;
  std::uint32_t main = 0;
  std::uint32_t ghosts = 0;
  bool two_victims = false;
};

class QdLpFifo {
 public:
  QdLpFifo(const Shape& shape, std::uint32_t footprint)
      : shape_(shape),
        state_(footprint, kAbsent),
        where_(footprint),
        small_(std::min(shape.capacity, footprint)),
        main_(std::min(shape.capacity, footprint)),
        ghosts_(std::min(shape.ghosts, footprint)) {}

  Outcome access(BlockId block, BlockId& victim) {
    State& state = state_[block];
    if (state >= kSmall) {
      state = used(state);
      return Outcome::hit;
    }
    const bool was_ghost = state == kGhost;
    if (was_ghost) ghosts_.erase(where_[block]);
    if (shape_.two_victims) {
      make_room_twice(was_ghost, victim);
    } else if (full()) {
      victim = evict(was_ghost && shape_.main > 0 ? shape_.main - 1 : shape_.main);
    }
    join(was_ghost ? main_ : small_, block, was_ghost ? kMain : kSmall);
    return Outcome::miss;
  }

  void prefetch(BlockId block) const { __builtin_prefetch(&state_[block], 1); }

  void forget(BlockId block) {
    if (!contains(block)) return;
    (state_[block] >= kMain ? main_ : small_).erase(where_[block]);
    state_[block] = kAbsent;
  }
  bool contains(BlockId block) const { return state_[block] >= kSmall; }
  std::uint32_t resident() const { return small_.size() + main_.size(); }

 private:
  // Where a block is, and in the low bits the uses counted there, up to 3.
  enum State : std::uint8_t { kAbsent = 0, kGhost = 1, kUses = 3, kSmall = 4, kMain = 8 };
  static State used(State state) { return static_cast<State>((state & kUses) == kUses ? state : state + 1); }
  static int uses(State state) { return state & kUses; }

  void join(Queue& queue, BlockId block, State state) {
    where_[block] = queue.push(block, [this](BlockId moved, QueueIndex, QueueIndex to) { where_[moved] = to; });
    state_[block] = state;
  }

  bool full() const { return resident() == shape_.capacity; }

  void make_room_twice(bool was_ghost, BlockId& victim) {
    if (full()) victim = evict(shape_.main);
    if (!was_ghost || main_.size() < shape_.main) return;
    const BlockId second = evict_from_main();
    if (victim == kNoBlock) victim = second;
  }

  // Leaves at most `main` blocks in the main queue.
  BlockId evict(std::uint32_t main) {
    for (;;) {
      if (main_.size() > main || small_.size() == 0) return evict_from_main();
      const BlockId oldest = small_.pop();
      if (uses(state_[oldest]) == 0) {
        become_ghost(oldest);
        return oldest;
      }
      const BlockId victim = main_.size() == main && main > 0 ? evict_from_main() : kNoBlock;
      join(main_, oldest, kMain);
      if (victim != kNoBlock) return victim;
    }
  }

  BlockId evict_from_main() {
    for (;;) {
      const BlockId oldest = main_.pop();
      const State state = state_[oldest];
      if (uses(state) == 0) {
        state_[oldest] = kAbsent;
        return oldest;
      }
      join(main_, oldest, static_cast<State>(state - 1));
    }
  }

  void become_ghost(BlockId block) {
    state_[block] = kAbsent;
    if (shape_.ghosts == 0) return;
    if (ghosts_.size() == shape_.ghosts) state_[ghosts_.pop()] = kAbsent;
    join(ghosts_, block, kGhost);
  }

  Shape shape_;
  std::vector<State> state_;
  std::vector<QueueIndex> where_;
  Queue small_;
  Queue main_;
  Queue ghosts_;
};

constexpr Parameter kParameters[] = {
    {"small", "share of the capacity that the probationary queue has", "0.1"},
    {"ghost", "ghosts kept, as a multiple of the capacity", "0.9"},
    {"variant", "paper, or libcachesim: a miss found among the ghosts pushes out two blocks", "paper"},
};

std::unique_ptr<Policy> make(std::uint32_t capacity, std::uint32_t footprint, const Settings& settings) {
  const double ghost = settings.number("ghost");
  if (ghost < 0) throw sim::UsageError("ghost is a multiple of the capacity, at least 0");
  const auto small = static_cast<std::uint32_t>(settings.fraction("small") * capacity);
  const bool libcachesim = is_libcachesim_variant(settings);
  if (libcachesim && small < 2) return std::make_unique<Batched<Closed>>();
  return std::make_unique<Batched<QdLpFifo>>(
      Shape{.capacity = capacity,
            .main = capacity - std::max(small, std::uint32_t{1}),
            .ghosts = static_cast<std::uint32_t>(std::min(ghost * capacity, static_cast<double>(footprint))),
            .two_victims = libcachesim},
      footprint);
}

}  // namespace

extern const Spec qd_lp_fifo{
    .name = "qd_lp_fifo",
    .idea = "blocks not used while in a small FIFO leave early (ghosts), the others join a CLOCK",
    .paper = "Yang, Qiu, Zhang, Yue, Rashmi, FIFO can be better than LRU, HotOS 2023",
    .parameters = kParameters,
    .make = make,
};

}  // namespace policies
