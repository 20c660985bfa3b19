#include "experiments/hit_rate.h"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>

#include "sim/parallel.h"
#include "traces/reuse_distance.h"

namespace experiments {
namespace {

using traces::Op;

constexpr std::size_t kSegmentRequests = 2048;
constexpr std::int64_t kWindows = 100;

// A run of requests that every policy is given in one call. It ends at the warm-up's end, at the end of a time window,
// and before a discard.
struct Segment {
  std::size_t request, request_end;
  std::size_t access, access_end;
  std::uint32_t window;
  bool counted;
  bool simple;                             // every request is a read or write of exactly one block
  const traces::Blocks::Discard* discard;  // takes place before the first request
};

struct Plan {
  std::vector<Segment> segments;
  std::size_t longest = 0;  // accesses
  Demand demand;
};

std::uint32_t window_of(const traces::Trace& trace, std::size_t from, std::size_t request) {
  const std::int64_t begin = trace.times()[from].count;
  const std::int64_t span = trace.times()[trace.size() - 1].count - begin + 1;
  const std::int64_t at = std::max<std::int64_t>(0, trace.times()[request].count - begin);
  return static_cast<std::uint32_t>(static_cast<double>(at) / static_cast<double>(span) * kWindows);
}

void count_demand(const traces::Blocks& blocks, std::size_t request, std::uint32_t accesses, Demand& demand) {
  const bool write = blocks.trace().ops()[request] == Op::write;
  const std::uint64_t length = blocks.trace().lengths()[request];
  ++demand.requests;
  (write ? demand.accesses.writes : demand.accesses.reads) += accesses;
  (write ? demand.bytes.writes : demand.bytes.reads) += length;
  demand.write_requests += write;
}

Plan make_plan(const traces::Blocks& blocks, std::uint64_t warmup) {
  const traces::Trace& trace = blocks.trace();
  Plan plan;
  const traces::Blocks::Discard* discard = blocks.discards().data();
  const traces::Blocks::Discard* const discards_end = discard + blocks.discards().size();
  std::size_t access = 0;
  traces::BlockId seen = 0;  // distinct blocks so far: ids are in order of first appearance
  std::vector<bool> gone(blocks.discards().empty() ? 0 : blocks.footprint());
  for (std::size_t r = 0; r < trace.size();) {
    Segment s{.request = r,
              .request_end = r,
              .access = access,
              .access_end = access,
              .window = 0,
              .counted = r >= warmup,
              .simple = true,
              .discard = nullptr};
    if (discard != discards_end && discard->request == r) {
      for (const traces::BlockId id : discard->blocks) gone[id] = true;
      s.discard = discard++;
    }
    if (s.counted) s.window = window_of(trace, warmup, r);
    for (; r < trace.size() && r - s.request < kSegmentRequests; ++r) {
      if (r > s.request) {
        if (r == warmup || (discard != discards_end && discard->request == r)) break;
        if (s.counted && window_of(trace, warmup, r) != s.window) break;
      }
      const std::uint32_t accesses = blocks.count(r);
      if (s.counted && accesses) count_demand(blocks, r, accesses, plan.demand);
      for (const traces::BlockId id : blocks.accesses().subspan(access, accesses)) {
        if (id == seen) {
          ++seen;
          plan.demand.cold_misses += s.counted;
        } else if (!gone.empty() && gone[id]) {
          gone[id] = false;
          plan.demand.discard_misses += s.counted;
        }
      }
      access += accesses;
      s.simple &= accesses == 1;
    }
    s.request_end = r;
    s.access_end = access;
    plan.longest = std::max(plan.longest, access - s.access);
    plan.segments.push_back(s);
  }
  return plan;
}

// The requested bytes that lie in the `index`th of the `count` blocks that request `r` touches.
class Coverage {
 public:
  Coverage(const traces::Blocks& blocks, std::size_t r, std::uint32_t count)
      : block_(static_cast<std::uint64_t>(blocks.block().count)), length_(blocks.trace().lengths()[r]), count_(count) {
    if (count > 1) first_ = block_ - blocks.trace().offsets()[r].bytes % block_;
  }
  std::uint64_t bytes(std::uint32_t index) const {
    if (count_ == 1) return length_;
    if (index == 0) return first_;
    return index + 1 < count_ ? block_ : length_ - first_ - (count_ - 2) * block_;
  }

