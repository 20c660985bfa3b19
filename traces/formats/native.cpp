// The project's own trace files: HDF5, one column per field.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "sim/parallel.h"
#include "traces/hdf5.h"
#include "traces/output.h"
#include "traces/registry.h"

namespace traces {
namespace {

constexpr std::int64_t kSchema = 1;
constexpr std::uint64_t kChunkRows = 64 << 10;
constexpr std::uint64_t kMaxWindowRows = 1 << 20;  // of what is decompressed side by side
// Of what is compressed side by side: always as many, so that the order in the file depends on no thread.
constexpr std::uint64_t kGroupRows = 8 * kChunkRows;
constexpr std::int64_t kNoPlace = std::numeric_limits<std::int64_t>::min();  // of a gap whose time is not known

// The columns of a trace, in the order of kFields.
enum Field : std::size_t { kTime, kOffset, kLength, kOp, kStream, kFlags, kLatency, kIssueDelay, kProcess, kFields };

struct FieldKind {
  const char* name;
  hdf5::Type type;
  bool optional;
  std::uint8_t usual;  // every byte of the value that an absent column stands for
};

constexpr std::array<FieldKind, kFields> kKinds{{
    {"time_ns", hdf5::Type::u64, false, 0},
    {"offset_bytes", hdf5::Type::u64, false, 0},
    {"length_bytes", hdf5::Type::u32, false, 0},
    {"op", hdf5::Type::u8, false, 0},
    {"stream", hdf5::Type::u16, false, 0},
    {"flags", hdf5::Type::u8, true, 0},
    {"latency_ns", hdf5::Type::u64, true, 0xFF},
    {"issue_delay_ns", hdf5::Type::u64, true, 0xFF},
    {"process", hdf5::Type::u32, true, 0},
}};

// A column of the writer: rows that wait until whole chunks are there. An optional column comes into being with the
// first value that is not the usual one.
class PendingColumn {
 public:
  virtual ~PendingColumn() = default;
  virtual void take(std::span<const Request>) = 0;
  virtual const std::byte* data() const = 0;
  virtual void fill_up(std::size_t rows) = 0;  // with usual values
  virtual void clear() = 0;
  virtual void begin(hdf5::Group&, std::uint64_t rows_before, hdf5::Codec) = 0;
  bool wanted() const { return wanted_; }
  hdf5::Column* column() { return column_ ? &*column_ : nullptr; }

 protected:
  bool wanted_ = false;
  std::optional<hdf5::Column> column_;
};

void write_chunk(hdf5::Column& column, std::uint64_t row, const std::byte* values) {
  column.direct() ? column.write_chunk(row, encode_chunk(column, values)) : column.write_rows(row, kChunkRows, values);
}

template <class T, class Get>
class PendingColumnOf final : public PendingColumn {
 public:
  PendingColumnOf(const FieldKind& kind, Get get)
      : kind_(kind), usual_(kind.usual ? std::numeric_limits<T>::max() : T{0}), get_(get) {
    wanted_ = !kind.optional;
  }

  void take(std::span<const Request> requests) override {
    const std::size_t before = values_.size();
    values_.resize(before + requests.size());
    bool unusual = false;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const T value = get_(requests[i]);
      values_[before + i] = value;
      unusual |= value != usual_;
    }
    wanted_ |= unusual;
  }

  const std::byte* data() const override { return reinterpret_cast<const std::byte*>(values_.data()); }
  void fill_up(std::size_t rows) override { values_.resize(rows, usual_); }
  void clear() override { values_.clear(); }

  void begin(hdf5::Group& group, std::uint64_t rows_before, hdf5::Codec codec) override {
    column_ = group.make_column(kind_.name, kind_.type, kChunkRows, codec);
    if (rows_before == 0) return;
    const std::vector<T> usual(kChunkRows, usual_);
    column_->grow(rows_before);
    for (std::uint64_t row = 0; row < rows_before; row += kChunkRows) {
      write_chunk(*column_, row, reinterpret_cast<const std::byte*>(usual.data()));
    }
  }

