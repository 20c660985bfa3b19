// LFU-DA: least frequently used, with dynamic ageing.
//
// Arlitt, Cherkasova, Dilley, Friedrich, Jin, "Evaluating content management techniques for web proxy caches", WISP
// 1999, and ACM Performance Evaluation Review 27(4), 2000.
//
// A block's key is its uses since it came in, and the age of the cache when it was last used; the least key leaves, and
// becomes the cache's age. So a block that was used a lot and then no more is overtaken in time. Of those with equal
// keys the one unused for longest leaves, on which the paper is silent.
//
// variant: paper
//          libcachesim  equal to libCacheSim's LFUDA. A use adds the age to the key, so that keys grow by the factor,
//                       and nothing as long as no block has been pushed out. The age is the least key that is left: it
//                       grows when the only block with that key leaves, or is used. A block whose new key is then less
//                       than the age is not seen again until it is used. (When there are no others, libCacheSim does
//                       not return; here the least of them leaves.)
//
// Keys stop at 2^31 - 1, uses at 2^32 - 1.
//
// As in lfu.cpp, blocks wait in order of arrival for as long as they are not used, their keys rising, and then move to
// a heap.
#include <algorithm>

#include "policies/parts/batch.h"
#include "policies/parts/growing_heap.h"
#include "policies/parts/queue.h"
#include "policies/parts/variant.h"

namespace policies {
namespace {

template <bool kLibcachesim>
class LfuDa {
 public:
  LfuDa(std::uint32_t capacity, std::uint32_t footprint)
      : capacity_(capacity),
        most_arrivals_(std::max(1u, std::min(capacity, footprint / 2))),
        state_(footprint),
        place_(footprint),
        arrivals_(most_arrivals_),
        used_(std::min(capacity, footprint)) {}

  Outcome access(BlockId block, BlockId& victim) {
    State& state = state_[block];
    if (state.uses != 0) {
      state.uses += state.uses != UINT32_MAX;
      state.last_use = clock_++;
      if constexpr (!kLibcachesim) {
        state.key = sum(age_, state.uses);
      } else if (state.key > age_) {
        state.key = sum(state.key, age_);
      } else {
        add_the_age(block);
      }
      return Outcome::hit;
    }
    if (resident() == capacity_) victim = evict();
    if (arrivals_.size() == most_arrivals_) rank(arrivals_.pop());
    const QueueIndex index =
        arrivals_.push(block, [this](BlockId moved, QueueIndex, QueueIndex to) { place_[moved] = to; });
    place_[block] = index;
    state = {.last_use = clock_++, .key = sum(age_, 1), .uses = 1};
    return Outcome::miss;
  }

  void prefetch(BlockId block) const { __builtin_prefetch(&state_[block], 1); }

  void forget(BlockId block) {
    if (!contains(block)) return;
    const bool was_least = state_[block].key == age_;
    leave(block);
    if (kLibcachesim && was_least) age_ = least_key();
  }
  bool contains(BlockId block) const { return state_[block].uses != 0; }
  std::uint32_t resident() const { return arrivals_.size() + used_.size(); }

 private:
  static constexpr std::uint32_t kMostKey = UINT32_MAX / 2;
  static constexpr std::uint32_t kUnseen = kMostKey + 1;

  struct State {
    std::uint64_t last_use = 0;
    std::uint32_t key = 0;
    std::uint32_t uses = 0;  // 0: absent
  };
  struct Entry {
    std::uint64_t last_use;
    std::uint32_t rank;  // the key; those that are not seen come after all others
    BlockId block;
    bool operator<(const Entry& other) const {
      return rank != other.rank ? rank < other.rank : last_use < other.last_use;
    }
  };
  // Keeps a block's place when the heap moves it.
  struct Placed {
    std::vector<std::uint32_t>& place;
    void operator()(BlockId block, std::uint32_t to) const { place[block] = to; }
  };

  static std::uint32_t sum(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{a} + b, kMostKey));
  }

  Entry entry(BlockId block) const {
    const State& state = state_[block];
    return {state.last_use, kLibcachesim && state.key < age_ ? state.key + kUnseen : state.key, block};
  }
  void rank(BlockId block) { used_.push(entry(block), Placed{place_}); }

  void unrank(BlockId block) {
    if (used_.holds(block, place_[block])) {
      used_.erase(place_[block], Placed{place_});
    } else {
      arrivals_.erase(place_[block]);
    }
  }
  void leave(BlockId block) {
    unrank(block);
    state_[block].uses = 0;
  }

  // Not for an empty cache.
  Entry least() {
    while (arrivals_.size() > 0 && state_[arrivals_.at(arrivals_.oldest())].uses > 1) rank(arrivals_.pop());
    if (used_.size() == 0) return entry(arrivals_.at(arrivals_.oldest()));
    const Entry used = used_.least([this](BlockId top) { return entry(top); }, Placed{place_});
    if (arrivals_.size() == 0) return used;
    const Entry arrival = entry(arrivals_.at(arrivals_.oldest()));
    return arrival < used ? arrival : used;
  }

  // Of the blocks that are seen; the age when there are none.
  std::uint32_t least_key() {
    if (resident() == 0) return age_;
    const std::uint32_t rank = least().rank;
    return rank < kUnseen ? rank : age_;
  }

  // To the key of a block that had the least, or is not seen: its rank may become less.
  void add_the_age(BlockId block) {
    State& state = state_[block];
    const std::uint32_t key = sum(state.key, age_);
    unrank(block);
    if (state.key == age_) age_ = least_key();
    state.key = key;
    rank(block);
  }

  BlockId evict() {
    const Entry victim = least();
    leave(victim.block);
    if constexpr (kLibcachesim) {
      if (victim.rank < kUnseen) age_ = victim.rank;
      age_ = least_key();
    } else {
      age_ = victim.rank;
    }
    return victim.block;
  }

  std::uint32_t capacity_;
  std::uint32_t most_arrivals_;
  std::uint32_t age_ = 0;
  std::uint64_t clock_ = 0;
  std::vector<State> state_;
  std::vector<std::uint32_t> place_;  // in arrivals_ or used_
  Queue arrivals_;                    // blocks that were not used again when last looked at, by key
  GrowingHeap<Entry> used_;
};

constexpr Parameter kParameters[] = {
    {"variant", "paper, or libcachesim: a use adds the cache's age to a block's key", "paper"},
};

std::unique_ptr<Policy> make(std::uint32_t capacity, std::uint32_t footprint, const Settings& settings) {
  if (is_libcachesim_variant(settings)) return std::make_unique<Batched<LfuDa<true>>>(capacity, footprint);
  return std::make_unique<Batched<LfuDa<false>>>(capacity, footprint);
}

}  // namespace

extern const Spec lfu_da{
    .name = "lfu_da",
    .idea = "LFU in which a block's uses count from the age of the cache: the key of the block pushed out last",
    .paper =
        "Arlitt, Cherkasova, Dilley, Friedrich, Jin, Evaluating content management techniques for web proxy "
        "caches, WISP 1999",
    .parameters = kParameters,
    .make = make,
};

}  // namespace policies
