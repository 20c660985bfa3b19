// blktrace's binary records: per-CPU files, one stream of all, or what the kernel's blk tracer gives with options/bin.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <functional>
#include <queue>
#include <set>
#include <unordered_map>

#include "traces/formats/blktrace_records.h"
#include "traces/formats/block_events.h"
#include "traces/registry.h"

namespace traces {
namespace {

constexpr std::size_t kLongestRecord = record::kHeader8 + 65'535;

template <class T>
T load(const char* from, bool swap) {
  T value;
  std::memcpy(&value, from, sizeof value);
  if (!swap) return value;
  if constexpr (sizeof(T) == 2) {
    return __builtin_bswap16(value);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bswap32(value);
  } else {
    return __builtin_bswap64(value);
  }
}

// 7 or 8, or 0 where there is no magic number; of another version that version. `swap`: the other byte order.
unsigned version_at(std::string_view bytes, bool& swap) {
  if (bytes.size() < 4) return 0;
  for (const bool swapped : {false, true}) {
    const auto magic = load<std::uint32_t>(bytes.data(), swapped);
    if ((magic & 0xffffff00) != record::kMagic) continue;
    swap = swapped;
    return magic & 0xff;
  }
  return 0;
}

bool record_at(std::string_view bytes) {
  bool swap = false;
  const unsigned version = version_at(bytes, swap);
  return version == 7 || version == 8;
}

BlockEvent decode(const char* header, unsigned version, bool swap, std::uint32_t& action) {
  BlockEvent event;
  event.time = load<std::int64_t>(header + 8, swap);
  event.sector = load<std::uint64_t>(header + 16, swap);
  event.bytes = load<std::uint32_t>(header + 24, swap);
  const bool old = version == 7;
  const std::uint64_t what = old ? load<std::uint32_t>(header + 28, swap) : load<std::uint64_t>(header + 32, swap);
  action = what & 0xffff;
  event.category = static_cast<std::uint32_t>(what >> 16);
  event.process = load<std::uint32_t>(header + (old ? 32 : 28), swap);
  event.device = load<std::uint32_t>(header + (old ? 36 : 40), swap);
  event.failed = load<std::uint16_t>(header + (old ? 44 : 48), swap) != 0;
  return event;
}

// Whether an action is one of those that requests are made of.
bool is_wanted(std::uint32_t action, BlockAction& which) {
  switch (action) {
    case record::kQueue:
      which = BlockAction::queue;
      return true;
    case record::kIssue:
      which = BlockAction::issue;
      return true;
    case record::kComplete:
      which = BlockAction::complete;
      return true;
    case record::kRequeue:
      which = BlockAction::requeue;
      return true;
    default:
      return false;
  }
}

// The kernel's trace_pipe writes a text line between the records where it lost some: "CPU:1 [LOST 7 EVENTS]". Gives its
// length, or 0.
std::size_t lost_line_at(std::string_view bytes, std::uint64_t& count) {
  if (!bytes.starts_with("CPU:")) return 0;
  const std::string_view line = bytes.substr(0, 80).substr(0, bytes.substr(0, 80).find('\n') + 1);
  constexpr std::string_view kLost = " [LOST ";
  const std::size_t at = line.find(kLost);
  if (line.empty() || at == std::string_view::npos) return 0;
  const auto [end, error] = std::from_chars(line.data() + at + kLost.size(), line.data() + line.size(), count);
  return error == std::errc{} && std::string_view(end, line.data() + line.size()) == " EVENTS]\n" ? line.size() : 0;
}

// With options/context-info each record comes behind 16 bytes: process, CPU and once more the time.
bool context_at(std::string_view bytes) {
  return bytes.size() >= 16 + record::kHeader7 && record_at(bytes.substr(16)) &&
         std::memcmp(bytes.data() + 8, bytes.data() + 24, 8) == 0;
}

// One file's events in order of time.
class RecordFile {
 public:
  struct Sink {
    TraceInfo& info;
    RequestBuilder& builder;
    std::uint64_t skip_bad;
    bool has_wall_clock = false;
  };

  RecordFile(std::unique_ptr<Input> input, std::uint16_t source, sim::Nanoseconds window, std::size_t most_held)
      : input_(std::move(input)), order_(window, most_held), source_(source) {}

  // The next event, to be taken by pop(); null at the end.
  const BlockEvent* front(Sink& sink) {
    const BlockEvent* event = order_.front();
    while (!event && !ended_) {
      read_some(sink);
      event = order_.front();
    }
    return event;
  }
  void pop() { order_.pop(); }

