#include <fmt/format.h>

#include <array>
#include <list>
#include <map>
#include <memory>
#include <set>

#include "sim/error.h"
#include "tests/policies/twin.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_files.h"

namespace {

using namespace support;

struct Setting {
  std::string mode = "writeback";
  bool whole_writes = false;
  std::uint64_t tick = 8, second = 1000, hotspots = 1024, origin = 0;
  std::string text() const {
    return fmt::format("smq:mode={},whole_writes={},tick={},second={},hotspots={},origin={}", mode, int{whole_writes},
                       tick, second, hotspots, origin);
  }
};

// After the kernel's functions: the queues are lists of lists, oldest first, with the sentinels as entries among them.
struct Entry {
  std::uint64_t block = 0;
  std::size_t level = 0;
  bool dirty = false, sentinel = false, hit = false;
};
using EntryPtr = std::shared_ptr<Entry>;
using Level = std::list<EntryPtr>;

struct NaiveQueue {
  std::array<Level, 64> levels;
  std::size_t top_levels = 0, in_top = 0;

  static std::size_t entries(const Level& level) {
    return static_cast<std::size_t>(std::count_if(level.begin(), level.end(), [](auto& e) { return !e->sentinel; }));
  }
  std::size_t size() const {
    std::size_t all = 0;
    for (const Level& level : levels) all += entries(level);
    return all;
  }
  void push(const EntryPtr& e) { levels[e->level].push_back(e); }
  void remove(const EntryPtr& e) { levels[e->level].remove(e); }
  EntryPtr peek(std::size_t end, bool may_cross_sentinels) const {
    for (std::size_t i = 0; i < end; ++i) {
      for (const EntryPtr& e : levels[i]) {
        if (!e->sentinel) return e;
        if (!may_cross_sentinels) break;
      }
    }
    return nullptr;
  }
  std::vector<std::size_t> targets() const {
    std::vector<std::size_t> target(64, 0);
    const auto spread = [&](std::size_t count, std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) target[i] = count / (end - first);
      for (std::size_t i = first; first < end && i < first + count % (end - first); ++i) ++target[i];
    };
    spread(in_top, 64 - top_levels, 64);
    spread(size() > in_top ? size() - in_top : 0, 0, 64 - top_levels);
    return target;
  }
  void redistribute() {
    const auto target = targets();
    const auto is_entry = [](const EntryPtr& e) { return !e->sentinel; };
    for (std::size_t i = 0; i < 63; ++i) {
      while (entries(levels[i]) < target[i]) {
        std::size_t from = i + 1;
        while (from < 64 && entries(levels[from]) == 0) ++from;
        if (from == 64) break;
        const EntryPtr e = *std::find_if(levels[from].begin(), levels[from].end(), is_entry);
        remove(e);
        e->level = i;
        push(e);
      }
      while (entries(levels[i]) > target[i]) {
        const EntryPtr e = *std::find_if(levels[i].rbegin(), levels[i].rend(), is_entry);
        remove(e);
        e->level = i + 1;
        push(e);
      }
    }
  }
  void requeue(const EntryPtr& e, std::size_t up, std::vector<EntryPtr> sentinels = {}) {
    const std::size_t to = std::min<std::size_t>(63, e->level + up);
    if (to > e->level) {
      std::size_t passed = 0;
      for (const EntryPtr& d : levels[to]) {
        if (d->sentinel) {
          ++passed;
          continue;
        }
        const EntryPtr down = d;
        remove(down);
        down->level = e->level;
        Level& list = levels[down->level];
        list.insert(passed < sentinels.size() ? std::find(list.begin(), list.end(), sentinels[passed]) : list.end(),
                    down);
        break;
      }
    }
    remove(e);
    e->level = to;
    push(e);
  }
};

class NaiveSmq {
 public:
  NaiveSmq(const SmallTrace& trace, const Setting& setting) : s_(setting), capacity_(trace.capacity) {
    addresses_ = trace.addresses;
    most_hotspots_ = std::max<std::uint64_t>(capacity_ / 4, s_.hotspots);
    for (region_ = 16; s_.origin > 0 && region_ > 1 && region_ * most_hotspots_ > s_.origin;) region_ /= 2;
    hotspot_.top_levels = 8;
    hotspot_.in_top = std::min(most_hotspots_ / 64, capacity_ / region_);
    next_sentinels_ = 10 * s_.second;
    for (std::size_t which : {0, 1}) {
      for (std::size_t level = 0; level < 64; ++level) {
        sentinels_[which][level] = std::make_shared<Entry>(Entry{.level = level, .sentinel = true});
        dirty_.push(sentinels_[which][level]);
      }
    }
  }