 private:
  const FieldKind& kind_;
  T usual_;
  Get get_;
  std::vector<T> values_;
};

class NativeWriter final : public Writer {
 public:
  NativeWriter(const std::string& path, const WriteOptions& options)
      : options_(options),
        codec_(codec_named(options.compress)),
        output_(path),
        file_(hdf5::File::create(output_.temporary(), path)),
        group_(file_.root().make("trace")) {
    add<std::uint64_t>(kTime, [this](const Request& r) { return static_cast<std::uint64_t>((r.time - start_).count); });
    add<std::uint64_t>(kOffset, [](const Request& r) { return r.offset.bytes; });
    add<std::uint32_t>(kLength, [](const Request& r) { return static_cast<std::uint32_t>(r.length.count); });
    add<std::uint8_t>(kOp, [](const Request& r) { return static_cast<std::uint8_t>(r.op); });
    add<std::uint16_t>(kStream, [](const Request& r) { return r.stream; });
    add<std::uint8_t>(kFlags, [](const Request& r) { return r.flags; });
    add<std::uint64_t>(kLatency, [](const Request& r) { return static_cast<std::uint64_t>(r.latency.count); });
    add<std::uint64_t>(kIssueDelay, [](const Request& r) { return static_cast<std::uint64_t>(r.issue_delay.count); });
    add<std::uint32_t>(kProcess, [](const Request& r) { return r.process; });
  }

  void write(std::span<const Request> requests, const TraceInfo&) override {
    if (requests.empty()) return;
    if (rows_ == 0) start_ = requests.front().time;
    for (const Request& request : requests) {
      if (request.time < start_) {
        throw sim::DataError(output_.path() + ": a request is " + sim::format(start_ - request.time) +
                             " earlier than the first: native traces are in order of time");
      }
    }
    while (!requests.empty()) {
      const std::uint64_t room = kGroupRows - (rows_ - stored_rows_);
      const auto part = requests.first(std::min<std::uint64_t>(room, requests.size()));
      for (const auto& column : columns_) column->take(part);
      rows_ += part.size();
      if (rows_ - stored_rows_ == kGroupRows) store(kGroupRows / kChunkRows);
      requests = requests.subspan(part.size());
    }
  }

  void finish(const TraceInfo& info, Findings&) override {
    const std::uint64_t left = rows_ - stored_rows_;
    const std::uint64_t chunks = (left + kChunkRows - 1) / kChunkRows;
    for (const auto& column : columns_) column->fill_up(chunks * kChunkRows);
    store(chunks);
    for (const auto& column : columns_) {
      if (column->column()) column->column()->shrink(rows_);
    }
    columns_.clear();
    describe(info);
    group_ = hdf5::Group();
    file_.close();
    output_.commit();
  }

 private:
  static hdf5::Codec codec_named(const std::string& name) {
    if (name != "deflate" && name != "lz4") throw sim::UsageError("--compress is deflate or lz4, not '" + name + "'");
    const hdf5::Codec codec = name == "lz4" ? hdf5::Codec::lz4 : hdf5::Codec::deflate;
    if (!hdf5::available(codec)) {
      throw sim::UsageError(
          "--compress lz4 needs the HDF5 plug-in for filter 32004, which is not installed here "
          "(HDF5_PLUGIN_PATH says where plug-ins are); deflate needs none");
    }
    return codec;
  }

  template <class T, class Get>
  void add(Field field, Get get) {
    columns_.push_back(std::make_unique<PendingColumnOf<T, Get>>(kKinds[field], get));
  }

