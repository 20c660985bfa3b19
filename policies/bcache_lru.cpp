// bcache: the block cache of the Linux kernel.
//
// Overstreet, drivers/md/bcache, Linux 3.10 and later; here alloc.c as of Linux 5, request.c as of Linux 4.
//
// The cache is a log of buckets, and replaces buckets, not blocks: blocks that come in, and blocks that are written
// again, go to the bucket that is open; when it is full another one is opened. A hit makes the whole bucket young, and
// a bucket that is pushed out takes all its blocks along. So a cold block stays for its neighbours in time, and a hot
// one leaves with them: nearer to FIFO or CLOCK than to an LRU of blocks.
//
// replacement: lru     priorities: a bucket's is set to 32768 by a read that hits, and all lose 1 (down to 0) with each
//                      1/1024 of the cache that has been read or written. The next to leave are those of lowest
//                      (priority - lowest + (32768 - lowest) / 8) x blocks in use. 1/256 of the buckets (the power of
//                      two above) are chosen at a time
//              fifo    buckets in order of their place, round and round
//              random  any
// bucket: blocks in one, 128 for the 512 KiB of make-bcache in blocks of 4 KiB; fewer in a cache so small that there
//         were less than 512 buckets, which bcache refuses to work with. 1 is an LRU of blocks, nearly
// sequential: bypass of runs of requests, as the stage of admission `sequential:after=`; 0 for none
// seed: of replacement=random
//
// Ties go to the lower place. A place that is free is used again after those that were free before it.
//
// Where it differs from bcache: buckets chosen to leave give up one block a miss and may be hit until then, since a
// cache here is full until it needs room (bcache empties them at once and has up to 1/256 of its buckets empty). Space
// lost to blocks written again or discarded is not lost here, as if the garbage collector were done at all times. One
// bucket is open, not up to 128 by task and adjacency. Dirty buckets, which cannot leave before they are written back,
// and the metadata's share are left out. Of the bypass: the average over a task's earlier runs, runs that pause for 5
// seconds, and congestion (there is no task or clock here); writes of writeback mode with O_SYNC, which bcache never
// bypasses; read-ahead and background reads, which later versions always do.
#include <algorithm>
#include <bit>

#include "policies/parts/batch.h"
#include "policies/parts/whole_number.h"
#include "sim/error.h"
#include "sim/random.h"
#include "sim/units.h"

namespace policies {
namespace {

enum class Replacement : std::uint8_t { lru, fifo, random };

struct Shape {
  std::uint32_t capacity = 0;
  std::uint32_t bucket = 0;  // blocks
  Replacement replacement = Replacement::lru;
  std::uint64_t seed = 0;
};

class Bcache {
 public:
  Bcache(const Shape& shape, std::uint32_t footprint)
      : shape_(shape),
        tick_(std::max(shape.capacity / 1024, 1u)),
        batch_(shape.replacement == Replacement::lru ? buckets_at_a_time(shape.capacity / shape.bucket) : 1),
        place_(footprint, kAbsent),
        links_(footprint) {
    // At worst each block has its own, one is open, and those chosen to leave have been emptied.
    buckets_.reserve(std::min(shape.capacity, footprint) + std::size_t{1} + std::min(batch_, footprint));
    leaving_.reserve(std::min(batch_, footprint));
  }

  Outcome access(BlockId block, BlockId& victim, bool write) {
    pass_time();
    const Place place = place_[block];
    if (place != kAbsent) {
      if (write) {
        leave(block);
        join(block);
      } else {
        buckets_[place].last_use = now_;
      }
      return Outcome::hit;
    }
    if (resident_ == shape_.capacity) victim = evict();
    join(block);
    return Outcome::miss;
  }

  void prefetch(BlockId block) const { __builtin_prefetch(&place_[block], 1); }
  void prefetch_linked(BlockId block) const {
    if (place_[block] != kAbsent) {
      __builtin_prefetch(&buckets_[place_[block]], 1);
    } else {
      __builtin_prefetch(&links_[block], 1);
    }
  }

