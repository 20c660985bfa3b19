// SMQ: stochastic multiqueue, the policy of dm-cache.
//
// Linux 6.1, drivers/md/dm-cache-policy-smq.c and dm-cache-target.c. Described here from what these do.
//
// A multiqueue is 64 lists, one above the other. A use moves an entry to the young end of a higher list, in exchange
// for the oldest there. Now and then the lists are brought back to even lengths: the oldest of the list above come
// down, the youngest go up.
//
// The hotspot queue has an entry for each region of the origin that was missed lately: regions of 16 adjacent blocks,
// or fewer, 8, 4, 2, 1, as long as all of them together would be larger than the origin. It has a quarter as many
// entries as the cache has blocks; the oldest of the lowest level gives way. The top 8 levels are short: 1/64 of the
// entries, or of the cache, in all. A missed region rises by `jump` levels, once a tick. A missed block comes in if its
// region's level is at least the promotion level. Both follow how many misses found their region in the top quarter of
// the levels since the last redistribution: under 1/16, jump 4 and level 48; under 1/8, 2 and 32; else 1 and 0 (the
// jump is set when lists are redistributed, each second; the level each tick, and 63 before the first).
// The kernel also has a table by which promotion would depend on the cache's own hits; a maximum, where a minimum seems
// to be meant, takes its effect away.
//
// The cache has two queues, clean and dirty blocks, without short levels. A block comes in at the top; its first hit in
// a minute moves it up by one; they are redistributed each minute. When a block should come in and the cache is full,
// it does not: but the oldest clean block of the lowest level, in the lower half of the levels, is told to leave, and
// does when the next block comes in. If there is none, the oldest dirty block is written back: one that lies before the
// first of its level's two sentinels, which move to the young end in turn every 10 seconds.
//
// mode: writeback, where writes make blocks dirty, or writethrough (the kernel's default is writeback)
// whole_writes: 1 if a write covers its whole block: in writeback mode it then comes in at once, dirty, while there is
//               room (0)
// tick: accesses between ticks. A tick ends when an access ends that began after the one before: with n outstanding
//       accesses, about every n (8)
// second: accesses a second (1000)
// hotspots: least number of entries in the hotspot queue (1024)
// origin: blocks of the origin; 0: so many that regions have 16 (0)
//
// Left out: time and bandwidth of migrations (a block is there at once; a block that has been told to leave still hits
// until its place is needed, here only), writing back while idle, discards. As in the kernel, a cache of fewer than 4
// blocks keeps what has come in. The levels of blocks do not survive a restart.
//
// Played with the 15,000 requests of a real run, whose cache filled and never replaced a block, it counts 11,163 hits
// where the kernel counted 11,285 (tests/policies/smq_test.cpp); without that maximum, about 10,200.
#include <algorithm>
#include <array>
#include <bit>

#include "policies/parts/batch.h"
#include "policies/parts/whole_number.h"
#include "sim/random.h"

namespace policies {
namespace {

using Node = std::uint32_t;
constexpr Node kNoNode = UINT32_MAX;
constexpr unsigned kLevels = 64;

// An entry of a multiqueue, or a mark in it: in one list at most.
struct Entry {
  Node older = kNoNode;
  Node younger = kNoNode;
  std::uint32_t level = 0;
};
using Entries = std::vector<Entry>;

// The lists of a multiqueue. Nodes from `first_sentinel` on are marks in the lists, not counted.
class Multiqueue {
 public:
  Multiqueue(Entries& entries, Node first_sentinel) : entries_(entries), first_sentinel_(first_sentinel) {
    oldest_.fill(kNoNode), youngest_.fill(kNoNode);
  }
  Multiqueue(const Multiqueue&) = delete;
  Multiqueue& operator=(const Multiqueue&) = delete;

  // The top levels hold `in_top` entries together.
  void shorten_top(unsigned levels, std::uint32_t in_top) { top_levels_ = levels, in_top_ = in_top; }

