#include <cmath>
#include <list>
#include <map>

#include "sim/error.h"
#include "sim/random.h"
#include "tests/policies/twin.h"

namespace {

using namespace support;

// The paper's three parts, in the words of the authors' program: s is R, q is SR.
class NaiveCacheus : public Twin {
 public:
  explicit NaiveCacheus(std::size_t capacity, double rate = 0, std::uint64_t seed = 1)
      : n_(static_cast<int>(capacity)),
        q_limit_(std::max(1, static_cast<int>(0.01 * n_ + 0.5))),
        s_limit_(n_ - q_limit_),
        seed_(seed),
        rate_(rate == 0 ? std::sqrt(2 * std::log(2.0) / n_) : rate),
        rate_reset_(std::min(std::max(rate_, 0.001), 1.0)) {}

  Played access(BlockId x, std::uint32_t) override {
    ++time_;
    if (time_ % n_ == 0) update_rate();
    if (has(s_, x)) {
      s_.remove(x), s_.push_back(x);
    } else if (has(q_, x)) {
      hit_in_q(x);
    } else if (has(history_[kLru], x)) {
      history_[kLru].remove(x);
      if (info_[x].is_new) {
        --nor_count_;
        q_limit_ = std::min(n_ - 1, q_limit_ + ratio(dem_count_, nor_count_));
        s_limit_ = n_ - q_limit_;
      }
      return {Outcome::miss, return_from_history(x, kLru)};
    } else if (has(history_[kLfu], x)) {
      history_[kLfu].remove(x);
      return {Outcome::miss, return_from_history(x, kLfu)};
    } else {
      return {Outcome::miss, miss(x)};
    }
    ++info_[x].freq;
    info_[x].time = time_;
    ++hits_;
    return {Outcome::hit, kNoBlock};
  }
  void forget(BlockId x) override {
    if (!contains(x)) return;
    s_.remove(x), q_.remove(x);
    clear_demoted(x);
  }
  bool contains(BlockId x) const override { return has(s_, x) || has(q_, x); }

 private:
  enum { kLru, kLfu };
  using List = std::list<BlockId>;  // oldest first
  struct Info {
    int freq = 1, time = 0;
    bool is_demoted = false, is_new = false;
  };

  static bool has(const List& list, BlockId x) { return std::find(list.begin(), list.end(), x) != list.end(); }
  static int ratio(int a, int b) {
    return std::max(1, static_cast<int>(a / static_cast<double>(std::max(1, b)) + 0.5));
  }
  static double round3(double x) { return std::round(x * 1000) / 1000; }
  double random() { return sim::to_unit(sim::random_word(seed_, draws_++)); }
  int size() const { return static_cast<int>(s_.size() + q_.size()); }
  bool s_full() const { return static_cast<int>(s_.size()) >= s_limit_; }

  void clear_demoted(BlockId x) {
    if (info_[x].is_demoted) --dem_count_;
    info_[x].is_demoted = false;
  }
  void demote() {
    if (s_.empty()) return;
    info_[s_.front()].is_demoted = true;
    ++dem_count_;
    q_.splice(q_.end(), s_, s_.begin());
  }

  void hit_in_q(BlockId x) {
    if (info_[x].is_demoted) {
      s_limit_ = std::min(n_ - 1, s_limit_ + ratio(nor_count_, dem_count_));
      q_limit_ = n_ - s_limit_;
      clear_demoted(x);
    }
    q_.remove(x);
    if (s_full()) demote();
    (n_ == 1 ? q_ : s_).push_back(x);  // their program has no room for one block in s
  }

  BlockId return_from_history(BlockId x, int expert) {
    weight_[expert] *= std::exp(-rate_);
    const double sum = weight_[kLru] + weight_[kLfu];
    for (double& weight : weight_) weight /= sum;
    for (const int winner : {kLru, kLfu}) {
      if (weight_[winner] >= 0.99) weight_[winner] = 0.99, weight_[1 - winner] = 0.01;
    }
    const BlockId victim = size() == n_ ? evict() : kNoBlock;
    info_[x] = {.freq = info_[x].freq + 1, .time = time_};
    s_.push_back(x);
    while (s_full() && !s_.empty()) demote();
    return victim;
  }