 private:
  std::uint64_t block_, length_, first_ = 0;
  std::uint32_t count_;
};

void set_window_quantiles(HitRate& row, std::vector<double> ratios) {
  if (ratios.empty()) return;
  std::sort(ratios.begin(), ratios.end());
  const auto quantile = [&](double q) {
    return ratios[static_cast<std::size_t>(q * static_cast<double>(ratios.size() - 1) + 0.5)];
  };
  row.window_p10 = quantile(0.1);
  row.window_p90 = quantile(0.9);
}

// Block references and hits by time window.
struct Windows {
  std::vector<std::uint64_t> accesses = std::vector<std::uint64_t>(kWindows),
                             hits = std::vector<std::uint64_t>(kWindows);
  void finish(HitRate& row) const {
    std::vector<double> ratios;
    for (std::size_t w = 0; w < accesses.size(); ++w) {
      if (accesses[w]) ratios.push_back(static_cast<double>(hits[w]) / static_cast<double>(accesses[w]));
    }
    set_window_quantiles(row, std::move(ratios));
  }
};

// --- One policy at one size ---

void count_simple(const traces::Blocks& blocks, const Segment& s, std::span<const policies::Outcome> outcomes,
                  HitRate& row) {
  const traces::Trace& trace = blocks.trace();
  std::uint64_t hits[2] = {}, hit_bytes[2] = {}, kept_bytes = 0, fetched = 0;
  const auto block = static_cast<std::uint64_t>(blocks.block().count);
  const bool whole = blocks.granularity() == traces::Granularity::block;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const std::size_t r = s.request + i;
    const std::uint64_t length = trace.lengths()[r];
    const bool write = trace.ops()[r] == Op::write;
    const bool hit = outcomes[i] == policies::Outcome::hit;
    const bool kept = outcomes[i] != policies::Outcome::rejected;
    const std::uint64_t fetch = !hit && !write ? (whole ? block : length) : 0;
    hits[write] += hit;
    hit_bytes[write] += hit ? length : 0;
    fetched += fetch;
    kept_bytes += kept ? (write ? length : fetch) : 0;
    row.backend_reads += !hit && !write;
  }
  row.hits.reads += hits[0];
  row.hits.writes += hits[1];
  row.request_hits += hits[0] + hits[1];
  row.hit_bytes.reads += hit_bytes[0];
  row.hit_bytes.writes += hit_bytes[1];
  row.backend_read_bytes += fetched;
  row.cache_write_bytes += kept_bytes;
}

void count_any(const traces::Blocks& blocks, const Segment& s, std::span<const policies::Outcome> outcomes,
               HitRate& row) {
  const bool whole = blocks.granularity() == traces::Granularity::block;
  std::size_t at = 0;
  for (std::size_t r = s.request; r < s.request_end; ++r) {
    const std::uint32_t count = blocks.count(r);
    if (!count) continue;
    const Coverage coverage(blocks, r, count);
    const bool write = blocks.trace().ops()[r] == Op::write;
    bool all = true, missed_before = false;
    for (std::uint32_t b = 0; b < count; ++b) {
      const policies::Outcome outcome = outcomes[at++];
      const bool hit = outcome == policies::Outcome::hit;
      const bool kept = outcome != policies::Outcome::rejected;
      const std::uint64_t bytes = coverage.bytes(b);
      if (hit) {
        ++(write ? row.hits.writes : row.hits.reads);
        (write ? row.hit_bytes.writes : row.hit_bytes.reads) += bytes;
      } else if (!write) {
        const std::uint64_t fetch = whole ? static_cast<std::uint64_t>(blocks.block().count) : bytes;
        row.backend_reads += !missed_before;
        row.backend_read_bytes += fetch;
        if (kept) row.cache_write_bytes += fetch;
      }
      if (write && kept) row.cache_write_bytes += bytes;
      all &= hit;
      missed_before = !hit;
    }
    row.request_hits += all;
  }
}

HitRate simulate(const traces::Blocks& blocks, std::span<const std::uint32_t> next_use, const Plan& plan,
                 const policies::Choice& choice, std::uint32_t capacity) {
  HitRate row;
  row.policy = choice.text;
  row.capacity_blocks = capacity;
  const auto policy = choice.make(capacity, blocks.footprint());
  std::vector<policies::Outcome> outcomes(plan.longest);
  Windows windows;
  for (const Segment& s : plan.segments) {
    if (s.discard) {
      for (const traces::BlockId id : s.discard->blocks) policy->forget(id);
    }
    const std::size_t count = s.access_end - s.access;
    const std::span<policies::Outcome> filled(outcomes.data(), count);
    policy->access({.blocks = blocks.accesses().subspan(s.access, count),
                    .next_use = choice.spec->needs_future ? next_use.subspan(s.access, count) : next_use.first(0),
                    .outcomes = filled,
                    .victims = {}});
    if (!s.counted) continue;
    const std::uint64_t before = row.hits.sum();
    s.simple ? count_simple(blocks, s, filled, row) : count_any(blocks, s, filled, row);
    windows.accesses[s.window] += count;
    windows.hits[s.window] += row.hits.sum() - before;
  }
  windows.finish(row);
  return row;
}

// --- LRU at every size, from reuse distances ---

// Finds the first of ascending sizes that is at least a distance, from a table by the distance's leading four bits.
class SizeIndex {
 public:
  explicit SizeIndex(std::vector<std::uint32_t> sizes) : sizes_(std::move(sizes)) {
    std::uint32_t index = 0;
    for (std::uint32_t bucket = 0; bucket < start_.size(); ++bucket) {
      while (index < sizes_.size() && sizes_[index] < lowest(bucket)) ++index;
      start_[bucket] = index;
    }
  }
  std::uint32_t operator()(std::uint32_t distance) const {
    std::uint32_t index = start_[bucket_of(distance)];
    while (index < sizes_.size() && sizes_[index] < distance) ++index;
    return index;
  }
  const std::vector<std::uint32_t>& sizes() const { return sizes_; }

