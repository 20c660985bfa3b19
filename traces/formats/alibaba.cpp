// Alibaba's traces of a cloud block store (Li et al., "An In-Depth Analysis of Cloud Block Storage Workloads in
// Large-Scale Production", IISWC 2020; github.com/alibaba/block-traces).
#include "traces/formats/table.h"

namespace traces {
namespace {

using namespace table;

class AlibabaReader final : public TextReader {
 public:
  AlibabaReader(std::unique_ptr<Input> input, const ReadOptions& options)
      : TextReader(std::move(input), options, "alibaba") {
    info_.clock = Clock::unix_epoch;
  }

 private:
  void parse(std::string_view line, Batch& batch) override {
    if (line.empty() || line.starts_with("device_id,")) return;
    Request request;
    request.stream = volumes_.take(info_, line, ',', "device id");
    request.op = parse_read_write(take_field(line, ','), "opcode");
    request.offset = take_offset(line, ',', "offset");
    request.length = take_length(line, ',', "length");
    request.time = {take_time(line, ',', 1_us, "timestamp")};
    expect_end(line, "the timestamp");
    batch.add(request);
  }

  NumberedStreams volumes_{"vol"};
};

bool is_row(std::string_view line) {
  const auto fields = split(line, ',');
  return fields.size() == 5 && is_whole(fields[0]) && is_read_write(fields[1]) && is_whole(fields[2]) &&
         is_whole(fields[3]) && is_whole(fields[4]);
}

Match detect(const Probe& probe) {
  const auto lines = probe.lines(1);
  if (!lines.empty() && lines[0] == "device_id,opcode,offset,length,timestamp") return Match::certain;
  return mostly_rows(probe, is_row) ? Match::likely : Match::no;
}

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions& options) {
  return std::make_unique<AlibabaReader>(std::move(input), options);
}

}  // namespace

extern const Format alibaba{
    .name = "alibaba",
    .summary = "Alibaba cloud block storage 2020 CSV",
    .description = R"(device_id,opcode,offset,length,timestamp    (without that header)
0,R,126703661056,4096,1577808000000046

  device_id       virtual disk: the stream, named "vol0"
  opcode          R or W
  offset, length  bytes
  timestamp       of issue, in Unix microseconds

There are no response times. The devices are interleaved; their sizes are in a file of their own (device_size.csv),
which is not read.

Source: Li et al., IISWC 2020, and the README of github.com/alibaba/block-traces.
)",
    .detect = detect,
    .open = open,
};

}  // namespace traces
