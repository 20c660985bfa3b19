#include <cmath>
#include <list>
#include <set>

#include "tests/policies/twin.h"

namespace {

using namespace support;

// Figure 2 of the paper, line by line. The front of a clock is its head; the front of B1 and B2 is their MRU end.
class NaiveCar : public Twin {
 public:
  NaiveCar(std::size_t capacity, bool libcachesim) : c_(capacity), libcachesim_(libcachesim) {}

  Played access(BlockId x, std::uint32_t) override {
    if (contains(x)) {
      marked_.insert(x);
      return {Outcome::hit, kNoBlock};
    }
    victim_ = kNoBlock;
    const bool in_b1 = has(b1_, x);
    const bool in_b2 = has(b2_, x);
    if (libcachesim_) {
      adapt(in_b1, in_b2);
      b1_.remove(x), b2_.remove(x);
    }
    if (t1_.size() + t2_.size() == c_) {
      replace();
      if (libcachesim_ && t1_.size() + b1_.size() >= c_) b1_.pop_back();
    }
    if (!libcachesim_) {
      if (!in_b1 && !in_b2) {
        if (t1_.size() + b1_.size() == c_) {
          b1_.pop_back();
        } else if (t1_.size() + t2_.size() + b1_.size() + b2_.size() == 2 * c_) {
          b2_.pop_back();
        }
      }
      adapt(in_b1, in_b2);
      b1_.remove(x), b2_.remove(x);
    }
    (in_b1 || in_b2 ? t2_ : t1_).push_back(x);
    return {Outcome::miss, victim_};
  }
  void forget(BlockId x) override { t1_.remove(x), t2_.remove(x), marked_.erase(x); }
  bool contains(BlockId x) const override { return has(t1_, x) || has(t2_, x); }

 private:
  using List = std::list<BlockId>;
  static bool has(const List& list, BlockId x) { return std::find(list.begin(), list.end(), x) != list.end(); }

  double step(const List& other, const List& found) const {
    const double quotient = static_cast<double>(other.size()) / static_cast<double>(found.size());
    return std::max(libcachesim_ ? std::floor(quotient) : quotient, 1.0);
  }
  void adapt(bool in_b1, bool in_b2) {
    if (in_b1) p_ = std::min(p_ + step(b2_, b1_), static_cast<double>(c_));
    if (in_b2) p_ = std::max(p_ - step(b1_, b2_), 0.0);
  }
  void replace() {
    while (victim_ == kNoBlock) {
      const bool first = static_cast<double>(t1_.size()) >= std::max(1.0, p_);
      List& clock = first ? t1_ : t2_;
      const BlockId head = clock.front();
      clock.pop_front();
      if (marked_.erase(head)) {
        t2_.push_back(head);
      } else {
        (first ? b1_ : b2_).push_front(head);
        victim_ = head;
      }
    }
  }

  std::size_t c_;
  bool libcachesim_;
  double p_ = 0;
  List t1_, t2_, b1_, b2_;
  std::set<BlockId> marked_;
  BlockId victim_ = kNoBlock;
};

TEST(Car, EqualsTwin) {
  expect_equal_to_twin("car", [](std::size_t capacity) { return std::make_unique<NaiveCar>(capacity, false); });
}

TEST(Car, LibcachesimVariantEqualsTwin) {
  expect_equal_to_twin("car:variant=libcachesim",
                       [](std::size_t capacity) { return std::make_unique<NaiveCar>(capacity, true); });
}

TEST(Car, RefusesUnknownVariants) { EXPECT_ANY_THROW(choice("car:variant=other")); }

}  // namespace
