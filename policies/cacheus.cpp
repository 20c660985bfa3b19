// Cacheus: a scan-resistant LRU or a churn-resistant LFU, by chance, with weights and a learning rate that adapt.
//
// Rodriguez, Yusuf, Lyons, Paz, Rangaswami, Liu, Zhao, Narasimhan, "Learning cache replacement with Cacheus", FAST
// 2021.
//
// LeCaR (lecar.cpp) with better experts. SR-LRU keeps new blocks in a list SR (for a single reference) apart from those
// in R, which were used again; its victim is the oldest of SR, and what R has no room for goes back to SR, marked as
// demoted. A use of a demoted block says that R is too small, a miss of a new block that SR-LRU has pushed out says
// that SR is. CR-LFU's victim is, of the blocks used least, the one used last, so that a churn of equals does not wash
// out all of them. Each expert has a history of half the capacity; a block that is missed while it is there costs the
// expert weight, by e^-rate, and comes back into R. After every `capacity` accesses the learning rate goes on in its
// direction if that went with more hits, and turns back if it went with fewer.
//
// rate: the learning rate to begin with, and to return to when the hits fall or are none ten times (auto: the square
//     root of 2 ln 2 / capacity)
// seed: of the draws (1)
//
// All that the paper leaves open is as in the authors' program (their Cacheus class): SR begins with 1% of the
// capacity, and blocks go to R until that is full; hit ratios and rates are compared in thousandths; no weight is above
// 0.99. Only the use that brings a block back from a history is counted here, where they have forgotten it (so in
// libCacheSim).
//
// Not libCacheSim's Cacheus. That one gives SR and R half of the capacity each and evicts from SR whenever that is over
// its share, so part of the cache stays empty, a miss can push out two blocks, and a loop larger than the cache never
// fills more than half of it; its hit ratios are quotients of integers, 0 unless every access hits, so its learning
// rate can only fall; and draws are in hundredths.
#include <algorithm>
#include <cmath>

#include "policies/parts/batch.h"
#include "policies/parts/growing_heap.h"
#include "policies/parts/whole_number.h"
#include "sim/error.h"
#include "sim/random.h"

namespace policies {
namespace {

class Learner {
 public:
  Learner(double rate, std::uint32_t period, std::uint32_t seed)
      : period_(period), seed_(seed), first_rate_(std::clamp(rate, kLeastRate, 1.0)), rate_(rate) {}

  bool draw_lru() { return sim::to_unit(draw()) < lru_; }

  void regret(bool lru) {
    (lru ? lru_ : lfu_) *= std::exp(-rate_);
    lru_ = std::clamp(lru_ / (lru_ + lfu_), 0.01, 0.99);
    lfu_ = 1 - lru_;
  }

  // At the end of a period.
  void adapt(std::uint32_t hits) {
    const double hit_ratio = thousandths(static_cast<double>(hits) / period_);
    const double gain = thousandths(hit_ratio - hit_ratio_before_);
    const double change = thousandths(rate_) - thousandths(rate_before_);
    rate_before_ = rate_;
    hit_ratio_before_ = hit_ratio;
    if (change * gain != 0) {
      const double step = std::abs(rate_ * change);
      rate_ = change * gain > 0 ? std::min(rate_ + step, 1.0) : std::max(rate_ - step, kLeastRate);
      idle_ = falls_ = 0;
    } else if (gain < 0 || (gain == 0 && hit_ratio == 0)) {
      stumble(gain < 0);
    }
  }

 private:
  static constexpr double kLeastRate = 0.001;
  static constexpr int kPatience = 10;

  static double thousandths(double x) { return std::round(x * 1000) / 1000; }
  std::uint64_t draw() { return sim::random_word(seed_, draws_++); }

  // Fewer hits, or none again, and the rate has nothing to do with it.
  void stumble(bool fewer) {
    ++idle_;
    if (fewer) ++falls_;
    if (idle_ >= kPatience) {
      rate_ = first_rate_;
      idle_ = 0;
    } else if (fewer && falls_ >= kPatience) {
      rate_ = first_rate_;
      falls_ = 0;
    } else if (fewer) {
      jump();
    }
  }

  void jump() {
    if (rate_ >= 1) {
      rate_ = 0.9;
    } else if (rate_ <= kLeastRate) {
      rate_ = 0.005;
    } else if (draw() % 2 == 0) {
      rate_ = std::min(rate_ * 1.25, 1.0);
    } else {
      rate_ = std::max(rate_ * 0.75, kLeastRate);
    }
  }

