// S3-FIFO: three FIFO queues.
//
// Yang, Zhang, Qiu, Yue, Rashmi, "FIFO queues are all you need for cache eviction", SOSP 2023, algorithm 1.
//
// A new block joins a small queue, which most blocks leave soon: those used less than twice there become ghosts, the
// others move to the main queue, a CLOCK with a counter of 2 bits. A miss that is found among the ghosts goes straight
// to the main queue. A block is pushed out of the small queue as long as the main one is within its share.
//
// small: share of the capacity for the small queue (rounded down, at least one block)
// ghost: ghosts kept, as a multiple of the capacity (rounded down)
// variant: paper        equal to libCacheSim's S3FIFOv0, the code of the paper; except that that one lets nothing in
//                       when its small queue has no room for two blocks (capacities below 20)
//          libcachesim  equal to libCacheSim's S3FIFO since the end of 2024: until the first block is pushed out, those
//                       that find the small queue full join the main one; and nothing is let in, as above
#include "policies/parts/batch.h"
#include "policies/parts/closed.h"
#include "policies/parts/small_and_main.h"

namespace policies {
namespace {

class S3Fifo : public SmallAndMain {
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
    if (full()) {
      victim = evict();
      evicted_ = true;
    }
    const bool to_main = was_ghost || (shape_.libcachesim && !evicted_ && small_.size() >= shape_.small);
    join(to_main ? main_ : small_, block, to_main ? kMain : kSmall);
    return Outcome::miss;
  }

 private:
  BlockId evict() {
    for (;;) {
      if (main_.size() > shape_.capacity - shape_.small || small_.size() == 0) return evict_from_main();
      const BlockId victim = evict_from_small();
      if (victim != kNoBlock) return victim;
    }
  }

  // kNoBlock when every block there was worth a place in the main queue.
  BlockId evict_from_small() {
    while (small_.size() > 0) {
      const BlockId oldest = small_.pop();
      if (uses(oldest) < 2) {
        become_ghost(oldest);
        return oldest;
      }
      join(main_, oldest, kMain);
    }
    return kNoBlock;
  }

  bool evicted_ = false;
};

constexpr Parameter kParameters[] = {
    {"small", "share of the capacity that the small queue has", "0.1"},
    {"ghost", "ghosts kept, as a multiple of the capacity", "0.9"},
    {"variant", "paper, or libcachesim: blocks join the main queue until the first is pushed out", "paper"},
};

std::unique_ptr<Policy> make(std::uint32_t capacity, std::uint32_t footprint, const Settings& settings) {
  const auto shape = SmallAndMainShape::from(settings, capacity, footprint);
  if (shape.closed) return std::make_unique<Batched<Closed>>();
  return std::make_unique<Batched<S3Fifo>>(shape, footprint);
}

}  // namespace

extern const Spec s3_fifo{
    .name = "s3_fifo",
    .idea = "a small FIFO sorts out blocks that are not used again before they reach the main one",
    .paper = "Yang, Zhang, Qiu, Yue, Rashmi, FIFO queues are all you need for cache eviction, SOSP 2023",
    .parameters = kParameters,
    .make = make,
};

}  // namespace policies
