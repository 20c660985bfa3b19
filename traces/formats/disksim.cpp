// The ascii traces of DiskSim (Bucy, Schindler, Schlosser, Ganger, "The DiskSim Simulation Environment Version 4.0
// Reference Manual", CMU-PDL-08-101, section on input traces).
#include "traces/formats/table.h"

namespace traces {
namespace {

using namespace table;

class DiskSimReader final : public TextReader {
 public:
  DiskSimReader(std::unique_ptr<Input> input, const ReadOptions& options)
      : TextReader(std::move(input), options, "disksim") {
    info_.sector = options.sector.value_or(sim::kSectorBytes);
  }

 private:
  void parse(std::string_view line, Batch& batch) override {
    if (trim(line).empty()) return;
    const auto sector = static_cast<std::uint64_t>(info_.sector.count);
    Request request;
    request.time = {parse_time(take_word(line), 1_ms, "arrival time")};
    request.stream = devices_.id(info_, take_word(line), "device number");
    request.offset = parse_offset(take_word(line), "block number", sector);
    request.length = parse_length(take_word(line), "block count", sector);
    request.op = parse_hex(take_word(line), "flags") & 1 ? Op::read : Op::write;
    expect_end(line, "the flags");
    batch.add(request);
  }

  NumberedStreams devices_{"dev"};
};

// A point in the time is what tells the format from MQSim's.
Match detect(const Probe& probe) {
  bool has_point = false;
  const auto is_row = [&](std::string_view line) {
    const auto columns = words(line);
    if (columns.size() != 5 || !std::all_of(columns.begin(), columns.end(), is_decimal)) return false;
    has_point |= columns[0].find('.') != std::string_view::npos;
    return is_whole(columns[1]) && is_whole(columns[2]) && is_whole(columns[3]) && is_whole(columns[4]);
  };
  return mostly_rows(probe, is_row) && has_point ? Match::shape : Match::no;
}

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions& options) {
  return std::make_unique<DiskSimReader>(std::move(input), options);
}

}  // namespace

extern const Format disksim{
    .name = "disksim",
    .summary = "DiskSim ascii trace",
    .description = R"(time device block count flags    (separated by blanks or tabs)
13.191135	30	0	5	1

  time          of arrival, in milliseconds from the start, with a fraction
  device        number: the stream, named "dev30"
  block, count  blocks of 512 bytes (--sector says otherwise)
  flags         hexadecimal; bit 0 set = read, clear = write

There are no response times. Recognised by the point in the times; a file that only has whole ones is taken for MQSim's
format, whose times are nanoseconds: say --format disksim. The files of DiskSim's `validate` tests (`W Hit 4583176 ...`)
are another format, without times of arrival, and are not read.

Source: Bucy et al., CMU-PDL-08-101.
)",
    .detect = detect,
    .open = open,
};

}  // namespace traces
