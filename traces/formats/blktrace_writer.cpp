// Writes one file of blktrace's records, of version 7 and in order of time.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <functional>
#include <optional>
#include <queue>
#include <set>
#include <vector>

#include "traces/formats/blktrace_records.h"
#include "traces/formats/block_events.h"
#include "traces/output.h"

namespace traces {
namespace {

struct Record {
  std::int64_t time = 0;
  std::uint64_t sector = 0;
  std::uint32_t bytes = 0, action = 0, process = 0, device = 0;
  std::uint64_t order = 0;  // of those of the same time

  bool operator>(const Record& other) const { return std::pair(time, order) > std::pair(other.time, other.order); }
};

std::int64_t later(std::int64_t time, sim::Nanoseconds delay) {
  std::int64_t sum;
  return __builtin_add_overflow(time, delay.count, &sum) ? INT64_MAX : sum;
}

class BlktraceWriter final : public Writer {
 public:
  explicit BlktraceWriter(const std::string& path) : output_(path) {}

  void write(std::span<const Request> requests, const TraceInfo& info) override;
  void finish(const TraceInfo& info, Findings& notes) override;

 private:
  // How far back from a request at the issue level its queue event may lie.
  static constexpr std::int64_t kLookBack = 1'000'000'000;

  void start(const Request& first, const TraceInfo& info);
  void add(const Request& request, const TraceInfo& info);
  void push(std::int64_t time, std::uint32_t action, const Request& request);
  void write_until(std::int64_t time, const TraceInfo& info);
  void put(const Record& record, std::string_view pdu);
  void name_process(const Record& record, const TraceInfo& info);
  std::uint32_t device(StreamId stream, const TraceInfo& info);