 private:
  static std::uint32_t bucket_of(std::uint32_t distance) {
    if (distance < 8) return distance;
    const int top = std::bit_width(distance) - 4;
    return static_cast<std::uint32_t>(top) * 8 + (distance >> top);
  }
  static std::uint64_t lowest(std::uint32_t bucket) {
    return bucket < 16 ? bucket : std::uint64_t{bucket % 8 + 8} << (bucket / 8 - 1);
  }
  std::vector<std::uint32_t> sizes_;
  std::array<std::uint32_t, 256> start_{};
};

// Counts by the smallest size at which something is a hit; index sizes().size() is "at none of them".
class LruCounts {
 public:
  LruCounts(const traces::Blocks& blocks, SizeIndex index)
      : blocks_(blocks),
        index_(std::move(index)),
        at_(index_.sizes().size() + 1),
        windows_(kWindows, std::vector<std::uint64_t>(at_.size())) {}

  void count(const Segment& s, std::span<const std::uint32_t> distances) {
    auto& window = windows_[s.window];
    std::size_t at = 0;
    for (std::size_t r = s.request; r < s.request_end; ++r) {
      const std::uint32_t count = s.simple ? 1 : blocks_.count(r);
      if (!count) continue;
      const Coverage coverage(blocks_, r, count);
      const bool write = blocks_.trace().ops()[r] == Op::write;
      std::uint32_t largest = 0, before = 0;
      for (std::uint32_t b = 0; b < count; ++b) {
        const std::uint32_t size = index_(distances[at++]);
        const std::uint64_t bytes = coverage.bytes(b);
        At& a = at_[size];
        ++window[size];
        if (write) {
          ++a.hits.writes;
          a.hit_bytes.writes += bytes;
        } else {
          ++a.hits.reads;
          a.hit_bytes.reads += bytes;
          // A run of misses begins here at the sizes below this block's that hit the block before it (for the first
          // block: at all below).
          if (before < size) ++at_[before].runs_begin, ++a.runs_end;
        }
        largest = std::max(largest, size);
        before = size;
      }
      ++at_[largest].request_hits;
    }
  }

