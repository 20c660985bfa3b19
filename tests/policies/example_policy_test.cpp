// The worked example of policies/README.md: MRU, which pushes out the block used last. Between the two rules is what
// would be policies/mru.cpp; below them is its test.
#include "tests/policies/twin.h"

// ---------------------------------------------------------------------------------------------------------------------
// MRU: most recently used.
//
// Chou, DeWitt, "An evaluation of buffer management strategies for relational database systems", VLDB 1985.
//
// The block used last leaves: right for a loop that is longer than the cache. No parameters.
#include "policies/parts/batch.h"

namespace policies {
namespace {

class Mru {
 public:
  Mru(std::uint32_t capacity, std::uint32_t footprint) : capacity_(capacity), present_(footprint, Present::no) {}

  Outcome access(BlockId block, BlockId& victim) {
    const BlockId before = std::exchange(used_last_, block);
    if (contains(block)) return Outcome::hit;
    if (resident_ == capacity_) {
      victim = before;
      forget(victim);
    }
    present_[block] = Present::yes;
    ++resident_;
    return Outcome::miss;
  }
  void prefetch(BlockId block) const { __builtin_prefetch(&present_[block], 1); }
  void forget(BlockId block) {
    resident_ -= contains(block);
    present_[block] = Present::no;
  }
  bool contains(BlockId block) const { return present_[block] == Present::yes; }
  std::uint32_t resident() const { return resident_; }

 private:
  enum class Present : std::uint8_t { no, yes };

  std::uint32_t capacity_;
  std::uint32_t resident_ = 0;
  std::vector<Present> present_;
  BlockId used_last_ = kNoBlock;  // resident when the cache is full: it was not forgotten, or there is room
};

}  // namespace

extern const Spec mru_example{
    .name = "mru",
    .idea = "the block used last leaves",
    .paper = "Chou, DeWitt, An evaluation of buffer management strategies for relational database systems, VLDB 1985",
    .make = [](std::uint32_t capacity, std::uint32_t footprint, const Settings&) -> std::unique_ptr<Policy> {
      return std::make_unique<Batched<Mru>>(capacity, footprint);
    },
};

}  // namespace policies
// ---------------------------------------------------------------------------------------------------------------------

namespace {

using namespace support;

// The blocks in order of use, the last one at the back.
class NaiveMru : public Twin {
 public:
  explicit NaiveMru(std::size_t capacity) : capacity_(capacity) {}

  Played access(BlockId block, std::uint32_t) override {
    const bool hit = contains(block);
    forget(block);
    BlockId victim = kNoBlock;
    if (blocks_.size() == capacity_) {
      victim = blocks_.back();
      blocks_.pop_back();
    }
    blocks_.push_back(block);
    return {hit ? Outcome::hit : Outcome::miss, victim};
  }
  void forget(BlockId block) override { std::erase(blocks_, block); }
  bool contains(BlockId block) const override {
    return std::find(blocks_.begin(), blocks_.end(), block) != blocks_.end();
  }

 private:
  std::size_t capacity_;
  std::vector<BlockId> blocks_;
};

TEST(ExamplePolicy, EqualsTwin) {
  expect_equal_to_twin(policies::Choice{.spec = &policies::mru_example, .text = "mru", .given = {}},
                       [](std::size_t capacity) { return std::make_unique<NaiveMru>(capacity); });
}

}  // namespace
