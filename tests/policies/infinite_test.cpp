#include <set>

#include "tests/policies/twin.h"

namespace {

using namespace support;

class NaiveInfinite : public Twin {
 public:
  Played access(BlockId block, std::uint32_t) override {
    return {blocks_.insert(block).second ? Outcome::miss : Outcome::hit, kNoBlock};
  }
  void forget(BlockId block) override { blocks_.erase(block); }
  bool contains(BlockId block) const override { return blocks_.contains(block); }

 private:
  std::set<BlockId> blocks_;
};

TEST(Infinite, EqualsTwin) {
  expect_equal_to_twin("infinite", [](std::size_t) { return std::make_unique<NaiveInfinite>(); });
}

}  // namespace
