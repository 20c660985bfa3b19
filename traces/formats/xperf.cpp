// The text that `xperf -i TRACE.etl -a dumper` writes, in which Microsoft published its Production and Exchange traces
// (Kavalanekar et al., "Characterization of Storage Workload Traces from Production Windows Servers", IISWC 2008; SNIA
// IOTTA set 158).
#include <optional>

#include "traces/formats/table.h"

namespace traces {
namespace {

using namespace table;

// Where the columns of one kind of event are; 0 (the name of the event itself): nowhere.
struct EventColumns {
  std::size_t time = 0, process = 0, offset = 0, size = 0, elapsed = 0, disk = 0;
  bool known = false;
};

struct EventKind {
  std::string_view name;
  Op op;
};
constexpr EventKind kKinds[] = {{"DiskRead", Op::read}, {"DiskWrite", Op::write}, {"DiskFlush", Op::flush}};

class XperfReader final : public TextReader {
 public:
  XperfReader(std::unique_ptr<Input> input, const ReadOptions& options)
      : TextReader(std::move(input), options, "xperf") {}

 private:
  void parse(std::string_view line, Batch& batch) override {
    std::string_view rest = line;
    const std::string_view first = take_field(rest, ',');
    if (first == "BeginHeader") {
      in_header_ = seen_header_ = true;
    } else if (first == "EndHeader") {
      in_header_ = false;
    } else if (first.starts_with("OS Version:")) {
      read_summary(line);
    } else if (first.starts_with("Disk")) {
      for (std::size_t kind = 0; kind < std::size(kKinds); ++kind) {
        if (first == kKinds[kind].name) return in_header_ ? read_columns(kind, line) : row(kind, line, batch);
      }
    }
  }

  void finish(Batch&) override {
    if (!seen_header_)
      sim::fail({.file = input_->path()}, "has no lines BeginHeader ... EndHeader, which name the columns");
  }

  void read_columns(std::size_t kind, std::string_view line) {
    EventColumns& columns = columns_[kind];
    std::size_t index = 0;
    for (const std::string_view title : split(line, ',')) {
      if (title == "TimeStamp") columns.time = index;
      if (title.starts_with("Process Name")) columns.process = index;
      if (title == "ByteOffset") columns.offset = index;
      if (title == "IOSize") columns.size = index;
      if (title == "ElapsedTime") columns.elapsed = index;
      if (title == "DiskNum") columns.disk = index;
      ++index;
    }
    const bool has_extent = (columns.offset && columns.size) || kKinds[kind].op == Op::flush;
    columns.known = columns.time && columns.disk && columns.elapsed && has_extent;
    if (!columns.known) {
      throw BadField{line.data(), "the header should name TimeStamp, ByteOffset, IOSize, ElapsedTime and DiskNum"};
    }
  }

  // "OS Version: 10.0.17134, Trace Size: 13952KB, Events Lost: 0, Buffers lost: 0, Trace Start: 131777972134992100,
  // ..."
  void read_summary(std::string_view line) {
    while (!line.empty()) {
      const std::string_view field = take_field(line, ',');
      const std::size_t colon = field.find(':');
      if (colon == std::string_view::npos) continue;
      const std::string_view name = field.substr(0, colon);
      const std::string_view value = trim(field.substr(colon + 1));
      if (name == "Events Lost") info_.lost_events = parse_number(value, "Events Lost");
      if (name == "Buffers lost" || name == "Buffers Lost") {
        if (const auto count = parse_number(value, "Buffers lost")) {
          info_.findings.add("lost trace buffers, each of an unknown number of events", place(), count);
        }
      }
      if (name == "Trace Start") {
        start_ = parse_time(value, kFiletimeUnit, "Trace Start", kFiletimeOfUnixEpoch);
        info_.clock = Clock::unix_epoch;
      }
    }
  }

