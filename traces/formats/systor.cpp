// SYSTOR '17 traces of virtual desktops (Lee et al., "Understanding Storage Traffic Characteristics on Enterprise
// Virtual Desktop Infrastructure", SYSTOR 2017; SNIA IOTTA set 4928).
#include "traces/formats/table.h"

namespace traces {
namespace {

using namespace table;

constexpr std::string_view kHeader = "Timestamp,Response,IOType,LUN,Offset,Size";

class SystorReader final : public TextReader {
 public:
  SystorReader(std::unique_ptr<Input> input, const ReadOptions& options)
      : TextReader(std::move(input), options, "systor") {
    info_.clock = Clock::unix_epoch;
  }

 private:
  void parse(std::string_view line, Batch& batch) override {
    if (line.empty() || line == kHeader) return;
    Request request;
    request.time = {parse_time(take_field(line, ','), 1_s, "timestamp")};
    const std::string_view response = take_field(line, ',');
    const std::string_view type = take_field(line, ',');
    if (type.empty()) {
      info_.findings.add("requests without an IOType (no reply was seen), passed over", place());
      return;
    }
    if (!response.empty()) request.latency = parse_latency(response, 1_s, "response");
    request.op = parse_read_write(type, "IOType");
    request.stream = luns_.take(info_, line, ',', "LUN");
    request.offset = take_offset(line, ',', "offset");
    request.length = take_length(line, ',', "size");
    expect_end(line, "the size");
    batch.add(request);
  }

  NumberedStreams luns_{"lun"};
};

bool is_row(std::string_view line) {
  const auto fields = split(line, ',');
  return fields.size() == 6 && is_decimal(fields[0]) && (fields[1].empty() || is_decimal(fields[1])) &&
         (fields[2].empty() || is_read_write(fields[2])) && is_whole(fields[3]) && is_whole(fields[4]) &&
         is_whole(fields[5]);
}

Match detect(const Probe& probe) {
  const auto lines = probe.lines(1);
  if (!lines.empty() && lines[0] == kHeader) return Match::certain;
  return mostly_rows(probe, is_row) ? Match::likely : Match::no;
}

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions& options) {
  return std::make_unique<SystorReader>(std::move(input), options);
}

}  // namespace

extern const Format systor{
    .name = "systor",
    .summary = "SYSTOR '17 virtual desktops (SNIA 4928) CSV",
    .description = R"(Timestamp,Response,IOType,LUN,Offset,Size
1456095145.133076000,0.000806000,R,0,899056122368,131072

  Timestamp     of issue, in Unix seconds. Nine digits of which six are valid
  Response      seconds; blank = unknown
  IOType        R or W; blank where no reply was seen: such rows are passed over and counted
  LUN           the stream, named "lun0"
  Offset, Size  bytes

Rows are sorted by completion (timestamp + response), so that times go back. A file holds an hour; header lines within
concatenated files are passed over.

Source: Lee et al., SYSTOR 2017, and the README of SNIA IOTTA trace set 4928.
)",
    .detect = detect,
    .open = open,
};

}  // namespace traces
