#include "experiments/segments.h"

#include <algorithm>
#include <utility>

#include "sim/cpu.h"
#include "sim/error.h"

namespace experiments {

using traces::Op;

void Demand::add(const Demand& more) {
  requests += more.requests;
  accesses.add(more.accesses);
  bytes.add(more.bytes);
  write_requests += more.write_requests;
  cold_misses += more.cold_misses;
  discard_misses += more.discard_misses;
  working_set += more.working_set;
}

Windows Windows::split(std::uint64_t warmup_requests, sim::Nanoseconds begin, sim::Nanoseconds last,
                       std::uint32_t count) {
  return of_width(warmup_requests, begin, last, {(last - begin).count / count + 1});
}

Windows Windows::of_width(std::uint64_t warmup_requests, sim::Nanoseconds begin, sim::Nanoseconds last,
                          sim::Nanoseconds width) {
  constexpr std::int64_t kMost = 100'000;
  const std::int64_t count = (last - begin) / width + 1;
  if (count > kMost) {
    throw sim::UsageError("windows of " + sim::format(width) + " make " + std::to_string(count) + " of the trace's " +
                          sim::format(last - begin) + "; at most " + std::to_string(kMost) + " are kept");
  }
  return {warmup_requests, begin, width, static_cast<std::uint32_t>(count)};
}

std::uint32_t Windows::at(sim::Nanoseconds time) const {
  const std::int64_t window = time < begin ? 0 : (time - begin) / width;
  return static_cast<std::uint32_t>(std::min<std::int64_t>(window, count - 1));
}

std::size_t Windows::within(std::uint32_t window, std::span<const sim::Nanoseconds> times) const {
  const sim::Nanoseconds end = begin + width * (window + std::int64_t{1});
  if (window + 1 == count || times.empty() || times.back() < end) return times.size();
  return static_cast<std::size_t>(std::lower_bound(times.begin(), times.end(), end) - times.begin());
}

Windows Windows::of_parts(std::span<const std::uint64_t> origins) const {
  Windows windows = *this;
  windows.warmup_requests =
      static_cast<std::uint64_t>(std::lower_bound(origins.begin(), origins.end(), warmup_requests) - origins.begin());
  return windows;
}

Demand demand_of(const traces::Trace& trace, const traces::Division& division, std::size_t from, std::size_t to,
                 std::span<const std::uint8_t> fills) {
  Demand demand;
  for (std::size_t r = from; r < to; ++r) {
    const Op op = trace.ops()[r];
    const std::uint32_t length = trace.lengths()[r];
    const std::uint32_t count = moves_data(op) ? division.count(trace.offsets()[r], length) : 0;
    if (!count || (!fills.empty() && fills[r])) continue;
    const bool write = op == Op::write;
    ++demand.requests;
    demand.write_requests += write;
    (write ? demand.accesses.writes : demand.accesses.reads) += count;
    (write ? demand.bytes.writes : demand.bytes.reads) += length;
  }
  return demand;
}

IOCAST_FOR_EACH_CPU Demand single_block_demand(const traces::Trace& trace, std::size_t from, std::size_t to) {
  const Op* const ops = trace.ops().data();
  const std::uint32_t* const lengths = trace.lengths().data();
  std::uint32_t writes = 0;
  std::uint64_t bytes = 0, write_bytes = 0;
  for (std::size_t r = from; r < to; ++r) writes += ops[r] == Op::write;
  for (std::size_t r = from; r < to; ++r) bytes += lengths[r];
  for (std::size_t r = from; r < to; ++r) write_bytes += ops[r] == Op::write ? lengths[r] : 0;
  Demand demand;
  demand.requests = to - from;
  demand.write_requests = writes;
  demand.accesses = {to - from - writes, writes};
  demand.bytes = {bytes - write_bytes, write_bytes};
  return demand;
}

Segmenter::Segmenter(const Windows& windows, std::uint32_t footprint, Wanted wanted)
    : windows_(windows),
      demand_(windows.count),
      last_window_(wanted.working_sets ? footprint : 0, kNoWindow),
      footprint_(footprint),
      capacities_(std::move(wanted.capacities)) {
  std::sort(capacities_.begin(), capacities_.end());
  capacities_.erase(std::unique(capacities_.begin(), capacities_.end()), capacities_.end());
}

std::vector<Segment> Segmenter::cut(const traces::Blocks& blocks, std::span<const std::uint8_t> fills) {
  const traces::Trace& trace = blocks.trace();
  std::vector<Segment> segments;
  discard_ = blocks.discards().data();
  discards_end_ = discard_ + blocks.discards().size();
  std::size_t access = 0;
  for (std::size_t r = 0; r < trace.size();) {
    Segment s{.request = r,
              .request_end = r,
              .access = access,
              .access_end = access,
              .window = 0,
              .counted = requests_ + r >= windows_.warmup_requests,
              .simple = false,
              .accesses = {},
              .bytes = {},
              .discard = nullptr};
    if (discard_ != discards_end_ && discard_->request == r) {
      discard(*discard_);
      s.discard = discard_++;
    }
    if (s.counted) s.window = windows_.at(trace.times()[r]);
    s.request_end = end_of(blocks, s);
    count(blocks, fills, s);
    access = s.access_end;
    r = s.request_end;
    refer(blocks, s);
    segments.push_back(s);
  }
  requests_ += trace.size();
  return segments;
}

std::size_t Segmenter::end_of(const traces::Blocks& blocks, const Segment& s) const {
  const auto times = blocks.trace().times();
  std::size_t end = std::min(s.request + kRequests, times.size());
  if (!s.counted) end = std::min<std::size_t>(end, windows_.warmup_requests - requests_);
  if (discard_ != discards_end_) end = std::min<std::size_t>(end, discard_->request);
  return s.counted ? s.request + windows_.within(s.window, times.subspan(s.request, end - s.request)) : end;
}

void Segmenter::count(const traces::Blocks& blocks, std::span<const std::uint8_t> fills, Segment& s) {
  const traces::Trace& trace = blocks.trace();
  s.simple = fills.empty() && blocks.division().single(trace, s.request, s.request_end);
  const Demand demand = s.simple ? single_block_demand(trace, s.request, s.request_end)
                                 : demand_of(trace, blocks.division(), s.request, s.request_end, fills);
  s.accesses = demand.accesses;
  s.bytes = demand.bytes;
  s.access_end = s.access + demand.accesses.sum();
  for (std::size_t r = s.request; !fills.empty() && r < s.request_end; ++r)
    s.access_end += fills[r] ? blocks.count(r) : 0;
  if (s.counted) demand_[s.window].add(demand);
}

void Segmenter::discard(const traces::Blocks::Discard& discard) {
  if (gone_.empty()) gone_.resize(footprint_);
  for (const traces::BlockId id : discard.blocks) {
    live_ -= !gone_[id];
    gone_[id] = true;
  }
}

// First accesses, blocks that come back after a discard, and which blocks each window touches.
void Segmenter::refer(const traces::Blocks& blocks, const Segment& s) {
  const auto ids = blocks.accesses().subspan(s.access, s.access_end - s.access);
  std::uint32_t end = seen_;
  for (const traces::BlockId id : ids) end = std::max(end, id + 1);
  const std::uint32_t fresh = end - seen_;
  const bool fills = filled_.size() < capacities_.size() && live_ + fresh >= capacities_[filled_.size()];
  if (fills || !gone_.empty() || !last_window_.empty()) {
    refer_each(blocks, s);
    return;
  }
  if (s.counted) demand_[s.window].cold_misses += fresh;
  live_ += fresh;
  seen_ = end;
}

void Segmenter::refer_each(const traces::Blocks& blocks, const Segment& s) {
  Demand uncounted;
  Demand& demand = s.counted ? demand_[s.window] : uncounted;
  for (std::size_t a = s.access; a < s.access_end; ++a) {
    const traces::BlockId id = blocks.accesses()[a];
    const bool cold = id == seen_;
    const bool back = !gone_.empty() && gone_[id];
    seen_ += cold;
    demand.cold_misses += cold;
    demand.discard_misses += back;
    live_ += cold || back;
    if (back) gone_[id] = false;
    if (filled_.size() < capacities_.size() && live_ == capacities_[filled_.size()])
      filled_.push_back(time_of(blocks, s, a));
    if (!last_window_.empty() && s.counted && std::exchange(last_window_[id], s.window) != s.window)
      ++demand.working_set;
  }
}

std::optional<sim::Nanoseconds> Segmenter::fill_time(std::uint32_t capacity) const {
  const auto at = static_cast<std::size_t>(std::lower_bound(capacities_.begin(), capacities_.end(), capacity) -
                                           capacities_.begin());
  return at < filled_.size() && capacities_[at] == capacity ? std::optional(filled_[at]) : std::nullopt;
}

sim::Nanoseconds time_of(const traces::Blocks& blocks, const Segment& s, std::size_t access) {
  std::size_t r = s.request;
  for (std::size_t next = s.access + blocks.count(r); next <= access; next += blocks.count(r)) ++r;
  return blocks.trace().times()[r];
}

}  // namespace experiments
