// Tencent's traces of a cloud block store (Zhang et al., "OSCA: An Online-Model Based Cache Allocation Scheme in Cloud
// Block Storage Systems", ATC 2020; SNIA IOTTA set 27917).
#include "traces/formats/table.h"

namespace traces {
namespace {

using namespace table;

constexpr std::uint64_t kSector = 512;

class TencentReader final : public TextReader {
 public:
  TencentReader(std::unique_ptr<Input> input, const ReadOptions& options)
      : TextReader(std::move(input), options, "tencent") {
    info_.clock = Clock::unix_epoch;
  }

 private:
  void parse(std::string_view line, Batch& batch) override {
    if (line.empty() || line.starts_with("Timestamp,")) return;
    Request request;
    request.time = {take_time(line, ',', 1_s, "timestamp")};
    request.offset = take_offset(line, ',', "offset", kSector);
    request.length = take_length(line, ',', "size", kSector);
    const std::string_view type = take_field(line, ',');
    if (type != "0" && type != "1") bad_field(type, "IOType", "should be 0 (read) or 1 (write)");
    request.op = type == "0" ? Op::read : Op::write;
    request.stream = volumes_.take(info_, line, ',', "volume id");
    expect_end(line, "the volume id");
    batch.add(request);
  }

  NumberedStreams volumes_{"vol"};
};

bool is_row(std::string_view line) {
  const auto fields = split(line, ',');
  return fields.size() == 5 && std::all_of(fields.begin(), fields.end(), is_whole) && fields[0].size() == 10 &&
         (fields[3] == "0" || fields[3] == "1");
}

Match detect(const Probe& probe) {
  const auto lines = probe.lines(1);
  if (!lines.empty() && lines[0] == "Timestamp,Offset,Size,IOType,VolumeID") return Match::certain;
  return mostly_rows(probe, is_row) ? Match::likely : Match::no;
}

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions& options) {
  return std::make_unique<TencentReader>(std::move(input), options);
}

}  // namespace

extern const Format tencent{
    .name = "tencent",
    .summary = "Tencent cloud block storage (SNIA 27917) CSV",
    .description = R"(Timestamp,Offset,Size,IOType,VolumeID    (without that header)
1538323200,4247200,128,1,1058

  Timestamp     of issue, in Unix seconds: whole ones, which go back by a second now and then
  Offset, Size  sectors of 512 bytes
  IOType        0 read, 1 write
  VolumeID      the stream, named "vol1058"

There are no response times.

Source: Zhang et al., ATC 2020, and the README of SNIA IOTTA trace set 27917.
)",
    .detect = detect,
    .open = open,
};

}  // namespace traces