  Played access(BlockId block, std::uint32_t, bool write) {
    if (now_ > 0 && now_ % s_.tick == 0) tick();
    ++now_;
    const bool writeback = s_.mode == "writeback";
    if (cached_.contains(block)) {
      if (block != leaving_) hit(cached_[block], write && writeback);
      return {Outcome::hit, kNoBlock};
    }
    const EntryPtr spot = miss_in_region(addresses_[block] / region_);
    const bool full = cached_.size() == capacity_;
    const bool at_once = writeback && write && s_.whole_writes;
    if (spot->level < promote_level_ && !(at_once && !full)) return {Outcome::rejected, kNoBlock};
    if (full && leaving_ == kNoBlock) {
      tell_one_to_leave();
      return {Outcome::rejected, kNoBlock};
    }
    BlockId victim = kNoBlock;
    if (full) {
      victim = leaving_;
      cached_.erase(victim);
      leaving_ = kNoBlock;
    }
    cached_[block] = std::make_shared<Entry>(Entry{.block = block, .level = 63, .dirty = at_once});
    (at_once ? dirty_ : clean_).push(cached_[block]);
    return {Outcome::miss, victim};
  }
  void forget(BlockId block) {
    if (!cached_.contains(block)) return;
    if (block == leaving_) {
      leaving_ = kNoBlock;
    } else {
      (cached_[block]->dirty ? dirty_ : clean_).remove(cached_[block]);
    }
    cached_.erase(block);
  }
  bool contains(BlockId block) const { return cached_.contains(block); }

 private:
  void hit(const EntryPtr& e, bool make_dirty) {
    if (!e->hit) {
      e->hit = true;
      if (e->dirty) {
        dirty_.requeue(e, 1, {sentinels_[!current_][e->level], sentinels_[current_][e->level]});
      } else {
        clean_.requeue(e, 1);
      }
    }
    if (make_dirty && !e->dirty) {
      clean_.remove(e);
      e->dirty = true;
      dirty_.push(e);
    }
  }

  EntryPtr miss_in_region(std::uint64_t region) {
    if (spots_.contains(region)) {
      const EntryPtr e = spots_[region];
      e->level >= 48 ? ++high_ : ++other_;
      hotspot_.requeue(e, e->hit ? 0 : jump_);
      e->hit = true;
      return e;
    }
    ++other_;
    EntryPtr e = std::make_shared<Entry>();
    if (spots_.size() == most_hotspots_) {
      e = hotspot_.peek(64, true);
      hotspot_.remove(e);
      spots_.erase(e->block);
      e->hit = false;
    }
    e->block = region;
    hotspot_.push(e);
    return spots_[region] = e;
  }

  void tell_one_to_leave() {
    if (capacity_ * 25 / 100 == 0) return;  // the free target is met
    if (const EntryPtr e = clean_.peek(32, true)) {
      clean_.remove(e);
      leaving_ = static_cast<BlockId>(e->block);
    } else if (const EntryPtr d = dirty_.peek(64, false)) {
      dirty_.remove(d);
      d->dirty = false;
      clean_.push(d);
    }
  }

  void tick() {
    if (now_ > next_sentinels_) {
      next_sentinels_ = now_ + 10 * s_.second;
      current_ = !current_;
      for (const EntryPtr& sentinel : sentinels_[current_]) dirty_.remove(sentinel), dirty_.push(sentinel);
    }
    const std::uint64_t share = high_ + other_ ? high_ * 256 / (high_ + other_) : 0;
    for (auto& [region, e] : spots_) e->hit = false;
    promote_level_ = share < 16 ? 48 : share < 32 ? 32 : 0;
    if (now_ > next_second_) {
      next_second_ = now_ + s_.second;
      jump_ = share < 16 ? 4 : share < 32 ? 2 : 1;
      hotspot_.redistribute();
      high_ = other_ = 0;
    }
    if (now_ > next_minute_) {
      next_minute_ = now_ + 60 * s_.second;
      for (auto& [block, e] : cached_) e->hit = false;
      dirty_.redistribute();
      clean_.redistribute();
    }
  }

  Setting s_;
  std::uint64_t capacity_;
  std::vector<std::uint64_t> addresses_;
  std::uint64_t most_hotspots_ = 0, region_ = 0;
  NaiveQueue hotspot_, clean_, dirty_;
  std::array<std::array<EntryPtr, 64>, 2> sentinels_;
  bool current_ = true;
  std::map<BlockId, EntryPtr> cached_;
  std::map<std::uint64_t, EntryPtr> spots_;
  BlockId leaving_ = kNoBlock;
  std::uint64_t now_ = 0, next_second_ = 0, next_minute_ = 0, next_sentinels_ = 0;
  std::uint64_t high_ = 0, other_ = 0;
  std::size_t promote_level_ = 63, jump_ = 1;
};