  std::uint32_t size() const { return size_; }
  Node oldest(unsigned level) const { return oldest_[level]; }
  bool is_sentinel(Node node) const { return node >= first_sentinel_; }

  void push(Node node) { insert(youngest_[entries_[node].level], node, kNoNode); }
  void push_before(Node younger, Node node) { insert(entries_[younger].older, node, younger); }

  void erase(Node node) {
    const auto [older, younger, level] = entries_[node];
    (older == kNoNode ? oldest_[level] : entries_[older].younger) = younger;
    (younger == kNoNode ? youngest_[level] : entries_[younger].older) = older;
    if (is_sentinel(node)) return;
    --size_;
    if (--count_[level] == 0) occupied_ &= ~(std::uint64_t{1} << level);
  }

  // The oldest entry of the lowest level below `end` that has one, or kNoNode.
  Node lowest(unsigned end) const {
    const unsigned level = static_cast<unsigned>(std::countr_zero(occupied_));
    return level < end ? first_entry(level).first : kNoNode;
  }

  // The oldest entry of the level, and how many sentinels are older.
  std::pair<Node, unsigned> first_entry(unsigned level) const {
    Node node = oldest_[level];
    unsigned passed = 0;
    for (; node != kNoNode && is_sentinel(node); node = entries_[node].younger) ++passed;
    return {node, passed};
  }

  // A use: the node goes up and becomes the youngest. In exchange, the oldest entry of that level comes down, where it
  // is the youngest, or older than the sentinel `before[s]` if it was behind s sentinels.
  void raise(Node node, unsigned levels, std::array<Node, 2> before = {kNoNode, kNoNode}) {
    const unsigned level = entries_[node].level;
    const unsigned higher = std::min(kLevels - 1, level + levels);
    if (higher > level) {
      const auto [down, passed] = first_entry(higher);
      if (down != kNoNode) {
        erase(down);
        entries_[down].level = level;
        const Node place = passed < before.size() ? before[passed] : kNoNode;
        place == kNoNode ? push(down) : push_before(place, down);
      }
    }
    move(node, higher);
  }

  void redistribute() {
    for (unsigned level = 0; level + 1 < kLevels; ++level) {
      const std::uint32_t target = target_of(level);
      while (count_[level] < target && (occupied_ >> level >> 1) != 0) {
        const unsigned from = level + 1 + static_cast<unsigned>(std::countr_zero(occupied_ >> level >> 1));
        move(first_entry(from).first, level);
      }
      while (count_[level] > target) move(last_entry(level), level + 1);
    }
  }

 private:
  void insert(Node older, Node node, Node younger) {
    const unsigned level = entries_[node].level;
    entries_[node].older = older, entries_[node].younger = younger;
    (older == kNoNode ? oldest_[level] : entries_[older].younger) = node;
    (younger == kNoNode ? youngest_[level] : entries_[younger].older) = node;
    if (is_sentinel(node)) return;
    ++size_, ++count_[level];
    occupied_ |= std::uint64_t{1} << level;
  }

  void move(Node node, unsigned level) {
    erase(node);
    entries_[node].level = level;
    push(node);
  }

  Node last_entry(unsigned level) const {
    Node node = youngest_[level];
    while (is_sentinel(node)) node = entries_[node].older;
    return node;
  }

  std::uint32_t target_of(unsigned level) const {
    const unsigned low_levels = kLevels - top_levels_;
    const bool top = level >= low_levels;
    const unsigned levels = top ? top_levels_ : low_levels;
    const std::uint32_t entries = top ? in_top_ : size_ - std::min(size_, in_top_);
    return entries / levels + ((top ? level - low_levels : level) < entries % levels ? 1 : 0);
  }