  // Writes the rows that wait, which are of so many whole chunks.
  void store(std::uint64_t chunks) {
    std::vector<PendingColumn*> wanted;
    for (const auto& column : columns_) {
      if (!column->wanted()) continue;
      if (!column->column()) column->begin(group_, stored_rows_, codec_);
      column->column()->grow(stored_rows_ + chunks * kChunkRows);
      wanted.push_back(column.get());
    }
    const auto values = [&](std::size_t i) {
      return wanted[i / chunks]->data() + i % chunks * kChunkRows * width(wanted[i / chunks]->column()->type());
    };
    const auto row = [&](std::size_t i) { return stored_rows_ + i % chunks * kChunkRows; };
    if (codec_ == hdf5::Codec::deflate) {
      std::vector<std::vector<std::byte>> encoded(wanted.size() * chunks);
      sim::for_each_index(encoded.size(), options_.threads,
                          [&](std::size_t i) { encoded[i] = encode_chunk(*wanted[i / chunks]->column(), values(i)); });
      for (std::size_t i = 0; i < encoded.size(); ++i) wanted[i / chunks]->column()->write_chunk(row(i), encoded[i]);
    } else {
      for (std::size_t i = 0; i < wanted.size() * chunks; ++i) {
        wanted[i / chunks]->column()->write_rows(row(i), kChunkRows, values(i));
      }
    }
    for (const auto& column : columns_) column->clear();
    stored_rows_ += chunks * kChunkRows;
  }

  void describe(const TraceInfo& info) {
    group_.set("schema_version", kSchema);
    group_.set("tool", options_.tool);
    group_.set("source_format", info.source_format.empty() ? info.format : info.source_format);
    group_.set("level", name(info.level));
    group_.set("clock", name(info.clock));
    const char* const start = info.clock == Clock::unix_epoch ? "start_unix_ns" : "start_ns";
    group_.set(start, start_.since_origin.count);
    group_.set("time_base", std::string("nanoseconds since ") + start);
    group_.set("sector_bytes", info.sector.count);
    group_.set("granularity", info.granularity == Granularity::request ? "request" : "block");
    group_.set("skipped_lines", info.skipped_lines);
    if (info.lost_events) group_.set("lost_events", *info.lost_events);
    group_.write("stream_names", info.streams.names());
    group_.write("process_names", info.processes.names());
    if (!info.stream_bytes.empty()) {
      std::vector<std::int64_t> sizes;
      for (const sim::Bytes size : info.stream_bytes) sizes.push_back(size.count);
      group_.write("stream_bytes", sizes);
    }
    describe_lost(info);
    describe_findings(info);
  }

  void describe_lost(const TraceInfo& info) {
    std::vector<std::int64_t> times;
    std::vector<std::uint64_t> counts;
    for (const LostEvents& gap : info.lost) {
      times.push_back(gap.time == sim::Instant{} ? kNoPlace : (gap.time - start_).count);
      counts.push_back(gap.count);
    }
    hdf5::Group lost = group_.make("lost");
    lost.write("time_ns", times);
    lost.write("count", counts);
  }

  void describe_findings(const TraceInfo& info) {
    std::vector<std::string> what, first;
    std::vector<std::uint64_t> counts;
    for (const Findings::Finding& finding : info.findings.all()) {
      what.push_back(finding.what);
      counts.push_back(finding.count);
      first.push_back(finding.first);
    }
    hdf5::Group findings = group_.make("findings");
    findings.write("what", what);
    findings.write("count", counts);
    findings.write("first", first);
  }

  WriteOptions options_;
  hdf5::Codec codec_;
  TemporaryFile output_;
  hdf5::File file_;
  hdf5::Group group_;
  std::vector<std::unique_ptr<PendingColumn>> columns_;
  sim::Instant start_;
  std::uint64_t rows_ = 0, stored_rows_ = 0;
};

// A column of the reader: the values of one window of rows, or of an absent column as many as are asked for at once.
struct WindowColumn {
  std::optional<hdf5::Column> column;
  std::vector<std::vector<std::byte>> chunks;  // of the window, as stored
  std::vector<std::byte> values;

  bool direct(std::uint64_t chunk_rows) const { return column->direct() && column->chunk_rows() == chunk_rows; }
};

class NativeReader final : public Reader {
 public:
  NativeReader(const std::string& path, const ReadOptions& options)
      : path_(path), threads_(std::max(options.threads, 1u)), file_(hdf5::File::open(path)) {
    if (!file_.root().has("trace")) fail("is HDF5, but not a trace: it has no group /trace");
    const hdf5::Group group = file_.root().open("trace");
    read_info(group);
    open_columns(group);
  }

