// LeCaR: LRU or LFU, by chance, with weights learned from regret.
//
// Vietri, Rodriguez, Martinez, Lyons, Liu, Rangaswami, Zhao, Narasimhan, "Driving cache replacement with ML-based
// LeCaR", HotStorage 2018.
//
// Two experts each name a victim: the block unused for longest, and the one used least. Which of them is followed is
// drawn with their weights. The block pushed out is remembered in the history of the expert that named it (in none when
// both named it); when it is missed while remembered, that expert's weight is multiplied by e^(-rate x discount^(1/N x
// t)), where N is the capacity and t the accesses since it left, and the weights are scaled to add up to 1.
//
// rate: learning rate (0.45)
// discount: what a regret is worth after as many accesses as the capacity (0.005)
// history: length of each of the two histories, as a share of the capacity (0.5; rounded down). The authors' program of
//     2018 has 1, their later one and libCacheSim 0.5
// seed: of the draws (1)
// variant: paper        where the paper says nothing, as in the authors' program: a remembered block keeps its count of
//                       uses, and no weight is above 0.99
//          libcachesim  counts of uses are forgotten; weights are bounded by adding 1e-10; the draw is one of 0, 0.01,
//                       ... 0.99, so a weight above 0.99 always wins. Its miss ratios lie within those of libCacheSim's
//                       LeCaR over its seeds
//
// Of the blocks used least, the one of them unused for longest leaves, as in libCacheSim (the authors' program takes
// the lowest number). Counts of uses stop at 2^30 - 1.
#include <algorithm>
#include <cmath>

#include "policies/parts/batch.h"
#include "policies/parts/growing_heap.h"
#include "policies/parts/queue.h"
#include "policies/parts/variant.h"
#include "policies/parts/whole_number.h"
#include "sim/error.h"
#include "sim/random.h"

namespace policies {
namespace {

struct Learning {
  double rate = 0;
  double discount = 0;
  double history = 0;
  std::uint32_t seed = 0;
  bool libcachesim = false;
};

// The chance of following LRU; LFU has the rest.
class Weights {
 public:
  Weights(const Learning& learning, std::uint32_t capacity)
      : learning_(learning), log_discount_(std::log(learning.discount) / capacity) {}

  bool draw_lru() {
    const std::uint64_t word = sim::random_word(learning_.seed, draws_++);
    return (learning_.libcachesim ? static_cast<double>(word % 100) / 100 : sim::to_unit(word)) < lru_;
  }

  // LRU or LFU pushed out, `age` accesses ago, what has just been missed.
  void regret(bool lru, std::uint32_t age) {
    constexpr double kMost = 0.99;
    constexpr double kLeast = 1e-10;
    double& guilty = lru ? lru_ : lfu_;
    guilty *= std::exp(-learning_.rate * std::exp(log_discount_ * age));
    if (learning_.libcachesim) lru_ += kLeast, lfu_ += kLeast;
    lru_ /= lru_ + lfu_;
    if (!learning_.libcachesim) lru_ = std::clamp(lru_, 1 - kMost, kMost);
    lfu_ = 1 - lru_;
  }

 private:
  Learning learning_;
  double log_discount_;
  double lru_ = 0.5;
  double lfu_ = 0.5;
  std::uint64_t draws_ = 0;
};

class LeCaR {
 public:
  LeCaR(std::uint32_t capacity, std::uint32_t footprint, const Learning& learning)
      : capacity_(capacity),
        history_(static_cast<std::uint32_t>(learning.history * capacity)),
        keep_uses_(!learning.libcachesim),
        weights_(learning, capacity),
        state_(footprint),
        by_uses_(std::min(capacity, footprint)),
        queues_{Queue(std::min(capacity, footprint)), history_queue(footprint), history_queue(footprint)} {}

  Outcome access(BlockId block, BlockId& victim) {
    ++now_;
    State& state = state_[block];
    if (state.list == kCache) {
      queues_[kCache].erase(state.where);
      state.uses += state.uses < kMostUses;
      state.time = now_;
      push(kCache, block);
      return Outcome::hit;
    }
    std::uint32_t uses = 1;
    if (state.list != kNone) {
      weights_.regret(state.list == kByLru, now_ - state.time);
      queues_[state.list].erase(state.where);
      if (keep_uses_) uses += std::min(state.uses + 0u, kMostUses - 1);
      state.list = kNone;
    }
    if (resident() == capacity_) victim = evict();
    state.uses = uses & kMostUses;
    state.time = now_;
    push(kCache, block);
    by_uses_.push(entry(block), Placed{state_});
    return Outcome::miss;
  }