 private:
  void read_some(Sink& sink);
  std::size_t read_record(std::string_view bytes, Sink& sink);
  void read_note(std::string_view payload, bool swap, std::uint32_t kind, BlockEvent& event, Sink& sink);
  std::size_t between_records(std::string_view bytes, Sink& sink);
  std::size_t bad(std::string_view bytes, const std::string& what, Sink& sink);
  sim::Place place() const { return {.file = input_->path(), .record = record_, .byte = byte_}; }

  std::unique_ptr<Input> input_;
  EventOrder order_;
  std::uint16_t source_;
  std::uint64_t record_ = 0, byte_ = 0;
  std::uint64_t lost_before_next_ = 0;
  std::int64_t last_time_ = 0;
  bool in_step_ = true;  // false while the next record is searched for
  bool ended_ = false;
};

void RecordFile::read_some(Sink& sink) {
  constexpr std::size_t kWanted = 128 << 10;
  static_assert(kWanted > kLongestRecord);
  const std::string_view bytes = input_->peek(kWanted);
  const bool last = bytes.size() < kWanted;
  const std::uint64_t begin = input_->consumed();
  std::size_t used = 0;
  while (used < bytes.size() && (last || bytes.size() - used >= kLongestRecord)) {
    byte_ = begin + used;
    used += read_record(bytes.substr(used), sink);
  }
  input_->take(used);
  if (last) {
    ended_ = true;
    order_.close();
  }
}

// Gives the bytes that were dealt with.
std::size_t RecordFile::read_record(std::string_view bytes, Sink& sink) {
  bool swap = false;
  const unsigned version = version_at(bytes, swap);
  if (version != 7 && version != 8) [[unlikely]] {
    if (const std::size_t length = between_records(bytes, sink)) return length;
    if (in_step_) ++record_;
    if (version) return bad(bytes, "is of version " + std::to_string(version) + "; 7 and 8 are known", sink);
    return bad(bytes,
               bytes.size() < record::kHeader7
                   ? "the file ends in a piece of a record: it was cut short (--skip-bad 1 reads what is before)"
                   : "should begin with blktrace's magic number",
               sink);
  }
  ++record_;
  in_step_ = true;
  const std::size_t length = version == 7 ? record::kHeader7 : record::kHeader8;
  const std::size_t added =
      bytes.size() < length ? 0 : load<std::uint16_t>(bytes.data() + (version == 7 ? 46 : 50), swap);
  if (bytes.size() < length + added) [[unlikely]] {
    return bad(bytes, "the file ends inside this record: it was cut short (--skip-bad 1 reads what is before)", sink);
  }
  std::uint32_t action = 0;
  BlockEvent event = decode(bytes.data(), version, swap, action);
  event.record = record_, event.byte = byte_, event.source = source_;
  if (event.category & category::kNote) {
    std::string_view payload = bytes.substr(length, added);
    if (action & record::kCgroup) payload.remove_prefix(std::min<std::size_t>(payload.size(), 8));
    read_note(payload, swap, action & ~record::kCgroup, event, sink);
  } else if (is_wanted(action & ~record::kCgroup, event.action)) {
    if (event.time < 0 || event.time >= kMaxTime) return bad(bytes, "time is past any clock's range", sink);
    if (event.bytes && event.sector >= kMaxSector && !(event.category & category::kDriver)) {
      return bad(bytes, "sector is past any device's end", sink);
    }
    last_time_ = event.time;
    if (lost_before_next_) sink.info.lost.push_back({.time = {{event.time}}, .count = lost_before_next_});
    lost_before_next_ = 0;
    order_.push(event);
  }
  return length + added;
}

void RecordFile::read_note(std::string_view payload, bool swap, std::uint32_t kind, BlockEvent& event, Sink& sink) {
  if (kind == record::kProcessNote) {
    event.action = BlockAction::process_name;
    event.sector = sink.builder.process_names().id(payload.substr(0, payload.find('\0')), std::size_t{1} << 31);
    if (event.time < 0 || event.time >= kMaxTime) event.time = last_time_;
    order_.push(event);
  } else if (kind == record::kTimestampNote && payload.size() >= 8 && !sink.has_wall_clock) {
    const std::int64_t seconds = load<std::uint32_t>(payload.data(), swap);
    const std::int64_t now = seconds * 1'000'000'000 + load<std::uint32_t>(payload.data() + 4, swap);
    if (event.time < 0 || event.time >= kMaxTime || !sink.builder.set_wall_clock(now - event.time)) {
      sink.info.findings.add("notes of the time of day that could not be used", place());
    } else {
      sink.has_wall_clock = true;
    }
  }
}

// What may stand between records: the length of it, or 0.
std::size_t RecordFile::between_records(std::string_view bytes, Sink& sink) {
  std::uint64_t lost = 0;
  if (const std::size_t length = lost_line_at(bytes, lost)) {
    lost_before_next_ += lost;
    sink.info.lost_events = sink.info.lost_events.value_or(0) + lost;
    in_step_ = true;
    return length;
  }
  return context_at(bytes) ? 16 : 0;
}

// Passes over a bad record, up to the next magic number, or throws.
std::size_t RecordFile::bad(std::string_view bytes, const std::string& what, Sink& sink) {
  if (in_step_) {
    if (sink.info.skipped_lines >= sink.skip_bad) sim::fail(place(), what);
    ++sink.info.skipped_lines;
    sink.info.findings.add("bad records passed over", place());
  }
  in_step_ = false;
  std::uint64_t ignored;
  for (std::size_t at = 1; at + 4 <= bytes.size(); ++at) {
    const std::string_view rest = bytes.substr(at);
    if (record_at(rest) || lost_line_at(rest, ignored)) return at;
  }
  return bytes.size() < kLongestRecord ? bytes.size() : bytes.size() - 3;
}

std::string_view without_compression(std::string_view path) {
  for (const std::string_view suffix : {".gz", ".zst", ".xz", ".bz2", ".lz4"}) {
    if (path.ends_with(suffix)) return path.substr(0, path.size() - suffix.size());
  }
  return path;
}

// "disk.blktrace.0.zst" -> "disk"; empty when it is not the name of one of a set.
std::string set_name(std::string_view path) {
  path = without_compression(path);
  constexpr std::string_view kMiddle = ".blktrace.";
  const std::size_t at = path.rfind(kMiddle);
  if (at == std::string_view::npos) return "";
  const std::string_view number = path.substr(at + kMiddle.size());
  const bool is_number = !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
  return is_number ? std::string(path.substr(0, at)) : "";
}

// What a log beside the trace says of lost events: NAME.log or NAME.blktrace.log.
std::optional<std::uint64_t> lost_events_beside(const std::string& path) {
  namespace fs = std::filesystem;
  std::string stem = set_name(path);
  if (stem.empty()) stem = fs::path(without_compression(path)).replace_extension().string();
  for (const std::string& log : {stem + ".log", stem + ".blktrace.log"}) {
    std::error_code ignored;
    if (log == path || !fs::is_regular_file(log, ignored) || fs::file_size(log, ignored) == 0) continue;
    Input input(log);
    if (const auto lost = lost_events_told_by(input.peek(1 << 20))) return lost;
  }
  return std::nullopt;
}

class BlktraceReader final : public Reader {
 public:
  BlktraceReader(std::vector<std::unique_ptr<Input>> inputs, const std::vector<std::string>& paths,
                 const ReadOptions& options)
      : builder_(info_, options, paths, false),
        sink_{info_, builder_, options.skip_bad},
        loss_log_(lost_events_in_log(options)) {
    info_.format = "blktrace";
    info_.clock = Clock::monotonic;
    // A stream holds the CPUs' buffers one after another; a CPU's own file is in order but for interrupts.
    const bool one = inputs.size() == 1;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      files_.push_back(std::make_unique<RecordFile>(std::move(inputs[i]), static_cast<std::uint16_t>(i),
                                                    sim::Nanoseconds{one ? 1'000'000'000 : 10'000'000},
                                                    one ? 1 << 19 : 1 << 16));
    }
    if (!loss_log_) look_for_logs(paths);
  }

