// LRU-K, with K = 2: the block whose last use but one is the longest ago leaves.
//
// O'Neil, O'Neil, Weikum, "The LRU-K page replacement algorithm for database disk buffering", SIGMOD 1993.
//
// A block that has been used only once, as far as is remembered, leaves before all that have been used twice; of
// several such, the one unused for longest (the paper leaves this open, and names LRU). The times of the last two uses
// are remembered after a block has left. K is 2, which the paper finds to be nearly as good as more. Its correlated
// reference period is 0: every use counts.
//
// retained: accesses for which a block is remembered after its last use, as a multiple of the capacity (rounded down);
//           or all: for ever. The paper's retained information period; it wants it long, and longer than the time after
//           which a block used twice leaves. It costs no memory here.
//
// Blocks used once wait in order of arrival. A use only notes the time: a block moves to the heap when it is next to
// leave and has been used again.
#include <algorithm>

#include "policies/parts/batch.h"
#include "policies/parts/growing_heap.h"
#include "policies/parts/queue.h"
#include "sim/error.h"

namespace policies {
namespace {

class LruK {
 public:
  LruK(std::uint32_t capacity, std::uint32_t footprint, std::uint64_t retained)
      : capacity_(capacity),
        retained_(retained),
        state_(footprint),
        place_(footprint),
        once_(std::min(capacity, footprint)),
        twice_(std::min(capacity, footprint)) {}

  Outcome access(BlockId block, BlockId& victim) {
    State& state = state_[block];
    ++now_;
    if (state.resident) {
      state.use(now_);
      return Outcome::hit;
    }
    if (resident() == capacity_) victim = evict();
    if (now_ - state.last > retained_) state = {};
    state.use(now_);
    state.resident = true;
    if (state.last_but_one == 0) {
      const QueueIndex index =
          once_.push(block, [this](BlockId moved, QueueIndex, QueueIndex to) { place_[moved] = to; });
      place_[block] = index;
    } else {
      twice_.push(entry(block), Placed{place_});
    }
    return Outcome::miss;
  }

  void prefetch(BlockId block) const { __builtin_prefetch(&state_[block], 1); }

  void forget(BlockId block) {
    if (!contains(block)) return;
    leave(block);
    state_[block] = {};
  }
  bool contains(BlockId block) const { return state_[block].resident; }
  std::uint32_t resident() const { return once_.size() + twice_.size(); }

 private:
  // Times begin at 1; 0: not remembered.
  struct State {
    std::uint64_t last = 0;
    std::uint64_t last_but_one : 63 = 0;
    std::uint64_t resident : 1 = 0;

    void use(std::uint64_t now) {
      last_but_one = last;
      last = now;
    }
  };
  // Two halves of the last use but one, so that an entry has 12 bytes.
  struct Entry {
    std::uint32_t upper;
    std::uint32_t lower;
    BlockId block;
    std::uint64_t key() const { return std::uint64_t{upper} << 32 | lower; }
    bool operator<(const Entry& other) const { return key() < other.key(); }
  };
  // Keeps a block's place when the heap moves it.
  struct Placed {
    std::vector<std::uint32_t>& place;
    void operator()(BlockId block, std::uint32_t to) const { place[block] = to; }
  };

  Entry entry(BlockId block) const {
    const std::uint64_t key = state_[block].last_but_one;
    return {static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key), block};
  }

  void leave(BlockId block) {
    if (twice_.holds(block, place_[block])) {
      twice_.erase(place_[block], Placed{place_});
    } else {
      once_.erase(place_[block]);
    }
    state_[block].resident = false;
  }

  BlockId evict() {
    while (once_.size() > 0) {
      const BlockId block = once_.pop();
      if (state_[block].last_but_one == 0) {
        state_[block].resident = false;
        return block;
      }
      twice_.push(entry(block), Placed{place_});
    }
    const BlockId block = twice_.least([this](BlockId top) { return entry(top); }, Placed{place_}).block;
    leave(block);
    return block;
  }

  std::uint32_t capacity_;
  std::uint64_t retained_;
  std::uint64_t now_ = 0;
  std::vector<State> state_;
  std::vector<std::uint32_t> place_;  // in once_ or twice_
  Queue once_;                        // every block that has been used once, and some that have been used again
  GrowingHeap<Entry> twice_;
};

constexpr Parameter kParameters[] = {
    {"retained", "accesses that a block is remembered after its last use, as a multiple of the capacity, or all",
     "all"},
};

std::unique_ptr<Policy> make(std::uint32_t capacity, std::uint32_t footprint, const Settings& settings) {
  std::uint64_t retained = UINT64_MAX;
  if (settings.text("retained") != "all") {
    constexpr double kMost = std::uint64_t{1} << 62;
    const double multiple = settings.number("retained");
    if (multiple < 0) throw sim::UsageError("retained is all, or a multiple of the capacity, at least 0");
    retained = static_cast<std::uint64_t>(std::min(multiple * capacity, kMost));
  }
  return std::make_unique<Batched<LruK>>(capacity, footprint, retained);
}

}  // namespace

extern const Spec lru_k{
    .name = "lru_k",
    .idea = "the block whose last use but one is the longest ago leaves, first those that have been used only once",
    .paper = "O'Neil, O'Neil, Weikum, The LRU-K page replacement algorithm for database disk buffering, SIGMOD 1993",
    .parameters = kParameters,
    .make = make,
};

}  // namespace policies