  void forget(BlockId block) {
    if (contains(block)) leave(block);
  }
  bool contains(BlockId block) const { return place_[block] != kAbsent; }
  std::uint32_t resident() const { return resident_; }

 private:
  using Place = std::uint32_t;
  static constexpr Place kAbsent = UINT32_MAX;
  static constexpr std::uint32_t kHighest = 32768;

  enum class State : std::uint32_t { free, open, closed, leaving };
  struct Bucket {
    State state = State::free;
    std::uint32_t blocks = 0;
    std::uint32_t last_use = 0;
    // Of its blocks the oldest; of a free bucket the one that will be used after it.
    std::uint32_t first = 0;
  };
  // Neighbours in the bucket, in a ring.
  struct Links {
    BlockId older, newer;
  };
  struct Candidate {
    std::uint64_t worth;
    Place place;
    auto operator<=>(const Candidate&) const = default;
  };

  static std::uint32_t buckets_at_a_time(std::uint64_t buckets) {
    return static_cast<std::uint32_t>(std::max(std::bit_ceil(buckets) / 256, std::uint64_t{1}));
  }

  void pass_time() {
    if (++accesses_ < tick_) return;
    accesses_ = 0;
    ++now_;
  }

  void join(BlockId block) {
    if (open_ == kAbsent) open();
    Bucket& bucket = buckets_[open_];
    if (bucket.blocks == 0) bucket.first = links_[block].older = block;
    const BlockId last = links_[bucket.first].older;
    links_[block] = {last, bucket.first};
    links_[last].newer = links_[bucket.first].older = block;
    place_[block] = open_;
    ++bucket.blocks;
    ++resident_;
    bucket.last_use = now_;
    if (++filled_ == shape_.bucket) close();
  }

  void leave(BlockId block) {
    Bucket& bucket = buckets_[place_[block]];
    const auto [older, newer] = links_[block];
    links_[older].newer = newer;
    links_[newer].older = older;
    if (bucket.first == block) bucket.first = newer;
    --bucket.blocks;
    --resident_;
    if (bucket.blocks == 0 && bucket.state == State::closed) release(place_[block]);
    place_[block] = kAbsent;
  }

  void open() {
    if (first_free_ == kAbsent) {
      open_ = static_cast<Place>(buckets_.size());
      buckets_.emplace_back();
    } else {
      open_ = first_free_;
      first_free_ = open_ == last_free_ ? kAbsent : buckets_[open_].first;
    }
    buckets_[open_].state = State::open;
    filled_ = 0;
  }

  void close() {
    buckets_[open_].state = State::closed;
    open_ = kAbsent;
  }

  void release(Place place) {
    buckets_[place].state = State::free;
    (first_free_ == kAbsent ? first_free_ : buckets_[last_free_].first) = place;
    last_free_ = place;
  }

  BlockId evict() {
    for (;;) {
      if (leaving_.empty()) choose();
      const Place place = leaving_.back().place;
      if (buckets_[place].blocks > 0) {
        const BlockId victim = buckets_[place].first;
        leave(victim);
        const BlockId next = buckets_[place].first;
        prefetch(next);
        __builtin_prefetch(&links_[links_[next].newer], 1);
        return victim;
      }
      leaving_.pop_back();
      release(place);
    }
  }

  void choose() {
    // Every block is in a closed bucket or in the open one.
    if (open_ != kAbsent && resident_ == buckets_[open_].blocks) close();
    switch (shape_.replacement) {
      case Replacement::lru:
        choose_least_worth();
        break;
      case Replacement::fifo:
        choose_next();
        break;
      case Replacement::random:
        choose_any();
        break;
    }
    for (const Candidate& candidate : leaving_) buckets_[candidate.place].state = State::leaving;
  }