  Entries& entries_;
  Node first_sentinel_;
  std::uint32_t size_ = 0;
  unsigned top_levels_ = 0;
  std::uint32_t in_top_ = 0;
  std::uint64_t occupied_ = 0;  // levels with entries
  std::array<Node, kLevels> oldest_;
  std::array<Node, kLevels> youngest_;
  std::array<std::uint32_t, kLevels> count_{};
};

struct Options {
  bool writeback = true;
  bool whole_writes = false;
  std::uint32_t tick = 0;
  std::uint64_t second = 0;
  std::uint32_t hotspots = 0;
  std::uint64_t origin = 0;
};

// Which regions of the origin are missed.
class Hotspots {
 public:
  Hotspots(std::uint32_t capacity, std::uint32_t footprint, const Options& options)
      : most_(std::max(capacity / 4, options.hotspots)),
        region_blocks_(region_blocks(options.origin)),
        entries_(std::min(most_, footprint)),
        queue_(entries_, kNoNode),
        spots_(entries_.size()),
        chains_(std::bit_ceil(entries_.size()), kNoNode) {
    queue_.shorten_top(8, std::min(most_ / kLevels, capacity / region_blocks_));
  }

  // Notes a miss, and returns the level of its region.
  unsigned miss(std::uint64_t address) {
    const std::uint64_t region = address / region_blocks_;
    Node node = chain_of(region);
    while (node != kNoNode && spots_[node].region != region) node = spots_[node].next;
    if (node == kNoNode) {
      ++others_;
      node = place();
      spots_[node] = {.region = region, .next = chain_of(region)};
      chain_of(region) = node;
      queue_.push(node);
    } else {
      ++(entries_[node].level >= kLevels * 3 / 4 ? high_ : others_);
      queue_.raise(node, spots_[node].raised_at == tick_ ? 0 : jump_);
      spots_[node].raised_at = tick_;
    }
    return entries_[node].level;
  }

  unsigned promotion_level() const { return promotion_level_; }

  void tick(bool second_is_over) {
    ++tick_;
    promotion_level_ = kLevels - kLevels / doubt();
    if (!second_is_over) return;
    jump_ = doubt();
    queue_.redistribute();
    high_ = others_ = 0;
  }

  void prefetch(std::uint64_t address) const { __builtin_prefetch(&chains_[bucket(address / region_blocks_)], 1); }

 private:
  struct Spot {
    std::uint64_t region = 0;
    std::uint32_t raised_at = 0;  // tick
    Node next = kNoNode;          // in its chain
  };

  std::uint32_t region_blocks(std::uint64_t origin) const {
    std::uint32_t blocks = 16;
    while (origin > 0 && blocks > 1 && std::uint64_t{blocks} * most_ > origin) blocks /= 2;
    return blocks;
  }
  std::size_t bucket(std::uint64_t region) const { return sim::mix(region) & (chains_.size() - 1); }
  Node& chain_of(std::uint64_t region) { return chains_[bucket(region)]; }

  // 1 when many misses are in regions of the top levels, else 2 or 4.
  unsigned doubt() const {
    const std::uint64_t share = high_ + others_ == 0 ? 0 : high_ * 256 / (high_ + others_);
    return share < 16 ? 4 : share < 32 ? 2 : 1;
  }

  // A node for another region: unused, or taken from the oldest of the lowest level, and at that level.
  Node place() {
    if (queue_.size() < entries_.size()) return queue_.size();
    const Node node = queue_.lowest(kLevels);
    queue_.erase(node);
    Node* link = &chain_of(spots_[node].region);
    while (*link != node) link = &spots_[*link].next;
    *link = spots_[node].next;
    return node;
  }

