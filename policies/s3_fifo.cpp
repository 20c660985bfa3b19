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
#include <algorithm>

#include "policies/parts/batch.h"
#include "policies/parts/closed.h"
#include "policies/parts/queue.h"
#include "policies/parts/variant.h"

namespace policies {
namespace {

struct Shape {
  std::uint32_t capacity = 0;
  std::uint32_t small = 0;
  std::uint32_t ghosts = 0;
  bool fill_main_first = false;
};

class S3Fifo {
 public:
  S3Fifo(const Shape& shape, std::uint32_t footprint)
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
    if (resident() == shape_.capacity) {
      victim = evict();
      evicted_ = true;
    }
    const bool to_main = was_ghost || (shape_.fill_main_first && !evicted_ && small_.size() >= shape_.small);
    join(to_main ? main_ : small_, block, to_main ? kMain : kSmall);
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
      if (uses(state_[oldest]) < 2) {
        become_ghost(oldest);
        return oldest;
      }
      join(main_, oldest, kMain);
    }
    return kNoBlock;
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
  bool evicted_ = false;
  std::vector<State> state_;
  std::vector<QueueIndex> where_;
  Queue small_;
  Queue main_;
  Queue ghosts_;
};

constexpr Parameter kParameters[] = {
    {"small", "share of the capacity that the small queue has", "0.1"},
    {"ghost", "ghosts kept, as a multiple of the capacity", "0.9"},
    {"variant", "paper, or libcachesim: blocks join the main queue until the first is pushed out", "paper"},
};

std::unique_ptr<Policy> make(std::uint32_t capacity, std::uint32_t footprint, const Settings& settings) {
  const double ghost = settings.number("ghost");
  if (ghost < 0) throw sim::UsageError("ghost is a multiple of the capacity, at least 0");
  const bool libcachesim = is_libcachesim_variant(settings);
  const auto small = static_cast<std::uint32_t>(settings.fraction("small") * capacity);
  if (libcachesim && small < 2) return std::make_unique<Batched<Closed>>();
  return std::make_unique<Batched<S3Fifo>>(
      Shape{.capacity = capacity,
            .small = std::max(small, std::uint32_t{1}),
            .ghosts = static_cast<std::uint32_t>(std::min(ghost * capacity, static_cast<double>(footprint))),
            .fill_main_first = libcachesim},
      footprint);
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