  std::uint32_t age(const Bucket& bucket) const { return std::min(now_ - bucket.last_use, kHighest); }

  void choose_least_worth() {
    std::uint32_t oldest = 0;
    for (const Bucket& bucket : buckets_) {
      if (bucket.state == State::closed) oldest = std::max(oldest, age(bucket));
    }
    for (Place place = 0; place < buckets_.size(); ++place) {
      const Bucket& bucket = buckets_[place];
      if (bucket.state != State::closed) continue;
      const Candidate candidate{std::uint64_t{oldest - age(bucket) + oldest / 8} * bucket.blocks, place};
      if (leaving_.size() == batch_) {
        if (leaving_.front() < candidate) continue;
        std::pop_heap(leaving_.begin(), leaving_.end());
        leaving_.pop_back();
      }
      leaving_.push_back(candidate);
      std::push_heap(leaving_.begin(), leaving_.end());
    }
    std::sort(leaving_.rbegin(), leaving_.rend());
  }

  void choose_next() {
    do { hand_ = hand_ + 1 < buckets_.size() ? hand_ + 1 : 0; } while (buckets_[hand_].state != State::closed);
    leaving_.push_back({0, hand_});
  }

  void choose_any() {
    Place place;
    do {
      place = static_cast<Place>(sim::random_word(shape_.seed, choices_++) % buckets_.size());
    } while (buckets_[place].state != State::closed);
    leaving_.push_back({0, place});
  }

  Shape shape_;
  std::uint32_t tick_;   // accesses
  std::uint32_t batch_;  // buckets chosen at a time
  std::uint32_t accesses_ = 0;
  std::uint32_t now_ = 0;
  std::uint32_t resident_ = 0;
  Place open_ = kAbsent;
  std::uint32_t filled_ = 0;  // blocks that have come to the open bucket
  Place first_free_ = kAbsent;
  Place last_free_ = kAbsent;
  Place hand_ = UINT32_MAX;  // of fifo, at the bucket chosen last
  std::uint64_t choices_ = 0;
  std::vector<Place> place_;
  std::vector<Links> links_;
  std::vector<Bucket> buckets_;
  std::vector<Candidate> leaving_;  // the next one last
};

constexpr Parameter kParameters[] = {
    {"replacement", "lru, fifo or random", "lru"},
    {"bucket", "blocks that come and leave together", "128"},
    {"sequential", "length of a run of adjacent requests that goes around the cache, 0 for none", "4MiB"},
    {"seed", "of replacement=random", "1"},
};

Replacement replacement_named(std::string_view name) {
  if (name == "lru") return Replacement::lru;
  if (name == "fifo") return Replacement::fifo;
  if (name == "random") return Replacement::random;
  throw sim::UsageError("replacement is lru, fifo or random, not '" + std::string(name) + "'");
}

std::unique_ptr<Policy> make(std::uint32_t capacity, std::uint32_t footprint, const Settings& settings) {
  const std::uint32_t most = std::max(capacity / 512, 1u);
  const Shape shape{.capacity = capacity,
                    .bucket = std::min(whole_number(settings, "bucket", 1, 65536), most),
                    .replacement = replacement_named(settings.text("replacement")),
                    .seed = sim::mix(whole_number(settings, "seed", 0, UINT32_MAX))};
  return std::make_unique<Batched<Bcache>>(shape, footprint);
}

std::string admission(const Settings& settings) {
  const std::string_view length = settings.text("sequential");
  return sim::parse_bytes(length).count == 0 ? "" : "sequential:after=" + std::string(length);
}

}  // namespace

extern const Spec bcache_lru{
    .name = "bcache_lru",
    .idea = "buckets of a log leave, whole; a hit makes its bucket young; long runs go around the cache",
    .paper = "Overstreet, bcache, Linux kernel 2013",
    .parameters = kParameters,
    .needs_writes = true,
    .admission = admission,
    .make = make,
};

}  // namespace policies
