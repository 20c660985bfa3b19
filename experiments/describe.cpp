// `iocast describe TRACE...`
#include "traces/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "experiments/command.h"
#include "experiments/table.h"
#include "experiments/trace_options.h"
#include "sim/error.h"

namespace experiments {
namespace {

using json = nlohmann::ordered_json;
using traces::Op;
using traces::StreamDescription;

struct Described {
  std::string name;
  traces::Trace trace;
  sim::Bytes block;
  traces::Description description;
};

std::uint64_t of(const std::array<std::uint64_t, 4>& counts, Op op) { return counts[static_cast<std::size_t>(op)]; }

sim::Bytes bytes(std::uint64_t count) { return {static_cast<std::int64_t>(count)}; }

json latency_json(const sim::Histogram& h) {
  return {{"requests", h.count()},
          {"latency_ns_mean", h.mean()},
          {"latency_ns_p50", h.quantile(0.5)},
          {"latency_ns_p90", h.quantile(0.9)},
          {"latency_ns_p99", h.quantile(0.99)},
          {"latency_ns_p999", h.quantile(0.999)},
          {"latency_ns_max", h.max()}};
}

json sizes_json(const StreamDescription& d) {
  json list = json::array();
  for (const bool write : {false, true}) {
    for (const auto& [length, count] : d.sizes[write])
      list.push_back({{"op", write ? "write" : "read"}, {"length_bytes", length}, {"requests", count}});
  }
  return list;
}

json stream_json(const StreamDescription& d, sim::Bytes block) {
  sim::Histogram latency = d.latency_ns[0];
  latency.add(d.latency_ns[1]);
  json aligned;
  for (std::size_t i = 0; i < traces::kAlignments.size(); ++i) {
    aligned[std::to_string(traces::kAlignments[i])] = ratio(d.aligned[i], d.reads_and_writes()).value_or(0);
  }
  return {{"name", d.name},
          {"requests", d.total()},
          {"reads", of(d.requests, Op::read)},
          {"writes", of(d.requests, Op::write)},
          {"discards", of(d.requests, Op::discard)},
          {"flushes", of(d.requests, Op::flush)},
          {"read_bytes", of(d.bytes, Op::read)},
          {"write_bytes", of(d.bytes, Op::write)},
          {"discard_bytes", of(d.bytes, Op::discard)},
          {"latency_ns_mean", latency.mean()},
          {"read_latency", latency_json(d.latency_ns[0])},
          {"write_latency", latency_json(d.latency_ns[1])},
          {"accesses", d.accesses},
          {"footprint_blocks", d.footprint_blocks},
          {"footprint_bytes", d.footprint_blocks * static_cast<std::uint64_t>(block.count)},
          {"one_hit_block_ratio", ratio(d.one_hit_blocks, d.footprint_blocks).value_or(0)},
          {"sequential_ratio", ratio(d.sequential, d.reads_and_writes()).value_or(0)},
          {"aligned_ratio_by_bytes", aligned},
          {"sizes", sizes_json(d)},
          {"first_ns", d.first.count},
          {"last_ns", d.last.count}};
}

std::vector<std::string> all_warnings(const Described& described) {
  std::vector<std::string> list = warnings(described.trace.info());
  list.insert(list.end(), described.description.doubts.begin(), described.description.doubts.end());
  return list;
}

json to_json(const Described& described) {
  const traces::Description& d = described.description;
  const traces::TraceInfo& info = described.trace.info();
  const auto optional = [](const auto& value) { return value ? json(*value) : json(nullptr); };
  json trace = stream_json(d.all, described.block);
  trace["name"] = described.name;
  trace["duration_ns"] = described.trace.duration().count;
  trace["streams"] = d.streams.size();
  trace["lost_events"] = info.lost_events ? json(*info.lost_events) : json(nullptr);
  trace["format"] = info.format;
  trace["level"] = name(info.level);
  trace["clock"] = name(info.clock);
  if (info.clock == traces::Clock::unix_epoch) trace["start_unix_ns"] = described.trace.start().since_origin.count;
  trace["granularity"] = info.granularity == traces::Granularity::block ? "block" : "request";
  trace["block_bytes"] = described.block.count;
  trace["skipped_lines"] = info.skipped_lines;
  trace["cold_access_ratio"] = ratio(d.cold_accesses, d.all.accesses).value_or(0);
  for (const auto& [name, q] : {std::pair{"reuse_distance_blocks_p10", 0.1},
                                {"reuse_distance_blocks_p50", 0.5},
                                {"reuse_distance_blocks_p90", 0.9},
                                {"reuse_distance_blocks_p99", 0.99}}) {
    trace[name] = d.reuse_distance.quantile(q);
  }
  trace["zipf_exponent"] = d.zipf ? json(d.zipf->exponent) : json(nullptr);
  trace["zipf_r_squared"] = d.zipf ? json(d.zipf->r_squared) : json(nullptr);
  trace["peak_requests_per_s"] = optional(d.peak_rate);
  trace["dispersion_of_counts"] = optional(d.dispersion);
  trace["queue_depth_mean"] = d.queue_depth ? json(d.queue_depth->mean) : json(nullptr);
  trace["queue_depth_max"] = d.queue_depth ? json(d.queue_depth->max) : json(nullptr);
  trace["issue_delay_ns_mean"] = d.issue_delay_ns.count() ? json(d.issue_delay_ns.mean()) : json(nullptr);
  json streams = json::array(), intervals = json::array();
  for (const StreamDescription& stream : d.streams) {
    if (stream.total()) streams.push_back(stream_json(stream, described.block));
  }
  for (const traces::Interval& i : d.intervals) {
    intervals.push_back({{"begin_ns", i.begin.count},
                         {"length_ns", i.length.count},
                         {"requests", i.requests},
                         {"read_bytes", i.read_bytes},
                         {"write_bytes", i.write_bytes},
                         {"working_set_blocks", i.working_set_blocks},
                         {"footprint_blocks", i.footprint_blocks}});
  }
  return {{"trace", trace}, {"streams", streams}, {"intervals", intervals}, {"warnings", all_warnings(described)}};
}

// --- For people ---

// The trace's time from left to right, each interval's value as a bar of eighths of the largest.
std::string sparkline(const std::vector<traces::Interval>& intervals, double (*value)(const traces::Interval&)) {
  static constexpr const char* kBars[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double largest = 0;
  for (const auto& i : intervals) largest = std::max(largest, value(i));
  std::string line;
  for (const auto& i : intervals) line += kBars[largest > 0 ? static_cast<int>(value(i) / largest * 8 + 0.5) : 0];
  return line;
}

double requests_per_second(const traces::Interval& i) {
  return i.length.count ? static_cast<double>(i.requests) * 1e9 / static_cast<double>(i.length.count) : 0;
}

std::string sizes_text(const std::map<std::uint32_t, std::uint64_t>& sizes) {
  std::uint64_t total = 0, sum = 0;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> common;
  for (const auto& [length, count] : sizes) total += count, sum += length * count, common.emplace_back(count, length);
  if (!total) return "none";
  std::sort(common.rbegin(), common.rend());
  std::string text = fmt::format("{} on average", sim::format(bytes(sum / total)));
  for (std::size_t i = 0; i < std::min<std::size_t>(common.size(), 4); ++i) {
    text += fmt::format(", {} of {}", percent(common[i].first, total),
                        sim::format(bytes(common[i].second)));
  }
  return text;
}

std::string latency_text(const sim::Histogram& h) {
  const auto time = [](double ns) { return sim::format(sim::Nanoseconds{static_cast<std::int64_t>(ns)}); };
  return fmt::format("mean {}, half within {}, 99% within {}, longest {}", time(h.mean()),
                     time(static_cast<double>(h.quantile(0.5))), time(static_cast<double>(h.quantile(0.99))),
                     time(static_cast<double>(h.max())));
}

void print_operations(const StreamDescription& d, sim::Nanoseconds duration) {
  Table table({"", "requests", "share", "data", "per second"});
  for (std::size_t op = 0; op < 4; ++op) {
    if (!d.requests[op]) continue;
    const double seconds = static_cast<double>(duration.count) / 1e9;
    table.add({std::string(traces::kOpNames[op]) + (op == 3 ? "es" : "s"), grouped(d.requests[op]),
               percent(d.requests[op], d.total()),
               sim::format(bytes(d.bytes[op])),
               seconds > 0 ? fmt::format("{:.1f}", static_cast<double>(d.requests[op]) / seconds) : "-"});
  }
  std::cout << table.text() << "\n";
}

void print_shape(const Described& described) {
  const traces::Description& d = described.description;
  const auto line = [](std::string_view what, const std::string& text) {
    std::cout << fmt::format("{:<16} {}\n", what, text);
  };
  const bool objects = described.trace.info().granularity == traces::Granularity::request;
  const auto amount = [&](std::uint64_t blocks) {
    return objects ? grouped(blocks) + " objects"
                   : fmt::format("{} ({} blocks)", sim::format(described.block * static_cast<std::int64_t>(blocks)),
                                 grouped(blocks));
  };
  if (d.all.requests[0]) line("read sizes", sizes_text(d.all.sizes[0]));
  if (d.all.requests[1]) line("write sizes", sizes_text(d.all.sizes[1]));
  if (!objects) {
    const std::uint64_t total = d.all.reads_and_writes();
    line("aligned", fmt::format("{} to 4 KiB, {} to 64 KiB", percent(d.all.aligned[1], total),
                                percent(d.all.aligned[3], total)));
    line("sequential", fmt::format("{} of reads and writes go on where one of the last 32 ended",
                                   percent(d.all.sequential, total)));
  }
  line("footprint", amount(d.all.footprint_blocks));
  line("reuse", fmt::format("{} of {}s are accessed only once; {} of accesses are the first to theirs",
                            percent(d.all.one_hit_blocks, d.all.footprint_blocks), objects ? "object" : "block",
                            percent(d.cold_accesses, d.all.accesses)));
  if (d.reuse_distance.count()) {
    line("reuse distance", fmt::format("half within {}, 90% within {}", amount(d.reuse_distance.quantile(0.5)),
                                       amount(d.reuse_distance.quantile(0.9))));
  }
  if (d.zipf) line("skew", fmt::format("Zipf exponent {:.2f} (R² {:.2f})", d.zipf->exponent, d.zipf->r_squared));
  if (d.all.latency_ns[0].count()) line("read latency", latency_text(d.all.latency_ns[0]));
  if (d.all.latency_ns[1].count()) line("write latency", latency_text(d.all.latency_ns[1]));
  if (d.issue_delay_ns.count()) line("queue to issue", latency_text(d.issue_delay_ns));
  if (d.queue_depth)
    line("queue depth", fmt::format("{:.2f} on average, {} at most", d.queue_depth->mean, d.queue_depth->max));
  if (d.peak_rate)
    line("bursts",
         fmt::format(
             "{:.0f} requests in the busiest second; counts a second have {:.1f} times the variance of random arrivals",
             *d.peak_rate, *d.dispersion));
  if (!d.intervals.empty() && described.trace.duration().count > 0) {
    double peak = 0;
    std::uint32_t largest = 0;
    for (const auto& i : d.intervals)
      peak = std::max(peak, requests_per_second(i)), largest = std::max(largest, i.working_set_blocks);
    line("requests/s", fmt::format("|{}| at most {:.0f}", sparkline(d.intervals, requests_per_second), peak));
    line("working set",
         fmt::format("|{}| at most {} in {}",
                     sparkline(d.intervals,
                               [](const traces::Interval& i) { return static_cast<double>(i.working_set_blocks); }),
                     amount(largest), sim::format(d.intervals[0].length)));
    line("footprint grows", fmt::format("|{}|", sparkline(d.intervals, [](const traces::Interval& i) {
                                          return static_cast<double>(i.footprint_blocks);
                                        })));
  }
}

void print_streams(const Described& described) {
  constexpr std::size_t kShown = 20;
  std::vector<const StreamDescription*> streams;
  for (const StreamDescription& s : described.description.streams) {
    if (s.total()) streams.push_back(&s);
  }
  if (streams.size() < 2) return;
  std::stable_sort(streams.begin(), streams.end(), [](auto* a, auto* b) { return a->total() > b->total(); });
  Table table({"stream", "requests", "reads", "read data", "write data", "footprint", "one-hit", "sequential"});
  for (std::size_t i = 0; i < std::min(streams.size(), kShown); ++i) {
    const StreamDescription& s = *streams[i];
    table.add({s.name, grouped(s.total()),
               percent(s.requests[0], s.reads_and_writes()),
               sim::format(bytes(s.bytes[0])), sim::format(bytes(s.bytes[1])),
               sim::format(described.block * s.footprint_blocks), percent(s.one_hit_blocks, s.footprint_blocks),
               percent(s.sequential, s.reads_and_writes())});
  }
  std::cout << "\n" << table.text();
  if (streams.size() > kShown) std::cout << fmt::format("and {} more (--json lists all)\n", streams.size() - kShown);
}

void print(const Described& described) {
  const traces::TraceInfo& info = described.trace.info();
  const traces::Description& d = described.description;
  std::cout << fmt::format(
      "{}: {}; {} blocks\n{} requests of {} stream{} over {}{}\n\n", described.name, basis(info),
      sim::format(described.block), grouped(d.all.total()), d.streams.size(), d.streams.size() == 1 ? "" : "s",
      sim::format(described.trace.duration()),
      info.lost_events ? *info.lost_events ? "" : ", no event lost" : "; whether events were lost is not recorded");
  print_operations(d.all, described.trace.duration());
  print_shape(described);
  print_streams(described);
  const auto list = all_warnings(described);
  std::cout << (list.empty() ? "\nNothing looks wrong with it.\n" : "\nWhat to look at:\n");
  for (const std::string& warning : list) std::cout << "  " << warning << "\n";
  std::cout << "\n";
}

int run(const Arguments& arguments) {
  arguments.need_inputs(1, SIZE_MAX, "trace");
  const sim::Bytes block = arguments.has("block") ? sim::parse_bytes(arguments.text("block")) : sim::Bytes{4096};
  if (block.count < 1) throw sim::UsageError("--block is at least one byte");
  json documents = json::array();
  for (const TraceSource& source : trace_sources(arguments)) {
    traces::Trace trace = load_source(source, arguments, true);
    const traces::Blocks blocks(trace, block, trace.info().granularity);
    traces::Description description = traces::describe(trace, blocks);
    const Described described{source.name, std::move(trace), block, std::move(description)};
    if (arguments.json) {
      documents.push_back(to_json(described));
    } else {
      print(described);
    }
  }
  if (arguments.json) {
    json document{{"command", "describe"}};
    for (const auto& [key, value] : documents.at(0).items()) document[key] = value;
    if (documents.size() > 1) document["traces"] = documents;
    print_json(document);
  }
  return 0;
}

void add_options(po::options_description& options) {
  options.add_options()("block", text_value("SIZE"), "unit of footprint, working set and reuse (default 4KiB)");
  add_trace_options(options);
}

}  // namespace

extern const Command describe;
const Command describe{
    .name = "describe",
    .arguments = "TRACE...",
    .summary = "what is in a trace, and what looks wrong with it",
    .help = R"(  iocast describe trace.h5
  iocast describe disk.blktrace.0.zst --level D
  blktrace -d /dev/sdb -o - | iocast describe -

Counts, sizes, mix, sequentiality, rate over time, footprint, reuse, skew; latency and queue depth where the trace
recorded completions; and everything suspicious: lost events, times that go backwards, units that cannot be.
)",
    .add_options = add_options,
    .run = run,
};

}  // namespace experiments
