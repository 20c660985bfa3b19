#include <list>

#include "tests/policies/twin.h"

namespace {

using namespace support;

class NaiveLru : public Twin {
 public:
  explicit NaiveLru(std::size_t capacity) : capacity_(capacity) {}

  Played access(BlockId block, std::uint32_t) override {
    const bool hit = contains(block);
    BlockId victim = kNoBlock;
    if (hit) forget(block);
    if (blocks_.size() == capacity_) {
      victim = blocks_.back();
      blocks_.pop_back();
    }
    blocks_.push_front(block);
    return {hit ? Outcome::hit : Outcome::miss, victim};
  }
  void forget(BlockId block) override { blocks_.remove(block); }
  bool contains(BlockId block) const override {
    return std::find(blocks_.begin(), blocks_.end(), block) != blocks_.end();
  }

 private:
  std::size_t capacity_;
  std::list<BlockId> blocks_;
};

TEST(Lru, EqualsTwin) {
  expect_equal_to_twin("lru", [](std::size_t capacity) { return std::make_unique<NaiveLru>(capacity); });
}

}  // namespace
