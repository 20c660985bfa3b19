#include <list>
#include <map>

#include "tests/policies/twin.h"

namespace {

using namespace support;

// A list of blocks for each number of uses, those that came to it last at the back.
class NaiveLfu : public Twin {
 public:
  explicit NaiveLfu(std::size_t capacity) : capacity_(capacity) {}

  Played access(BlockId block, std::uint32_t) override {
    if (contains(block)) {
      const int uses = uses_.at(block);
      forget(block);
      join(block, uses + 1);
      return {Outcome::hit, kNoBlock};
    }
    BlockId victim = kNoBlock;
    if (uses_.size() == capacity_) {
      victim = lists_.begin()->second.front();
      forget(victim);
    }
    join(block, 1);
    return {Outcome::miss, victim};
  }
  void forget(BlockId block) override {
    if (!contains(block)) return;
    const auto list = lists_.find(uses_.at(block));
    list->second.remove(block);
    if (list->second.empty()) lists_.erase(list);
    uses_.erase(block);
  }
  bool contains(BlockId block) const override { return uses_.contains(block); }

 private:
  void join(BlockId block, int uses) {
    uses_[block] = uses;
    lists_[uses].push_back(block);
  }

  std::size_t capacity_;
  std::map<BlockId, int> uses_;
  std::map<int, std::list<BlockId>> lists_;
};

TEST(Lfu, EqualsTwin) {
  expect_equal_to_twin("lfu", [](std::size_t capacity) { return std::make_unique<NaiveLfu>(capacity); });
}

}  // namespace
