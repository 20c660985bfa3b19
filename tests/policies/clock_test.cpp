#include <vector>

#include "tests/policies/twin.h"

namespace {

using namespace support;

// A circle of pages and a hand; here the page under the hand is the first, and turning the hand moves it to the end.
class NaiveClock : public Twin {
 public:
  NaiveClock(std::size_t capacity, int most) : capacity_(capacity), most_(most) {}

  Played access(BlockId block, std::uint32_t) override {
    for (Page& page : circle_) {
      if (page.block != block) continue;
      page.uses = std::min(page.uses + 1, most_);
      return {Outcome::hit, kNoBlock};
    }
    BlockId victim = kNoBlock;
    if (circle_.size() == capacity_) {
      while (circle_.front().uses > 0) {
        --circle_.front().uses;
        std::rotate(circle_.begin(), circle_.begin() + 1, circle_.end());
      }
      victim = circle_.front().block;
      circle_.erase(circle_.begin());
    }
    circle_.push_back({block, 0});
    return {Outcome::miss, victim};
  }
  void forget(BlockId block) override {
    std::erase_if(circle_, [block](const Page& page) { return page.block == block; });
  }
  bool contains(BlockId block) const override {
    return std::any_of(circle_.begin(), circle_.end(), [block](const Page& page) { return page.block == block; });
  }

 private:
  struct Page {
    BlockId block;
    int uses;
  };
  std::size_t capacity_;
  int most_;
  std::vector<Page> circle_;
};

TEST(Clock, EqualsTwin) {
  expect_equal_to_twin("clock", [](std::size_t capacity) { return std::make_unique<NaiveClock>(capacity, 1); });
}

TEST(Clock, EqualsTwinWithWiderCounters) {
  expect_equal_to_twin("clock:bits=2", [](std::size_t capacity) { return std::make_unique<NaiveClock>(capacity, 3); });
  expect_equal_to_twin("clock:bits=7",
                       [](std::size_t capacity) { return std::make_unique<NaiveClock>(capacity, 127); });
}

}  // namespace
