// CLOCK-Pro: LIRS with reference bits instead of lists in the order of use.
//
// Jiang, Chen, Zhang, "CLOCK-Pro: an effective improvement of the CLOCK replacement", USENIX 2005.
//
// Hot and cold blocks stand in one list; only cold ones are pushed out. A block that comes in is cold and in its test:
// if it is used before the test ends, be it resident still or not, it becomes hot. A use only marks a block. The rest
// is done by three hands, each at the block of its kind that is nearest to the old end:
//   cold  when room is needed: pushes out an unmarked block, which stays in the list while it is in its test. A marked
//         one goes to the young end, hot if it was in its test, else cold with a new test.
//   hot   when there are too many hot blocks: a marked one goes to the young end without its mark, an unmarked one goes
//         there as cold, not in a test. It ends the tests of the blocks that it passes, which keep their places.
//   test  when too many blocks in their test are not resident: ends the oldest test. A block that is not resident then
//         leaves the list.
// The number of cold blocks follows a target: 1 up for each use in a test, 1 down for each test that ends without one.
//
// cold: least share of the capacity that is cold (rounded down, at least one block), and where the target begins; as
//       much is always left for hot blocks, so that from 0.5 on the target is fixed
// ghost: blocks in their test that are not resident, as a multiple of the capacity (rounded down); 1 in the paper
//
// What the paper leaves open: the bounds of the target and its beginning (0.01 is LIRS's share); blocks are hot at
// first, while there is room and fewer are hot than may be; a missed block in its test leaves its place before the
// hands move, and joins as hot after one was pushed out; a used cold block without a test gets a new one, as in LIRS.
// libCacheSim's ClockPro is not a reference: it misses twice as often as LRU on some traces.
#include <algorithm>

#include "policies/parts/batch.h"
#include "sim/error.h"

namespace policies {
namespace {

struct Shape {
  std::uint32_t capacity = 0;
  std::uint32_t least_cold = 1;
  std::uint32_t ghosts = 0;
};

class ClockPro {
 public:
  ClockPro(const Shape& shape, std::uint32_t footprint)
      : shape_(shape),
        most_cold_(std::max(shape.least_cold, shape.capacity - shape.least_cold)),
        cold_target_(shape.least_cold),
        end_(footprint),
        cold_hand_(end_),
        hot_hand_(end_),
        test_hand_(end_),
        state_(footprint, kAbsent),
        links_(std::size_t{footprint} + 1) {
    links_[end_] = {end_, end_};
  }

  Outcome access(BlockId block, BlockId& victim) {
    State& state = state_[block];
    if (state >= kCold) {
      state = static_cast<State>(state | kMark);
      return Outcome::hit;
    }
    const bool was_in_test = state == kGhost;
    if (was_in_test) {
      leave(block);
      --ghosts_;
      move_target(true);
    }
    const bool full = resident() == shape_.capacity;
    if (full) victim = run_cold_hand();
    if (was_in_test || (!full && hot_ < hot_target())) {
      become_hot(block);
    } else {
      ++cold_;
      join(block, kTest);
    }
    return Outcome::miss;
  }

  void prefetch(BlockId block) const { __builtin_prefetch(&state_[block], 1); }

  void forget(BlockId block) {
    if (!contains(block)) return;
    --(kind(block) == kHot ? hot_ : cold_);
    leave(block);
    state_[block] = kAbsent;
  }
  bool contains(BlockId block) const { return state_[block] >= kCold; }
  std::uint32_t resident() const { return hot_ + cold_; }

 private:
  // Cold blocks are in their test as kGhost and kTest. The mark is a bit of the resident ones.
  enum State : std::uint8_t { kAbsent = 0, kMark = 1, kGhost = 2, kCold = 4, kTest = 6, kHot = 8 };
  struct Links {
    BlockId older;
    BlockId newer;
  };

  bool marked(BlockId block) const { return state_[block] & kMark; }
  State kind(BlockId block) const { return static_cast<State>(state_[block] & ~kMark); }
  bool in_test(BlockId block) const { return kind(block) == kTest || kind(block) == kGhost; }
  std::uint32_t hot_target() const { return shape_.capacity - cold_target_; }

  void move_target(bool up) {
    cold_target_ = up ? std::min(cold_target_ + 1, most_cold_) : std::max(cold_target_ - 1, shape_.least_cold);
  }