  void note_siblings(const std::string& path);
  bool next(Batch& batch) override;
  const TraceInfo& info() const override { return info_; }

 private:
  using Turn = std::pair<std::int64_t, std::size_t>;  // time of a file's next event, its index

  void look_for_logs(const std::vector<std::string>& paths);
  void queue_up(std::size_t file) {
    if (const BlockEvent* event = files_[file]->front(sink_)) turns_.emplace(event->time, file);
  }
  void hand_on(BlockEvent event);
  void finish();

  TraceInfo info_;
  RequestBuilder builder_;
  RecordFile::Sink sink_;
  std::optional<std::uint64_t> loss_log_;
  std::vector<std::unique_ptr<RecordFile>> files_;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
  std::unordered_map<std::uint32_t, std::uint32_t> names_;  // process id -> index of its name
  bool started_ = false, finished_ = false;
};

void BlktraceReader::look_for_logs(const std::vector<std::string>& paths) {
  std::set<std::string> looked_at;
  std::optional<std::uint64_t> sum = 0;
  for (const std::string& path : paths) {
    const std::string set = set_name(path);
    if (!set.empty() && !looked_at.insert(set).second) continue;
    const auto lost = lost_events_beside(path);
    sum = sum && lost ? std::optional(*sum + *lost) : std::nullopt;
  }
  loss_log_ = sum;
}

void BlktraceReader::note_siblings(const std::string& path) {
  namespace fs = std::filesystem;
  const std::string set = set_name(path);
  if (set.empty()) return;
  const std::string prefix = fs::path(set).filename().string() + ".blktrace.";
  const fs::path folder = fs::path(path).parent_path();
  std::uint64_t others = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? fs::path(".") : folder, ignored)) {
    const std::string name = entry.path().filename().string();
    others += name.starts_with(prefix) && !set_name(name).empty() && name != fs::path(path).filename() &&
              entry.file_size(ignored) > 0;
  }
  if (others) info_.findings.add("other files of the same set not read (give " + set + " for the whole)", others);
}