  std::uint32_t most_;
  std::uint32_t region_blocks_;
  Entries entries_;
  Multiqueue queue_;
  std::vector<Spot> spots_;
  std::vector<Node> chains_;  // by a hash of the region
  std::uint32_t tick_ = 1;
  unsigned promotion_level_ = kLevels - 1;
  unsigned jump_ = 1;
  std::uint64_t high_ = 0;  // misses in regions of the top quarter of the levels
  std::uint64_t others_ = 0;
};

class Smq {
 public:
  Smq(std::uint32_t capacity, std::uint32_t footprint, const Options& options)
      : options_(options),
        capacity_(capacity),
        slots_(std::min(capacity, footprint)),
        ticks_left_(options.tick),
        next_sentinels_(10 * options.second),
        hotspots_(capacity, footprint, options),
        entries_(std::size_t{slots_} + 2 * kLevels),
        clean_(entries_, slots_),
        dirty_(entries_, slots_),
        node_of_block_(footprint, kNoNode),
        block_(slots_),
        is_dirty_(slots_),
        used_(slots_) {
    for (Node node = 0; node < slots_; ++node) entries_[node].younger = node + 1 < slots_ ? node + 1 : kNoNode;
    for (const bool which : {false, true}) {
      for (unsigned level = 0; level < kLevels; ++level) {
        entries_[sentinel(level, which)].level = level;
        dirty_.push(sentinel(level, which));
      }
    }
  }

  void use_addresses(std::span<const std::uint64_t> addresses) { addresses_ = addresses; }

  Outcome access(BlockId block, BlockId& victim, bool write) {
    if (ticks_left_ == 0) [[unlikely]]
      tick();
    --ticks_left_, ++now_;
    const Node node = node_of_block_[block];
    if (node != kNoNode) {
      if (node != leaving_) use(node, write && options_.writeback);
      return Outcome::hit;
    }
    const unsigned level = hotspots_.miss(addresses_[block]);
    const bool overwrite = write && options_.writeback && options_.whole_writes;
    const bool has_room = resident_ < capacity_;
    if (level < hotspots_.promotion_level() && !(overwrite && has_room)) return Outcome::rejected;
    if (!has_room && leaving_ == kNoNode) {
      demote();
      return Outcome::rejected;
    }
    if (!has_room) {
      victim = block_[leaving_];
      forget(victim);
    }
    come_in(block, overwrite);
    return Outcome::miss;
  }

  void prefetch(BlockId block) const {
    __builtin_prefetch(&node_of_block_[block], 1);
    __builtin_prefetch(&addresses_[block]);
  }
  void prefetch_linked(BlockId block) const {
    const Node node = node_of_block_[block];
    node == kNoNode ? hotspots_.prefetch(addresses_[block]) : __builtin_prefetch(&entries_[node], 1);
  }

  void forget(BlockId block) {
    const Node node = node_of_block_[block];
    if (node == kNoNode) return;
    node == leaving_ ? void(leaving_ = kNoNode) : queue_of(node).erase(node);
    node_of_block_[block] = kNoNode;
    entries_[node].younger = free_;
    free_ = node;
    --resident_;
  }
  bool contains(BlockId block) const { return node_of_block_[block] != kNoNode; }
  std::uint32_t resident() const { return resident_; }

 private:
  Multiqueue& queue_of(Node node) { return is_dirty_[node] ? dirty_ : clean_; }
  Node sentinel(unsigned level, bool which) const { return slots_ + level + (which ? kLevels : 0); }

  void use(Node node, bool make_dirty) {
    if (!used_[node]) {
      used_[node] = true;
      const unsigned level = entries_[node].level;
      is_dirty_[node] ? dirty_.raise(node, 1, {sentinel(level, !newer_), sentinel(level, newer_)})
                      : clean_.raise(node, 1);
    }
    if (make_dirty && !is_dirty_[node]) set_dirty(node, true);
  }

  void set_dirty(Node node, bool dirty) {
    queue_of(node).erase(node);
    is_dirty_[node] = dirty;
    queue_of(node).push(node);
  }

  void come_in(BlockId block, bool dirty) {
    const Node node = free_;
    free_ = entries_[node].younger;
    block_[node] = block;
    node_of_block_[block] = node;
    entries_[node].level = kLevels - 1;
    is_dirty_[node] = dirty;
    used_[node] = false;
    queue_of(node).push(node);
    ++resident_;
  }

