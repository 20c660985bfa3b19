// MSR Cambridge traces (Narayanan, Donnelly, Rowstron, "Write Off-Loading", FAST 2008; SNIA IOTTA set 388).
#include <fmt/format.h>

#include <set>
#include <vector>

#include "traces/formats/table.h"
#include "traces/output.h"

namespace traces {
namespace {

using namespace table;

constexpr std::string_view kHeader = "Timestamp,";

Op parse_type(std::string_view field) {
  if (field == "Read" || field == "read" || field == "R") return Op::read;
  if (field == "Write" || field == "write" || field == "W") return Op::write;
  bad_field(field, "type", "should be Read or Write");
}

class MsrReader final : public TextReader {
 public:
  MsrReader(std::unique_ptr<Input> input, const ReadOptions& options) : TextReader(std::move(input), options, "msr") {}

 private:
  void parse(std::string_view line, Batch& batch) override {
    if (line.empty() || line.starts_with(kHeader)) return;
    Request request;
    if (first_row_) see_first(line);
    request.time = {take_time(line, ',', kFiletimeUnit, "timestamp", origin_)};
    request.stream = stream(line);
    request.op = parse_type(take_field(line, ','));
    request.offset = take_offset(line, ',', "offset");
    request.length = take_length(line, ',', "size");
    const std::string_view response_field = line;
    const sim::Nanoseconds response = take_time(line, ',', kFiletimeUnit, "response time");
    if (response.count < 0) bad_field(response_field, "response time", "should not be negative");
    if (response.count > 0) request.latency = response;
    expect_end(line, "the response time");
    batch.add(request);
  }

  // Copies of the traces are about whose times were made to start from 0.
  void see_first(std::string_view line) {
    const std::uint64_t ticks = take_number(line, ',', "timestamp");
    first_row_ = false;
    if (ticks >= static_cast<std::uint64_t>(kFiletimeOfUnixEpoch)) {
      origin_ = kFiletimeOfUnixEpoch;
      info_.clock = Clock::unix_epoch;
    } else {
      info_.findings.add("traces whose first timestamp lies before 1970, so that all are taken as relative", place());
    }
  }

  // "hm,0" -> "hm_0".
  StreamId stream(std::string_view& line) {
    const std::size_t host_size = find_byte(line, ',');
    const std::size_t disk_size = find_byte(line.substr(std::min(host_size + 1, line.size())), ',');
    const std::string_view text = line.substr(0, host_size + 1 + disk_size);
    line.remove_prefix(std::min(text.size() + 1, line.size()));
    return streams_.id(text, [&] {
      std::string_view rest = text;
      const std::string_view host = take_field(rest, ',');
      if (host.empty()) bad_field(host, "hostname", "should be a name");
      const std::string_view disk = rest;
      return stream_id(info_, std::string(host) + "_" + std::to_string(parse_number(trim(disk), "disk number")), host);
    });
  }

  bool first_row_ = true;
  std::int64_t origin_ = 0;
  RecentStreams streams_;
};

class MsrWriter final : public Writer {
 public:
  explicit MsrWriter(const std::string& path) : output_(path) {}

  void write(std::span<const Request> requests, const TraceInfo& info) override {
    const std::int64_t origin = info.clock == Clock::unix_epoch ? kFiletimeOfUnixEpoch : 0;
    buffer_.clear();
    for (const Request& request : requests) {
      if (request.op == Op::discard) {
        ++discards_;
      } else if (request.op == Op::flush) {
        ++flushes_;
      } else {
        row(request, origin, info);
      }
    }
    output_.write({buffer_.data(), buffer_.size()});
  }

  void finish(const TraceInfo&, Findings& notes) override {
    const auto note = [&](std::uint64_t count, std::string_view what) {
      if (count) notes.add(what, count);
    };
    note(discards_, "discards, which the format has no word for");
    note(flushes_, "flushes, which the format has no word for");
    note(cut_, "times or latencies cut to the format's 100 ns");
    note(before_epoch_, "times before the format's zero, written as negative numbers");
    note(unknown_, "unknown response times, written as 0");
    note(flags_, "requests with flags, which the format cannot hold");
    note(renamed_, "streams renamed to fit Hostname and DiskNumber");
    output_.commit();
  }

