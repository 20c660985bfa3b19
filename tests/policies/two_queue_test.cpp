#include <cmath>
#include <list>

#include "tests/policies/twin.h"

namespace {

using namespace support;

// The full version's two procedures; the front of a list is its head.
class NaiveTwoQueue : public Twin {
 public:
  NaiveTwoQueue(std::size_t capacity, double kin, double kout)
      : slots_(capacity),
        kin_(static_cast<std::size_t>(std::floor(kin * static_cast<double>(capacity)))),
        kout_(static_cast<std::size_t>(std::floor(kout * static_cast<double>(capacity)))) {}

  Played access(BlockId x, std::uint32_t) override {
    victim_ = kNoBlock;
    if (has(am_, x)) {
      am_.remove(x);
      am_.push_front(x);
      return {Outcome::hit, kNoBlock};
    }
    if (has(a1in_, x)) return {Outcome::hit, kNoBlock};
    if (has(a1out_, x)) {
      a1out_.remove(x);
      reclaim();
      am_.push_front(x);
    } else {
      reclaim();
      a1in_.push_front(x);
    }
    return {Outcome::miss, victim_};
  }
  void forget(BlockId x) override { am_.remove(x), a1in_.remove(x); }
  bool contains(BlockId x) const override { return has(am_, x) || has(a1in_, x); }

 private:
  using List = std::list<BlockId>;
  static bool has(const List& list, BlockId x) { return std::find(list.begin(), list.end(), x) != list.end(); }

  void reclaim() {
    if (am_.size() + a1in_.size() < slots_) return;
    if (a1in_.size() > kin_ || am_.empty()) {
      victim_ = a1in_.back();
      a1in_.pop_back();
      a1out_.push_front(victim_);
      if (a1out_.size() > kout_) a1out_.pop_back();
    } else {
      victim_ = am_.back();
      am_.pop_back();
    }
  }

  std::size_t slots_, kin_, kout_;
  List am_, a1in_, a1out_;
  BlockId victim_ = kNoBlock;
};

void expect_equal(std::string_view text, double kin, double kout) {
  expect_equal_to_twin(text,
                       [=](std::size_t capacity) { return std::make_unique<NaiveTwoQueue>(capacity, kin, kout); });
}

TEST(TwoQueue, EqualsTwin) { expect_equal("two_queue", 0.25, 0.5); }

TEST(TwoQueue, EqualsTwinOfOtherShapes) {
  expect_equal("two_queue:kin=0.5,kout=2", 0.5, 2);
  expect_equal("two_queue:kin=0,kout=0", 0, 0);
  expect_equal("two_queue:kin=1,kout=100", 1, 100);
}

TEST(TwoQueue, LibcachesimVariantDiffersOnlyWithoutRoomForANewBlock) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const SmallTrace trace = small_trace(seed, false);
    const auto paper = choice("two_queue").make(trace.capacity, trace.footprint);
    const auto variant = choice("two_queue:variant=libcachesim").make(trace.capacity, trace.footprint);
    const auto expected = play(*paper, trace, 0, trace.blocks.size(), false);
    for (std::size_t i = 0; const Played& played : play(*variant, trace, 0, trace.blocks.size(), false)) {
      ASSERT_EQ(played, trace.capacity < 4 ? (Played{Outcome::rejected, kNoBlock}) : expected[i++]) << trace.name;
    }
  }
}

TEST(TwoQueue, RefusesSharesThatAreNone) {
  EXPECT_ANY_THROW(choice("two_queue:kin=1.5"));
  EXPECT_ANY_THROW(choice("two_queue:kout=-1"));
  EXPECT_ANY_THROW(choice("two_queue:variant=other"));
}

}  // namespace
