// HP Labs SRT 1.3 traces: a text header that describes the machine, then big-endian records (Ruemmler and Wilkes,
// "UNIX disk access patterns", USENIX Winter 1993).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "traces/formats/records.h"
#include "traces/registry.h"
#include "traces/text_reader.h"

namespace traces {
namespace {

constexpr std::string_view kMagic = "$$TR_IOREC";
constexpr std::size_t kMaxHeaderBytes = 1 << 20;
constexpr char kHeaderEnd = '\x0C';

// Words of a record, each of 32 bits.
enum Word : std::size_t {
  kSize,
  kKind,
  kSecond,
  kMicrosecond,
  kStart,
  kStop,
  kBytes,
  kSector,
  kDevice,
  kDriver,
  kCylinder,
  kFlags,
  kWords
};
constexpr std::size_t kMaxRecordBytes = 4096;
constexpr std::uint32_t kShort = 1, kSuspect = 4;  // kinds
constexpr std::uint32_t kReadFlag = 0x1, kSyncFlag = 0x01000000;

// The value in `NAME = VALUE` wherever it is in the header, from `at` on, which moves behind it; empty when no more.
std::string_view value_of(std::string_view header, std::string_view name, std::size_t& at) {
  while ((at = header.find(name, at)) != std::string_view::npos) {
    at += name.size();
    std::string_view rest = trim(header.substr(at, header.find('\n', at) - at));
    if (!rest.starts_with('=')) continue;
    rest = trim(rest.substr(1));
    return rest.substr(0, rest.find_first_of(";,"));
  }
  return {};
}

// "Sat May 30 00:03:06 1992", whose time zone is not told, as UTC.
std::optional<sim::Nanoseconds> parse_date(std::string_view text) {
  static constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  while (text.starts_with('"')) text.remove_prefix(1);
  while (text.ends_with('"')) text.remove_suffix(1);
  take_word(text);  // the day of the week
  const auto month = std::find(kMonths.begin(), kMonths.end(), take_word(text));
  try {
    const auto day = parse_number(take_word(text), "day");
    std::string_view clock = take_word(text);
    const auto hour = parse_number(take_field(clock, ':'), "hour");
    const auto minute = parse_number(take_field(clock, ':'), "minute");
    const auto second = parse_number(clock, "second");
    const auto year = parse_number(take_word(text), "year");
    if (hour > 23 || minute > 59 || second > 60 || day > 31 || year > 2100) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year)),
                                           std::chrono::month(static_cast<unsigned>(month - kMonths.begin()) + 1),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok() || year < 1970) return std::nullopt;
    const auto days = std::chrono::sys_days(date).time_since_epoch().count();
    return sim::Nanoseconds{1'000'000'000} *
           (days * 86'400 + static_cast<std::int64_t>(hour * 3600 + minute * 60 + second));
  } catch (const BadField&) { return std::nullopt; }
}

class HplSrtReader final : public Reader {
 public:
  HplSrtReader(std::unique_ptr<Input> input, const ReadOptions& options)
      : input_(std::move(input)), skip_bad_(options.skip_bad) {
    info_.format = "hpl_srt";
    info_.level = Level::queue;
    read_header(options);
  }

  bool next(Batch& batch) override {
    batch.clear();
    while (!batch.full() && !ended_) {
      ++record_;
      try {
        read_record(batch);
      } catch (const BadRecord& bad) {
        if (info_.skipped_lines >= skip_bad_) sim::fail(place(), bad.what);
        ++info_.skipped_lines;
        info_.findings.add("bad records passed over", place());
      }
    }
    return !batch.requests().empty();
  }

  const TraceInfo& info() const override { return info_; }

 private:
  void read_header(const ReadOptions& options) {
    const std::string_view head = input_->peek(kMaxHeaderBytes);
    if (!head.starts_with(kMagic))
      throw sim::DataError(input_->path() + ": does not begin with $$TR_IOREC as an SRT trace does");
    const std::size_t end = head.substr(0, kMaxHeaderBytes).find(kHeaderEnd);
    if (end == std::string_view::npos)
      throw sim::DataError(input_->path() + ": the header's end, a form feed, is not there");
    const std::string_view header = head.substr(0, end);
    std::size_t at = 0;
    if (const auto date = parse_date(value_of(header, "tracedate", at))) {
      start_ = *date;
      info_.clock = Clock::unix_epoch;
    }
    info_.sector = options.sector ? *options.sector : sector_of(header);
    input_->take(end + 1);
  }

  sim::Bytes sector_of(std::string_view header) {
    std::optional<sim::Bytes> sector;
    for (std::size_t at = 0;;) {
      const std::string_view value = value_of(header, "sectorsize", at);
      if (value.empty()) break;
      std::uint64_t bytes = 0;
      try {
        bytes = parse_number(trim(value), "sectorsize");
      } catch (const BadField& bad) { throw sim::DataError(input_->path() + ": in the header, " + bad.what); }
      if (bytes == 0 || bytes > (1 << 20))
        throw sim::DataError(input_->path() + ": a sector cannot be of " + std::to_string(bytes) + " bytes");
      const sim::Bytes found{static_cast<std::int64_t>(bytes)};
      if (sector && *sector != found)
        throw sim::DataError(input_->path() +
                             ": its disks have sectors of different sizes; say which applies with --sector");
      sector = found;
    }
    if (!sector) info_.findings.add("headers that do not tell the size of a sector (512 bytes taken)");
    return sector.value_or(sim::kSectorBytes);
  }

