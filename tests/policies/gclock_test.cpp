#include <map>
#include <vector>

#include "sim/error.h"
#include "tests/policies/twin.h"

namespace {

using namespace support;

// A circle of frames and a hand that stays at a frame; a page that comes in stands just before it.
class NaiveGClock : public Twin {
 public:
  NaiveGClock(std::size_t capacity, int initial, int hit, int most)
      : capacity_(capacity), initial_(initial), hit_(hit), most_(most) {}

  Played access(BlockId block, std::uint32_t) override {
    if (contains(block)) {
      count_[block] = std::min(count_[block] + hit_, most_);
      return {Outcome::hit, kNoBlock};
    }
    BlockId victim = kNoBlock;
    if (frames_.size() == capacity_) {
      while (count_[frames_[hand_]] > 0) {
        --count_[frames_[hand_]];
        hand_ = (hand_ + 1) % frames_.size();
      }
      victim = frames_[hand_];
      forget(victim);
    }
    frames_.insert(frames_.begin() + static_cast<std::ptrdiff_t>(hand_), block);
    hand_ = (hand_ + 1) % frames_.size();
    count_[block] = initial_;
    return {Outcome::miss, victim};
  }
  void forget(BlockId block) override {
    if (!contains(block)) return;
    count_.erase(block);
    const auto frame = std::find(frames_.begin(), frames_.end(), block);
    if (static_cast<std::size_t>(frame - frames_.begin()) < hand_) --hand_;
    frames_.erase(frame);
    if (hand_ == frames_.size()) hand_ = 0;
  }
  bool contains(BlockId block) const override { return count_.contains(block); }

 private:
  std::size_t capacity_;
  int initial_, hit_, most_;
  std::vector<BlockId> frames_;
  std::size_t hand_ = 0;
  std::map<BlockId, int> count_;
};

TEST(GClock, EqualsTwin) {
  expect_equal_to_twin("gclock", [](std::size_t capacity) { return std::make_unique<NaiveGClock>(capacity, 1, 1, 5); });
}

TEST(GClock, EqualsTwinWithOtherWeights) {
  expect_equal_to_twin("gclock:initial=0,hit=3,most=7",
                       [](std::size_t capacity) { return std::make_unique<NaiveGClock>(capacity, 0, 3, 7); });
  expect_equal_to_twin("gclock:initial=2,hit=254,most=254",
                       [](std::size_t capacity) { return std::make_unique<NaiveGClock>(capacity, 2, 254, 254); });
}

TEST(GClock, IsClockWithoutAnInitialWeight) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const SmallTrace trace = small_trace(seed, false);
    for (const auto& [weighted, plain] :
         {std::pair("gclock:initial=0,most=1", "clock"), std::pair("gclock:initial=0,most=3", "clock:bits=2")}) {
      EXPECT_EQ(play(*choice(weighted).make(trace.capacity, trace.footprint), trace, 0, trace.blocks.size(), false),
                play(*choice(plain).make(trace.capacity, trace.footprint), trace, 0, trace.blocks.size(), false))
          << trace.name;
    }
  }
}

TEST(GClock, RefusesWeightsThatMakeNoSense) {
  for (const char* text :
       {"gclock:initial=6", "gclock:hit=0", "gclock:most=0", "gclock:most=255", "gclock:initial=0.5"}) {
    EXPECT_THROW(choice(text), sim::UsageError) << text;
  }
}

}  // namespace