// Also that blocks do come in, and leave where there are minutes.
void expect_equal(const Setting& setting) {
  SCOPED_TRACE(setting.text());
  std::array<int, 2> came_and_left{};
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const SmallTrace trace = small_trace(seed, false);
    const auto policy = choice(setting.text()).make(trace.capacity, trace.footprint);
    for (const Played& one : play(*policy, trace, 0, trace.blocks.size(), false)) {
      came_and_left[0] += one.outcome == Outcome::miss;
      came_and_left[1] += one.victim != kNoBlock;
    }
  }
  EXPECT_GE(came_and_left[0], 1000);
  EXPECT_TRUE(came_and_left[1] >= 200 || setting.second >= 40) << came_and_left[1];
  expect_equal_to_twin(setting.text(),
                       [&](const SmallTrace& trace) { return std::make_unique<NaiveSmq>(trace, setting); });
}

TEST(Smq, EqualsTwin) { expect_equal({}); }
// A minute of 60 or 300 accesses, so that small traces have some; an origin so small that regions are of one block.
TEST(Smq, EqualsTwinAsTimePasses) { expect_equal({.tick = 3, .second = 5, .origin = 100}); }
TEST(Smq, EqualsTwinInWritethroughMode) {
  expect_equal({.mode = "writethrough", .tick = 2, .second = 1, .origin = 100});
}
TEST(Smq, EqualsTwinWithWholeWrites) { expect_equal({.whole_writes = true, .tick = 1, .second = 1, .origin = 100}); }
TEST(Smq, EqualsTwinWithFewHotspots) { expect_equal({.tick = 1, .second = 60, .hotspots = 2}); }
TEST(Smq, EqualsTwinWithASmallOrigin) { expect_equal({.tick = 2, .second = 40, .hotspots = 3, .origin = 20}); }

TEST(Smq, SaysWhatIsWrong) {
  for (const char* text : {"smq:mode=writearound", "smq:whole_writes=2", "smq:tick=0", "smq:second=0", "smq:hotspots=0",
                           "smq:origin=-1"}) {
    EXPECT_THROW(choice(text), sim::UsageError) << text;
  }
}

// A run of dm-cache, Linux 6.1: 15,000 requests of 4 KiB in 13.14 s, 8 outstanding, to an origin of 512 MiB behind a
// cache of 1024 blocks of 32 KiB. Its status line counted 8999 read hits, 2286 write hits, 1024 promotions and no
// demotion.
TEST(Smq, ComesCloseToARealCache) {
  NEEDS_SHARED_DATA("samples/cache_groundtruth");
  const WholeTrace upper = read_all(
      shared_data("samples/cache_groundtruth/dmcache_smq_writethrough/dmcache_smq_writethrough.upper").string());
  SmallTrace trace;
  std::map<std::uint64_t, BlockId> number;
  for (const traces::Request& r : upper.requests) {
    const auto [at, fresh] = number.try_emplace(r.offset.bytes / 32768, static_cast<BlockId>(number.size()));
    if (fresh) trace.addresses.push_back(at->first);
    trace.blocks.push_back(at->second);
    trace.writes.push_back(r.op == traces::Op::write);
  }
  trace.footprint = static_cast<std::uint32_t>(number.size());
  ASSERT_EQ(trace.blocks.size(), 15'000u);
  for (const auto& [tick, second] : {std::pair{8, 1140}, {4, 1140}, {8, 1000}, {16, 1140}, {1, 1140}}) {
    const Setting setting{.mode = "writethrough",
                          .tick = static_cast<std::uint64_t>(tick),
                          .second = static_cast<std::uint64_t>(second),
                          .origin = 16384};
    const auto all = play(*choice(setting.text()).make(1024, trace.footprint), trace, 0, trace.blocks.size(), false);
    std::array<int, 2> hits{};
    for (std::size_t i = 0; i < all.size(); ++i) hits[trace.writes[i]] += all[i].outcome == Outcome::hit;
    const std::string what = fmt::format("{}: {} read hits, {} write hits", setting.text(), hits[0], hits[1]);
    EXPECT_NEAR(hits[0], 8999, 8999 * 0.04) << what;
    EXPECT_NEAR(hits[1], 2286, 2286 * 0.05) << what;
    EXPECT_EQ(std::count_if(all.begin(), all.end(), [](auto& p) { return p.outcome == Outcome::miss; }), 1024) << what;
    EXPECT_EQ(std::count_if(all.begin(), all.end(), [](auto& p) { return p.victim != kNoBlock; }), 0) << what;
  }
}

}  // namespace
