// FIFO: first in, first out.
//
// Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems Journal 5(2), 1966.
//
// The block that came in first leaves, used or not. No parameters. Equal to the reference (libCacheSim's FIFO).
#include <algorithm>

#include "policies/parts/batch.h"
#include "policies/parts/queue.h"

namespace policies {
namespace {

class Fifo {
 public:
  Fifo(std::uint32_t capacity, std::uint32_t footprint)
      : capacity_(capacity), where_(footprint, kNowhere), arrivals_(std::min(capacity, footprint)) {}

  Outcome access(BlockId block, BlockId& victim) {
    if (where_[block] != kNowhere) return Outcome::hit;
    if (arrivals_.size() == capacity_) {
      victim = arrivals_.pop();
      where_[victim] = kNowhere;
    }
    where_[block] = arrivals_.push(block, [this](BlockId moved, QueueIndex, QueueIndex to) { where_[moved] = to; });
    return Outcome::miss;
  }

  void prefetch(BlockId block) const { __builtin_prefetch(&where_[block], 1); }

  void forget(BlockId block) {
    if (!contains(block)) return;
    arrivals_.erase(where_[block]);
    where_[block] = kNowhere;
  }
  bool contains(BlockId block) const { return where_[block] != kNowhere; }
  std::uint32_t resident() const { return arrivals_.size(); }

 private:
  std::uint32_t capacity_;
  std::vector<QueueIndex> where_;
  Queue arrivals_;
};

}  // namespace

extern const Spec fifo{
    .name = "fifo",
    .idea = "the block that came in first leaves, used or not",
    .paper = "Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems Journal 1966",
    .make = [](std::uint32_t capacity, std::uint32_t footprint, const Settings&) -> std::unique_ptr<Policy> {
      return std::make_unique<Batched<Fifo>>(capacity, footprint);
    },
};

}  // namespace policies