  std::uint32_t period_;
  std::uint32_t seed_;
  double first_rate_;
  double rate_;
  double rate_before_ = 0;
  double hit_ratio_before_ = 0;
  int idle_ = 0;
  int falls_ = 0;
  double lru_ = 0.5;
  double lfu_ = 0.5;
  std::uint64_t draws_ = 0;
};

class Cacheus {
 public:
  Cacheus(std::uint32_t capacity, std::uint32_t footprint, const Learner& learner)
      : capacity_(capacity),
        history_(capacity / 2),
        single_share_(std::max(static_cast<std::uint32_t>(0.01 * capacity + 0.5), 1u)),
        learner_(learner),
        footprint_(footprint),
        state_(footprint + std::size_t{kNone}),
        by_uses_(std::min(capacity, footprint)) {
    for (std::uint32_t list = 0; list < kNone; ++list) state_[end(list)].older = state_[end(list)].younger = end(list);
  }

  Outcome access(BlockId block, BlockId& victim) {
    if (++now_ % capacity_ == 0) {
      learner_.adapt(hits_);
      hits_ = 0;
    }
    switch (state_[block].list) {
      case kReused:
        use(block);
        move(block, kReused);
        break;
      case kSingle:
        use(block);
        use_again(block);
        break;
      case kByLru:
      case kByLfu:
        victim = bring_back(block);
        return Outcome::miss;
      default:
        victim = bring_in(block);
        return Outcome::miss;
    }
    ++hits_;
    return Outcome::hit;
  }

  void prefetch(BlockId block) const { __builtin_prefetch(&state_[block], 1); }
  void prefetch_linked(BlockId block) const {
    if (state_[block].list == kNone) return;
    __builtin_prefetch(&state_[state_[block].older], 1);
    __builtin_prefetch(&state_[state_[block].younger], 1);
  }

  void forget(BlockId block) {
    if (contains(block)) remove(block);
  }
  bool contains(BlockId block) const { return state_[block].list <= kSingle; }
  std::uint32_t resident() const { return size_[kReused] + size_[kSingle]; }

 private:
  enum List : std::uint32_t { kReused, kSingle, kByLru, kByLfu, kNone };
  static constexpr std::uint32_t kMostUses = (1u << 27) - 1;

  struct State {
    BlockId older = 0;
    BlockId younger = 0;
    std::uint32_t place = 0;  // in by_uses_
    std::uint32_t time = 0;   // of the last use
    std::uint32_t uses : 27 = 0;
    std::uint32_t list : 3 = kNone;
    std::uint32_t demoted : 1 = 0;
    std::uint32_t fresh : 1 = 0;  // new when it came in, and not used from a history since
  };
  struct Entry {
    std::uint32_t uses;
    std::uint32_t time;
    BlockId block;
    bool operator<(const Entry& other) const { return uses != other.uses ? uses < other.uses : time > other.time; }
  };
  struct Placed {
    std::vector<State>& state;
    void operator()(BlockId block, std::uint32_t place) const { state[block].place = place; }
  };

  // The lists are rings, each through an entry behind those of the blocks.
  BlockId end(std::uint32_t list) const { return footprint_ + list; }
  BlockId oldest(List list) const { return state_[end(list)].younger; }

  void push(BlockId block, List list) {
    State& state = state_[block];
    state.list = list & 7u;
    state.younger = end(list);
    state.older = state_[end(list)].older;
    state_[state.older].younger = state_[state.younger].older = block;
    ++size_[list];
  }
  void unlink(BlockId block) {
    State& state = state_[block];
    state_[state.older].younger = state.younger;
    state_[state.younger].older = state.older;
    --size_[state.list];
    state.list = kNone;
  }
  void move(BlockId block, List list) {
    unlink(block);
    push(block, list);
  }

  std::uint32_t reused_share() const { return capacity_ - single_share_; }
  Entry entry(BlockId block) const { return {state_[block].uses, state_[block].time, block}; }

  void use(BlockId block) {
    State& state = state_[block];
    state.uses += state.uses < kMostUses;
    state.time = now_;
  }

  void insert(BlockId block, List list, std::uint32_t uses, bool fresh) {
    State& state = state_[block];
    state.uses = uses & kMostUses;
    state.time = now_;
    state.fresh = fresh;
    push(block, list);
    by_uses_.push(entry(block), Placed{state_});
  }

  void use_again(BlockId block) {
    if (state_[block].demoted) {
      const std::uint32_t more = quotient(fresh_in_history_, demoted_);
      single_share_ -= std::min(more, single_share_ - 1);
      undemote(block);
    }
    if (capacity_ == 1) return move(block, kSingle);
    unlink(block);
    if (size_[kReused] >= reused_share()) demote_oldest();
    push(block, kReused);
  }

