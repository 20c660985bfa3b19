#include <list>
#include <map>

#include "tests/policies/twin.h"

namespace {

using namespace support;

// K = F + L. A list of blocks for each K, those that came to it last at the back.
class NaiveLfuDa : public Twin {
 public:
  explicit NaiveLfuDa(std::size_t capacity) : capacity_(capacity) {}

  Played access(BlockId block, std::uint32_t) override {
    if (contains(block)) {
      const int uses = blocks_.at(block).uses;
      forget(block);
      join(block, uses + 1);
      return {Outcome::hit, kNoBlock};
    }
    BlockId victim = kNoBlock;
    if (blocks_.size() == capacity_) {
      age_ = lists_.begin()->first;
      victim = lists_.begin()->second.front();
      forget(victim);
    }
    join(block, 1);
    return {Outcome::miss, victim};
  }
  void forget(BlockId block) override {
    if (!contains(block)) return;
    const auto list = lists_.find(blocks_.at(block).key);
    list->second.remove(block);
    if (list->second.empty()) lists_.erase(list);
    blocks_.erase(block);
  }
  bool contains(BlockId block) const override { return blocks_.contains(block); }

 private:
  struct Document {
    int uses;
    int key;
  };

  void join(BlockId block, int uses) {
    blocks_[block] = {uses, uses + age_};
    lists_[uses + age_].push_back(block);
  }

  std::size_t capacity_;
  int age_ = 0;
  std::map<BlockId, Document> blocks_;
  std::map<int, std::list<BlockId>> lists_;
};

// What libCacheSim does instead: lists by frequency, of which those below the least one in use are never looked at.
class NaiveReference : public Twin {
 public:
  explicit NaiveReference(std::size_t capacity) : capacity_(capacity) {}

  Played access(BlockId block, std::uint32_t) override {
    if (contains(block)) {
      const std::uint64_t old = frequency_.at(block);
      const std::uint64_t raised = std::min(old + least_, kMost);
      forget(block);
      join(block, raised);
      return {Outcome::hit, kNoBlock};
    }
    BlockId victim = kNoBlock;
    if (frequency_.size() == capacity_) {
      auto list = lists_.lower_bound(least_);
      if (list == lists_.end()) list = lists_.begin();
      victim = list->second.front();
      least_ = std::max(least_, list->first);
      forget(victim);
    }
    join(block, std::min(least_ + 1, kMost));
    return {Outcome::miss, victim};
  }
  void forget(BlockId block) override {
    if (!contains(block)) return;
    const auto list = lists_.find(frequency_.at(block));
    list->second.remove(block);
    const bool was_least = list->first == least_;
    if (list->second.empty()) lists_.erase(list);
    frequency_.erase(block);
    const auto next = lists_.lower_bound(least_);
    if (was_least && next != lists_.end()) least_ = next->first;
  }
  bool contains(BlockId block) const override { return frequency_.contains(block); }

 private:
  static constexpr std::uint64_t kMost = (std::uint64_t{1} << 31) - 1;

  void join(BlockId block, std::uint64_t frequency) {
    frequency_[block] = frequency;
    lists_[frequency].push_back(block);
  }

  std::size_t capacity_;
  std::uint64_t least_ = 0;
  std::map<BlockId, std::uint64_t> frequency_;
  std::map<std::uint64_t, std::list<BlockId>> lists_;
};

TEST(LfuDa, EqualsTwin) {
  expect_equal_to_twin("lfu_da", [](std::size_t capacity) { return std::make_unique<NaiveLfuDa>(capacity); });
}

TEST(LfuDa, LibcachesimVariantEqualsTwin) {
  expect_equal_to_twin("lfu_da:variant=libcachesim",
                       [](std::size_t capacity) { return std::make_unique<NaiveReference>(capacity); });
}

TEST(LfuDa, RefusesAnotherVariant) { EXPECT_ANY_THROW(choice("lfu_da:variant=other")); }

}  // namespace
