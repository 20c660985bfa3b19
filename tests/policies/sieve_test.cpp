#include <list>

#include "tests/policies/twin.h"

namespace {

using namespace support;

// Algorithm 1 of the paper: head is new, tail is old, the hand walks towards the head.
class NaiveSieve : public Twin {
 public:
  explicit NaiveSieve(std::size_t capacity) : capacity_(capacity) {}

  Played access(BlockId block, std::uint32_t) override {
    if (const auto at = find(block); at != list_.end()) {
      at->visited = true;
      return {Outcome::hit, kNoBlock};
    }
    BlockId victim = kNoBlock;
    if (list_.size() == capacity_) {
      if (hand_ == list_.end()) hand_ = std::prev(list_.end());
      while (hand_->visited) {
        hand_->visited = false;
        hand_ = towards_head(hand_);
        if (hand_ == list_.end()) hand_ = std::prev(list_.end());
      }
      victim = hand_->block;
      remove(hand_);
    }
    list_.push_front({block, false});
    return {Outcome::miss, victim};
  }
  void forget(BlockId block) override {
    if (const auto at = find(block); at != list_.end()) remove(at);
  }
  bool contains(BlockId block) const override {
    return std::any_of(list_.begin(), list_.end(), [block](const Object& object) { return object.block == block; });
  }

 private:
  struct Object {
    BlockId block;
    bool visited;
  };
  using At = std::list<Object>::iterator;

  At find(BlockId block) {
    return std::find_if(list_.begin(), list_.end(), [block](const Object& object) { return object.block == block; });
  }
  At towards_head(At at) { return at == list_.begin() ? list_.end() : std::prev(at); }
  void remove(At at) {
    if (hand_ == at) hand_ = towards_head(at);
    list_.erase(at);
  }

  std::size_t capacity_;
  std::list<Object> list_;
  At hand_ = list_.end();  // the paper's nil: start at the tail
};

TEST(Sieve, EqualsTwin) {
  expect_equal_to_twin("sieve", [](std::size_t capacity) { return std::make_unique<NaiveSieve>(capacity); });
}

// Figure 1 of the paper is of this kind: a hand that spares A, takes B, and then waits in front of the new blocks.
TEST(Sieve, WorkedByHand) {
  SmallTrace trace;
  trace.footprint = 6;
  trace.blocks = {0, 1, 2, 0, 3, 4, 1, 2};
  //   0 1 2 fill; 0 is marked; 3 spares 0 (unmarked now), takes 1; 4 takes 2; 1 takes 3 (the hand has not turned back);
  //   2 takes 4
  const auto policy = choice("sieve").make(3, 6);
  const std::vector<Played> expected = {
      {Outcome::miss, kNoBlock}, {Outcome::miss, kNoBlock}, {Outcome::miss, kNoBlock}, {Outcome::hit, kNoBlock},
      {Outcome::miss, 1},        {Outcome::miss, 2},        {Outcome::miss, 3},        {Outcome::miss, 4},
  };
  EXPECT_EQ(play(*policy, trace, 0, trace.blocks.size(), false), expected);
  EXPECT_TRUE(policy->contains(0));
}

}  // namespace