bool BlktraceReader::next(Batch& batch) {
  batch.clear();
  if (!started_) {
    started_ = true;
    for (std::size_t i = 0; i < files_.size(); ++i) queue_up(i);
  }
  builder_.release(batch);
  while (!batch.full() && !finished_) {
    if (turns_.empty()) {
      finish();
    } else {
      const std::size_t file = turns_.top().second;
      turns_.pop();
      // A file's next events often all precede the other files'.
      const std::int64_t until = turns_.empty() ? INT64_MAX : turns_.top().first;
      while (const BlockEvent* event = files_[file]->front(sink_)) {
        if (event->time > until || batch.full()) break;
        hand_on(*event);
        files_[file]->pop();
        builder_.release(batch);
      }
      queue_up(file);
    }
    builder_.release(batch);
  }
  return !batch.requests().empty();
}

void BlktraceReader::hand_on(BlockEvent event) {
  if (event.action == BlockAction::process_name) {
    names_[event.process] = static_cast<std::uint32_t>(event.sector);
    return;
  }
  if (event.action == BlockAction::queue || event.action == BlockAction::issue) {
    const auto name = names_.find(event.process);
    event.process = name == names_.end() ? 0 : name->second;
  }
  builder_.add(event);
}

void BlktraceReader::finish() {
  finished_ = true;
  if (loss_log_) info_.lost_events = loss_log_;
  builder_.finish();
}

Match detect(const Probe& probe) {
  std::uint64_t lost;
  std::string_view rest = probe.head;
  while (const std::size_t length = lost_line_at(rest, lost)) rest.remove_prefix(length);
  return record_at(rest) || context_at(rest) ? Match::certain : Match::no;
}

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions& options) {
  const std::string path = input->path();
  std::vector<std::unique_ptr<Input>> inputs;
  inputs.push_back(std::move(input));
  auto reader = std::make_unique<BlktraceReader>(std::move(inputs), std::vector{path}, options);
  reader->note_siblings(path);
  return reader;
}

std::unique_ptr<Reader> open_files(const std::vector<std::string>& paths, const ReadOptions& options) {
  std::vector<std::unique_ptr<Input>> inputs;
  for (const std::string& path : paths) inputs.push_back(std::make_unique<Input>(path));
  return std::make_unique<BlktraceReader>(std::move(inputs), paths, options);
}

}  // namespace

extern const Format blktrace{
    .name = "blktrace",
    .summary = "binary records of blktrace(8), one file or a per-CPU set",
    .description =
        R"(Records of versions 7 (struct blk_io_trace, 48 bytes) and 8 (struct blk_io_trace2, 64 bytes), in either byte
order. Read are a per-CPU set (give NAME for NAME.blktrace.0, .1, ...), one file of it, a stream of several devices
(blktrace -o -), a merged file (blkparse -d), and what the kernel's blk tracer gives with options/bin.

Each device is a stream named "MAJOR,MINOR". A request is a queue event (Q), the application's view, or with --level D,
and where a device has no Q, an issue (D); the completion (C) gives its latency. Times are nanoseconds of the day where
the file notes it, else since the machine's start. An empty write with a flush is a flush; a write with data and a flush
is a write. Zone commands and commands of the driver's own are passed over.

The records do not tell what was lost: blktrace prints it at its end. That is taken from --loss-log FILE, or from
NAME.log or NAME.blktrace.log beside the trace.

Written is one file in order of time with queue, issue (where known) and completion events. fio --read_iolog takes it;
blkparse takes it with -i NAME if it is called NAME.blktrace.0, and otherwise from standard input (-i -).

Source: the Linux kernel's include/uapi/linux/blktrace_api.h; blktrace(8).
)",
    .detect = detect,
    .open = open,
    .open_files = open_files,
    .create = create_blktrace,
    .extension = ".blktrace",
    .other_extension = ".blktrace.0",
};

}  // namespace traces
