// Meta's traces of the Tectonic file system (Wong et al., "Baleen: ML Admission & Prefetching for Flash Caches", FAST
// 2024; the columns are in get-tectonic.sh and the simulator of its artifact).
#include "traces/formats/table.h"

namespace traces {
namespace {

using namespace table;

constexpr std::uint64_t kBlock = 8 << 20;
constexpr std::uint64_t kMostRepeats = 100'000;

// Where the columns are that differ between the years; -1: there is none.
struct Layout {
  int columns, host, op_count;
};
constexpr Layout k2019{8, -1, -1};
constexpr Layout k2021{9, 7, 8};
constexpr Layout k2023{10, 9, 8};

constexpr const Layout* layout_of(std::size_t columns) {
  for (const Layout* layout : {&k2019, &k2021, &k2023}) {
    if (static_cast<std::size_t>(layout->columns) == columns) return layout;
  }
  return nullptr;
}

// getTemp getPerm putTemp putPerm getNotInit putNotInit
constexpr std::uint64_t kUnknownOperation = 100;
constexpr bool is_get(std::uint64_t op) { return op == 1 || op == 2 || op == 5; }
constexpr bool is_put(std::uint64_t op) { return op == 3 || op == 4 || op == 6; }

class TectonicReader final : public TextReader {
 public:
  TectonicReader(std::unique_ptr<Input> input, const ReadOptions& options)
      : TextReader(std::move(input), options, "tectonic") {
    info_.clock = Clock::unix_epoch;
  }

 private:
  void parse(std::string_view line, Batch& batch) override {
    std::string_view columns[10];
    std::size_t count = 0;
    std::string_view rest = line;
    for (auto word = take_word(rest); !word.empty(); word = take_word(rest), ++count) {
      if (count < std::size(columns)) columns[count] = word;
    }
    if (count == 0 || columns[0].starts_with('#') || columns[0] == "block_id") return;
    const Layout* layout = layout_of(count);
    if (!layout)
      throw BadField{line.data(), "should have 8 (2019), 9 (2021) or 10 (2023) columns, not " + std::to_string(count)};
    Request request;
    request.offset = address(columns[0], columns[1]);
    request.length = parse_length(columns[2], "io_size");
    request.time = {parse_time(columns[3], 1_s, "op_time")};
    request.stream =
        layout->host < 0 ? stream_id(info_, "tectonic", line) : hosts_.id(info_, columns[layout->host], "host_name");
    const std::uint64_t op = parse_number(columns[4], "op_name");
    if (!is_get(op) && !is_put(op)) {
      if (op != kUnknownOperation) bad_field(columns[4], "op_name", "should be 1 to 6, or 100 for unknown");
      info_.findings.add("requests of an unknown operation (100), passed over", place());
      return;
    }
    request.op = is_get(op) ? Op::read : Op::write;
    for (std::uint64_t n = layout->op_count < 0 ? 1 : repeats(columns[layout->op_count]); n > 0; --n)
      batch.add(request);
  }

  sim::Offset address(std::string_view block, std::string_view offset) {
    const std::uint64_t start = parse_offset(block, "block_id", kBlock).bytes;
    const std::uint64_t within = parse_number(offset, "io_offset");
    if (within >= kBlock)
      info_.findings.add("offsets past the 8 MiB of a block, which reach into the next one", place());
    std::uint64_t bytes = 0;
    if (__builtin_add_overflow(start, within, &bytes)) bad_field(offset, "io_offset", "should stay below 2^64 bytes");
    return {bytes};
  }

  std::uint64_t repeats(std::string_view field) {
    const std::uint64_t count = parse_number(field, "op_count");
    if (count == 0 || count > kMostRepeats) bad_field(field, "op_count", "should be 1 to 100000");
    if (count > 1) info_.findings.add("operations that share a row with another (op_count)", place(), count - 1);
    return count;
  }

  NumberedStreams hosts_{"host"};
};

bool is_row(std::string_view line) {
  if (line.starts_with('#')) return true;
  const auto columns = words(line);
  return layout_of(columns.size()) && is_whole(columns[0]) && is_whole(columns[1]) && is_whole(columns[2]) &&
         is_decimal(columns[3]) && is_whole(columns[4]) &&
         (columns[4] == "100" || (columns[4].size() == 1 && columns[4][0] >= '1' && columns[4][0] <= '6'));
}

Match detect(const Probe& probe) {
  for (const std::string_view line : probe.lines(5)) {
    if (line.find("block_id io_offset io_size op_time op_name") != std::string_view::npos) return Match::certain;
  }
  const auto is_data = [](std::string_view line) { return !line.starts_with('#') && is_row(line); };
  const auto lines = probe.lines(20);
  return mostly_rows(probe, is_row) && std::any_of(lines.begin(), lines.end(), is_data) ? Match::likely : Match::no;
}

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions& options) {
  return std::make_unique<TectonicReader>(std::move(input), options);
}

}  // namespace

extern const Format tectonic{
    .name = "tectonic",
    .summary = "Meta Tectonic (Baleen) 2019, 2021, 2023",
    .description = R"(2019: block_id io_offset io_size op_time op_name pipeline user_namespace user_name
2021: block_id io_offset io_size op_time op_name user_namespace user_name host_name op_count
2023: block_id io_offset io_size op_time op_name user_namespace user_name rs_shard_id op_count host_name
310 262144 4325376 1572074461.57806 1 24 3 5

Separated by blanks; told apart by the number of columns. Lines that begin with # are passed over.

  block_id, io_offset    an object of 8 MiB and bytes within it: the offset is block_id x 8 MiB + io_offset
  io_size    bytes
  op_time    Unix seconds, with a fraction
  op_name    1 getTemp, 2 getPerm, 5 getNotInit: read. 3 putTemp, 4 putPerm, 6 putNotInit: write. 100 (unknown) is
             passed over and counted
  op_count   operations that the row stands for: as many requests, counted in the findings
  host_name  number of the storage node: the stream, named "host5"; in 2019 there is one stream, "tectonic". The shards
             of a block (rs_shard_id) are on different nodes

The files hold a sample of the blocks; the ratio, in percent, is in their names (full_0_0.1.trace: 0.1 %).

Source: Wong et al., FAST 2024, and github.com/wonglkd/Baleen-FAST24.
)",
    .detect = detect,
    .open = open,
};

}  // namespace traces
