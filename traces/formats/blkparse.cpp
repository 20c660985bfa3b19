// The default text of blkparse(1), which prints what blktrace recorded.
#include <algorithm>

#include "traces/formats/block_text.h"
#include "traces/registry.h"

namespace traces {
namespace {

class BlkparseReader final : public BlockTextReader {
 public:
  BlkparseReader(std::unique_ptr<Input> input, const ReadOptions& options)
      : BlockTextReader(std::move(input), options, "blkparse", Clock::relative) {}

 private:
  bool parse_event(std::string_view line, BlockEvent& event) override {
    const char* const begin = line.data();
    const std::string_view device = take_word(line);
    if (!is_device(device)) {
      if (is_summary({begin, device.size() + line.size()}, device)) return false;
      throw BadField{
          begin,
          "should be 'MAJOR,MINOR CPU SEQUENCE TIME PID ACTION KIND ...', blkparse's default format (without -f)"};
    }
    in_summary_ = false;
    event.device = parse_device(device);
    parse_number(take_word(line), "CPU");
    parse_number(take_word(line), "sequence number");
    event.time = parse_time(take_word(line), {1'000'000'000}, "time").count;
    parse_number(take_word(line), "process id");
    return parse_blk_event(line, process_names(), event);
  }

  // What blkparse prints behind the events.
  bool is_summary(std::string_view line, std::string_view first_word) {
    if (trim(line).empty() || line.starts_with("Input file ")) return true;
    in_summary_ |= first_word.starts_with("CPU") || first_word == "Total" || first_word == "===";
    if (in_summary_ && first_word == "Skips:" && !line.starts_with("Skips: 0 ")) {
      info_.findings.add("statements of blkparse that it skipped events", place());
    }
    return in_summary_;
  }

  bool in_summary_ = false;
};

bool is_event(std::string_view line) {
  const std::string_view device = take_word(line), cpu = take_word(line), sequence = take_word(line),
                         time = take_word(line);
  return is_device(device) && !cpu.empty() && !sequence.empty() &&
         (cpu.find_first_not_of("0123456789") & sequence.find_first_not_of("0123456789")) == std::string_view::npos &&
         is_decimal(time);
}

Match detect(const Probe& probe) {
  const auto lines = probe.lines(100);
  return std::any_of(lines.begin(), lines.end(), is_event) ? Match::likely : Match::no;
}

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions& options) {
  return std::make_unique<BlkparseReader>(std::move(input), options);
}

}  // namespace

extern const Format blkparse{
    .name = "blkparse",
    .summary = "text of blkparse(1) in its default format",
    .description = R"(MAJOR,MINOR CPU SEQUENCE SECONDS PID ACTION KIND [SECTOR + COUNT] [PROCESS]

One event a line. Times are seconds since the first event, sectors are of 512 bytes, each device is a stream named
"MAJOR,MINOR". A request is a queue event (Q), the application's view, or with --level D, and where there is no Q, an
issue to the device (D); completions (C) give its latency. KIND is R, W, D (discard) or N with F before it for a flush
and behind it for FUA, A read-ahead, S sync, M metadata. The summary that blkparse prints at the end is passed over.
Lost events are not in this text: --loss-log FILE takes what blktrace itself printed at its end.

The binary files that blktrace wrote can be read themselves, which is faster and knows the time of day.

Source: blkparse(1).
)",
    .detect = detect,
    .open = open,
};

}  // namespace traces