  BlockId bring_in(BlockId block) {
    if (size_[kReused] < reused_share() && size_[kSingle] == 0) {
      insert(block, kReused, 1, false);
      return kNoBlock;
    }
    if (resident() < capacity_ && size_[kSingle] < single_share_) {
      insert(block, kSingle, 1, false);
      return kNoBlock;
    }
    const BlockId victim = resident() == capacity_ ? evict() : kNoBlock;
    insert(block, kSingle, 1, true);
    demote_excess();
    return victim;
  }

  BlockId bring_back(BlockId block) {
    State& state = state_[block];
    const bool by_lru = state.list == kByLru;
    unlink(block);
    if (by_lru && state.fresh) {
      --fresh_in_history_;
      single_share_ += std::min(quotient(demoted_, fresh_in_history_), capacity_ - 1 - single_share_);
    }
    learner_.regret(by_lru);
    const std::uint32_t uses = std::min(state.uses + 1u, kMostUses);
    const BlockId victim = resident() == capacity_ ? evict() : kNoBlock;
    insert(block, kReused, uses, false);
    demote_excess();
    return victim;
  }

  // Rounded, at least 1.
  static std::uint32_t quotient(std::uint32_t a, std::uint32_t b) {
    return std::max(static_cast<std::uint32_t>(static_cast<double>(a) / std::max(b, 1u) + 0.5), 1u);
  }

  void demote_excess() {
    while (size_[kReused] >= std::max(reused_share(), 1u)) demote_oldest();
  }
  void demote_oldest() {
    const BlockId block = oldest(kReused);
    move(block, kSingle);
    state_[block].demoted = 1;
    ++demoted_;
  }
  void undemote(BlockId block) {
    demoted_ -= state_[block].demoted;
    state_[block].demoted = 0;
  }

  void remove(BlockId block) {
    undemote(block);
    unlink(block);
    by_uses_.erase(state_[block].place, Placed{state_});
  }

  BlockId evict() {
    const BlockId by_age = oldest(kSingle);
    const BlockId by_uses = by_uses_.least([this](BlockId block) { return entry(block); }, Placed{state_}).block;
    const List by = by_age == by_uses ? kNone : learner_.draw_lru() ? kByLru : kByLfu;
    const BlockId victim = by == kByLru ? by_age : by_uses;
    remove(victim);
    if (by != kNone && history_ > 0) remember(victim, by);
    return victim;
  }

  void remember(BlockId block, List list) {
    if (size_[list] == history_) {
      if (list == kByLru) fresh_in_history_ -= state_[oldest(list)].fresh;
      unlink(oldest(list));
    }
    if (list == kByLru) fresh_in_history_ += state_[block].fresh;
    push(block, list);
  }

  std::uint32_t capacity_;
  std::uint32_t history_;
  std::uint32_t single_share_;
  std::uint32_t now_ = 0;
  std::uint32_t hits_ = 0;  // in this period
  std::uint32_t demoted_ = 0;
  std::uint32_t fresh_in_history_ = 0;
  Learner learner_;
  std::uint32_t footprint_;
  std::vector<State> state_;
  std::uint32_t size_[kNone] = {};
  GrowingHeap<Entry> by_uses_;
};

constexpr Parameter kParameters[] = {
    {"rate", "learning rate to begin with, or auto: from the capacity", "auto"},
    {"seed", "of the draws", "1"},
};

std::unique_ptr<Policy> make(std::uint32_t capacity, std::uint32_t footprint, const Settings& settings) {
  const bool automatic = settings.text("rate") == "auto";
  const double rate = automatic ? std::sqrt(2 * std::log(2.0) / capacity) : settings.number("rate");
  if (rate < 0) throw sim::UsageError("rate is auto, or at least 0");
  return std::make_unique<Batched<Cacheus>>(capacity, footprint,
                                            Learner(rate, capacity, whole_number(settings, "seed", 0, UINT32_MAX)));
}

}  // namespace

extern const Spec cacheus{
    .name = "cacheus",
    .idea = "follows a scan-resistant LRU or a churn-resistant LFU by chance, with weights learned at an adaptive rate",
    .paper =
        "Rodriguez, Yusuf, Lyons, Paz, Rangaswami, Liu, Zhao, Narasimhan, Learning cache replacement with Cacheus, "
        "FAST 2021",
    .parameters = kParameters,
    .make = make,
};

}  // namespace policies
