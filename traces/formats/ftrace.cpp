// What the kernel prints of block events in tracefs: the blk tracer's lines and the block tracepoints', read from
// `trace` or `trace_pipe` or printed by `trace-cmd report`.
#include <algorithm>
#include <charconv>

#include "traces/formats/block_text.h"
#include "traces/registry.h"

namespace traces {
namespace {

// Takes "[FLAGS] TIME:" off the front and gives TIME; empty if it is not there.
std::string_view take_time(std::string_view& text) {
  std::string_view rest = text;
  for (int words = 0; words < 2; ++words) {
    std::string_view word = take_word(rest);
    if (!word.ends_with(':') || word.front() < '0' || word.front() > '9') continue;
    word.remove_suffix(1);
    text = trim(rest);
    return word;
  }
  return {};
}

// Takes "TASK-PID [CPU] FLAGS TIME:" off the front and gives TIME; empty if it is not there. A task's name may hold
// anything, brackets too.
std::string_view take_head(std::string_view& line) {
  for (std::size_t at = line.find('['); at != std::string_view::npos; at = line.find('[', at + 1)) {
    const std::size_t end = line.find_first_not_of("0123456789", at + 1);
    if (end == std::string_view::npos || end == at + 1 || line[end] != ']') continue;
    std::string_view rest = line.substr(end + 1);
    const std::string_view time = take_time(rest);
    if (time.empty()) continue;
    line = rest;
    return time;
  }
  return {};
}

std::uint64_t number_behind(std::string_view line, std::string_view word) {
  const std::size_t at = line.find(word);
  std::uint64_t count = 0;
  if (at != std::string_view::npos) std::from_chars(line.data() + at + word.size(), line.data() + line.size(), count);
  return count;
}

class FtraceReader final : public BlockTextReader {
 public:
  FtraceReader(std::unique_ptr<Input> input, const ReadOptions& options)
      : BlockTextReader(std::move(input), options, "ftrace", Clock::monotonic) {}

 private:
  bool parse_event(std::string_view line, BlockEvent& event) override {
    line = trim(line);
    if (line.empty() || is_remark(line)) return false;
    if (std::string_view rest = line; is_device(take_word(rest))) return parse_classic(line, event);
    std::string_view text = line;
    const std::string_view time = take_head(text);
    if (time.empty()) {
      throw BadField{line.data(), "should be 'TASK-PID [CPU] FLAGS TIME: EVENT', a line of the kernel's trace"};
    }
    if (time.find('.') == std::string_view::npos) {
      throw BadField{time.data(), "time should be in seconds with a point, not '" + std::string(time) +
                                      "': set trace_clock to mono"};
    }
    event.time = parse_time(time, {1'000'000'000}, "time").count;
    std::string_view rest = text;
    std::string_view first = take_word(rest);
    if (is_device(first)) {
      event.device = parse_device(first);
      return parse_blk_event(rest, process_names(), event);
    }
    if (!first.ends_with(':')) return other();
    first.remove_suffix(1);
    return first.starts_with("block_") ? parse_tracepoint(first, rest, process_names(), event) : other();
  }

  // With options/blk_classic: "MAJOR,MINOR CPU TIME PID ACTION ...".
  bool parse_classic(std::string_view line, BlockEvent& event) {
    event.device = parse_device(take_word(line));
    const std::string_view cpu = take_word(line);
    if (!cpu.empty() && (cpu.front() < '0' || cpu.front() > '9')) {
      throw BadField{cpu.data(), "the lines have no time: trace with options/context-info set"};
    }
    parse_number(cpu, "CPU");
    event.time = parse_time(take_word(line), {1'000'000'000}, "time").count;
    parse_number(take_word(line), "process id");
    return parse_blk_event(line, process_names(), event);
  }

  bool is_remark(std::string_view line) {
    if (line.front() == '#') {
      constexpr std::string_view kCounts = "entries-in-buffer/entries-written: ";
      if (const std::size_t at = line.find(kCounts); at != std::string_view::npos) {
        const std::uint64_t in_buffer = number_behind(line, kCounts),
                            written = number_behind(line.substr(at + kCounts.size()), "/");
        if (written >= in_buffer) lost_in_all(written - in_buffer);
      }
      return true;
    }
    if (line.starts_with("CPU:")) {  // "CPU:1 [LOST 7 EVENTS]", in trace-cmd's report "CPU:1 [7 EVENTS DROPPED]"
      lose(std::max(number_behind(line, "[LOST "), number_behind(line, "[")));
      return true;
    }
    return line.starts_with("cpus=") || line.starts_with("CPU ") || line.starts_with("version = ") ||
           line.starts_with("=>");
  }

  bool other() {
    info_.findings.add("events that are not of the block layer, passed over", place());
    return false;
  }
};

bool is_block_event(std::string_view line) {
  std::string_view rest = line;
  if (is_device(take_word(rest))) {  // blk_classic, or without a time
    const std::string_view second = take_word(rest), third = take_word(rest);
    return is_decimal(third) || (second.size() == 1 && second >= "A" && second <= "Z");
  }
  rest = line;
  if (take_head(rest).empty()) return false;
  const std::string_view first = take_word(rest);
  return is_device(first) || (first.starts_with("block_") && first.ends_with(':'));
}

Match detect(const Probe& probe) {
  const auto lines = probe.lines(1000);
  return std::any_of(lines.begin(), lines.end(), is_block_event) ? Match::likely : Match::no;
}

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions& options) {
  return std::make_unique<FtraceReader>(std::move(input), options);
}

}  // namespace

extern const Format ftrace{
    .name = "ftrace",
    .summary = "block events as tracefs or `trace-cmd report` prints them",
    .description = R"(TASK-PID [CPU] FLAGS SECONDS: MAJOR,MINOR ACTION KIND SECTOR + COUNT [PROCESS]      the blk tracer
MAJOR,MINOR CPU SECONDS PID ACTION KIND SECTOR + COUNT [PROCESS]                       the same, blk_classic
TASK-PID [CPU] FLAGS SECONDS: block_rq_issue: MAJOR,MINOR KIND BYTES () SECTOR + COUNT [PROCESS]
              block_rq_complete:, block_bio_queue:, block_bio_complete:, block_rq_requeue:  likewise

Times are seconds of the trace clock (mono is best: with others times may go back between CPUs), sectors are of 512
bytes, each device is a stream named "MAJOR,MINOR". A request is a queue event (Q, block_bio_queue), the application's
view, or with --level D, and where there are none, an issue to the device (D, block_rq_issue); completions give its
latency. Lost events are counted where the text tells them ("CPU:1 [LOST 7 EVENTS]", "entries-written"); --loss-log
FILE takes per_cpu/cpuN/stats.

Source: the Linux kernel's Documentation/trace/ftrace.rst and its block tracepoints (include/trace/events/block.h).
)",
    .detect = detect,
    .open = open,
};

}  // namespace traces
