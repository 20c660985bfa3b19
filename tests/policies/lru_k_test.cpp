#include <map>
#include <set>
#include <tuple>

#include "tests/policies/twin.h"

namespace {

using namespace support;

// Figure 2.1 of the paper with K = 2 and no correlated references. HIST(p, 1) and HIST(p, 2) are 0 when there was no
// such use; of pages with equal HIST(p, 2), the one with the least HIST(p, 1) leaves.
class NaiveLruK : public Twin {
 public:
  NaiveLruK(std::size_t capacity, double retained)
      : capacity_(capacity), retained_(static_cast<long>(retained * static_cast<double>(capacity))) {}

  Played access(BlockId p, std::uint32_t) override {
    const long t = ++time_;
    Played played{Outcome::hit, kNoBlock};
    if (!contains(p)) {
      played.outcome = Outcome::miss;
      if (buffer_.size() == capacity_) {
        played.victim = *std::min_element(buffer_.begin(), buffer_.end(), [this](BlockId a, BlockId b) {
          return std::tie(history_[a].second, history_[a].first) < std::tie(history_[b].second, history_[b].first);
        });
        buffer_.erase(played.victim);
      }
      buffer_.insert(p);
      if (history_.contains(p) && t - history_[p].first > retained_) history_.erase(p);
    }
    history_[p].second = history_[p].first;
    history_[p].first = t;
    return played;
  }
  void forget(BlockId p) override {
    if (buffer_.erase(p) == 1) history_.erase(p);
  }
  bool contains(BlockId p) const override { return buffer_.contains(p); }

 private:
  std::size_t capacity_;
  long retained_;
  long time_ = 0;
  std::set<BlockId> buffer_;
  std::map<BlockId, std::pair<long, long>> history_;  // HIST(p, 1), HIST(p, 2)
};

void expect_equal(std::string_view text, double retained) {
  expect_equal_to_twin(text, [=](std::size_t capacity) { return std::make_unique<NaiveLruK>(capacity, retained); });
}

TEST(LruK, EqualsTwin) { expect_equal("lru_k", 1e6); }

TEST(LruK, EqualsTwinThatForgets) {
  expect_equal("lru_k:retained=0", 0);
  expect_equal("lru_k:retained=1.5", 1.5);
  expect_equal("lru_k:retained=10", 10);
}

TEST(LruK, RefusesAPeriodThatIsNone) {
  EXPECT_ANY_THROW(choice("lru_k:retained=-1"));
  EXPECT_ANY_THROW(choice("lru_k:retained=some"));
}

}  // namespace
