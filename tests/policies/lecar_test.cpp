#include <cmath>
#include <list>
#include <map>

#include "sim/error.h"
#include "sim/random.h"
#include "tests/policies/twin.h"

namespace {

using namespace support;

// The paper's algorithm 1, with a list for the recency and a search for the frequency.
class NaiveLeCaR : public Twin {
 public:
  struct Options {
    double rate = 0.45;
    double discount = 0.005;
    double history = 0.5;
    std::uint64_t seed = 1;
    bool libcachesim = false;
  };

  NaiveLeCaR(std::size_t capacity, const Options& options)
      : n_(capacity),
        history_(static_cast<std::size_t>(options.history * static_cast<double>(capacity))),
        options_(options) {}

  Played access(BlockId q, std::uint32_t) override {
    ++time_;
    if (contains(q)) {
      cache_.remove(q);
      cache_.push_front(q);
      ++uses_[q];
      return {Outcome::hit, kNoBlock};
    }
    int uses = 1;
    for (const int expert : {kLru, kLfu}) {
      const auto remembered =
          std::find_if(lost_[expert].begin(), lost_[expert].end(), [q](const Lost& lost) { return lost.block == q; });
      if (remembered == lost_[expert].end()) continue;
      update_weight(expert, time_ - remembered->time);
      if (!options_.libcachesim) uses = remembered->uses + 1;
      lost_[expert].erase(remembered);
      break;
    }
    const BlockId victim = cache_.size() == n_ ? evict() : kNoBlock;
    cache_.push_front(q);
    uses_[q] = uses;
    return {Outcome::miss, victim};
  }
  void forget(BlockId q) override { cache_.remove(q); }
  bool contains(BlockId q) const override { return std::find(cache_.begin(), cache_.end(), q) != cache_.end(); }

 private:
  enum { kLru, kLfu };
  struct Lost {
    BlockId block;
    int uses;
    double time;
  };

  void update_weight(int expert, double t) {
    const double d = std::pow(options_.discount, 1.0 / static_cast<double>(n_));
    const double r = std::pow(d, t);
    weight_[expert] *= std::exp(-options_.rate * r);
    const double least = options_.libcachesim ? 1e-10 : 0;
    const double sum = weight_[0] + weight_[1] + 2 * least;
    for (double& weight : weight_) weight = (weight + least) / sum;
    for (const int winner : {kLru, kLfu}) {
      if (options_.libcachesim || weight_[winner] < 0.99) continue;
      weight_[winner] = 0.99;
      weight_[1 - winner] = 0.01;
    }
  }

  BlockId evict() {
    const BlockId lru = cache_.back();
    BlockId lfu = lru;  // from old to young, the first with the fewest uses
    for (auto q = cache_.rbegin(); q != cache_.rend(); ++q) {
      if (uses_[*q] < uses_[lfu]) lfu = *q;
    }
    if (lru == lfu) {
      cache_.remove(lru);
      return lru;
    }
    const std::uint64_t word = sim::random_word(options_.seed, draws_++);
    const double r = options_.libcachesim ? static_cast<double>(word % 100) / 100.0 : sim::to_unit(word);
    const int expert = r < weight_[kLru] ? kLru : kLfu;
    const BlockId victim = expert == kLru ? lru : lfu;
    cache_.remove(victim);
    lost_[expert].push_back({victim, uses_[victim], time_});
    if (lost_[expert].size() > history_) lost_[expert].pop_front();
    return victim;
  }

  std::size_t n_, history_;
  Options options_;
  double time_ = 0;
  std::uint64_t draws_ = 0;
  double weight_[2] = {0.5, 0.5};
  std::list<BlockId> cache_;  // youngest first
  std::map<BlockId, int> uses_;
  std::list<Lost> lost_[2];  // oldest first
};

class LeCaR : public testing::Test {
 protected:
  static void expect_equal(std::string_view text, const NaiveLeCaR::Options& options) {
    expect_equal_to_twin(text,
                         [options](std::size_t capacity) { return std::make_unique<NaiveLeCaR>(capacity, options); });
  }
};

TEST_F(LeCaR, EqualsTwin) { expect_equal("lecar", {}); }
TEST_F(LeCaR, EqualsTwinAsLibCacheSim) { expect_equal("lecar:variant=libcachesim", {.libcachesim = true}); }
TEST_F(LeCaR, EqualsTwinWithOtherParameters) {
  expect_equal("lecar:rate=2,discount=0.5,history=1,seed=7", {.rate = 2, .discount = 0.5, .history = 1, .seed = 7});
  expect_equal("lecar:history=0", {.history = 0});
}

TEST_F(LeCaR, RefusesBadValues) {
  for (const char* text : {"lecar:variant=new", "lecar:rate=-1", "lecar:discount=0", "lecar:history=2", "lecar:seed=a",
                           "lecar:seed=0.5"}) {
    EXPECT_THROW(choice(text), sim::UsageError) << text;
  }
}

}  // namespace
