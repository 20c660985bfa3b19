#include <list>

#include "tests/policies/twin.h"

namespace {

using namespace support;

class NaiveFifo : public Twin {
 public:
  explicit NaiveFifo(std::size_t capacity) : capacity_(capacity) {}

  Played access(BlockId block, std::uint32_t) override {
    if (contains(block)) return {Outcome::hit, kNoBlock};
    BlockId victim = kNoBlock;
    if (blocks_.size() == capacity_) {
      victim = blocks_.back();
      blocks_.pop_back();
    }
    blocks_.push_front(block);
    return {Outcome::miss, victim};
  }
  void forget(BlockId block) override { blocks_.remove(block); }
  bool contains(BlockId block) const override {
    return std::find(blocks_.begin(), blocks_.end(), block) != blocks_.end();
  }

 private:
  std::size_t capacity_;
  std::list<BlockId> blocks_;
};

TEST(Fifo, EqualsTwin) {
  expect_equal_to_twin("fifo", [](std::size_t capacity) { return std::make_unique<NaiveFifo>(capacity); });
}

}  // namespace