  sim::Place place() const { return {.file = input_->path(), .record = record_, .byte = input_->consumed()}; }

  // On a bad record nothing but the record is taken, where its size can be believed; else the trace ends here.
  void read_record(Batch& batch) {
    const std::string_view head = input_->peek(sizeof(std::uint32_t));
    if (head.empty()) {
      ended_ = true;
      return;
    }
    const std::size_t size = head.size() < sizeof(std::uint32_t) ? 0 : load_big32(head.data());
    if (size < kWords * sizeof(std::uint32_t) || size > kMaxRecordBytes) {
      ended_ = true;
      throw BadRecord{head.size() < sizeof(std::uint32_t)
                          ? "the file ends within this record"
                          : "says that it has " + std::to_string(size) + " bytes; 52 to 60 would be right"};
    }
    const std::string_view record = input_->peek(size).substr(0, size);
    if (record.size() < size) {
      ended_ = true;
      throw BadRecord{"the file ends " + std::to_string(record.size()) + " bytes into this record of " +
                      std::to_string(size)};
    }
    const Taken taken{*input_, size};
    decode(record.data(), batch);
  }

  struct Taken {
    Input& input;
    std::size_t bytes;
    ~Taken() { input.take(bytes); }
  };

  void decode(const char* record, Batch& batch) {
    const auto word = [&](Word w) { return load_big32(record + w * sizeof(std::uint32_t)); };
    const std::uint32_t kind = word(kKind) & 0xFFFF, version = word(kKind) >> 16;
    if (version < 1 || version > 4) throw BadRecord{"has version " + std::to_string(version) + "; 1 to 4 are known"};
    if (kind != kShort && kind != kSuspect) {
      info_.findings.add("records that are no disk IO", place());
      return;
    }
    if (kind == kSuspect) info_.findings.add("requests that the tracer marked as suspect", place());
    constexpr sim::Nanoseconds kMicro{1000};
    Request request;
    request.time = instant_of(word(kSecond), sim::Nanoseconds{1'000'000'000}) + kMicro * word(kMicrosecond) + start_;
    request.issue_delay = kMicro * word(kStart);
    request.latency = kMicro * word(kStop);
    request.offset = offset_of(word(kSector), info_.sector);
    request.length = {word(kBytes)};
    request.op = word(kFlags) & kReadFlag ? Op::read : Op::write;
    request.flags = word(kFlags) & kSyncFlag ? kSync : std::uint8_t{0};
    request.stream = stream_of(word(kDevice));
    batch.add(request);
  }

  // HP-UX device numbers: major number, unit, and in the last byte the section, all of whose sectors are counted from
  // the beginning of the disk.
  StreamId stream_of(std::uint32_t device) {
    const std::uint32_t disk = device >> 8;
    if (disk != last_disk_ || info_.streams.names().empty()) {
      last_stream_ = static_cast<StreamId>(info_.streams.id(fmt::format("{}:{}", disk >> 16, disk & 0xFFFF)));
      last_disk_ = disk;
    }
    return last_stream_;
  }

  std::unique_ptr<Input> input_;
  TraceInfo info_;
  std::uint64_t skip_bad_;
  sim::Nanoseconds start_;
  std::uint64_t record_ = 0;
  std::uint32_t last_disk_ = 0;
  StreamId last_stream_ = 0;
  bool ended_ = false;
};

Match detect(const Probe& probe) { return probe.head.starts_with(kMagic) ? Match::certain : Match::no; }

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions& options) {
  return std::make_unique<HplSrtReader>(std::move(input), options);
}

}  // namespace

extern const Format hpl_srt{
    .name = "hpl_srt",
    .summary = "HP Labs SRT 1.3 (hplajw, snake, cello 1992)",
    .description = R"(A text header from "$$TR_IOREC" to a form feed, then big-endian records of 32-bit words:
  size of the record in bytes, version << 16 | kind, s, us, start, stop, bytes, sector, device, driver, cylinder,
  flags, information; since version 4 the queue's length; of suspect records (kind 4) why
Time is that of entry into the queue (level Q), after the header's "tracedate", whose time zone is not told: it is
taken as UTC. Start and stop are in us after that: the issue delay and the latency. Flag 0x1 is a read, 0x01000000 a
synchronous request. Sectors have the header's "sectorsize" (256 bytes in the sample), or --sector, and are counted
from the beginning of the disk, whatever the section. Streams are disks, "MAJOR:UNIT".

Source: DiskSim's iotrace.c and hptrace.h; Ruemmler and Wilkes, "UNIX disk access patterns", USENIX Winter 1993. The
unit of sectors and their origin were checked on the trace that comes with DiskSim.
)",
    .detect = detect,
    .open = open,
};

}  // namespace traces
