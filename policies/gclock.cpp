// GCLOCK: CLOCK with weights.
//
// Smith, "Sequentiality and prefetching in database systems", ACM TODS 3(3), 1978; the form with weights: Effelsberg,
// Haerder, "Principles of database buffer management", ACM TODS 9(4), 1984.
//
// Blocks stand in a circle, each with a count. It is `initial` when a block comes in, and each use adds `hit` to it, up
// to `most`. When room is needed, a hand goes round from the oldest block: a block whose count is 0 leaves, another
// one's count is made 1 less. A new block comes in just behind the hand.
//
// The papers leave the weights to the system. The defaults are those of PostgreSQL's buffers (usage count 1 when a page
// comes in, 1 more for each use, at most 5). `initial=0,most=1` is CLOCK and `initial=0,most=3` CLOCK with 2 bits.
// There is no chance and no tie in it. libCacheSim has CLOCK only.
#include <algorithm>

#include "policies/parts/batch.h"
#include "policies/parts/queue.h"
#include "policies/parts/whole_number.h"

namespace policies {
namespace {

enum Count : std::uint8_t { kWorthless = 0, kMost = 254, kAbsent = 255 };

struct Weights {
  Count initial;
  Count hit;
  Count most;
};

class GClock {
 public:
  GClock(std::uint32_t capacity, std::uint32_t footprint, const Weights& weights)
      : capacity_(capacity),
        weights_(weights),
        count_(footprint, kAbsent),
        where_(footprint),
        circle_(std::min(capacity, footprint)) {}

  Outcome access(BlockId block, BlockId& victim) {
    Count& count = count_[block];
    if (count != kAbsent) {
      count = static_cast<Count>(std::min<int>(count + weights_.hit, weights_.most));
      return Outcome::hit;
    }
    if (circle_.size() == capacity_) victim = evict();
    count = weights_.initial;
    push(block);
    return Outcome::miss;
  }

  void prefetch(BlockId block) const { __builtin_prefetch(&count_[block], 1); }

  void forget(BlockId block) {
    if (!contains(block)) return;
    circle_.erase(where_[block]);
    count_[block] = kAbsent;
  }
  bool contains(BlockId block) const { return count_[block] != kAbsent; }
  std::uint32_t resident() const { return circle_.size(); }

 private:
  BlockId evict() {
    for (;;) {
      const BlockId block = circle_.pop();
      Count& count = count_[block];
      if (count == kWorthless) {
        count = kAbsent;
        return block;
      }
      count = static_cast<Count>(count - 1);
      push(block);
    }
  }

  void push(BlockId block) {
    where_[block] = circle_.push(block, [this](BlockId moved, QueueIndex, QueueIndex to) { where_[moved] = to; });
  }

  std::uint32_t capacity_;
  Weights weights_;
  std::vector<Count> count_;
  std::vector<QueueIndex> where_;
  Queue circle_;  // the hand is before the oldest
};

constexpr Parameter kParameters[] = {
    {"initial", "count of a block that comes in, 0 to most", "1"},
    {"hit", "what a use adds to it, 1 to 254", "1"},
    {"most", "the largest count, 1 to 254", "5"},
};

std::unique_ptr<Policy> make(std::uint32_t capacity, std::uint32_t footprint, const Settings& settings) {
  const std::uint32_t most = whole_number(settings, "most", 1, kMost);
  return std::make_unique<Batched<GClock>>(
      capacity, footprint,
      Weights{.initial = static_cast<Count>(whole_number(settings, "initial", 0, most)),
              .hit = static_cast<Count>(whole_number(settings, "hit", 1, kMost)),
              .most = static_cast<Count>(most)});
}

}  // namespace

extern const Spec gclock{
    .name = "gclock",
    .idea = "CLOCK with a count instead of a bit: a weight to begin with, a weight for each use, one lost each round",
    .paper = "Smith, Sequentiality and prefetching in database systems, ACM TODS 1978",
    .parameters = kParameters,
    .make = make,
};

}  // namespace policies