  void prefetch(BlockId block) const { __builtin_prefetch(&state_[block], 1); }
  void prefetch_linked(BlockId block) const {
    if (state_[block].list != kNone) queues_[state_[block].list].prefetch(state_[block].where);
  }

  void forget(BlockId block) {
    if (contains(block)) remove(block);
  }
  bool contains(BlockId block) const { return state_[block].list == kCache; }
  std::uint32_t resident() const { return queues_[kCache].size(); }

 private:
  enum List : std::uint32_t { kCache, kByLru, kByLfu, kNone };
  static constexpr std::uint32_t kMostUses = (1u << 30) - 1;

  struct State {
    QueueIndex where = 0;
    std::uint32_t place = 0;  // in by_uses_
    std::uint32_t time = 0;   // of the last use, or of leaving
    std::uint32_t uses : 30 = 0;
    std::uint32_t list : 2 = kNone;
  };
  struct Entry {
    std::uint32_t uses;
    std::uint32_t time;
    BlockId block;
    bool operator<(const Entry& other) const { return uses != other.uses ? uses < other.uses : time < other.time; }
  };
  struct Placed {
    std::vector<State>& state;
    void operator()(BlockId block, std::uint32_t place) const { state[block].place = place; }
  };

  Queue history_queue(std::uint32_t footprint) const {
    return Queue(std::min(history_, footprint - std::min(capacity_, footprint)));
  }
  Entry entry(BlockId block) const { return {state_[block].uses, state_[block].time, block}; }

  void push(List list, BlockId block) {
    const QueueIndex where =
        queues_[list].push(block, [this](BlockId moved, QueueIndex, QueueIndex to) { state_[moved].where = to; });
    state_[block].where = where;
    state_[block].list = list & kNone;
  }

  void remove(BlockId block) {
    State& state = state_[block];
    queues_[kCache].erase(state.where);
    by_uses_.erase(state.place, Placed{state_});
    state.list = kNone;
  }

  BlockId evict() {
    const BlockId oldest = queues_[kCache].at(queues_[kCache].oldest());
    const BlockId least = by_uses_.least([this](BlockId block) { return entry(block); }, Placed{state_}).block;
    const List by = oldest == least ? kNone : weights_.draw_lru() ? kByLru : kByLfu;
    const BlockId victim = by == kByLru ? oldest : least;
    remove(victim);
    if (by != kNone && history_ > 0) remember(by, victim);
    return victim;
  }

  void remember(List list, BlockId block) {
    if (queues_[list].size() == history_) state_[queues_[list].pop()].list = kNone;
    state_[block].time = now_;
    push(list, block);
  }

  std::uint32_t capacity_;
  std::uint32_t history_;
  bool keep_uses_;
  std::uint32_t now_ = 0;
  Weights weights_;
  std::vector<State> state_;
  GrowingHeap<Entry> by_uses_;
  Queue queues_[3];
};

constexpr Parameter kParameters[] = {
    {"rate", "learning rate", "0.45"},
    {"discount", "what a regret is worth after as many accesses as the capacity", "0.005"},
    {"history", "length of each history, as a share of the capacity", "0.5"},
    {"seed", "of the draws", "1"},
    {"variant", "paper, or libcachesim: counts of uses are forgotten, and draws are in hundredths", "paper"},
};

std::unique_ptr<Policy> make(std::uint32_t capacity, std::uint32_t footprint, const Settings& settings) {
  const bool libcachesim = is_libcachesim_variant(settings);
  const double rate = settings.number("rate");
  if (rate < 0) throw sim::UsageError("rate is at least 0");
  const double discount = settings.fraction("discount");
  if (discount == 0) throw sim::UsageError("discount is more than 0");
  return std::make_unique<Batched<LeCaR>>(capacity, footprint,
                                          Learning{.rate = rate,
                                                   .discount = discount,
                                                   .history = settings.fraction("history"),
                                                   .seed = whole_number(settings, "seed", 0, UINT32_MAX),
                                                   .libcachesim = libcachesim});
}

}  // namespace

extern const Spec lecar{
    .name = "lecar",
    .idea = "follows LRU or LFU by chance, with weights that each miss of a block just pushed out makes smaller",
    .paper = "Vietri, Rodriguez, Martinez, Lyons, Liu, Rangaswami, Zhao, Narasimhan, LeCaR, HotStorage 2018",
    .parameters = kParameters,
    .make = make,
};

}  // namespace policies
