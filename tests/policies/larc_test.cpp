#include <list>

#include "sim/error.h"
#include "tests/policies/twin.h"

namespace {

using namespace support;

// The paper's algorithm 1, line by line; the bounds of Cr are at least one block.
class NaiveLarc : public Twin {
 public:
  NaiveLarc(std::size_t capacity, double low, double high)
      : c_(static_cast<double>(capacity)), low_(std::max(1.0, low * c_)), high_(std::max(1.0, high * c_)), cr_(low_) {}

  Played access(BlockId b, std::uint32_t) override {
    if (has(q_, b)) {
      q_.remove(b);
      q_.push_front(b);
      cr_ = std::max(low_, cr_ - c_ / (c_ - cr_));
      return {Outcome::hit, kNoBlock};
    }
    cr_ = std::min(high_, cr_ + c_ / cr_);
    if (has(qr_, b)) {
      qr_.remove(b);
      q_.push_front(b);
      BlockId victim = kNoBlock;
      if (static_cast<double>(q_.size()) > c_) {
        victim = q_.back();
        q_.pop_back();
      }
      return {Outcome::miss, victim};
    }
    qr_.push_front(b);
    if (static_cast<double>(qr_.size()) > cr_) qr_.pop_back();
    return {Outcome::rejected, kNoBlock};
  }
  void forget(BlockId b) override { q_.remove(b); }
  bool contains(BlockId b) const override { return has(q_, b); }

 private:
  using List = std::list<BlockId>;
  static bool has(const List& list, BlockId b) { return std::find(list.begin(), list.end(), b) != list.end(); }

  double c_, low_, high_, cr_;
  List q_, qr_;
};

auto twin(double low, double high) {
  return [low, high](std::size_t capacity) { return std::make_unique<NaiveLarc>(capacity, low, high); };
}

TEST(Larc, EqualsTwin) { expect_equal_to_twin("larc", twin(0.1, 0.9)); }
TEST(Larc, EqualsTwinWithOtherBounds) {
  expect_equal_to_twin("larc:low=0.3,high=0.6", twin(0.3, 0.6));
  expect_equal_to_twin("larc:low=0,high=0.99", twin(0, 0.99));
  expect_equal_to_twin("larc:low=0.5,high=0.5", twin(0.5, 0.5));
}

// With the ghost queue at its least: 10 blocks of capacity remember one ghost, two after a miss.
TEST(Larc, LetsInOnTheSecondMiss) {
  const auto policy = choice("larc").make(10, 5);
  SmallTrace trace;
  trace.footprint = 5;
  trace.blocks = {0, 0, 0, 1, 2, 1};
  const auto played = play(*policy, trace, 0, trace.blocks.size(), false);
  const Outcome expected[] = {Outcome::rejected, Outcome::miss,     Outcome::hit,
                              Outcome::rejected, Outcome::rejected, Outcome::miss};
  for (std::size_t i = 0; i < played.size(); ++i) EXPECT_EQ(played[i].outcome, expected[i]) << "access " << i;
}

TEST(Larc, SaysWhatIsWrong) {
  for (const char* text : {"larc:low=-1", "larc:high=1", "larc:low=0.8,high=0.2", "larc:low=x"}) {
    EXPECT_THROW(choice(text), sim::UsageError) << text;
  }
}

}  // namespace
