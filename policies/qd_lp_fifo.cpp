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
#include "policies/parts/batch.h"
#include "policies/parts/closed.h"
#include "policies/parts/small_and_main.h"

namespace policies {
namespace {

class QdLpFifo : public SmallAndMain {
 public:
  using SmallAndMain::SmallAndMain;

  Outcome access(BlockId block, BlockId& victim) {
    State& state = state_[block];
    if (state >= kSmall) {
      state = used(state);
      return Outcome::hit;
    }
    const bool was_ghost = state == kGhost;
    if (was_ghost) ghosts_.erase(where_[block]);
    const std::uint32_t share = main_share();
    if (shape_.libcachesim) {
      make_room_twice(was_ghost, victim);
    } else if (full()) {
      victim = evict(was_ghost && share > 0 ? share - 1 : share);
    }
    join(was_ghost ? main_ : small_, block, was_ghost ? kMain : kSmall);
    return Outcome::miss;
  }

 private:
  std::uint32_t main_share() const { return shape_.capacity - shape_.small; }

  void make_room_twice(bool was_ghost, BlockId& victim) {
    if (full()) victim = evict(main_share());
    if (!was_ghost || main_.size() < main_share()) return;
    const BlockId second = evict_from_main();
    if (victim == kNoBlock) victim = second;
  }

  // Leaves at most `main` blocks in the main queue.
  BlockId evict(std::uint32_t main) {
    for (;;) {
      if (main_.size() > main || small_.size() == 0) return evict_from_main();
      const BlockId oldest = small_.pop();
      if (uses(oldest) == 0) {
        become_ghost(oldest);
        return oldest;
      }
      const BlockId victim = main_.size() == main && main > 0 ? evict_from_main() : kNoBlock;
      join(main_, oldest, kMain);
      if (victim != kNoBlock) return victim;
    }
  }
};

constexpr Parameter kParameters[] = {
    {"small", "share of the capacity that the probationary queue has", "0.1"},
    {"ghost", "ghosts kept, as a multiple of the capacity", "0.9"},
    {"variant", "paper, or libcachesim: a miss found among the ghosts pushes out two blocks", "paper"},
};

std::unique_ptr<Policy> make(std::uint32_t capacity, std::uint32_t footprint, const Settings& settings) {
  const auto shape = SmallAndMainShape::from(settings, capacity, footprint);
  if (shape.closed) return std::make_unique<Batched<Closed>>();
  return std::make_unique<Batched<QdLpFifo>>(shape, footprint);
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
