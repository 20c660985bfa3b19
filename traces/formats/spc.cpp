// The trace file format of the Storage Performance Council, in which UMass publishes Financial and WebSearch.
#include "traces/formats/table.h"

namespace traces {
namespace {

using namespace table;

class SpcReader final : public TextReader {
 public:
  SpcReader(std::unique_ptr<Input> input, const ReadOptions& options) : TextReader(std::move(input), options, "spc") {
    info_.sector = options.sector.value_or(sim::kSectorBytes);
  }

 private:
  void parse(std::string_view line, Batch& batch) override {
    if (trim(line).empty()) return;
    Request request;
    request.stream = asus_.take(info_, line, ',', "ASU");
    request.offset = take_offset(line, ',', "LBA", static_cast<std::uint64_t>(info_.sector.count));
    request.length = take_length(line, ',', "size");
    request.op = parse_read_write(take_field(line, ','), "opcode");
    request.time = {parse_time(take_field(line, ','), 1_s, "timestamp")};
    batch.add(request);
  }

  NumberedStreams asus_{"asu"};
};

bool is_row(std::string_view line) {
  const auto fields = split(line, ',');
  return fields.size() >= 5 && is_whole(fields[0]) && is_whole(fields[1]) && is_whole(fields[2]) &&
         is_read_write(fields[3]) && is_decimal(fields[4]) && fields[4].find('.') != std::string_view::npos;
}

Match detect(const Probe& probe) { return mostly_rows(probe, is_row) ? Match::likely : Match::no; }

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions& options) {
  return std::make_unique<SpcReader>(std::move(input), options);
}

}  // namespace

extern const Format spc{
    .name = "spc",
    .summary = "SPC / UMass (Financial, WebSearch)",
    .description = R"(ASU,LBA,Size,Opcode,Timestamp[,optional fields, which are passed over]
0,20941264,8192,W,0.551706,Alpha/NT

  ASU        application-specific unit, an address space of its own: the stream, named "asu0"
  LBA        in blocks, whose size the file does not tell: --sector, 512 bytes unless said otherwise
  Size       bytes, not always a multiple of 512, 0 allowed
  Opcode     R or W, in either case
  Timestamp  of issue, in seconds from the start

There are no response times.

Source: "SPC Trace File Format Specification", revision 1.0.1, and traces.cs.umass.edu.
)",
    .detect = detect,
    .open = open,
};

}  // namespace traces
