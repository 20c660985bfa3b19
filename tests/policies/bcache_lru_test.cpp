#include <deque>
#include <list>
#include <map>

#include "policies/admission.h"
#include "sim/error.h"
#include "tests/policies/twin.h"

namespace {

using namespace support;

// The rules at the top of bcache_lru.cpp, with a list of blocks for each bucket.
class NaiveBcache {
 public:
  NaiveBcache(std::uint32_t capacity, std::uint32_t bucket, std::string replacement, std::uint64_t seed)
      : capacity_(capacity),
        bucket_(std::clamp(capacity / 512, 1u, bucket)),
        replacement_(std::move(replacement)),
        seed_(sim::mix(seed)) {}

  Played access(BlockId block, std::uint32_t, bool write) {
    traffic_ += 1;
    const bool hit = contains(block);
    if (hit && !write) {
      at(where_[block]).last_use = now();
      return {Outcome::hit, kNoBlock};
    }
    BlockId victim = kNoBlock;
    if (hit) forget(block);
    if (!hit && where_.size() == capacity_) victim = evict();
    if (open_ < 0) {
      open_ = free_.empty() ? static_cast<int>(buckets_.size()) : free_.front();
      free_.empty() ? buckets_.emplace_back() : (free_.pop_front(), at(open_));
      came_ = 0;
    }
    at(open_).blocks.push_back(block);
    at(open_).last_use = now();
    where_[block] = open_;
    if (++came_ == bucket_) open_ = -1;
    return {hit ? Outcome::hit : Outcome::miss, victim};
  }
  void forget(BlockId block) {
    if (!contains(block)) return;
    const int place = where_[block];
    at(place).blocks.remove(block);
    where_.erase(block);
    if (at(place).blocks.empty() && place != open_ && !is_leaving(place)) free_.push_back(place);
  }
  bool contains(BlockId block) const { return where_.contains(block); }

 private:
  struct Bucket {
    std::list<BlockId> blocks;
    std::uint64_t last_use = 0;
  };
  Bucket& at(int place) { return buckets_[static_cast<std::size_t>(place)]; }
  std::uint64_t now() const { return traffic_ / std::max(capacity_ / 1024, 1u); }
  std::uint64_t priority(int place) { return 32768 - std::min<std::uint64_t>(now() - at(place).last_use, 32768); }
  bool is_leaving(int place) const { return std::find(leaving_.begin(), leaving_.end(), place) != leaving_.end(); }

  BlockId evict() {
    while (!leaving_.empty() && at(leaving_.front()).blocks.empty()) {
      free_.push_back(leaving_.front());
      leaving_.pop_front();
    }
    if (leaving_.empty()) choose();
    const BlockId victim = at(leaving_.front()).blocks.front();
    at(leaving_.front()).blocks.pop_front();
    where_.erase(victim);
    return victim;
  }

  void choose() {
    std::vector<int> closed;
    for (int place = 0; place < static_cast<int>(buckets_.size()); ++place) {
      if (place != open_ && !at(place).blocks.empty()) closed.push_back(place);
    }
    if (closed.empty()) closed.push_back(std::exchange(open_, -1));
    if (replacement_ == "lru") return choose_least_worth(closed);
    if (replacement_ == "fifo") {
      const auto next = std::upper_bound(closed.begin(), closed.end(), hand_);
      hand_ = next == closed.end() ? closed.front() : *next;
      leaving_ = {hand_};
      return;
    }
    do {
      hand_ = static_cast<int>(sim::random_word(seed_, choices_++) % buckets_.size());
    } while (std::find(closed.begin(), closed.end(), hand_) == closed.end());
    leaving_ = {hand_};
  }

  void choose_least_worth(std::vector<int> closed) {
    std::uint64_t lowest = 32768;
    for (const int place : closed) lowest = std::min(lowest, priority(place));
    std::stable_sort(closed.begin(), closed.end(), [&](int a, int b) {
      const auto worth = [&](int place) {
        return (priority(place) - lowest + (32768 - lowest) / 8) * at(place).blocks.size();
      };
      return worth(a) < worth(b);
    });
    std::uint32_t batch = 1;
    while (batch < capacity_ / bucket_) batch *= 2;
    closed.resize(std::min<std::size_t>(closed.size(), std::max(batch / 256, 1u)));
    leaving_.assign(closed.begin(), closed.end());
  }