  bool next(Batch& batch) override {
    auto& requests = batch.requests();
    if (in_window_ == window_rows_ && !load_window()) {
      requests.clear();
      return false;
    }
    const std::size_t count = std::min<std::uint64_t>(Batch::kTarget, window_rows_ - in_window_);
    requests.resize(count);
    convert(in_window_, requests);
    in_window_ += count;
    return true;
  }

  const TraceInfo& info() const override { return info_; }
  std::optional<std::uint64_t> size_hint() const override { return rows_; }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw sim::DataError(path_ + ": " + what); }

  void read_info(const hdf5::Group& group) {
    const auto schema = group.integer("schema_version");
    if (!schema) fail("is HDF5, but not a trace of iocast: /trace has no attribute schema_version");
    if (*schema != kSchema) {
      fail("has version " + std::to_string(*schema) + " of the trace schema; this iocast reads version " +
           std::to_string(kSchema));
    }
    info_.format = "native";
    info_.source_format = group.text("source_format").value_or("");
    info_.level = level_from_name(group.text("level").value_or(""));
    info_.clock = clock_from_name(group.text("clock").value_or(""));
    const char* const start = info_.clock == Clock::unix_epoch ? "start_unix_ns" : "start_ns";
    start_ = group.integer(start).value_or(0);
    info_.granularity = group.text("granularity") == "request" ? Granularity::request : Granularity::block;
    info_.sector = {group.integer("sector_bytes").value_or(info_.sector.count)};
    info_.skipped_lines = count(group.integer("skipped_lines").value_or(0), "skipped_lines");
    if (const auto lost = group.integer("lost_events")) info_.lost_events = count(*lost, "lost_events");
    read_names(group);
    read_lost(group);
    read_findings(group);
  }

  std::uint64_t count(std::int64_t value, const char* what) const {
    if (value < 0) fail(std::string("/trace: ") + what + " should not be negative");
    return static_cast<std::uint64_t>(value);
  }

  void read_names(const hdf5::Group& group) {
    add_names(info_.streams, group, "stream_names");
    if (group.has("process_names")) add_names(info_.processes, group, "process_names");
    if (!group.has("stream_bytes")) return;
    for (const std::int64_t size : group.read<std::int64_t>("stream_bytes")) info_.stream_bytes.push_back({size});
  }

