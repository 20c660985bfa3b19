#include "experiments/trace_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "experiments/table.h"
#include "sim/error.h"
#include "traces/order.h"
#include "traces/registry.h"

namespace experiments {
namespace {

traces::ReadOptions read_options(const Arguments& arguments) {
  traces::ReadOptions options;
  const std::string level = arguments.text("level");
  if (level == "Q") {
    options.level = traces::Level::queue;
  } else if (level == "D") {
    options.level = traces::Level::issue;
  } else if (!level.empty() && level != "auto") {
    throw sim::UsageError("--level is Q (as queued by the application), D (as issued to the device) or auto, not '" +
                          level + "'");
  }
  if (arguments.has("skip-bad")) options.skip_bad = whole_number(arguments.text("skip-bad"), "--skip-bad");
  if (arguments.has("sector")) options.sector = sim::parse_bytes(arguments.text("sector"));
  options.map = arguments.text("map");
  options.loss_log = arguments.text("loss-log");
  options.threads = arguments.threads;
  return options;
}

// A stem that tells inputs apart: the file's name without folders and endings.
std::string stem(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  return name.substr(0, name.find('.', 1));
}

std::uint8_t parse_ops(const std::string& list) {
  std::uint8_t ops = 0;
  for (const std::string& word : split(list, ',')) {
    const auto* found = std::find(std::begin(traces::kOpNames), std::end(traces::kOpNames), word);
    if (found == std::end(traces::kOpNames))
      throw sim::UsageError("--ops takes read, write, discard and flush, not '" + word + "'");
    ops = static_cast<std::uint8_t>(ops | 1 << (found - std::begin(traces::kOpNames)));
  }
  return ops;
}

}  // namespace

void add_trace_options(po::options_description& options) {
  // clang-format off
  options.add_options()
      ("format", text_value("F"), "the trace's format (default: recognised; `iocast formats` lists them)")
      ("map", text_value("MAP"), "which columns of a table mean what: time=1:us,offset=lba:512,... (`iocast formats csv`)")
      ("level", text_value("Q|D"), "requests as the application queued them (Q) or as the device got them (D); default: Q where traced, else D")
      ("stream", text_value("S,..."), "only these disks, LUNs, volumes or VMs")
      ("ops", text_value("OP,..."), "only these of read, write, discard, flush")
      ("from-time", text_value("T"), "only from this long after the trace's first request: 10m")
      ("to-time", text_value("T"), "only before this long after the trace's first request")
      ("offset-range", text_value("A-B"), "only requests that begin at byte A to before B: 0-10GiB")
      ("merge", "several traces are one, merged by time; streams of one name are one stream")
      ("keep-apart", "with --merge: streams of different traces stay different, as TRACE/STREAM")
      ("clock-offset", texts_value("N=T"), "with --merge: add T (-5ms) to the times of the Nth trace; may be repeated")
      ("skip-bad", text_value("N"), "pass over up to N bad lines or records (default 0)")
      ("sector", text_value("SIZE"), "block size of addresses where the format leaves it open (SPC; default 512)")
      ("loss-log", text_value("FILE"), "what the tracer printed at its end, which says how many events it lost");
  // clang-format on
}

std::vector<TraceSource> trace_sources(const Arguments& arguments) {
  std::vector<TraceSource> sources;
  for (const std::string& input : arguments.inputs) sources.push_back({input, {input}});
  if (arguments.has("merge") && sources.size() > 1) {
    TraceSource all{"merged", {}};
    for (const TraceSource& source : sources) all.paths.push_back(source.paths[0]);
    return {all};
  }
  if (arguments.has("keep-apart") && !arguments.has("merge")) throw sim::UsageError("--keep-apart goes with --merge");
  if (arguments.has("clock-offset") && !arguments.has("merge"))
    throw sim::UsageError("--clock-offset goes with --merge");
  return sources;
}

std::unique_ptr<traces::Reader> open_source(const TraceSource& source, const Arguments& arguments) {
  const traces::ReadOptions options = read_options(arguments);
  const std::string format = arguments.text("format");
  if (source.paths.size() == 1) return traces::open_trace(source.paths[0], format, options);
  std::vector<traces::MergeInput> inputs;
  for (const std::string& path : source.paths) {
    inputs.push_back({.reader = traces::sorted(traces::open_trace(path, format, options), traces::kSortWindow),
                      .name = stem(path)});
  }
  if (arguments.has("clock-offset")) {
    for (const std::string& offset : arguments.values["clock-offset"].as<std::vector<std::string>>()) {
      const std::size_t equals = offset.find('=');
      const std::uint64_t which = whole_number(offset.substr(0, equals), "--clock-offset");
      if (equals == std::string::npos || which < 1 || which > inputs.size()) {
        throw sim::UsageError(
            fmt::format("--clock-offset is N=T with N from 1 to {}, not '{}'", inputs.size(), offset));
      }
      const std::string time = offset.substr(equals + 1);
      const bool negative = time.starts_with('-');
      const sim::Nanoseconds shift = sim::parse_duration(negative ? time.substr(1) : time);
      inputs[which - 1].shift = negative ? -shift : shift;
    }
  }
  return traces::merged(std::move(inputs), arguments.has("keep-apart"));
}

traces::Filter filter_of(const Arguments& arguments) {
  traces::Filter filter;
  if (arguments.has("stream")) filter.streams = split(arguments.text("stream"), ',');
  if (arguments.has("ops")) filter.ops = parse_ops(arguments.text("ops"));
  if (arguments.has("from-time")) filter.from = sim::parse_duration(arguments.text("from-time"));
  if (arguments.has("to-time")) filter.to = sim::parse_duration(arguments.text("to-time"));
  if (arguments.has("offset-range")) {
    const std::string range = arguments.text("offset-range");
    const std::size_t dash = range.find('-');
    if (dash == std::string::npos) throw sim::UsageError("--offset-range is A-B, as in 0-10GiB, not '" + range + "'");
    const auto byte = [](const std::string& text) { return static_cast<std::uint64_t>(sim::parse_bytes(text).count); };
    filter.offsets = {{byte(range.substr(0, dash)), byte(range.substr(dash + 1))}};
  }
  return filter;
}

namespace {

// Filters but for time, which is cut later: it counts from the first request that the others leave.
std::unique_ptr<traces::Reader> filtered_source(std::unique_ptr<traces::Reader> reader, traces::Filter filter) {
  filter.from.reset();
  filter.to.reset();
  const bool all = filter.streams.empty() && filter.ops == 0xF && !filter.offsets;
  return all ? std::move(reader) : traces::filtered(std::move(reader), std::move(filter));
}

// Names the trace in errors that do not.
template <class Work>
auto naming(const TraceSource& source, Work work) {
  try {
    return work();
  } catch (const sim::DataError& error) {
    const std::string what = error.what();
    if (what.find(source.name) != std::string::npos || source.paths.size() > 1) throw;
    throw sim::DataError(source.name + ": " + what);
  }
}

}  // namespace

namespace {

traces::Trace load(const TraceSource& source, const Arguments& arguments, std::unique_ptr<traces::Reader> reader,
                   bool details) {
  const traces::Filter filter = filter_of(arguments);
  reader = filtered_source(std::move(reader), filter);
  return naming(
      source, [&] { return traces::Trace::load(*reader, {.details = details, .from = filter.from, .to = filter.to}); });
}

}  // namespace

traces::Trace load_source(const TraceSource& source, const Arguments& arguments, bool details) {
  return load(source, arguments, open_source(source, arguments), details);
}

std::optional<traces::Trace> load_within(const TraceSource& source, const Arguments& arguments, std::uint64_t bytes) {
  constexpr std::uint64_t kTraceBytes = 23, kBlocksBytes = 4;
  auto reader = open_source(source, arguments);
  const std::uint64_t requests = reader->size_hint().value_or(0);
  const bool in_pieces = source.paths.size() == 1 && reader->info().format == "native";
  if (in_pieces && requests * (kTraceBytes + kBlocksBytes) > bytes) return std::nullopt;
  return load(source, arguments, std::move(reader), false);
}

void visit_pieces(const TraceSource& source, const Arguments& arguments,
                  const std::function<void(const traces::Trace&)>& visit) {
  constexpr std::size_t kRequests = 1 << 20;
  const traces::Filter filter = filter_of(arguments);
  const auto reader = filtered_source(open_source(source, arguments), filter);
  traces::Pieces pieces(*reader, kRequests, filter.from, filter.to);
  traces::Trace piece;
  bool any = false;
  naming(source, [&] {
    while (pieces.next(piece)) {
      any = true;
      visit(piece);
    }
    if (!any) throw sim::DataError("no request is in the trace, or none passes the filters");
  });
}

std::string basis(const traces::TraceInfo& info) {
  std::string text = info.format;
  if (info.level != traces::Level::unknown) text += fmt::format(", level {}", name(info.level));
  if (info.lost_events && *info.lost_events) text += fmt::format(", {} events LOST", grouped(*info.lost_events));
  if (info.skipped_lines) text += fmt::format(", {} bad lines passed over", grouped(info.skipped_lines));
  return text;
}

std::vector<std::string> warnings(const traces::TraceInfo& info) {
  std::vector<std::string> list;
  if (info.lost_events && *info.lost_events) {
    list.push_back(
        fmt::format("the tracer lost {} events: every figure is of what is left", grouped(*info.lost_events)));
  }
  for (const auto& finding : info.findings.all()) {
    list.push_back(fmt::format("{} {}{}", grouped(finding.count), finding.what,
                               finding.first.empty() ? "" : fmt::format(", first at {}", finding.first)));
  }
  return list;
}

}  // namespace experiments
