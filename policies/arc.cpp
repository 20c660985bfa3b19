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
#include "policies/parts/four_lists.h"

namespace policies {
namespace {

class Arc : public FourLists {
 public:
  Arc(std::uint32_t capacity, std::uint32_t footprint)
      : FourLists(footprint, std::min(capacity, footprint), std::min(capacity, footprint)), capacity_(capacity) {}

  Outcome access(BlockId block, BlockId& victim) {
    switch (list_of(block)) {
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

 private:
  bool full() const { return resident() == capacity_; }
  double ratio(List a, List b) const { return static_cast<double>(size(a)) / size(b); }

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
    return become_ghost(from_once || size(kT2) == 0 ? kT1 : kT2);
  }

  std::uint32_t capacity_;
  double target_ = 0;
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