  // A name's place in the list is its number, so none may be there twice.
  void add_names(NameTable& table, const hdf5::Group& group, const char* name) const {
    const auto names = group.read_texts(name);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (table.id(names[i], names.size() + 1) != i) {
        fail(std::string("/trace/") + name + ": '" + names[i] + "' in row " + std::to_string(i) +
             " should not be there" +
             (&table == &info_.processes && i == 0 ? ": process 0 is the unknown one, \"\"" : " a second time"));
      }
    }
  }

  void read_lost(const hdf5::Group& group) {
    if (!group.has("lost")) return;
    const hdf5::Group lost = group.open("lost");
    const auto times = lost.read<std::int64_t>("time_ns");
    const auto counts = lost.read<std::uint64_t>("count");
    if (times.size() != counts.size()) fail("/trace/lost: its columns should be of one length");
    for (std::size_t i = 0; i < times.size(); ++i) {
      std::int64_t time = 0;
      if (times[i] != kNoPlace && __builtin_add_overflow(times[i], start_, &time)) {
        fail("/trace/lost/time_ns: row " + std::to_string(i) + " is past the range of 64-bit nanoseconds");
      }
      info_.lost.push_back({{{time}}, counts[i]});
    }
  }

  void read_findings(const hdf5::Group& group) {
    if (!group.has("findings")) return;
    const hdf5::Group findings = group.open("findings");
    const auto what = findings.read_texts("what"), first = findings.read_texts("first");
    const auto counts = findings.read<std::uint64_t>("count");
    if (what.size() != counts.size() || first.size() != counts.size()) {
      fail("/trace/findings: its columns should be of one length");
    }
    for (std::size_t i = 0; i < what.size(); ++i) {
      info_.findings.add(Findings::Finding{what[i], counts[i], first[i]});
    }
  }

  void open_columns(const hdf5::Group& group) {
    for (std::size_t f = 0; f < kFields; ++f) {
      const FieldKind& kind = kKinds[f];
      if (kind.optional && !group.has(kind.name)) {
        columns_[f].values.assign(Batch::kTarget * width(kind.type), std::byte{kind.usual});
        continue;
      }
      columns_[f].column = group.open_column(kind.name, kind.type);
      const std::uint64_t rows = columns_[f].column->rows();
      if (f == kTime) rows_ = rows;
      if (rows != rows_) {
        fail(std::string("/trace/") + kind.name + " has " + std::to_string(rows) + " rows, but /trace/time_ns " +
             std::to_string(rows_));
      }
    }
    const hdf5::Column& time = *columns_[kTime].column;
    chunk_rows_ = time.direct() && time.chunk_rows() <= kMaxWindowRows ? time.chunk_rows() : kChunkRows;
    const std::uint64_t chunks = std::min<std::uint64_t>(2 * threads_, kMaxWindowRows / chunk_rows_);
    window_limit_ = chunks * chunk_rows_;
  }

  // The next rows into the columns: chunks are fetched in turn, which the library wants, and decoded side by side.
  bool load_window() {
    window_first_ += window_rows_;
    window_rows_ = std::min(window_limit_, rows_ - window_first_);
    in_window_ = 0;
    if (window_rows_ == 0) return false;
    const std::size_t chunks = (window_rows_ + chunk_rows_ - 1) / chunk_rows_;
    std::vector<std::pair<WindowColumn*, std::size_t>> jobs;
    for (WindowColumn& column : columns_) {
      if (!column.column) continue;
      column.values.resize(chunks * chunk_rows_ * width(column.column->type()));
      if (!column.direct(chunk_rows_)) {
        column.column->read_rows(window_first_, window_rows_, column.values.data());
        continue;
      }
      column.chunks.resize(chunks);
      for (std::size_t i = 0; i < chunks; ++i) {
        column.column->read_chunk(window_first_ + i * chunk_rows_, column.chunks[i]);
        jobs.emplace_back(&column, i);
      }
    }
    sim::for_each_index(jobs.size(), threads_, [&](std::size_t i) {
      auto& [column, chunk] = jobs[i];
      decode_chunk(*column->column, column->chunks[chunk],
                   column->values.data() + chunk * chunk_rows_ * width(column->column->type()));
    });
    return true;
  }

  template <class T>
  const T* values(Field field, std::uint64_t row) const {
    const WindowColumn& column = columns_[field];
    return reinterpret_cast<const T*>(column.values.data()) + (column.column ? row : 0);
  }

  void convert(std::uint64_t row, std::vector<Request>& requests) const {
    const auto* time = values<std::uint64_t>(kTime, row);
    const auto* offset = values<std::uint64_t>(kOffset, row);
    const auto* length = values<std::uint32_t>(kLength, row);
    const auto* op = values<std::uint8_t>(kOp, row);
    const auto* stream = values<std::uint16_t>(kStream, row);
    const auto* flags = values<std::uint8_t>(kFlags, row);
    const auto* latency = values<std::uint64_t>(kLatency, row);
    const auto* issue_delay = values<std::uint64_t>(kIssueDelay, row);
    const auto* process = values<std::uint32_t>(kProcess, row);
    const auto latest =
        static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() - std::max<std::int64_t>(start_, 0));
    const std::size_t streams = info_.streams.names().size(), processes = info_.processes.names().size();
    bool bad = false;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      Request& r = requests[i];
      r.time = {{static_cast<std::int64_t>(static_cast<std::uint64_t>(start_) + time[i])}};
      r.offset = {offset[i]};
      r.length = {length[i]};
      r.latency = {static_cast<std::int64_t>(latency[i])};
      r.issue_delay = {static_cast<std::int64_t>(issue_delay[i])};
      r.process = process[i];
      r.stream = stream[i];
      r.op = static_cast<Op>(op[i]);
      r.flags = flags[i];
      bad |= time[i] > latest || r.length > kMaxLength || op[i] > 3 || stream[i] >= streams ||
             process[i] >= processes || r.latency < kUnknown || r.issue_delay < kUnknown;
    }
    if (bad) [[unlikely]]
      fail_at_bad_value(row, requests.size(), latest);
  }

  void fail_at_bad_value(std::uint64_t row, std::size_t count, std::uint64_t latest) const {
    constexpr auto kLongest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    check<std::uint64_t>(kTime, row, count, latest, "is past the range of 64-bit nanoseconds");
    check<std::uint32_t>(kLength, row, count, kMaxLength.count, "is more than a request of 2 GiB");
    check<std::uint8_t>(kOp, row, count, 3, "should be 0 read, 1 write, 2 discard or 3 flush");
    check<std::uint16_t>(kStream, row, count, info_.streams.names().size() - 1, "is not a row of stream_names");
    check<std::uint64_t>(kLatency, row, count, kLongest, "is past the range of 64-bit nanoseconds");
    check<std::uint64_t>(kIssueDelay, row, count, kLongest, "is past the range of 64-bit nanoseconds");
    check<std::uint32_t>(kProcess, row, count, info_.processes.names().size() - 1, "is not a row of process_names");
  }

  template <class T>
  void check(Field field, std::uint64_t row, std::size_t count, std::uint64_t largest, const char* why) const {
    const T* const found = values<T>(field, row);
    for (std::size_t i = 0; i < count; ++i) {
      const bool unknown = kKinds[field].usual && found[i] == std::numeric_limits<T>::max();
      if (found[i] <= largest || unknown) continue;
      fail(std::string("/trace/") + kKinds[field].name + ": " + std::to_string(found[i]) + " in row " +
           std::to_string(window_first_ + row + i) + " " + why);
    }
  }

  std::string path_;
  unsigned threads_;
  TraceInfo info_;
  hdf5::File file_;
  std::array<WindowColumn, kFields> columns_;
  std::int64_t start_ = 0;
  std::uint64_t rows_ = 0, chunk_rows_ = 0, window_limit_ = 0;
  std::uint64_t window_first_ = 0, window_rows_ = 0, in_window_ = 0;
};