  void join(BlockId block, State state) {
    const BlockId youngest = links_[end_].older;
    links_[block] = {youngest, end_};
    links_[youngest].newer = block;
    links_[end_].older = block;
    for (BlockId* hand : {&cold_hand_, &hot_hand_, &test_hand_}) {
      if (*hand == end_) *hand = block;
    }
    state_[block] = state;
  }

  void leave(BlockId block) {
    const auto [older, newer] = links_[block];
    for (BlockId* hand : {&cold_hand_, &hot_hand_, &test_hand_}) {
      if (*hand == block) *hand = newer;
    }
    links_[older].newer = newer;
    links_[newer].older = older;
  }

  void become_hot(BlockId block) {
    ++hot_;
    join(block, kHot);
    run_hot_hand();
  }

  // Pushes out a block.
  BlockId run_cold_hand() {
    for (;;) {
      while (kind(cold_hand_) != kCold && kind(cold_hand_) != kTest) cold_hand_ = links_[cold_hand_].newer;
      const BlockId block = cold_hand_;
      const bool tested = in_test(block);
      if (!marked(block)) {
        push_out(block);
        return block;
      }
      leave(block);
      if (tested) {
        move_target(true);
        --cold_;
        become_hot(block);
      } else {
        join(block, kTest);
      }
    }
  }

  void push_out(BlockId block) {
    --cold_;
    if (in_test(block)) {
      state_[block] = kGhost;
      ++ghosts_;
    } else {
      leave(block);
      state_[block] = kAbsent;
    }
    while (ghosts_ > shape_.ghosts) run_test_hand();
  }

  void run_hot_hand() {
    while (hot_ > hot_target()) {
      pass_to_hot();
      const BlockId block = hot_hand_;
      leave(block);
      if (!marked(block)) --hot_, ++cold_;
      join(block, marked(block) ? kHot : kCold);
      pass_to_hot();
    }
  }

  void pass_to_hot() {
    while (hot_hand_ != end_ && kind(hot_hand_) != kHot) {
      const BlockId block = hot_hand_;
      hot_hand_ = links_[block].newer;
      if (in_test(block)) end_test(block);
    }
  }

  void run_test_hand() {
    while (!in_test(test_hand_)) test_hand_ = links_[test_hand_].newer;
    end_test(test_hand_);
  }

  void end_test(BlockId block) {
    move_target(marked(block));
    if (kind(block) == kGhost) {
      leave(block);
      --ghosts_;
      state_[block] = kAbsent;
    } else {
      state_[block] = static_cast<State>(kCold | (state_[block] & kMark));
    }
  }

  Shape shape_;
  std::uint32_t most_cold_;
  std::uint32_t cold_target_;
  std::uint32_t hot_ = 0;
  std::uint32_t cold_ = 0;
  std::uint32_t ghosts_ = 0;
  // Before the oldest block and after the youngest. No block of a hand's kind is older than the one it is at; those
  // that the hot hand has passed are in no test.
  BlockId end_;
  BlockId cold_hand_;
  BlockId hot_hand_;
  BlockId test_hand_;
  std::vector<State> state_;
  std::vector<Links> links_;
};

constexpr Parameter kParameters[] = {
    {"cold", "least share of the capacity that is cold", "0.01"},
    {"ghost", "blocks pushed out that are still in their test, as a multiple of the capacity", "1"},
};

std::unique_ptr<Policy> make(std::uint32_t capacity, std::uint32_t footprint, const Settings& settings) {
  const double ghost = settings.number("ghost");
  if (ghost < 0) throw sim::UsageError("ghost is a multiple of the capacity, at least 0");
  const auto cold = static_cast<std::uint32_t>(settings.fraction("cold") * capacity);
  return std::make_unique<Batched<ClockPro>>(
      Shape{.capacity = capacity,
            .least_cold = std::max(cold, std::uint32_t{1}),
            .ghosts = static_cast<std::uint32_t>(std::min(ghost * capacity, static_cast<double>(footprint)))},
      footprint);
}

}  // namespace

extern const Spec clock_pro{
    .name = "clock_pro",
    .idea = "LIRS with reference bits: cold blocks become hot when used in their test; three hands and a cold target",
    .paper = "Jiang, Chen, Zhang, CLOCK-Pro: an effective improvement of the CLOCK replacement, USENIX 2005",
    .parameters = kParameters,
    .make = make,
};

}  // namespace policies
