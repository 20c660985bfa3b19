#include <functional>
#include <list>
#include <map>

#include "tests/policies/twin.h"

namespace {

using namespace support;

// Algorithm 1 of the paper: insert, evict, evictS, evictM.
class NaiveS3Fifo : public Twin {
 public:
  NaiveS3Fifo(std::size_t capacity, double small, double ghost)
      : capacity_(capacity),
        small_(std::max<std::size_t>(1, static_cast<std::size_t>(small * static_cast<double>(capacity)))),
        ghosts_(static_cast<std::size_t>(ghost * static_cast<double>(capacity))) {}

  // As libCacheSim has it since the end of 2024.
  void fill_main_first() {
    small_is_full_ = [this] { return !evicted_ && s_.size() >= small_; };
    closed_ = small_ < 2;
  }

  Played access(BlockId x, std::uint32_t) override {
    if (closed_) return {Outcome::rejected, kNoBlock};
    if (contains(x)) {
      frequency_[x] = std::min(frequency_[x] + 1, 3);
      return {Outcome::hit, kNoBlock};
    }
    victim_ = kNoBlock;
    const bool ghost = has(g_, x);
    g_.remove(x);
    while (s_.size() + m_.size() == capacity_) {
      s_.size() >= small_ ? evict_s() : evict_m();
      evicted_ = true;
    }
    (ghost || small_is_full_() ? m_ : s_).push_front(x);
    frequency_[x] = 0;
    return {Outcome::miss, victim_};
  }
  void forget(BlockId x) override { s_.remove(x), m_.remove(x); }
  bool contains(BlockId x) const override { return has(s_, x) || has(m_, x); }

 private:
  static bool has(const std::list<BlockId>& list, BlockId x) {
    return std::find(list.begin(), list.end(), x) != list.end();
  }
  static BlockId take_tail(std::list<BlockId>& list) {
    const BlockId t = list.back();
    list.pop_back();
    return t;
  }

  void evict_s() {
    while (!s_.empty()) {
      const BlockId t = take_tail(s_);
      if (frequency_[t] > 1) {
        m_.push_front(t);
        frequency_[t] = 0;
      } else {
        g_.push_front(t);
        if (g_.size() > ghosts_) g_.pop_back();
        victim_ = t;
        return;
      }
    }
  }
  void evict_m() {
    for (;;) {
      const BlockId t = take_tail(m_);
      if (frequency_[t] == 0) {
        victim_ = t;
        return;
      }
      --frequency_[t];
      m_.push_front(t);
    }
  }

  std::size_t capacity_, small_, ghosts_;
  std::function<bool()> small_is_full_ = [] { return false; };
  bool closed_ = false;
  bool evicted_ = false;
  std::list<BlockId> s_, m_, g_;
  std::map<BlockId, int> frequency_;
  BlockId victim_ = kNoBlock;
};

auto twin(double small, double ghost) {
  return [=](std::size_t capacity) { return std::make_unique<NaiveS3Fifo>(capacity, small, ghost); };
}

TEST(S3Fifo, EqualsTwin) { expect_equal_to_twin("s3_fifo", twin(0.1, 0.9)); }

TEST(S3Fifo, EqualsTwinWithOtherQueues) {
  expect_equal_to_twin("s3_fifo:small=0.5,ghost=0.25", twin(0.5, 0.25));
  expect_equal_to_twin("s3_fifo:small=1,ghost=2", twin(1, 2));
  expect_equal_to_twin("s3_fifo:small=0,ghost=0", twin(0, 0));
}

TEST(S3Fifo, EqualsTwinAsLibCacheSimHasIt) {
  expect_equal_to_twin("s3_fifo:small=0.3,variant=libcachesim", [](std::size_t capacity) {
    auto naive = std::make_unique<NaiveS3Fifo>(capacity, 0.3, 0.9);
    naive->fill_main_first();
    return naive;
  });
}

TEST(S3Fifo, LibCacheSimLetsNothingIntoATinySmallQueue) {
  SmallTrace trace;
  trace.footprint = 2;
  trace.blocks = {0, 1, 0};
  const auto policy = choice("s3_fifo:variant=libcachesim").make(19, 2);
  for (const Played& played : play(*policy, trace, 0, 3, false))
    EXPECT_EQ(played, (Played{Outcome::rejected, kNoBlock}));
  EXPECT_EQ(policy->resident(), 0u);
}

// 20 blocks, 2 of them for the small queue. In the paper all stand in the small queue and leave in the order in which
// they came. In the variant 2 to 19 are in the main queue, so that after 0 and 1 the new 20 leaves.
TEST(S3Fifo, LibCacheSimFillsTheMainQueueFirst) {
  SmallTrace trace;
  trace.footprint = 23;
  for (BlockId block = 0; block < 23; ++block) trace.blocks.push_back(block);
  const auto third_victim = [&](std::string_view text) {
    return play(*choice(text).make(20, 23), trace, 0, 23, false)[22].victim;
  };
  EXPECT_EQ(third_victim("s3_fifo"), 2u);
  EXPECT_EQ(third_victim("s3_fifo:variant=libcachesim"), 20u);
}

}  // namespace