Match detect(const Probe& probe) {
  using namespace std::string_view_literals;
  return probe.head.starts_with("\x89HDF\r\n\x1a\n"sv) ? Match::certain : Match::no;
}

std::unique_ptr<Reader> open_files(const std::vector<std::string>& paths, const ReadOptions& options) {
  return std::make_unique<NativeReader>(paths.front(), options);
}

std::unique_ptr<Writer> create(const std::string& path, const WriteOptions& options) {
  return std::make_unique<NativeWriter>(path, options);
}

}  // namespace

extern const Format native{
    .name = "native",
    .summary = "iocast's own trace: HDF5, one column per field",
    .description = R"(An HDF5 file (library 1.10 or newer) with a group /trace. One row a request, one column a field:
  time_ns         u64  from attribute start_unix_ns (clock "unix") or start_ns (clock "monotonic" or "relative")
  offset_bytes    u64  on the stream's device; in object traces the raw id
  length_bytes    u32  at most 2^31
  op              u8   0 read, 1 write, 2 discard, 3 flush
  stream          u16  row of /trace/stream_names
and only where the source tells them:
  flags           u8   bit 0 FUA, 1 sync, 2 metadata, 3 read-ahead
  latency_ns      u64  from the trace's level to completion; all ones: unknown
  issue_delay_ns  u64  from queueing to issue; all ones: unknown
  process         u32  row of /trace/process_names; row 0 is "", the unknown one
Attributes: schema_version (1), tool, source_format, level (Q, D or unknown), clock, time_base, sector_bytes,
granularity (block or request), skipped_lines, lost_events (absent: the source cannot tell).
Tables: stream_names and process_names (UTF-8), stream_bytes (size of each stream's device, 0 unknown), lost (time_ns,
count; the smallest time: place not known), findings (what, count, first): what looked wrong when the source was read.

Columns are in chunks, shuffled and deflated; with --compress lz4 by HDF5's filter 32004, which readers need as a
plug-in. The same requests give the same bytes. Requests are in order of time, none earlier than the first.

Source: this program; h5py.File(name)["trace/op"][:] reads a column.
)",
    .detect = detect,
    .open_files = open_files,
    .create = create,
    .streams_out = false,
    .extension = ".h5",
};

}  // namespace traces
