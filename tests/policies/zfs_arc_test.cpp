#include <list>
#include <map>

#include "sim/error.h"
#include "tests/policies/twin.h"

namespace {

using namespace support;

// As the module goes about it, in bytes of blocks of 4096: the new block is in its list when the eviction runs, which
// brings the cache back to c and then cuts the ghosts. Young is the front.
class NaiveZfsArc : public Twin {
 public:
  NaiveZfsArc(std::size_t capacity, std::int64_t mintime, int p_min_shift)
      : c_(static_cast<std::int64_t>(capacity) * kBlock), p_(c_), p_min_(c_ >> p_min_shift), mintime_(mintime) {}

  Played access(BlockId x, std::uint32_t) override {
    ++now_;
    if (has(mru_, x)) {
      mru_.remove(x);
      (now_ > arc_access_[x] + mintime_ ? mfu_ : mru_).push_front(x);
      return {Outcome::hit, kNoBlock};
    }
    if (has(mfu_, x)) {
      mfu_.remove(x);
      mfu_.push_front(x);
      return {Outcome::hit, kNoBlock};
    }
    if (has(mru_ghost_, x) || has(mfu_ghost_, x)) {
      adapt(has(mru_ghost_, x));
      mru_ghost_.remove(x), mfu_ghost_.remove(x);
      mfu_.push_front(x);
    } else {
      mru_.push_front(x);
      arc_access_[x] = now_;
      if (bytes(mru_) + bytes(mfu_) <= c_ && bytes(mru_) > p_) p_ = std::min(c_, p_ + kBlock);
    }
    return {Outcome::miss, bytes(mru_) + bytes(mfu_) > c_ ? evict(x) : kNoBlock};
  }
  void forget(BlockId x) override { mru_.remove(x), mfu_.remove(x); }
  bool contains(BlockId x) const override { return has(mru_, x) || has(mfu_, x); }

 private:
  using List = std::list<BlockId>;
  static constexpr std::int64_t kBlock = 4096;
  static bool has(const List& list, BlockId x) { return std::find(list.begin(), list.end(), x) != list.end(); }
  static std::int64_t bytes(const List& list) { return static_cast<std::int64_t>(list.size()) * kBlock; }

  void adapt(bool mru_ghost_hit) {
    const std::int64_t mrug = bytes(mru_ghost_), mfug = bytes(mfu_ghost_);
    if (mru_ghost_hit) {
      p_ = std::min(c_ - p_min_, p_ + kBlock * (mrug >= mfug ? 1 : mfug / mrug));
    } else {
      p_ = std::max(p_min_, p_ - std::min(p_, kBlock * (mfug >= mrug ? 1 : mrug / mfug)));
    }
  }

  BlockId evict(BlockId held) {
    BlockId victim = kNoBlock;
    if (bytes(mru_) > p_) victim = evict_from(mru_, mru_ghost_, held);
    if (victim == kNoBlock) victim = evict_from(mfu_, mfu_ghost_, held);
    if (victim == kNoBlock) victim = evict_from(mru_, mru_ghost_, held);
    while (bytes(mru_) + bytes(mru_ghost_) > c_ && !mru_ghost_.empty()) mru_ghost_.pop_back();
    while (bytes(mru_ghost_) + bytes(mfu_ghost_) > c_ && !mfu_ghost_.empty()) mfu_ghost_.pop_back();
    return victim;
  }
  // The oldest but for the block in use.
  static BlockId evict_from(List& list, List& ghosts, BlockId held) {
    if (list.empty() || list.back() == held) return kNoBlock;
    const BlockId victim = list.back();
    list.pop_back();
    ghosts.push_front(victim);
    return victim;
  }

  std::int64_t c_, p_, p_min_, mintime_;
  std::int64_t now_ = 0;
  std::map<BlockId, std::int64_t> arc_access_;
  List mru_, mfu_, mru_ghost_, mfu_ghost_;
};

auto twin(std::int64_t mintime, int p_min_shift) {
  return [=](std::size_t capacity) { return std::make_unique<NaiveZfsArc>(capacity, mintime, p_min_shift); };
}

TEST(ZfsArc, EqualsTwin) { expect_equal_to_twin("zfs_arc", twin(0, 4)); }
TEST(ZfsArc, EqualsTwinWithOtherParameters) {
  expect_equal_to_twin("zfs_arc:mintime=3", twin(3, 4));
  expect_equal_to_twin("zfs_arc:mintime=50", twin(50, 4));
  expect_equal_to_twin("zfs_arc:p_min_shift=1", twin(0, 1));
  expect_equal_to_twin("zfs_arc:p_min_shift=12,mintime=1", twin(1, 12));
}

std::vector<Outcome> outcomes(const std::string& text, std::uint32_t capacity, const std::vector<BlockId>& blocks) {
  SmallTrace trace;
  trace.footprint = *std::max_element(blocks.begin(), blocks.end()) + 1;
  trace.blocks = blocks;
  std::vector<Outcome> all;
  for (const Played& one : play(*choice(text).make(capacity, trace.footprint), trace, 0, blocks.size(), false))
    all.push_back(one.outcome);
  return all;
}

TEST(ZfsArc, ASecondUseCountsOnlyAfterAWhile) {
  // 0 is used twice in a row, once more after 4 others, and again after 4 more.
  const std::vector<BlockId> blocks = {0, 0, 1, 2, 3, 4, 0, 5, 6, 7, 8, 0};
  EXPECT_EQ(outcomes("zfs_arc", 4, blocks).back(), Outcome::hit);
  EXPECT_EQ(outcomes("zfs_arc:mintime=1", 4, blocks).back(), Outcome::miss);
}

TEST(ZfsArc, SaysWhatIsWrong) {
  for (const char* text :
       {"zfs_arc:mintime=-1", "zfs_arc:mintime=0.5", "zfs_arc:p_min_shift=0", "zfs_arc:p_min_shift=33"}) {
    EXPECT_THROW(choice(text), sim::UsageError) << text;
  }
}

}  // namespace
