// SLRU: segmented LRU.
//
// Karedla, Love, Wherry, "Caching strategies to improve disk system performance", IEEE Computer 27(3), 1994.
//
// A new block joins the young end of the lowest segment (probationary), a block used again that of the next one up
// (protected). When an upper segment is longer than its share, its oldest goes down to the young end of the one below.
// The victim is the oldest of the lowest segment, which has what the upper ones do not use.
//
// segments: 2 in the paper; more are the obvious extension
// protected: share of the capacity for the upper segments together, which is divided equally (rounded down). The paper
//            leaves it to tuning for the workload; auto gives all segments an equal share
// variant: paper
//          libcachesim  as libCacheSim's SLRU: 4 segments by default, all of an equal share (rounded down), also the
//                       lowest; a new block joins the lowest segment that has room, or the lowest of all; nothing is
//                       let in when the share is less than a block. Where `segments` does not divide the capacity, the
//                       lowest may be longer than its share until a block goes down to it on a hit: what is too much is
//                       then pushed out, and of several only the last is named as the victim
#include <algorithm>

#include "policies/parts/batch.h"
#include "policies/parts/closed.h"
#include "policies/parts/queue.h"
#include "policies/parts/variant.h"
#include "policies/parts/whole_number.h"

namespace policies {
namespace {

struct Shape {
  std::uint32_t capacity = 0;
  std::uint32_t segments = 0;
  std::uint32_t share = 0;  // of a segment, in blocks; the lowest may have more
  bool libcachesim = false;
};

class Slru {
 public:
  Slru(const Shape& shape, std::uint32_t footprint) : shape_(shape), segment_(footprint, kAbsent), where_(footprint) {
    const std::uint32_t most = std::min(shape.capacity, footprint);
    queues_.emplace_back(most, kSpread);
    while (queues_.size() < shape.segments) queues_.emplace_back(std::min(shape.share + 1, most), kSpread);
  }

  Outcome access(BlockId block, BlockId& victim) {
    if (segment_[block] == kAbsent) {
      if (resident_ == shape_.capacity) victim = evict();
      come_in(block);
      ++resident_;
      return Outcome::miss;
    }
    queue_of(block).erase(where_[block]);
    go_up(block, victim);
    return Outcome::hit;
  }

  void prefetch(BlockId block) const {
    __builtin_prefetch(&segment_[block], 1);
    __builtin_prefetch(&where_[block], 1);
  }
  void prefetch_linked(BlockId block) const {
    if (contains(block)) queue_of(block).prefetch(where_[block]);
  }

  void forget(BlockId block) {
    if (!contains(block)) return;
    queue_of(block).erase(where_[block]);
    segment_[block] = kAbsent;
    --resident_;
  }
  bool contains(BlockId block) const { return segment_[block] != kAbsent; }
  std::uint32_t resident() const { return resident_; }

 private:
  static constexpr std::uint32_t kSpread = 4;  // every hit makes a hole
  enum Segment : std::uint8_t { kLowest = 0, kAbsent = UINT8_MAX };

  Queue& queue_of(BlockId block) { return queues_[segment_[block]]; }
  const Queue& queue_of(BlockId block) const { return queues_[segment_[block]]; }

  void join(std::uint32_t segment, BlockId block) {
    segment_[block] = static_cast<Segment>(segment);
    where_[block] =
        queues_[segment].push(block, [this](BlockId moved, QueueIndex, QueueIndex to) { where_[moved] = to; });
  }

  void come_in(BlockId block) {
    std::uint32_t segment = kLowest;
    if (shape_.libcachesim) {
      while (segment < shape_.segments && queues_[segment].size() >= shape_.share) ++segment;
      if (segment == shape_.segments) segment = kLowest;
    }
    join(segment, block);
  }

  // Of a block that has been taken out of its segment.
  void go_up(BlockId block, BlockId& victim) {
    const std::uint32_t upper = std::min<std::uint32_t>(segment_[block] + 1, shape_.segments - 1);
    join(upper, block);
    std::uint32_t segment = upper;
    for (; segment > kLowest && queues_[segment].size() > shape_.share; --segment)
      join(segment - 1, queues_[segment].pop());
    const bool came_down = segment == kLowest && upper != kLowest;
    while (shape_.libcachesim && came_down && queues_[kLowest].size() > shape_.share) victim = evict();
  }

  BlockId evict() {
    std::uint32_t segment = kLowest;
    while (queues_[segment].size() == 0) ++segment;
    const BlockId victim = queues_[segment].pop();
    segment_[victim] = kAbsent;
    --resident_;
    return victim;
  }

  Shape shape_;
  std::uint32_t resident_ = 0;
  std::vector<Segment> segment_;
  std::vector<QueueIndex> where_;
  std::vector<Queue> queues_;  // from the lowest segment up
};

constexpr Parameter kParameters[] = {
    {"segments", "LRU queues, 1 to 64, or auto: 2, and 4 with variant=libcachesim", "auto"},
    {"protected", "share of the capacity for all segments but the lowest, or auto: equal segments", "auto"},
    {"variant", "paper, or libcachesim: new blocks join the lowest segment that has room", "paper"},
};

std::unique_ptr<Policy> make(std::uint32_t capacity, std::uint32_t footprint, const Settings& settings) {
  const bool libcachesim = is_libcachesim_variant(settings);
  const std::uint32_t segments = settings.text("segments") != "auto" ? whole_number(settings, "segments", 1, 64)
                                 : libcachesim                       ? 4
                                                                     : 2;
  std::uint32_t share = capacity / segments;
  if (settings.text("protected") != "auto") {
    if (libcachesim) throw sim::UsageError("protected is auto with variant=libcachesim");
    share = static_cast<std::uint32_t>(settings.fraction("protected") * capacity / std::max(segments - 1, 1u));
  }
  if (libcachesim && share == 0) return std::make_unique<Batched<Closed>>();
  return std::make_unique<Batched<Slru>>(
      Shape{.capacity = capacity, .segments = segments, .share = share, .libcachesim = libcachesim}, footprint);
}

}  // namespace

extern const Spec slru{
    .name = "slru",
    .idea = "LRU lists above each other: a use takes a block one up, and the oldest goes down when a list is too long",
    .paper = "Karedla, Love, Wherry, Caching strategies to improve disk system performance, IEEE Computer 1994",
    .parameters = kParameters,
    .make = make,
};

}  // namespace policies
