#include <cmath>
#include <list>
#include <set>

#include "tests/policies/twin.h"

namespace {

using namespace support;

struct LirsShape {
  double hir = 0.01;
  double stack = 1e9;
  bool libcachesim = false;
};

// Section 3.3 of the paper, case by case. The front of S is its top, the front of Q its oldest block.
class NaiveLirs : public Twin {
 public:
  NaiveLirs(std::size_t capacity, const LirsShape& shape)
      : capacity_(capacity),
        hirs_(std::max<std::size_t>(static_cast<std::size_t>(shape.hir * static_cast<double>(capacity)), 1)),
        lirs_(capacity - hirs_),
        limit_(static_cast<std::size_t>(shape.stack * static_cast<double>(capacity))),
        libcachesim_(shape.libcachesim) {}

  Played access(BlockId x, std::uint32_t) override {
    victim_ = kNoBlock;
    const bool hit = resident_.contains(x);
    if (libcachesim_ && capacity_ == 1) return {Outcome::rejected, kNoBlock};
    if (lir_.contains(x)) {
      to_top(x);
      prune();
    } else if (hit && has(s_, x)) {
      q_.remove(x);
      if (lir_.size() == lirs_ && q_.size() == hirs_) push_out();
      make_lir(x);
    } else if (hit) {
      q_.remove(x);
      q_.push_back(x);
      if (libcachesim_ && lir_.size() == lirs_) demote_for(x);
      to_top(x);
    } else {
      if (lir_.size() + q_.size() == capacity_) push_out();
      resident_.insert(x);
      if (has(s_, x) || lir_.size() < lirs_) {
        make_lir(x);
      } else {
        to_top(x);
        q_.push_back(x);
      }
    }
    limit();
    return {hit ? Outcome::hit : Outcome::miss, victim_};
  }
  void forget(BlockId x) override {
    if (!resident_.contains(x)) return;
    resident_.erase(x);
    q_.remove(x);
    s_.remove(x);
    if (lir_.erase(x)) prune();
  }
  bool contains(BlockId x) const override { return resident_.contains(x); }

 private:
  using List = std::list<BlockId>;
  static bool has(const List& list, BlockId x) { return std::find(list.begin(), list.end(), x) != list.end(); }

  void to_top(BlockId x) {
    s_.remove(x);
    s_.push_front(x);
  }
  void make_lir(BlockId x) {
    to_top(x);
    lir_.insert(x);
    if (lir_.size() > lirs_) demote();
  }
  // What libCacheSim does when a block is used that is only in Q.
  void demote_for(BlockId x) {
    if (q_.size() == hirs_ && q_.front() == x) {
      q_.pop_front();
    } else if (q_.size() == hirs_) {
      push_out();
    }
    demote();
  }
  void demote() {
    prune();
    lir_.erase(s_.back());
    q_.push_back(s_.back());
    s_.pop_back();
    prune();
  }
  void prune() {
    while (!s_.empty() && !lir_.contains(s_.back())) {
      if (!has(q_, s_.back())) resident_.erase(s_.back());
      s_.pop_back();
    }
  }
  void push_out() {
    victim_ = q_.front();
    q_.pop_front();
    resident_.erase(victim_);
  }
  void limit() {
    while (s_.size() > limit_) {
      const auto ghost = std::find_if(s_.rbegin(), s_.rend(), [this](BlockId x) { return !resident_.contains(x); });
      if (ghost == s_.rend()) return;
      s_.erase(std::next(ghost).base());
    }
  }

  std::size_t capacity_, hirs_, lirs_, limit_;
  bool libcachesim_;
  List s_, q_;
  std::set<BlockId> lir_, resident_;
  BlockId victim_ = kNoBlock;
};

void expect_equal(std::string_view text, const LirsShape& shape) {
  expect_equal_to_twin(text, [=](std::size_t capacity) { return std::make_unique<NaiveLirs>(capacity, shape); });
}

TEST(Lirs, EqualsTwin) { expect_equal("lirs", {}); }

TEST(Lirs, EqualsTwinWithMoreHirBlocks) {
  expect_equal("lirs:hir=0.1", {.hir = 0.1});
  expect_equal("lirs:hir=0.5", {.hir = 0.5});
  expect_equal("lirs:hir=1", {.hir = 1});
}

TEST(Lirs, EqualsTwinWithAShortStack) {
  expect_equal("lirs:stack=1", {.stack = 1});
  expect_equal("lirs:hir=0.2,stack=1.5", {.hir = 0.2, .stack = 1.5});
}

TEST(Lirs, LibcachesimVariantEqualsTwin) {
  expect_equal("lirs:variant=libcachesim", {.stack = 2, .libcachesim = true});
  expect_equal("lirs:variant=libcachesim,hir=0.2", {.hir = 0.2, .stack = 2, .libcachesim = true});
  expect_equal("lirs:variant=libcachesim,hir=0.1,stack=1", {.hir = 0.1, .stack = 1, .libcachesim = true});
}

// A loop one block longer than the cache: LRU misses always, LIRS keeps what it has.
TEST(Lirs, LoopsHit) {
  SmallTrace trace;
  trace.footprint = 101;
  for (std::uint32_t i = 0; i < 10 * trace.footprint; ++i) trace.blocks.push_back(i % trace.footprint);
  const auto played = play(*choice("lirs").make(100, trace.footprint), trace, 0, trace.blocks.size(), false);
  const auto hits = std::count_if(played.begin(), played.end(), [](auto& p) { return p.outcome == Outcome::hit; });
  EXPECT_EQ(hits, 9 * 99);
}

TEST(Lirs, RefusesWhatMakesNoSense) {
  EXPECT_ANY_THROW(choice("lirs:hir=2"));
  EXPECT_ANY_THROW(choice("lirs:stack=0.5"));
  EXPECT_ANY_THROW(choice("lirs:stack=short"));
  EXPECT_ANY_THROW(choice("lirs:variant=other"));
}

}  // namespace