  void row(std::size_t kind, std::string_view line, Batch& batch) {
    const EventColumns& columns = columns_[kind];
    if (!columns.known)
      throw BadField{line.data(),
                     "a row of a kind that no line between BeginHeader and EndHeader tells the columns of"};
    fields_.clear();
    for (std::string_view rest = line; !rest.empty();) fields_.push_back(take_quoted_field(rest, ','));
    const auto field = [&](std::size_t column) {
      if (column >= fields_.size()) throw BadField{line.data() + line.size(), "the row should have more columns"};
      return fields_[column];
    };
    Request request;
    request.op = kKinds[kind].op;
    request.latency = parse_latency(field(columns.elapsed), 1_us, "ElapsedTime");
    request.time = start(field(columns.time), request.latency);
    request.stream = disks_.id(info_, field(columns.disk), "DiskNum");
    if (request.op != Op::flush) {
      request.offset = {parse_hex(field(columns.offset), "ByteOffset")};
      request.length = to_length(parse_hex(field(columns.size), "IOSize"), 1, field(columns.size), "IOSize");
    }
    if (columns.process) request.process = process(field(columns.process));
    batch.add(request);
  }

  sim::Instant start(std::string_view field, sim::Nanoseconds latency) const {
    const sim::Nanoseconds stamp = parse_time(field, 1_us, "TimeStamp");
    std::int64_t completion = 0;
    if (__builtin_add_overflow(stamp.count, start_.count, &completion))
      bad_field(field, "TimeStamp", "should be in microseconds");
    return issue_time({completion}, latency, field);
  }

  // "System (   4)" -> "System (4)".
  ProcessId process(std::string_view field) {
    const std::size_t open = field.rfind('(');
    if (open == std::string_view::npos || !field.ends_with(')')) return process_id(info_, field, *input_);
    process_.assign(field.substr(0, open + 1)).append(trim(field.substr(open + 1)));
    return process_id(info_, process_, *input_);
  }

  EventColumns columns_[std::size(kKinds)];
  bool in_header_ = false, seen_header_ = false;
  sim::Nanoseconds start_;
  NumberedStreams disks_{"disk"};
  std::vector<std::string_view> fields_;
  std::string process_;
};

Match detect(const Probe& probe) {
  for (const std::string_view line : probe.lines(5)) {
    if (trim(without_byte_order_mark(line)) == "BeginHeader") return Match::certain;
  }
  return Match::no;
}

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions& options) {
  return std::make_unique<XperfReader>(std::move(input), options);
}

}  // namespace

extern const Format xperf{
    .name = "xperf",
    .summary = "xperf -a dumper text (Microsoft Production, Exchange: SNIA 158)",
    .description = R"text(BeginHeader
    DiskRead, TimeStamp, Process Name ( PID), ThreadID, IrpPtr, ByteOffset, IOSize, ElapsedTime, DiskNum, ...
EndHeader
OS Version: 10.0.17134, ..., Events Lost: 0, Buffers lost: 0, Trace Start: 131777972134992100, ...
    DiskRead, 8612, xperf.exe (3984), 11844, 0xffffe288b23f1b20, 0x018f0b8000, 0x00001000, 283, 0, ...

Rows DiskRead, DiskWrite and DiskFlush are read; their columns are where the header lines say, which differs between
versions. All other events are passed over.

  TimeStamp            of completion, in microseconds from Trace Start (100 ns since 1601), where that is told; the
                       request's time is this less ElapsedTime
  ByteOffset, IOSize   bytes, hexadecimal; the offset is from the start of the disk. A flush has none
  ElapsedTime          the latency, in microseconds
  DiskNum              the stream, named "disk0"
  Process Name ( PID)  who issued it, named "xperf.exe (3984)"

Events and buffers that the tracer lost are told in the line OS Version.

Source: the documentation of SNIA IOTTA trace set 158, and header lines that the Windows Performance Toolkit prints.
)text",
    .detect = detect,
    .open = open,
};

}  // namespace traces