  void demote() {
    constexpr std::uint32_t kFewest = 4;
    if (capacity_ < kFewest) return;
    leaving_ = clean_.lowest(kLevels / 2);
    leaving_ == kNoNode ? write_back() : clean_.erase(leaving_);
  }

  void write_back() {
    for (unsigned level = 0; level < kLevels; ++level) {
      const Node node = dirty_.oldest(level);
      if (!dirty_.is_sentinel(node)) return set_dirty(node, false);
    }
  }

  void tick() {
    ticks_left_ = options_.tick;
    if (now_ > next_sentinels_) {
      next_sentinels_ = now_ + 10 * options_.second;
      newer_ = !newer_;
      for (unsigned level = 0; level < kLevels; ++level) {
        dirty_.erase(sentinel(level, newer_));
        dirty_.push(sentinel(level, newer_));
      }
    }
    const bool second_is_over = now_ > next_second_;
    if (second_is_over) next_second_ = now_ + options_.second;
    hotspots_.tick(second_is_over);
    if (now_ > next_minute_) {
      next_minute_ = now_ + 60 * options_.second;
      std::fill(used_.begin(), used_.end(), false);
      dirty_.redistribute();
      clean_.redistribute();
    }
  }

  Options options_;
  std::uint32_t capacity_;
  std::uint32_t slots_;
  std::uint32_t resident_ = 0;
  std::uint32_t ticks_left_;  // accesses to the next tick
  std::uint64_t now_ = 0;     // accesses
  std::uint64_t next_second_ = 0;
  std::uint64_t next_minute_ = 0;
  std::uint64_t next_sentinels_;
  bool newer_ = true;       // which sentinels moved last
  Node leaving_ = kNoNode;  // in no queue
  Node free_ = 0;           // a list by `younger`
  std::span<const std::uint64_t> addresses_;
  Hotspots hotspots_;
  Entries entries_;
  Multiqueue clean_;
  Multiqueue dirty_;
  std::vector<Node> node_of_block_;
  std::vector<BlockId> block_;
  std::vector<bool> is_dirty_;
  std::vector<bool> used_;  // in this minute
};

constexpr Parameter kParameters[] = {
    {"mode", "writeback, where writes make blocks dirty, or writethrough", "writeback"},
    {"whole_writes", "1: a write covers its whole block, and in writeback mode comes in while there is room", "0"},
    {"tick", "accesses between ticks: about as many as are outstanding", "8"},
    {"second", "accesses a second", "1000"},
    {"hotspots", "least number of regions that are watched", "1024"},
    {"origin", "blocks of the cached device; 0: so many that regions have 16", "0"},
};

std::unique_ptr<Policy> make(std::uint32_t capacity, std::uint32_t footprint, const Settings& settings) {
  const std::string_view mode = settings.text("mode");
  if (mode != "writeback" && mode != "writethrough") {
    throw sim::UsageError("mode is writeback or writethrough, not '" + std::string(mode) + "'");
  }
  return std::make_unique<Batched<Smq>>(capacity, footprint,
                                        Options{.writeback = mode == "writeback",
                                                .whole_writes = whole_number(settings, "whole_writes", 0, 1) == 1,
                                                .tick = whole_number(settings, "tick", 1, UINT32_MAX),
                                                .second = whole_number(settings, "second", 1, UINT32_MAX),
                                                .hotspots = whole_number(settings, "hotspots", 1, 1'000'000),
                                                .origin = whole_number(settings, "origin", 0, UINT32_MAX)});
}

}  // namespace

extern const Spec smq{
    .name = "smq",
    .idea = "queues of 64 levels; a block comes in once its region has risen high enough among the regions missed",
    .paper = "Linux 6.1 dm-cache: drivers/md/dm-cache-policy-smq.c",
    .parameters = kParameters,
    .needs_writes = true,
    .needs_addresses = true,
    .make = make,
};

}  // namespace policies
