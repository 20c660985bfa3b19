// The ascii traces of MQSim (Tavakkol et al., "MQSim: A Framework for Enabling Realistic Studies of Modern Multi-Queue
// SSD Devices", FAST 2018; the columns are in its ASCII_Trace_Definition.h).
#include "traces/formats/table.h"

namespace traces {
namespace {

using namespace table;

class MqSimReader final : public TextReader {
 public:
  MqSimReader(std::unique_ptr<Input> input, const ReadOptions& options)
      : TextReader(std::move(input), options, "mqsim") {
    info_.sector = options.sector.value_or(sim::kSectorBytes);
  }

 private:
  void parse(std::string_view line, Batch& batch) override {
    if (trim(line).empty()) return;
    const auto sector = static_cast<std::uint64_t>(info_.sector.count);
    Request request;
    request.time = {parse_time(take_word(line), 1_ns, "arrival time")};
    request.stream = devices_.id(info_, take_word(line), "device number");
    request.offset = parse_offset(take_word(line), "LBA", sector);
    request.length = parse_length(take_word(line), "size", sector);
    const std::string_view type = take_word(line);
    if (type != "0" && type != "1") bad_field(type, "type", "should be 0 (write) or 1 (read)");
    request.op = type == "1" ? Op::read : Op::write;
    expect_end(line, "the type");
    batch.add(request);
  }

  NumberedStreams devices_{"dev"};
};

bool is_row(std::string_view line) {
  const auto columns = words(line);
  return columns.size() == 5 && std::all_of(columns.begin(), columns.end(), is_whole) &&
         (columns[4] == "0" || columns[4] == "1");
}

Match detect(const Probe& probe) { return mostly_rows(probe, is_row) ? Match::shape : Match::no; }

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions& options) {
  return std::make_unique<MqSimReader>(std::move(input), options);
}

}  // namespace

extern const Format mqsim{
    .name = "mqsim",
    .summary = "MQSim ascii trace",
    .description = R"(time device lba size type    (separated by blanks)
938513000 4 264719034 16 0

  time       of arrival, in nanoseconds from the start (MQSim's default; its configuration can say otherwise, then use
             --format csv with --map)
  device     number: the stream, named "dev4"
  lba, size  sectors of 512 bytes (--sector says otherwise)
  type       0 write, 1 read

There are no response times.

Source: Tavakkol et al., FAST 2018, and ASCII_Trace_Definition.h of github.com/CMU-SAFARI/MQSim.
)",
    .detect = detect,
    .open = open,
};

}  // namespace traces