  BlockId miss(BlockId x) {
    info_[x] = {.time = time_};
    if (!s_full() && q_.empty()) {
      s_.push_back(x);
    } else if (size() < n_ && static_cast<int>(q_.size()) < q_limit_) {
      q_.push_back(x);
    } else {
      const BlockId victim = size() == n_ ? evict() : kNoBlock;
      info_[x].is_new = true;
      q_.push_back(x);
      while (s_full() && !s_.empty()) demote();
      return victim;
    }
    return kNoBlock;
  }

  BlockId evict() {
    const BlockId lru = q_.front();
    BlockId lfu = lru;
    for (const List* list : {&s_, &q_}) {
      for (const BlockId x : *list) {
        const Info& a = info_[x];
        const Info& b = info_[lfu];
        if (a.freq < b.freq || (a.freq == b.freq && a.time > b.time)) lfu = x;
      }
    }
    const int expert = lru == lfu ? -1 : random() < weight_[kLru] ? kLru : kLfu;
    const BlockId victim = expert == kLfu ? lfu : lru;
    forget(victim);
    if (expert == -1) return victim;
    if (expert == kLru && info_[victim].is_new) ++nor_count_;
    List& history = history_[expert];
    history.push_back(victim);
    if (static_cast<int>(history.size()) > n_ / 2) {
      if (expert == kLru && info_[history.front()].is_new) --nor_count_;
      history.pop_front();
    }
    return victim;
  }

  void update_rate() {
    const double hitrate = round3(hits_ / static_cast<double>(n_));
    const double hitrate_diff = round3(hitrate - hitrate_prev_);
    const double delta_rate = round3(rate_) - round3(rate_prev_);
    rate_prev_ = rate_;
    hitrate_prev_ = hitrate;
    hits_ = 0;
    const double delta = delta_rate * hitrate_diff;
    if (delta > 0) {
      rate_ = std::min(rate_ + std::abs(rate_ * delta_rate), 1.0);
      zero_count_ = negative_count_ = 0;
    } else if (delta < 0) {
      rate_ = std::max(rate_ - std::abs(rate_ * delta_rate), 0.001);
      zero_count_ = negative_count_ = 0;
    } else if (hitrate_diff <= 0) {
      if (hitrate <= 0 && hitrate_diff == 0) ++zero_count_;
      if (hitrate_diff < 0) ++negative_count_, ++zero_count_;
      if (zero_count_ >= 10) {
        rate_ = rate_reset_;
        zero_count_ = 0;
      } else if (hitrate_diff < 0 && negative_count_ >= 10) {
        rate_ = rate_reset_;
        negative_count_ = 0;
      } else if (hitrate_diff < 0) {
        random_direction();
      }
    }
  }
  void random_direction() {
    if (rate_ >= 1) {
      rate_ = 0.9;
    } else if (rate_ <= 0.001) {
      rate_ = 0.005;
    } else {
      const bool up = sim::random_word(seed_, draws_++) % 2 == 0;
      rate_ = up ? std::min(rate_ * 1.25, 1.0) : std::max(rate_ * 0.75, 0.001);
    }
  }

  int n_, q_limit_, s_limit_;
  std::uint64_t seed_, draws_ = 0;
  double rate_, rate_reset_, rate_prev_ = 0, hitrate_prev_ = 0;
  double weight_[2] = {0.5, 0.5};
  int time_ = 0, hits_ = 0, zero_count_ = 0, negative_count_ = 0, dem_count_ = 0, nor_count_ = 0;
  List s_, q_, history_[2];
  std::map<BlockId, Info> info_;
};

TEST(Cacheus, EqualsTwin) {
  expect_equal_to_twin("cacheus", [](std::size_t capacity) { return std::make_unique<NaiveCacheus>(capacity); });
}

TEST(Cacheus, EqualsTwinWithOtherParameters) {
  expect_equal_to_twin("cacheus:rate=1,seed=9",
                       [](std::size_t capacity) { return std::make_unique<NaiveCacheus>(capacity, 1, 9); });
  expect_equal_to_twin("cacheus:rate=0.0001",
                       [](std::size_t capacity) { return std::make_unique<NaiveCacheus>(capacity, 0.0001); });
}

TEST(Cacheus, RefusesBadValues) {
  for (const char* text : {"cacheus:rate=-1", "cacheus:rate=fast", "cacheus:seed=-1"}) {
    EXPECT_THROW(choice(text), sim::UsageError) << text;
  }
}

}  // namespace