  std::vector<HitRate> rows(const Demand& demand) const {
    std::vector<HitRate> rows;
    HitRate sum;
    std::uint64_t runs = 0;
    const bool whole = blocks_.granularity() == traces::Granularity::block;
    for (std::size_t i = 0; i < index_.sizes().size(); ++i) {
      const At& a = at_[i];
      sum.hits.reads += a.hits.reads, sum.hits.writes += a.hits.writes;
      sum.hit_bytes.reads += a.hit_bytes.reads, sum.hit_bytes.writes += a.hit_bytes.writes;
      sum.request_hits += a.request_hits;
      runs += a.runs_begin;
      runs -= a.runs_end;
      HitRate row = sum;
      row.capacity_blocks = index_.sizes()[i];
      row.stack_distance = true;
      row.backend_reads = runs;
      row.backend_read_bytes =
          whole ? (demand.accesses.reads - sum.hits.reads) * static_cast<std::uint64_t>(blocks_.block().count)
                : demand.bytes.reads - sum.hit_bytes.reads;
      row.cache_write_bytes = row.backend_read_bytes + demand.bytes.writes;
      Windows windows;
      for (std::size_t w = 0; w < windows_.size(); ++w) {
        for (std::size_t j = 0; j < windows_[w].size(); ++j) {
          windows.accesses[w] += windows_[w][j];
          windows.hits[w] += j <= i ? windows_[w][j] : 0;
        }
      }
      windows.finish(row);
      rows.push_back(row);
    }
    return rows;
  }

 private:
  struct At {
    ByOp hits, hit_bytes;
    std::uint64_t request_hits = 0, runs_begin = 0, runs_end = 0;
  };
  const traces::Blocks& blocks_;
  SizeIndex index_;
  std::vector<At> at_;
  std::vector<std::vector<std::uint64_t>> windows_;
};

std::vector<HitRate> lru_at_every_size(const traces::Blocks& blocks, const Plan& plan, const std::string& name,
                                       std::span<const std::uint32_t> capacities) {
  std::vector<std::uint32_t> sizes(capacities.begin(), capacities.end());
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  traces::ReuseDistance reuse(blocks.footprint());
  LruCounts counts(blocks, SizeIndex(sizes));
  std::vector<std::uint32_t> distances(plan.longest);
  for (const Segment& s : plan.segments) {
    if (s.discard) {
      for (const traces::BlockId id : s.discard->blocks) reuse.forget(id);
    }
    const std::span<std::uint32_t> filled(distances.data(), s.access_end - s.access);
    reuse.access(blocks.accesses().subspan(s.access, filled.size()), filled);
    if (s.counted) counts.count(s, filled);
  }
  const auto by_size = counts.rows(plan.demand);
  std::vector<HitRate> rows;
  for (const std::uint32_t capacity : capacities) {
    rows.push_back(*std::find_if(by_size.begin(), by_size.end(),
                                 [&](const HitRate& row) { return row.capacity_blocks == capacity; }));
    rows.back().policy = name;
  }
  return rows;
}

}  // namespace

HitRates hit_rates(traces::Blocks& blocks, std::span<const policies::Choice> choices,
                   std::span<const std::uint32_t> capacities, const HitRateOptions& options) {
  const Plan plan = make_plan(blocks, options.warmup_requests);
  std::span<const std::uint32_t> next_use;
  if (std::any_of(choices.begin(), choices.end(), [](const auto& c) { return c.spec->needs_future; }))
    next_use = blocks.next_use();

  HitRates result{.demand = plan.demand, .rows = std::vector<HitRate>(choices.size() * capacities.size())};
  std::vector<std::function<void()>> tasks;
  for (std::size_t c = 0; c < choices.size(); ++c) {
    HitRate* const rows = &result.rows[c * capacities.size()];
    if (choices[c].spec->name == "lru" && !options.simulate_lru) {
      tasks.emplace_back(
          [&, c, rows] { std::ranges::copy(lru_at_every_size(blocks, plan, choices[c].text, capacities), rows); });
      continue;
    }
    for (std::size_t i = 0; i < capacities.size(); ++i) {
      tasks.emplace_back([&, c, i, rows] { rows[i] = simulate(blocks, next_use, plan, choices[c], capacities[i]); });
    }
  }
  std::mutex mutex;
  std::size_t done = 0;
  sim::for_each_index(tasks.size(), options.threads, [&](std::size_t t) {
    tasks[t]();
    if (!options.progress) return;
    const std::scoped_lock lock(mutex);
    options.progress(static_cast<double>(++done) / static_cast<double>(tasks.size()));
  });
  return result;
}

}  // namespace experiments
