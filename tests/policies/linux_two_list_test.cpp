#include <list>
#include <map>
#include <set>

#include "sim/error.h"
#include "tests/policies/twin.h"

namespace {

using namespace support;

// The kernel's functions by their names, on lists and flags; young is the front.
class NaivePageCache : public Twin {
 public:
  NaivePageCache(std::size_t capacity, std::size_t ratio, int priority)
      : capacity_(capacity), ratio_(ratio), priority_(priority) {}

  Played access(BlockId page, std::uint32_t) override {
    if (contains(page)) {
      mark_accessed(page);
      return {Outcome::hit, kNoBlock};
    }
    const BlockId victim = inactive_.size() + active_.size() == capacity_ ? reclaim() : kNoBlock;
    if (refault_is_within_the_active_list(page)) {
      active_.push_front(page);
      ++nonresident_age_;
      ++activated_refaults_;
    } else {
      inactive_.push_front(page);
    }
    shadows_.erase(page);
    referenced_.insert(page);
    return {Outcome::miss, victim};
  }
  void forget(BlockId page) override {
    inactive_.remove(page), active_.remove(page);
    referenced_.erase(page);
  }
  bool contains(BlockId page) const override { return has(inactive_, page) || has(active_, page); }

 private:
  using List = std::list<BlockId>;
  static bool has(const List& list, BlockId page) { return std::find(list.begin(), list.end(), page) != list.end(); }

  void mark_accessed(BlockId page) {
    if (referenced_.insert(page).second || has(active_, page)) return;
    inactive_.remove(page);
    active_.push_front(page);
    referenced_.erase(page);
    ++nonresident_age_;
  }

  bool refault_is_within_the_active_list(BlockId page) const {
    const auto shadow = shadows_.find(page);
    return shadow != shadows_.end() && nonresident_age_ - shadow->second <= active_.size();
  }

  BlockId reclaim() {
    if (scans_left_ == 0 || inactive_.empty()) {
      scans_left_ = 0;
      for (int priority = priority_; priority >= 0 && scans_left_ == 0; --priority) scans_left_ = shrink(priority);
      if (scans_left_ == 0) scans_left_ = 1;
      refaults_seen_ = activated_refaults_;
    }
    --scans_left_;
    const BlockId victim = inactive_.back();
    inactive_.pop_back();
    referenced_.erase(victim);
    shadows_[victim] = nonresident_age_++;
    return victim;
  }

  // Returns how many inactive pages this pass reclaims.
  std::size_t shrink(int priority) {
    const bool may_deactivate = activated_refaults_ != refaults_seen_ || inactive_.size() * ratio_ < active_.size();
    const std::size_t scan_inactive = inactive_.size() >> priority;
    const std::size_t scan_active = may_deactivate ? active_.size() >> priority : 0;
    for (std::size_t i = 0; i < scan_active; ++i) {
      inactive_.push_front(active_.back());
      active_.pop_back();
    }
    return scan_inactive;
  }

  std::size_t capacity_, ratio_;
  int priority_;
  List inactive_, active_;
  std::set<BlockId> referenced_;
  std::map<BlockId, std::uint64_t> shadows_;
  std::uint64_t nonresident_age_ = 0;
  std::uint64_t activated_refaults_ = 0, refaults_seen_ = 0;
  std::size_t scans_left_ = 0;
};

auto twin(std::size_t ratio, int priority) {
  return [=](std::size_t capacity) { return std::make_unique<NaivePageCache>(capacity, ratio, priority); };
}

TEST(LinuxTwoList, EqualsTwin) { expect_equal_to_twin("linux_two_list", twin(1, 12)); }
TEST(LinuxTwoList, EqualsTwinWithOtherParameters) {
  expect_equal_to_twin("linux_two_list:ratio=3", twin(3, 12));
  expect_equal_to_twin("linux_two_list:ratio=10,priority=2", twin(10, 2));
  expect_equal_to_twin("linux_two_list:priority=0", twin(1, 0));
}

std::vector<Played> played(const std::string& text, std::uint32_t capacity, const std::vector<BlockId>& blocks) {
  SmallTrace trace;
  trace.footprint = *std::max_element(blocks.begin(), blocks.end()) + 1;
  trace.blocks = blocks;
  return play(*choice(text).make(capacity, trace.footprint), trace, 0, blocks.size(), false);
}

TEST(LinuxTwoList, ASecondUseActivates) {
  // 0 is activated by its second use and outlives 1, 2 and 3.
  const auto all = played("linux_two_list", 3, {0, 0, 1, 2, 3, 4, 0});
  EXPECT_EQ(all[4].victim, 1u);
  EXPECT_EQ(all[5].victim, 2u);
  EXPECT_EQ(all[6].outcome, Outcome::hit);
}

TEST(LinuxTwoList, ABlockThatComesBackSoonStartsActive) {
  // 0 and 1 are active. 2 is pushed out by 4, and comes back at a distance of 1: it is active, like 0 and 1, and lives.
  const auto near = played("linux_two_list:ratio=1000", 4, {0, 0, 1, 1, 2, 3, 4, 2, 5, 6, 2});
  EXPECT_EQ(near[6].victim, 2u);
  EXPECT_EQ(near[7].outcome, Outcome::miss);
  EXPECT_EQ(near.back().outcome, Outcome::hit);
}

// 4 KiB blocks: 1 below 1 GiB; of 1 GiB, the root of 10. An active list of two thirds is long for 1, and not for 3.
TEST(LinuxTwoList, RatioFollowsTheSize) {
  constexpr std::uint32_t kGib = 262'144;
  SmallTrace trace;
  trace.footprint = 2 * kGib;
  for (BlockId block = 0; block < trace.footprint; ++block) {
    trace.blocks.push_back(block);
    if (block < kGib * 2 / 3) trace.blocks.push_back(block);
  }
  for (BlockId block = 0; block < kGib / 3; ++block) trace.blocks.push_back(block);
  const auto play_with = [&](const std::string& text, std::uint32_t capacity) {
    return play(*choice(text).make(capacity, trace.footprint), trace, 0, trace.blocks.size(), false, false);
  };
  EXPECT_TRUE(play_with("linux_two_list", kGib - 1) == play_with("linux_two_list:ratio=1", kGib - 1));
  EXPECT_TRUE(play_with("linux_two_list", kGib) == play_with("linux_two_list:ratio=3", kGib));
  EXPECT_FALSE(play_with("linux_two_list", kGib) == play_with("linux_two_list:ratio=1", kGib));
}

TEST(LinuxTwoList, SaysWhatIsWrong) {
  for (const char* text : {"linux_two_list:ratio=0", "linux_two_list:ratio=1.5", "linux_two_list:ratio=x",
                           "linux_two_list:priority=32", "linux_two_list:priority=-1"}) {
    EXPECT_THROW(choice(text), sim::UsageError) << text;
  }
}

}  // namespace
