// CLOCK: FIFO with a second chance.
//
// Corbato, "A paging experiment with the Multics system", in: In Honor of Philip M. Morse, MIT Press, 1969.
//
// Blocks stand in order of arrival and count their uses since they last joined the young end. When room is needed, the
// oldest one joins the young end again if it has been used, at the price of one use; else it leaves.
//
// bits: width of the use counter, 1 in the paper. Equal to the reference (libCacheSim's Clock; bits = n-bit-counter).
#include <algorithm>
#include <cmath>

#include "policies/parts/batch.h"
#include "policies/parts/queue.h"
#include "sim/error.h"

namespace policies {
namespace {

class Clock {
 public:
  Clock(std::uint32_t capacity, std::uint32_t footprint, int bits)
      : capacity_(capacity),
        most_(static_cast<State>((1 << bits) - 1)),
        state_(footprint, kAbsent),
        where_(footprint),
        circle_(std::min(capacity, footprint)) {}

  Outcome access(BlockId block, BlockId& victim) {
    State& uses = state_[block];
    if (uses != kAbsent) {
      uses = uses == most_ ? uses : next(uses);
      return Outcome::hit;
    }
    if (circle_.size() == capacity_) victim = evict();
    uses = kUnused;
    push(block);
    return Outcome::miss;
  }

  void prefetch(BlockId block) const { __builtin_prefetch(&state_[block], 1); }

  void forget(BlockId block) {
    if (!contains(block)) return;
    circle_.erase(where_[block]);
    state_[block] = kAbsent;
  }
  bool contains(BlockId block) const { return state_[block] != kAbsent; }
  std::uint32_t resident() const { return circle_.size(); }

 private:
  // Uses counted, of a block that is resident. An enumeration, since stores of bytes may alias anything.
  enum State : std::uint8_t { kUnused = 0, kAbsent = 255 };
  static State next(State uses) { return static_cast<State>(uses + 1); }
  static State previous(State uses) { return static_cast<State>(uses - 1); }

  BlockId evict() {
    for (;;) {
      const BlockId oldest = circle_.pop();
      State& uses = state_[oldest];
      if (uses == kUnused) {
        uses = kAbsent;
        return oldest;
      }
      uses = previous(uses);
      push(oldest);
    }
  }

  void push(BlockId block) {
    where_[block] = circle_.push(block, [this](BlockId moved, QueueIndex, QueueIndex to) { where_[moved] = to; });
  }

  std::uint32_t capacity_;
  State most_;
  std::vector<State> state_;
  std::vector<QueueIndex> where_;
  Queue circle_;
};

constexpr Parameter kParameters[] = {{"bits", "width of a block's use counter, 1 to 7", "1"}};

}  // namespace

extern const Spec clock{
    .name = "clock",
    .idea = "FIFO, but a block used since it last stood at the young end goes round once more",
    .paper = "Corbato, A paging experiment with the Multics system, MIT Press 1969",
    .parameters = kParameters,
    .make = [](std::uint32_t capacity, std::uint32_t footprint, const Settings& settings) -> std::unique_ptr<Policy> {
      const double bits = settings.number("bits");
      if (bits < 1 || bits > 7 || bits != std::floor(bits)) throw sim::UsageError("bits is a whole number, 1 to 7");
      return std::make_unique<Batched<Clock>>(capacity, footprint, static_cast<int>(bits));
    },
};

}  // namespace policies
