// LARC: lazy adaptive replacement cache.
//
// Huang, Wei, Chen, Chen, Feng, "Improving flash-based disk cache with lazy adaptive replacement", MSST 2013; Huang,
// Wei, Feng, Chen, Chen, ACM Transactions on Storage 12(2), 2016.
//
// For a cache that wears out when it is written to: a block comes in only when it is missed a second time while its
// number is still in a queue of ghosts (Qr); the cache itself (Q) is an LRU. The ghost queue's target size Cr adapts: a
// hit takes C / (C - Cr) from it, since the right blocks are in the cache, and a miss adds C / Cr. A miss that finds
// the queue over its target drops the oldest ghost, one only, so a queue whose target falls follows it slowly.
//
// low, high: bounds of the target, as shares of the capacity C (0.1, 0.9); it begins at `low`
//
// The target is a real number, as in the paper. The paper does not speak of caches so small that a bound is below one
// block, where nothing would ever come in: ours is one block at least. The paper's ghosts outlive blocks that are
// discarded, and so do ours: forget() takes a block out of the cache alone.
#include <algorithm>

#include "policies/parts/batch.h"
#include "policies/parts/queue.h"
#include "sim/error.h"

namespace policies {
namespace {

struct Bounds {
  double low = 0;
  double high = 0;
};

class Larc {
 public:
  Larc(std::uint32_t capacity, std::uint32_t footprint, const Bounds& bounds)
      : capacity_(capacity),
        low_(std::max(bounds.low * capacity, 1.0)),
        high_(std::max(bounds.high * capacity, 1.0)),
        target_(low_),
        state_(footprint, kAbsent),
        where_(footprint),
        cache_(std::min(capacity, footprint)),
        ghosts_(static_cast<std::uint32_t>(std::min(high_ + 1, static_cast<double>(footprint)))) {}

  Outcome access(BlockId block, BlockId& victim) {
    if (state_[block] == kResident) {
      target_ = std::max(low_, target_ - capacity_ / (capacity_ - target_));
      cache_.erase(where_[block]);
      join(cache_, block, kResident);
      return Outcome::hit;
    }
    target_ = std::min(high_, target_ + capacity_ / target_);
    if (state_[block] == kAbsent) {
      join(ghosts_, block, kGhost);
      if (ghosts_.size() > target_) state_[ghosts_.pop()] = kAbsent;
      return Outcome::rejected;
    }
    ghosts_.erase(where_[block]);
    if (cache_.size() == capacity_) {
      victim = cache_.pop();
      state_[victim] = kAbsent;
    }
    join(cache_, block, kResident);
    return Outcome::miss;
  }

  void prefetch(BlockId block) const {
    __builtin_prefetch(&state_[block], 1);
    __builtin_prefetch(&where_[block], 1);
  }
  void prefetch_linked(BlockId block) const {
    if (state_[block] != kAbsent) (state_[block] == kResident ? cache_ : ghosts_).prefetch(where_[block]);
  }

  void forget(BlockId block) {
    if (!contains(block)) return;
    cache_.erase(where_[block]);
    state_[block] = kAbsent;
  }
  bool contains(BlockId block) const { return state_[block] == kResident; }
  std::uint32_t resident() const { return cache_.size(); }

 private:
  enum State : std::uint8_t { kAbsent, kGhost, kResident };

  void join(Queue& queue, BlockId block, State state) {
    where_[block] = queue.push(block, [this](BlockId moved, QueueIndex, QueueIndex to) { where_[moved] = to; });
    state_[block] = state;
  }

  double capacity_;
  double low_;
  double high_;
  double target_;
  std::vector<State> state_;
  std::vector<QueueIndex> where_;
  Queue cache_;
  Queue ghosts_;
};

constexpr Parameter kParameters[] = {
    {"low", "smallest target size of the ghost queue, as a share of the capacity", "0.1"},
    {"high", "largest target size of the ghost queue, as a share of the capacity, below 1", "0.9"},
};

std::unique_ptr<Policy> make(std::uint32_t capacity, std::uint32_t footprint, const Settings& settings) {
  const Bounds bounds{.low = settings.fraction("low"), .high = settings.fraction("high")};
  if (bounds.high >= 1 || bounds.low > bounds.high) {
    throw sim::UsageError("low and high are shares of the capacity with 0 <= low <= high < 1");
  }
  return std::make_unique<Batched<Larc>>(capacity, footprint, bounds);
}

}  // namespace

extern const Spec larc{
    .name = "larc",
    .idea = "an LRU that a block enters only when it is missed again while an adaptive queue of ghosts remembers it",
    .paper = "Huang, Wei, Chen, Chen, Feng, Improving flash-based disk cache with lazy adaptive replacement, MSST 2013",
    .parameters = kParameters,
    .make = make,
};

}  // namespace policies
