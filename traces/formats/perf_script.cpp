// Block tracepoints as `perf script` prints them.
#include <algorithm>
#include <charconv>

#include "traces/formats/block_text.h"
#include "traces/registry.h"

namespace traces {
namespace {

constexpr std::string_view kSystem = "block:block_";

class PerfScriptReader final : public BlockTextReader {
 public:
  PerfScriptReader(std::unique_ptr<Input> input, const ReadOptions& options)
      : BlockTextReader(std::move(input), options, "perf_script", Clock::monotonic) {}

 private:
  bool parse_event(std::string_view line, BlockEvent& event) override {
    const std::size_t at = line.find(kSystem);
    if (at == std::string_view::npos) return other(line);
    event.time = time_before(line.substr(0, at)).count;
    std::string_view text = line.substr(at + kSystem.size() - 6);
    std::string_view name = take_word(text);
    if (!name.ends_with(':')) {
      throw BadField{name.data(), "an event's name should end in ':', not '" + std::string(name) + "'"};
    }
    name.remove_suffix(1);
    return parse_tracepoint(name, text, process_names(), event);
  }

  // The head is "PROCESS PID [CPU] TIME:", of which -F may leave out much, and a period may stand behind it.
  static sim::Nanoseconds time_before(std::string_view head) {
    head = trim(head);
    if (!head.ends_with(':')) head = trim(head.substr(0, head.find_last_of(" \t") + 1));
    const std::size_t blank = head.find_last_of(" \t");
    std::string_view time = blank == std::string_view::npos ? head : head.substr(blank + 1);
    if (!time.ends_with(':')) throw BadField{head.data(), "the line has no time: run perf script with -F +time"};
    time.remove_suffix(1);
    return parse_time(time, {1'000'000'000}, "time");
  }

  bool other(std::string_view line) {
    line = trim(line);
    if (line.empty() || line.front() == '#') return false;
    constexpr std::string_view kLost = "PERF_RECORD_LOST lost ";
    if (const std::size_t at = line.find(kLost); at != std::string_view::npos) {
      std::uint64_t count = 0;
      std::from_chars(line.data() + at + kLost.size(), line.data() + line.size(), count);
      lose(count);
    } else {
      info_.findings.add("lines that are not block events, passed over", place());
    }
    return false;
  }
};

Match detect(const Probe& probe) {
  const auto lines = probe.lines(1000);
  const auto is_event = [](std::string_view line) {
    const std::size_t at = line.find(kSystem);
    return at != std::string_view::npos && line.find(": ", at) != std::string_view::npos;
  };
  return std::any_of(lines.begin(), lines.end(), is_event) ? Match::likely : Match::no;
}

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions& options) {
  return std::make_unique<PerfScriptReader>(std::move(input), options);
}

}  // namespace

extern const Format perf_script{
    .name = "perf_script",
    .summary = "block events as `perf script` prints them",
    .description =
        R"(PROCESS PID [CPU] SECONDS: EVENT: MAJOR,MINOR KIND ..., where EVENT with what follows KIND is
  block:block_rq_issue:     BYTES () SECTOR + COUNT [PRIORITY] [PROCESS]
  block:block_rq_complete:  () SECTOR + COUNT [PRIORITY] [ERROR]
  block:block_bio_queue:    SECTOR + COUNT [PROCESS]

Of `perf record -e block:block_rq_issue -e block:block_rq_complete [-e block:block_bio_queue]`; give `perf script --ns`
for times in nanoseconds. Sectors are of 512 bytes; each device is a stream named "MAJOR,MINOR". A request is a
block_bio_queue event, the application's view, or with --level D, and where there are none, an issue to the device;
completions give its latency. Requests merge between the two, so that fewer are issued than queued. Where the traced
device is a partition, bio_queue names the partition and the rest the disk. block_rq_insert and others are passed over.
Lost events are counted when `perf script --show-lost-events` printed them.

Source: perf-script(1); the Linux kernel's include/trace/events/block.h.
)",
    .detect = detect,
    .open = open,
};

}  // namespace traces