  std::uint32_t capacity_, bucket_;
  std::string replacement_;
  std::uint64_t seed_;
  std::uint64_t traffic_ = 0, choices_ = 0;
  std::uint32_t came_ = 0;
  int open_ = -1, hand_ = -1;
  std::vector<Bucket> buckets_;
  std::deque<int> free_, leaving_;
  std::map<BlockId, int> where_;
};

TEST(BcacheLru, EqualsTwin) {
  for (const char* replacement : {"lru", "fifo", "random"}) {
    SCOPED_TRACE(replacement);
    expect_equal_to_twin(std::string("bcache_lru:seed=7,replacement=") + replacement, [&](const SmallTrace& trace) {
      return std::make_unique<NaiveBcache>(trace.capacity, 128, replacement, 7);
    });
  }
}

// Large enough for buckets of many blocks, and for many of them to leave at a time.
TEST(BcacheLru, EqualsTwinInBuckets) {
  for (const char* replacement : {"lru", "fifo", "random"}) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      Dice dice(seed);
      SmallTrace trace;
      trace.capacity = 1024 + dice.below(4000);
      trace.footprint = trace.capacity + dice.below(2 * trace.capacity);
      const double writes = dice.below(4) / 4.0, hot = dice.below(10) / 10.0;
      for (std::uint32_t i = 0; i < 12 * trace.capacity; ++i) {
        trace.blocks.push_back(dice.chance(hot) ? dice.below(trace.footprint / 5) : dice.below(trace.footprint));
        trace.writes.push_back(dice.chance(writes));
      }
      const std::uint32_t bucket = 1 + dice.below(12);
      const std::string text = "bcache_lru:bucket=" + std::to_string(bucket) + ",replacement=" + replacement;
      SCOPED_TRACE(text + ", seed " + std::to_string(seed));
      const auto policy = choice(text).make(trace.capacity, trace.footprint);
      NaiveBcache twin(trace.capacity, bucket, replacement, 1);
      for (std::size_t first = 0; first < trace.blocks.size(); first += 50) {
        const std::size_t end = std::min(first + 50, trace.blocks.size());
        const auto played = play(*policy, trace, first, end, false);
        for (std::size_t i = first; i < end; ++i) {
          const Played expected = twin.access(trace.blocks[i], 0, trace.writes[i] != 0);
          ASSERT_EQ(played[i - first].outcome, expected.outcome) << "access " << i;
          ASSERT_EQ(played[i - first].victim, expected.victim) << "access " << i;
        }
        for (std::uint32_t left = seed % 2 == 1 ? dice.below(9) : 0; left > 0; --left) {
          const BlockId block = dice.below(trace.footprint);
          policy->forget(block), twin.forget(block);
        }
      }
    }
  }
}

TEST(BcacheLru, BringsItsBypass) {
  EXPECT_EQ(choice("bcache_lru").admission(), "sequential:after=4MiB");
  EXPECT_EQ(choice("bcache_lru:sequential=512KiB").admission(), "sequential:after=512KiB");
  EXPECT_EQ(choice("bcache_lru:sequential=0").admission(), "");
}

TEST(BcacheLru, RefusesBadValues) {
  const auto error_of = [](const char* text) -> std::string {
    try {
      choice(text);
    } catch (const sim::UsageError& error) { return error.what(); }
    return "";
  };
  EXPECT_EQ(error_of("bcache_lru:replacement=clock"),
            "bcache_lru:replacement=clock: replacement is lru, fifo or random, not 'clock'");
  EXPECT_EQ(error_of("bcache_lru:bucket=0"), "bcache_lru:bucket=0: bucket is a whole number, 1 to 65536, not '0'");
  EXPECT_EQ(error_of("bcache_lru:seed=x"), "bcache_lru:seed=x: seed is a number, not 'x'");
  EXPECT_EQ(error_of("bcache_lru:sequential=long"),
            "bcache_lru:sequential=long: 'long' is not a size; write it as in 4KiB, 10GB, 1.5TiB");
}

}  // namespace
