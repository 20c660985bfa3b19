// LRU: least recently used.
//
// Mattson, Gecsei, Slutz, Traiger, "Evaluation techniques for storage hierarchies", IBM Systems Journal 9(2), 1970.
//
// The block that has gone unused for longest leaves. No parameters. Equal to the reference (libCacheSim's LRU).
#include <algorithm>

#include "policies/parts/batch.h"
#include "policies/parts/queue.h"

namespace policies {
namespace {

class Lru {
 public:
  Lru(std::uint32_t capacity, std::uint32_t footprint)
      : capacity_(capacity), where_(footprint, kNowhere), recency_(std::min(capacity, footprint), kSpread) {}

  Outcome access(BlockId block, BlockId& victim) {
    if (where_[block] != kNowhere) {
      recency_.erase(where_[block]);
      push(block);
      return Outcome::hit;
    }
    if (recency_.size() == capacity_) {
      victim = recency_.pop();
      where_[victim] = kNowhere;
    }
    push(block);
    return Outcome::miss;
  }

  void prefetch(BlockId block) const { __builtin_prefetch(&where_[block], 1); }
  void prefetch_linked(BlockId block) const {
    if (where_[block] != kNowhere) recency_.prefetch(where_[block]);
  }

  void forget(BlockId block) {
    if (!contains(block)) return;
    recency_.erase(where_[block]);
    where_[block] = kNowhere;
  }
  bool contains(BlockId block) const { return where_[block] != kNowhere; }
  std::uint32_t resident() const { return recency_.size(); }

 private:
  static constexpr std::uint32_t kSpread = 4;  // every hit makes a hole

  void push(BlockId block) {
    where_[block] = recency_.push(block, [this](BlockId moved, QueueIndex, QueueIndex to) { where_[moved] = to; });
  }

  std::uint32_t capacity_;
  std::vector<QueueIndex> where_;
  Queue recency_;
};

}  // namespace

extern const Spec lru{
    .name = "lru",
    .idea = "the block that has gone unused for longest leaves",
    .paper = "Mattson, Gecsei, Slutz, Traiger, Evaluation techniques for storage hierarchies, IBM Systems Journal 1970",
    .make = [](std::uint32_t capacity, std::uint32_t footprint, const Settings&) -> std::unique_ptr<Policy> {
      return std::make_unique<Batched<Lru>>(capacity, footprint);
    },
};

}  // namespace policies