 private:
  void row(const Request& request, std::int64_t origin, const TraceInfo& info) {
    const std::int64_t time = request.time.since_origin.count;
    const std::int64_t ticks = time / 100 - (time % 100 < 0) + origin;
    const std::int64_t latency = request.latency.count;
    // 0 stands for unknown, so what is known and shorter than a tick is written as one.
    const std::int64_t response = latency < 0 ? 0 : std::max<std::int64_t>(latency / 100, 1);
    cut_ += time % 100 != 0 || (latency >= 0 && latency != response * 100);
    before_epoch_ += ticks < 0;
    unknown_ += latency < 0;
    flags_ += request.flags != 0;
    fmt::format_to(std::back_inserter(buffer_), "{},{},{},{},{},{}\n", ticks, label(request.stream, info),
                   request.op == Op::read ? "Read" : "Write", request.offset.bytes, request.length.count, response);
  }

  // "host,disk"; different for different streams.
  const std::string& label(StreamId stream, const TraceInfo& info) {
    while (labels_.size() <= stream) {
      const std::string& name = info.streams.names()[labels_.size()];
      const std::size_t line = name.rfind('_');
      const bool fits = line != std::string::npos && line > 0 && is_whole(std::string_view(name).substr(line + 1));
      std::string host = fits ? name.substr(0, line) : name.empty() ? "unnamed" : name;
      const bool clean = host.find_first_of(",\r\n") == std::string::npos;
      for (char& c : host) c = c == ',' || c == '\r' || c == '\n' ? '_' : c;
      const std::string disk = fits ? name.substr(line + 1) : "0";
      std::string candidate = host + "," + disk;
      for (int next = 1; !taken_.insert(candidate).second; ++next) candidate = fmt::format("{},{}", host, next);
      renamed_ += !fits || !clean || candidate != host + "," + disk;
      labels_.push_back(std::move(candidate));
    }
    return labels_[stream];
  }

  Output output_;
  fmt::memory_buffer buffer_;
  std::vector<std::string> labels_;  // by StreamId
  std::set<std::string> taken_;
  std::uint64_t discards_ = 0, flushes_ = 0, cut_ = 0, before_epoch_ = 0, unknown_ = 0, flags_ = 0, renamed_ = 0;
};

bool is_row(std::string_view line) {
  const auto fields = split(line, ',');
  return fields.size() == 7 && is_whole(fields[0]) && is_whole(fields[2]) &&
         (fields[3] == "Read" || fields[3] == "Write") && is_whole(fields[4]) && is_whole(fields[5]) &&
         is_whole(fields[6]);
}

Match detect(const Probe& probe) {
  const auto lines = probe.lines(1);
  if (!lines.empty() && lines[0] == "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime") {
    return Match::certain;
  }
  return mostly_rows(probe, is_row) ? Match::likely : Match::no;
}

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions& options) {
  return std::make_unique<MsrReader>(std::move(input), options);
}

std::unique_ptr<Writer> create(const std::string& path, const WriteOptions&) {
  return std::make_unique<MsrWriter>(path);
}

}  // namespace

extern const Format msr{
    .name = "msr",
    .summary = "MSR Cambridge (SNIA 388) CSV",
    .description = R"(Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime    (a header line is passed over)
128166372003061629,hm,0,Read,2096128000,4096,15000

  Timestamp     of issue, in 100 ns since 1601-01-01 UTC (Windows FILETIME). If the first one lies before 1970, all
                are taken as relative
  Hostname, DiskNumber    the stream, named "hm_0"
  Type          Read or Write
  Offset, Size  bytes
  ResponseTime  in 100 ns; 0 = unknown. In bursts it is coarse: requests of one batch end at one instant

Written files have no header. Times and response times are cut to 100 ns; times that do not count from 1970 are written
from 0; an unknown response time is written as 0 and a known one as at least 1; discards, flushes and flags have no
place; a stream that is not called HOST_NUMBER is called by its name and a free disk number. All of that is counted.

Source: Narayanan et al., FAST 2008, and the README of SNIA IOTTA trace set 388.
)",
    .detect = detect,
    .open = open,
    .create = create,
};

}  // namespace traces
