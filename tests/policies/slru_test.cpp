#include <cmath>
#include <list>

#include "tests/policies/twin.h"

namespace {

using namespace support;

// The front of a segment is its most recently used end. With `fill`, new blocks join the lowest segment with room, as
// in libCacheSim.
class NaiveSlru : public Twin {
 public:
  NaiveSlru(std::size_t capacity, std::size_t segments, double upper_share, bool fill)
      : capacity_(capacity),
        limit_(static_cast<std::size_t>(std::floor(upper_share * static_cast<double>(capacity)))),
        fill_(fill),
        segments_(segments) {}

  Played access(BlockId block, std::uint32_t) override {
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      if (!has(segments_[i], block)) continue;
      return {Outcome::hit, use(block, i)};
    }
    if (fill_ && limit_ == 0) return {Outcome::rejected, kNoBlock};
    const BlockId victim = resident() == capacity_ ? evict() : kNoBlock;
    come_in(block);
    return {Outcome::miss, victim};
  }
  void forget(BlockId block) override {
    for (List& segment : segments_) segment.remove(block);
  }
  bool contains(BlockId block) const override {
    return std::any_of(segments_.begin(), segments_.end(), [&](const List& segment) { return has(segment, block); });
  }

 private:
  using List = std::list<BlockId>;
  static bool has(const List& list, BlockId x) { return std::find(list.begin(), list.end(), x) != list.end(); }

  // Returns the last block that libCacheSim pushes out on a hit.
  BlockId use(BlockId block, std::size_t i) {
    segments_[i].remove(block);
    if (i + 1 < segments_.size()) ++i;
    segments_[i].push_front(block);
    bool overflow = false;
    for (; i > 0 && segments_[i].size() > limit_; --i) {
      move_oldest(segments_[i], segments_[i - 1]);
      overflow = i == 1;
    }
    BlockId victim = kNoBlock;
    while (fill_ && overflow && segments_[0].size() > limit_) {
      victim = segments_[0].back();
      segments_[0].pop_back();
    }
    return victim;
  }

  void come_in(BlockId block) {
    const auto with_room = std::find_if(segments_.begin(), segments_.end(),
                                        [this](const List& segment) { return segment.size() < limit_; });
    (fill_ && with_room != segments_.end() ? *with_room : segments_[0]).push_front(block);
  }

  BlockId evict() {
    List* from = &segments_[0];
    while (from->empty()) ++from;
    const BlockId victim = from->back();
    from->pop_back();
    return victim;
  }

  static void move_oldest(List& from, List& to) {
    to.push_front(from.back());
    from.pop_back();
  }

  std::size_t resident() const {
    std::size_t count = 0;
    for (const List& segment : segments_) count += segment.size();
    return count;
  }

  std::size_t capacity_, limit_;
  bool fill_;
  std::vector<List> segments_;
};

void expect_equal(std::string_view text, std::size_t segments, double upper_share, bool fill = false) {
  expect_equal_to_twin(
      text, [=](std::size_t capacity) { return std::make_unique<NaiveSlru>(capacity, segments, upper_share, fill); });
}

TEST(Slru, EqualsTwin) { expect_equal("slru", 2, 0.5); }

TEST(Slru, EqualsTwinOfOtherShapes) {
  expect_equal("slru:protected=0.75", 2, 0.75);
  expect_equal("slru:protected=0", 2, 0);
  expect_equal("slru:protected=1", 2, 1);
  expect_equal("slru:segments=4", 4, 0.25);
  expect_equal("slru:segments=5,protected=0.5", 5, 0.125);
  expect_equal("slru:segments=1", 1, 1);
}

TEST(Slru, LibcachesimVariantEqualsTwin) {
  expect_equal("slru:variant=libcachesim", 4, 0.25, true);
  expect_equal("slru:variant=libcachesim,segments=2", 2, 0.5, true);
}

TEST(Slru, RefusesWhatIsNoShape) {
  EXPECT_ANY_THROW(choice("slru:segments=0"));
  EXPECT_ANY_THROW(choice("slru:segments=65"));
  EXPECT_ANY_THROW(choice("slru:protected=1.5"));
  EXPECT_ANY_THROW(choice("slru:protected=0.5,variant=libcachesim"));
  EXPECT_ANY_THROW(choice("slru:variant=other"));
}

}  // namespace
