// What biosnoop of the BCC tools prints (github.com/iovisor/bcc, tools/biosnoop.py and libbpf-tools/biosnoop.c).
#include "traces/formats/table.h"

namespace traces {
namespace {

using namespace table;

bool is_header(std::string_view line) {
  const auto names = words(line);
  const auto has = [&](std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  return has("TIME(s)") && has("COMM") && has("DISK") && has("SECTOR") && has("BYTES") && has("LAT(ms)");
}

// Letters as in the kernel's rwbs: the operation is the first of D, F, R, W; an F before another one is a pre-flush.
Op parse_direction(std::string_view field) {
  if (field.find('D') != std::string_view::npos) return Op::discard;
  if (field.find('W') != std::string_view::npos) return Op::write;
  if (field.find('R') != std::string_view::npos) return Op::read;
  if (field.find('F') != std::string_view::npos) return Op::flush;
  bad_field(field, "T", "should hold R, W, D or F");
}

class BiosnoopReader final : public TextReader {
 public:
  BiosnoopReader(std::unique_ptr<Input> input, const ReadOptions& options)
      : TextReader(std::move(input), options, "biosnoop"), wanted_(options.level) {}

 private:
  void parse(std::string_view line, Batch& batch) override {
    if (is_header(line)) {
      read_header(line);
    } else if (trim(line).empty()) {
      in_table_ = false;
    } else if (const char first = trim(line).front(); !in_table_ || (!is_digit(first) && first != '-')) {
      info_.findings.add("lines that are not rows of the table, passed over", place());
    } else {
      row(line, batch);
    }
  }

  void finish(Batch&) override {
    if (before_.empty()) {
      sim::fail({.file = input_->path()}, "has no header line (TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms))");
    }
  }

  // COMM may hold blanks: what stands behind it is taken from the end of a row.
  void read_header(std::string_view line) {
    before_.clear();
    after_.clear();
    std::vector<std::string>* side = &before_;
    for (const std::string_view name : words(line)) {
      if (name == "COMM") {
        side = &after_;
      } else {
        side->emplace_back(name);
      }
    }
    in_table_ = true;
    const bool has_queue_time = std::find(after_.begin(), after_.end(), "QUE(ms)") != after_.end();
    if (info_.level == Level::unknown) {
      info_.level = has_queue_time && wanted_ != Level::issue ? Level::queue : Level::issue;
      if (wanted_ == Level::queue && !has_queue_time) {
        throw sim::DataError(place().text() + ": level Q needs the column QUE(ms) (biosnoop -Q)");
      }
    } else if (info_.level == Level::queue && !has_queue_time) {
      throw BadField{line.data(), "a table without QUE(ms) after one with it: read it with --level issue"};
    }
  }

  void row(std::string_view line, Batch& batch) {
    fields_ = {};
    for (const std::string& name : before_) set(name, take_word(line));
    for (auto name = after_.rbegin(); name != after_.rend(); ++name) set(*name, take_last_word(line));
    Request request;
    const sim::Nanoseconds end = parse_time(fields_.time, 1_s, "TIME(s)");
    request.latency = parse_latency(fields_.latency, 1_ms, "LAT(ms)");
    if (info_.level == Level::queue) {
      request.issue_delay = parse_latency(fields_.queue, 1_ms, "QUE(ms)");
      request.latency = add(request.latency, request.issue_delay);
    }
    request.time = issue_time(end, request.latency, fields_.time);
    request.op = parse_direction(fields_.direction);
    request.offset = parse_offset(fields_.sector, "SECTOR", 512);
    request.length = parse_length(fields_.bytes, "BYTES");
    if (fields_.disk.empty()) bad_field(line, "DISK", "should be a name");
    request.stream = stream_id(info_, fields_.disk, fields_.disk);
    process_.assign(trim(line)).append(" (").append(fields_.pid).append(")");
    request.process = process_id(info_, process_, *input_);
    batch.add(request);
  }

  sim::Nanoseconds add(sim::Nanoseconds a, sim::Nanoseconds b) const {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a.count, b.count, &sum)) bad_field(fields_.latency, "LAT(ms)", "should be a latency");
    return {sum};
  }

  void set(std::string_view name, std::string_view field) {
    if (name == "TIME(s)") fields_.time = field;
    if (name == "PID") fields_.pid = field;
    if (name == "DISK") fields_.disk = field;
    if (name == "T") fields_.direction = field;
    if (name == "SECTOR") fields_.sector = field;
    if (name == "BYTES") fields_.bytes = field;
    if (name == "QUE(ms)") fields_.queue = field;
    if (name == "LAT(ms)") fields_.latency = field;
  }

  Level wanted_;
  std::vector<std::string> before_, after_;  // names of the columns on either side of COMM
  bool in_table_ = false;
  struct {
    std::string_view time, pid, disk, direction, sector, bytes, queue, latency;
  } fields_;
  std::string process_;
};

Match detect(const Probe& probe) {
  const auto lines = probe.lines(100);
  return std::any_of(lines.begin(), lines.end(), is_header) ? Match::certain : Match::no;
}

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions& options) {
  return std::make_unique<BiosnoopReader>(std::move(input), options);
}

}  // namespace

extern const Format biosnoop{
    .name = "biosnoop",
    .summary = "BCC biosnoop's output",
    .description = R"text(TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  QUE(ms) LAT(ms)
0.000004    supervise      1950   xvda1   W 13092560   4096      0.01    0.74

Columns are taken by their names. Reading starts at the header line; an empty line ends the table, and text outside it
is passed over and counted.

  TIME(s)    of completion, from the first event; the request's time is this less LAT (and QUE), which can be negative
  COMM, PID  who issued it, named "supervise (1950)"; COMM may hold blanks
  DISK       the stream
  T          R, W, D (discard) or F (flush), with other letters of the kernel's rwbs
  SECTOR     of 512 bytes
  BYTES      bytes
  LAT(ms)    from issue to the device to completion
  QUE(ms)    (biosnoop -Q) from queueing to issue. With it the level is Q, and the latency QUE + LAT, unless --level D
             is asked for; without it the level is D

The output of bpftrace's biosnoop.bt names neither sector nor size, so it cannot be read as a trace.

Source: github.com/iovisor/bcc, tools/biosnoop_example.txt.
)text",
    .detect = detect,
    .open = open,
};

}  // namespace traces