  Output output_;
  std::priority_queue<Record, std::vector<Record>, std::greater<>> waiting_;
  std::vector<std::optional<std::uint32_t>> devices_;
  std::set<std::uint32_t> taken_;
  std::vector<bool> named_;
  std::int64_t origin_ = 0;   // subtracted from all times
  std::int64_t written_ = 0;  // time of the last record
  std::uint64_t order_ = 0;
  std::uint32_t sequence_ = 0;
  std::uint32_t device_ = 0;  // of the request at hand
  bool started_ = false;
  std::uint64_t unaligned_ = 0, empty_ = 0, cut_delays_ = 0, cut_names_ = 0, doubled_ = 0, renamed_ = 0;
};

void BlktraceWriter::write(std::span<const Request> requests, const TraceInfo& info) {
  if (info.granularity == Granularity::request) {
    throw sim::DataError(
        "blktrace records hold places on a device, but the requests of this trace are objects with names only");
  }
  for (const Request& request : requests) {
    if (!started_) start(request, info);
    add(request, info);
    write_until(request.time.since_origin.count - origin_ - (info.level == Level::issue ? kLookBack : 0), info);
  }
}

void BlktraceWriter::start(const Request& first, const TraceInfo& info) {
  started_ = true;
  const std::int64_t begin = first.time.since_origin.count;
  if (info.clock != Clock::unix_epoch) {
    origin_ = std::min<std::int64_t>(begin, 0);
    return;
  }
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t seconds = begin / kSecond - 2;
  if (seconds < 0 || seconds > UINT32_MAX) {
    throw sim::DataError("blktrace notes the time of day in 32-bit seconds since 1970: this trace is outside of that");
  }
  origin_ = seconds * kSecond;
  const std::uint32_t pdu[] = {static_cast<std::uint32_t>(seconds), 0};
  put({.action = category::kNote << 16 | record::kTimestampNote},
      std::string_view(reinterpret_cast<const char*>(pdu), sizeof pdu));
}

void BlktraceWriter::add(const Request& request, const TraceInfo& info) {
  if (request.op != Op::flush && request.length <= sim::Bytes{0}) {
    ++empty_;
    return;
  }
  device_ = device(request.stream, info);
  const std::int64_t time = request.time.since_origin.count - origin_;
  const bool delay_known = request.issue_delay >= sim::Nanoseconds{0};
  if (info.level == Level::issue) {
    const std::int64_t queued = delay_known ? time - request.issue_delay.count : time;
    doubled_ += !delay_known;
    cut_delays_ += queued < written_;
    push(std::max(queued, written_), record::kQueue, request);
    push(time, record::kIssue, request);
  } else {
    push(time, record::kQueue, request);
    if (delay_known) push(later(time, request.issue_delay), record::kIssue, request);
  }
  if (request.latency >= sim::Nanoseconds{0}) push(later(time, request.latency), record::kComplete, request);
}

void BlktraceWriter::push(std::int64_t time, std::uint32_t action, const Request& request) {
  constexpr std::uint32_t kFileSystem = 1 << 8;
  std::uint32_t bits = action == record::kQueue ? 1 << 4 : (action == record::kIssue ? 1 << 6 : 1 << 7) | kFileSystem;
  switch (request.op) {
    case Op::read:
      bits |= 1;
      break;
    case Op::write:
      bits |= category::kWrite;
      break;
    case Op::discard:
      bits |= category::kWrite | category::kDiscard;
      break;
    case Op::flush:
      bits |= category::kWrite | category::kFlush;
      break;
  }
  bits |= (request.flags & kFua ? category::kFua : 0) | (request.flags & kSync ? category::kSync : 0) |
          (request.flags & kMetadata ? category::kMetadata : 0) |
          (request.flags & kReadAhead ? category::kReadAhead : 0);
  Record record{.time = std::max<std::int64_t>(time, 0),
                .action = bits << 16 | action,
                .process = request.process,
                .device = device_,
                .order = order_++};
  if (request.op != Op::flush) {
    const std::uint64_t begin = request.offset.bytes, end = begin + static_cast<std::uint64_t>(request.length.count);
    record.sector = begin / 512;
    record.bytes = static_cast<std::uint32_t>(((end + 511) / 512 - record.sector) * 512);
    unaligned_ += action == record::kQueue && (begin | end) % 512 != 0;
  }
  waiting_.push(record);
}

void BlktraceWriter::write_until(std::int64_t time, const TraceInfo& info) {
  while (!waiting_.empty() && waiting_.top().time <= time) {
    const Record record = waiting_.top();
    waiting_.pop();
    name_process(record, info);
    put(record, {});
    written_ = record.time;
  }
}

// Process ids are made up: the index of the name.
void BlktraceWriter::name_process(const Record& record, const TraceInfo& info) {
  const std::uint32_t process = record.process;
  if (process == 0 || process >= info.processes.names().size()) return;
  if (named_.size() <= process) named_.resize(info.processes.names().size());
  if (named_[process]) return;
  named_[process] = true;
  constexpr std::size_t kNameBytes = 16;  // with the zero behind it
  std::string name = info.processes.names()[process];
  cut_names_ += name.size() >= kNameBytes;
  name.resize(std::min(name.size(), kNameBytes - 1));
  name.resize(kNameBytes);
  put({.time = record.time,
       .action = category::kNote << 16 | record::kProcessNote,
       .process = process,
       .device = record.device},
      name);
}

void BlktraceWriter::put(const Record& record, std::string_view pdu) {
  const std::uint32_t magic = record::kMagic | 7, cpu = 0, sequence = ++sequence_;
  const std::uint16_t error = 0, pdu_length = static_cast<std::uint16_t>(pdu.size());
  char bytes[record::kHeader7];
  std::size_t used = 0;
  const auto append = [&](const auto& value) {
    std::memcpy(bytes + used, &value, sizeof value);
    used += sizeof value;
  };
  append(magic), append(sequence), append(record.time), append(record.sector), append(record.bytes),
      append(record.action);
  append(record.process), append(record.device), append(cpu), append(error), append(pdu_length);
  output_.write({bytes, used});
  if (!pdu.empty()) output_.write(pdu);
}

// "254,16" is a device's number; other streams get numbers as disks of SCSI have, 8,0, 8,16 and so on.
std::uint32_t BlktraceWriter::device(StreamId stream, const TraceInfo& info) {
  if (stream < devices_.size() && devices_[stream]) return *devices_[stream];
  devices_.resize(std::max<std::size_t>(devices_.size(), info.streams.names().size()));
  const std::string_view name = info.streams.names()[stream];
  std::uint64_t major = 0, minor = 0;
  const char* const end = name.data() + name.size();
  const auto [comma, error] = std::from_chars(name.data(), end, major);
  std::uint32_t number = 0;
  if (error == std::errc{} && comma != end && *comma == ',' && std::from_chars(comma + 1, end, minor).ptr == end &&
      major < 1 << 12 && minor < 1 << 20) {
    number = device_number(major, minor);
  }
  if (!number || !taken_.insert(number).second) {
    ++renamed_;
    for (number = device_number(8, 0); !taken_.insert(number).second;) number += 16;
  }
  devices_[stream] = number;
  return number;
}

void BlktraceWriter::finish(const TraceInfo& info, Findings& notes) {
  write_until(INT64_MAX, info);
  if (!sequence_) put({.action = category::kNote << 16 | record::kMessageNote}, "no requests");
  output_.commit();
  if (unaligned_) notes.add("requests that are not of whole sectors, widened to 512 bytes", unaligned_);
  if (empty_) notes.add("reads and writes of no bytes, left out", empty_);
  if (cut_delays_) notes.add("queueing delays of over 1 s, cut", cut_delays_);
  if (cut_names_) notes.add("process names of over 15 bytes, cut", cut_names_);
  if (doubled_) notes.add("issues of unknown time of queueing, written as queued at the same time", doubled_);
  if (renamed_) notes.add("streams that are not MAJOR,MINOR, given the numbers of disks 8,0, 8,16, ...", renamed_);
}

}  // namespace

std::unique_ptr<Writer> create_blktrace(const std::string& path, const WriteOptions&) {
  return std::make_unique<BlktraceWriter>(path);
}

}  // namespace traces
