// 2Q: a FIFO queue for new blocks, and an LRU list for those that come back after they have left it.
//
// Johnson, Shasha, "2Q: a low overhead high performance buffer management replacement algorithm", VLDB 1994, the full
// version.
//
// A new block joins a FIFO queue (A1in); uses there do not count, since they are likely to belong together. A block
// that leaves it becomes a ghost (A1out). A miss that is found among the ghosts joins an LRU list (Am). While A1in
// has more than its share the next victim is its oldest block, else the least recently used of Am, which leaves no
// ghost. When Am is empty, which the paper takes to be impossible, the victim is the oldest of A1in.
//
// kin: share of the capacity for A1in (rounded down), 0.25 in the paper
// kout: ghosts kept, as a multiple of the capacity (rounded down), 0.5 in the paper
// variant: paper        a miss leaves the ghosts before room is made for it. Equal to the reference (libCacheSim's
// TwoQ)
//                       wherever that lets blocks in
//          libcachesim  lets nothing in when A1in has no room for a block (capacities below 4)
#include <algorithm>

#include "policies/parts/batch.h"
#include "policies/parts/closed.h"
#include "policies/parts/queue.h"
#include "policies/parts/variant.h"

namespace policies {
namespace {

struct Shape {
  std::uint32_t capacity = 0;
  std::uint32_t in = 0;
  std::uint32_t ghosts = 0;
};

class TwoQueue {
 public:
  TwoQueue(const Shape& shape, std::uint32_t footprint)
      : shape_(shape),
        place_(footprint, Place::nowhere),
        where_(footprint),
        in_(std::min(shape.capacity, footprint)),
        main_(std::min(shape.capacity, footprint)),
        ghosts_(std::min(shape.ghosts, footprint)) {}

  Outcome access(BlockId block, BlockId& victim) {
    const Place place = place_[block];
    if (place == Place::in) return Outcome::hit;
    if (place == Place::main) {
      main_.erase(where_[block]);
      push(main_, block);
      return Outcome::hit;
    }
    if (place == Place::ghost) ghosts_.erase(where_[block]);
    if (resident() == shape_.capacity) victim = evict();
    place == Place::ghost ? join(main_, block, Place::main) : join(in_, block, Place::in);
    return Outcome::miss;
  }

  void prefetch(BlockId block) const {
    __builtin_prefetch(&place_[block], 1);
    __builtin_prefetch(&where_[block], 1);
  }
  void prefetch_linked(BlockId block) const {
    if (place_[block] == Place::main) main_.prefetch(where_[block]);
  }

  void forget(BlockId block) {
    if (!contains(block)) return;
    (place_[block] == Place::in ? in_ : main_).erase(where_[block]);
    place_[block] = Place::nowhere;
  }
  bool contains(BlockId block) const { return place_[block] >= Place::in; }
  std::uint32_t resident() const { return in_.size() + main_.size(); }

 private:
  enum class Place : std::uint8_t { nowhere, ghost, in, main };

  void push(Queue& queue, BlockId block) {
    where_[block] = queue.push(block, [this](BlockId moved, QueueIndex, QueueIndex to) { where_[moved] = to; });
  }

  void join(Queue& queue, BlockId block, Place place) {
    push(queue, block);
    place_[block] = place;
  }

  BlockId evict() {
    if (in_.size() <= shape_.in && main_.size() > 0) {
      const BlockId victim = main_.pop();
      place_[victim] = Place::nowhere;
      return victim;
    }
    const BlockId victim = in_.pop();
    become_ghost(victim);
    return victim;
  }

  void become_ghost(BlockId block) {
    place_[block] = Place::nowhere;
    if (shape_.ghosts == 0) return;
    if (ghosts_.size() == shape_.ghosts) place_[ghosts_.pop()] = Place::nowhere;
    join(ghosts_, block, Place::ghost);
  }

  Shape shape_;
  std::vector<Place> place_;
  std::vector<QueueIndex> where_;
  Queue in_;
  Queue main_;
  Queue ghosts_;
};

constexpr Parameter kParameters[] = {
    {"kin", "share of the capacity for the queue of new blocks", "0.25"},
    {"kout", "ghosts kept, as a multiple of the capacity", "0.5"},
    {"variant", "paper, or libcachesim: lets nothing in when there is no room for a new block", "paper"},
};

std::unique_ptr<Policy> make(std::uint32_t capacity, std::uint32_t footprint, const Settings& settings) {
  const double out = settings.number("kout");
  if (out < 0) throw sim::UsageError("kout is a multiple of the capacity, at least 0");
  const auto in = static_cast<std::uint32_t>(settings.fraction("kin") * capacity);
  if (is_libcachesim_variant(settings) && in == 0) return std::make_unique<Batched<Closed>>();
  return std::make_unique<Batched<TwoQueue>>(
      Shape{.capacity = capacity,
            .in = in,
            .ghosts = static_cast<std::uint32_t>(std::min(out * capacity, static_cast<double>(footprint)))},
      footprint);
}

}  // namespace

extern const Spec two_queue{
    .name = "two_queue",
    .idea = "new blocks pass through a FIFO; those that come back after that join an LRU list",
    .paper = "Johnson, Shasha, 2Q: a low overhead high performance buffer management replacement algorithm, VLDB 1994",
    .parameters = kParameters,
    .make = make,
};

}  // namespace policies
