#include "traces/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

#include "traces/reuse_distance.h"

namespace traces {
namespace {

using namespace sim::literals;

constexpr std::size_t kIntervals = 60;
constexpr std::size_t kRecentEnds = 32;

// The ends of a stream's latest requests.
class RecentEnds {
 public:
  // Whether a request that begins at `begin` goes on from one of them; then `end` takes its place.
  bool continues(std::uint64_t begin, std::uint64_t end) {
    const auto found = std::find(ends_.begin(), ends_.begin() + used_, begin);
    const bool continued = found != ends_.begin() + used_;
    if (continued) {
      *found = end;
    } else {
      ends_[next_] = end;
      next_ = (next_ + 1) % kRecentEnds;
      used_ = std::max<std::ptrdiff_t>(used_, next_ == 0 ? kRecentEnds : static_cast<std::ptrdiff_t>(next_));
    }
    return continued;
  }

 private:
  std::array<std::uint64_t, kRecentEnds> ends_{};
  std::size_t next_ = 0;
  std::ptrdiff_t used_ = 0;
};

void count_request(const Trace& trace, std::size_t r, bool sequential, StreamDescription& d) {
  const Op op = trace.ops()[r];
  const std::uint32_t length = trace.lengths()[r];
  if (d.total() == 0) d.first = trace.times()[r];
  d.last = trace.times()[r];
  ++d.requests[static_cast<std::size_t>(op)];
  d.bytes[static_cast<std::size_t>(op)] += length;
  if (!moves_data(op)) return;
  const bool write = op == Op::write;
  ++d.sizes[write][length];
  for (std::size_t i = 0; i < kAlignments.size(); ++i) d.aligned[i] += trace.offsets()[r].bytes % kAlignments[i] == 0;
  d.sequential += sequential;
  if (!trace.latencies().empty() && trace.latencies()[r] != kUnknown) {
    d.latency_ns[write].add(static_cast<std::uint64_t>(std::max<std::int64_t>(0, trace.latencies()[r].count)));
  }
}

void count_requests(const Trace& trace, Description& d) {
  std::vector<RecentEnds> ends(d.streams.size());
  for (std::size_t r = 0; r < trace.size(); ++r) {
    const StreamId s = trace.streams()[r];
    const std::uint64_t begin = trace.offsets()[r].bytes;
    const bool sequential = moves_data(trace.ops()[r]) && ends[s].continues(begin, begin + trace.lengths()[r]);
    count_request(trace, r, sequential, d.all);
    count_request(trace, r, sequential, d.streams[s]);
  }
}

// Footprints, working sets and one-hit blocks, and the rate over time.
void count_blocks(const Trace& trace, const Blocks& blocks, Description& d) {
  std::vector<std::uint32_t> uses(blocks.footprint());
  std::vector<StreamId> owner(blocks.footprint());
  std::vector<std::uint16_t> last_interval(blocks.footprint(), UINT16_MAX);
  const sim::Nanoseconds span = trace.duration() + 1_ns;
  const std::size_t intervals = std::min<std::size_t>(kIntervals, static_cast<std::size_t>(std::max<std::int64_t>(1, span.count)));
  d.intervals.resize(intervals);
  for (std::size_t i = 0; i < intervals; ++i) {
    const double step = static_cast<double>(span.count) / static_cast<double>(intervals);
    d.intervals[i].begin = {static_cast<std::int64_t>(step * static_cast<double>(i))};
    d.intervals[i].length = {static_cast<std::int64_t>(step * static_cast<double>(i + 1)) - d.intervals[i].begin.count};
  }
  BlockId seen = 0;
  std::size_t access = 0, at = 0;
  for (std::size_t r = 0; r < trace.size(); ++r) {
    while (at + 1 < intervals && trace.times()[r] >= d.intervals[at + 1].begin) d.intervals[at++].footprint_blocks = seen;
    Interval& interval = d.intervals[at];
    ++interval.requests;
    if (trace.ops()[r] == Op::read) interval.read_bytes += trace.lengths()[r];
    if (trace.ops()[r] == Op::write) interval.write_bytes += trace.lengths()[r];
    const std::uint32_t count = blocks.count(r);
    d.all.accesses += count;
    d.streams[trace.streams()[r]].accesses += count;
    for (const BlockId id : blocks.accesses().subspan(access, count)) {
      if (id == seen) owner[seen++] = trace.streams()[r];
      ++uses[id];
      if (last_interval[id] != at) last_interval[id] = static_cast<std::uint16_t>(at), ++interval.working_set_blocks;
    }
    access += count;
  }
  for (; at < intervals; ++at) d.intervals[at].footprint_blocks = seen;
  for (BlockId id = 0; id < seen; ++id) {
    for (StreamDescription* s : {&d.all, &d.streams[owner[id]]}) {
      ++s->footprint_blocks;
      s->one_hit_blocks += uses[id] == 1;
    }
  }
  d.cold_accesses = seen;

  // Zipf: a least-squares line through log(uses) over log(rank), at ranks that grow by a tenth, so that the many
  // blocks of the tail do not outweigh the few that matter; the flat end of blocks used once is left out.
  std::sort(uses.begin(), uses.end(), std::greater<>());
  const auto more = static_cast<std::size_t>(std::find(uses.begin(), uses.end(), 1u) - uses.begin());
  if (more < 10) return;
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;
  for (double rank = 1; rank <= static_cast<double>(more); rank = std::max(rank + 1, std::floor(rank * 1.1))) {
    const double x = std::log(rank), y = std::log(static_cast<double>(uses[static_cast<std::size_t>(rank) - 1]));
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y, syy += y * y;
  }
  const double vx = n * sxx - sx * sx, vy = n * syy - sy * sy, vxy = n * sxy - sx * sy;
  d.zipf = ZipfFit{.exponent = -vxy / vx, .r_squared = vy > 0 ? vxy * vxy / (vx * vy) : 0};
  if (vy <= 0) d.zipf->exponent = 0;
}

void measure_reuse(const Blocks& blocks, Description& d) {
  ReuseDistance reuse(blocks.footprint());
  std::vector<std::uint32_t> distances(4096);
  auto discard = blocks.discards().begin();
  for (std::size_t a = 0; a < blocks.accesses().size();) {
    while (discard != blocks.discards().end() && discard->position == a) {
      for (const BlockId id : discard->blocks) reuse.forget(id);
      ++discard;
    }
    std::size_t count = std::min(distances.size(), blocks.accesses().size() - a);
    if (discard != blocks.discards().end()) count = std::min<std::size_t>(count, discard->position - a);
    reuse.access(blocks.accesses().subspan(a, count), distances);
    for (std::size_t i = 0; i < count; ++i) {
      if (distances[i] != ReuseDistance::kInfinite) d.reuse_distance.add(distances[i]);
    }
    a += count;
  }
}

void measure_bursts(const Trace& trace, Description& d) {
  const std::int64_t seconds = trace.duration() / 1_s;
  if (seconds < 3) return;
  // Counted second by second without a list of all: a trace may last years.
  std::uint64_t in_second = 0, peak = 0;
  std::int64_t second = 0;
  double squares = 0, sum = 0;
  const auto close = [&] {
    peak = std::max(peak, in_second);
    squares += static_cast<double>(in_second) * static_cast<double>(in_second);
    sum += static_cast<double>(in_second);
    in_second = 0;
  };
  for (const sim::Nanoseconds time : trace.times()) {
    if (time / 1_s != second) close(), second = time / 1_s;
    if (second < seconds) ++in_second;
  }
  close();
  const double mean = sum / static_cast<double>(seconds);
  d.peak_rate = static_cast<double>(peak);
  if (mean > 0) d.dispersion = (squares / static_cast<double>(seconds) - mean * mean) / mean;
}

// Requests between their time and their completion, over time.
void measure_queue(const Trace& trace, Description& d) {
  for (const sim::Nanoseconds delay : trace.issue_delays()) {
    if (delay != kUnknown) d.issue_delay_ns.add(static_cast<std::uint64_t>(std::max<std::int64_t>(0, delay.count)));
  }
  if (trace.latencies().empty()) return;
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> ends;
  QueueDepth depth;
  double area = 0;
  std::int64_t last = 0;
  for (std::size_t r = 0; r < trace.size(); ++r) {
    const std::int64_t time = trace.times()[r].count, latency = trace.latencies()[r].count;
    if (latency < 0) continue;
    area += static_cast<double>(latency);
    last = std::max(last, time + latency);
    while (!ends.empty() && ends.top() <= time) ends.pop();
    ends.push(time + latency);
    depth.max = std::max<std::uint64_t>(depth.max, ends.size());
  }
  // The requests' time in the system, summed, over the time that passed: Little's law.
  depth.mean = last > 0 ? area / static_cast<double>(last) : 0;
  d.queue_depth = depth;
}

void doubt(const Trace& trace, Description& d) {
  const double seconds = static_cast<double>(trace.duration().count) / 1e9;
  const double rate = seconds > 0 ? static_cast<double>(trace.size()) / seconds : 0;
  const bool timed = trace.info().granularity == Granularity::block;
  if (seconds > 2 * 365.25 * 86400 && rate < 100) {
    d.doubts.push_back(fmt::format("the trace lasts {} at {:.2g} requests a second: is the unit of its times right?", sim::format(trace.duration()), rate));
  }
  if (timed && trace.size() > 1000 && (seconds == 0 || rate > 5e7)) {
    d.doubts.push_back(seconds == 0 ? "all requests have the same time: times are missing, or their unit is too coarse"
                                    : fmt::format("{:.2g} requests a second is more than any storage serves: is the unit of its times right?", rate));
  }
  std::uint64_t empty = 0, huge = 0, past = 0, slow = 0;
  for (std::size_t r = 0; r < trace.size(); ++r) {
    const std::uint64_t length = trace.lengths()[r];
    empty += length == 0 && trace.ops()[r] != Op::flush;
    huge += length > (64u << 20) && moves_data(trace.ops()[r]);
    const StreamId s = trace.streams()[r];
    const std::uint64_t end = trace.offsets()[r].bytes + length;
    if (s < trace.info().stream_bytes.size() && trace.info().stream_bytes[s].count > 0) {
      past += end > static_cast<std::uint64_t>(trace.info().stream_bytes[s].count);
    } else if (timed) {
      past += end > (std::uint64_t{1} << 60) || end < length;
    }
    slow += !trace.latencies().empty() && trace.latencies()[r] > 600_s;
  }
  if (empty) d.doubts.push_back(fmt::format("{} requests other than flushes have no length: they touch no block", empty));
  if (huge) d.doubts.push_back(fmt::format("{} reads or writes are longer than 64 MiB: is the unit of the sizes right?", huge));
  if (past) d.doubts.push_back(fmt::format("{} requests end past their device (or past 1 EiB where its size is not known): is the unit of the offsets right?", past));
  if (slow) d.doubts.push_back(fmt::format("{} requests took more than 10 minutes: is the unit of the latencies right?", slow));
}

}  // namespace

Description describe(const Trace& trace, const Blocks& blocks) {
  Description d;
  for (const std::string& name : trace.info().streams.names()) {
    d.streams.emplace_back();
    d.streams.back().name = name;
  }
  count_requests(trace, d);
  count_blocks(trace, blocks, d);
  measure_reuse(blocks, d);
  measure_bursts(trace, d);
  measure_queue(trace, d);
  doubt(trace, d);
  return d;
}

}  // namespace traces
