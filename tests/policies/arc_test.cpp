#include <list>

#include "tests/policies/twin.h"

namespace {

using namespace support;

// Figure 4 of the paper, case by case. The cache may have room though the history is full, after a forget: then
// REPLACE is left out, and nothing else is.
class NaiveArc : public Twin {
 public:
  explicit NaiveArc(std::size_t capacity) : c_(capacity) {}

  Played access(BlockId x, std::uint32_t) override {
    victim_ = kNoBlock;
    if (has(t1_, x) || has(t2_, x)) {  // Case I
      t1_.remove(x), t2_.remove(x);
      t2_.push_front(x);
      return {Outcome::hit, kNoBlock};
    }
    if (has(b1_, x)) {  // Case II
      const double delta = b1_.size() >= b2_.size() ? 1.0 : static_cast<double>(b2_.size()) / b1_.size();
      p_ = std::min(p_ + delta, static_cast<double>(c_));
      b1_.remove(x);
      replace(false);
      t2_.push_front(x);
    } else if (has(b2_, x)) {  // Case III
      const double delta = b2_.size() >= b1_.size() ? 1.0 : static_cast<double>(b1_.size()) / b2_.size();
      p_ = std::max(p_ - delta, 0.0);
      b2_.remove(x);
      replace(true);
      t2_.push_front(x);
    } else {  // Case IV
      const std::size_t l1 = t1_.size() + b1_.size();
      const std::size_t l2 = t2_.size() + b2_.size();
      if (l1 == c_) {
        if (t1_.size() < c_) {
          b1_.pop_back();
          replace(false);
        } else {
          victim_ = t1_.back();
          t1_.pop_back();
        }
      } else if (l1 + l2 >= c_) {
        if (l1 + l2 == 2 * c_) b2_.pop_back();
        replace(false);
      }
      t1_.push_front(x);
    }
    return {Outcome::miss, victim_};
  }
  void forget(BlockId x) override { t1_.remove(x), t2_.remove(x); }
  bool contains(BlockId x) const override { return has(t1_, x) || has(t2_, x); }

 private:
  using List = std::list<BlockId>;
  static bool has(const List& list, BlockId x) { return std::find(list.begin(), list.end(), x) != list.end(); }

  void replace(bool x_in_b2) {
    if (t1_.size() + t2_.size() < c_) return;
    const double t1 = static_cast<double>(t1_.size());
    if (!t1_.empty() && (t1 > p_ || (x_in_b2 && t1 == p_))) {
      move_oldest(t1_, b1_);
    } else if (!t2_.empty()) {
      move_oldest(t2_, b2_);
    } else {  // the paper does not say: all of the cache is T1, which is as large as p
      move_oldest(t1_, b1_);
    }
  }
  void move_oldest(List& from, List& to) {
    victim_ = from.back();
    from.pop_back();
    to.push_front(victim_);
  }

  std::size_t c_;
  double p_ = 0;
  List t1_, t2_, b1_, b2_;
  BlockId victim_ = kNoBlock;
};

TEST(Arc, EqualsTwin) {
  expect_equal_to_twin("arc", [](std::size_t capacity) { return std::make_unique<NaiveArc>(capacity); });
}

}  // namespace
