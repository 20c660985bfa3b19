// LIRS traces: one block number a line (Jiang and Zhang, "LIRS", SIGMETRICS 2002; the authors' own trace files).
#include <algorithm>

#include "traces/registry.h"
#include "traces/text_reader.h"

namespace traces {
namespace {

class LirsReader final : public TextReader {
 public:
  LirsReader(std::unique_ptr<Input> input, const ReadOptions& options) : TextReader(std::move(input), options, "lirs") {
    info_.granularity = Granularity::request;
    info_.streams.id("lirs");
  }

 private:
  void parse(std::string_view line, Batch& batch) override {
    line = trim(line);
    if (line.empty() || line == "*") return;  // "*" marks where the authors' tool printed
    Request request;
    request.time = {{static_cast<std::int64_t>(count_++)}};
    request.offset = {parse_number(line, "block number")};
    request.length = sim::Bytes{1};
    batch.add(request);
  }

  std::uint64_t count_ = 0;
};

Match detect(const Probe& probe) {
  const auto lines = probe.lines(100);
  const auto is_number = [](std::string_view line) {
    line = trim(line);
    return line == "*" || (!line.empty() && line.find_first_not_of("0123456789") == std::string_view::npos);
  };
  return !lines.empty() && std::all_of(lines.begin(), lines.end(), is_number) ? Match::shape : Match::no;
}

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions& options) {
  return std::make_unique<LirsReader>(std::move(input), options);
}

}  // namespace

extern const Format lirs{
    .name = "lirs",
    .summary = "one block number a line, as in the LIRS authors' traces",
    .description = R"(One decimal block number a line; a line "*" is a mark, not a request. There are no times, sizes or
operations: every request is a read of one unit, and its time is its index in nanoseconds. An object format: the number
is kept as the offset and --granularity defaults to request.

Source: Jiang and Zhang, SIGMETRICS 2002, and the trace files that its authors publish.
)",
    .detect = detect,
    .open = open,
};

}  // namespace traces
