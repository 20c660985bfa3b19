// Text of VMware's vscsiStats command traces (vscsiStats -s -t, then vscsiStats -e; Ahmad, "Easy and Efficient Disk I/O
// Workload Characterization in VMware ESX Server", IISWC 2007).
#include <optional>

#include "traces/formats/scsi.h"
#include "traces/formats/table.h"

namespace traces {
namespace {

using namespace table;

enum Column { kSerial, kLength, kSegments, kCommand, kLbn, kTime, kLatency, kWorld, kHandle, kColumns };

struct Layout {
  int index[kColumns];
  bool has(Column column) const { return index[column] >= 0; }
};
constexpr Layout kVersion1{{0, 1, 2, 3, 4, 5, -1, -1, -1}};
constexpr Layout kCommandSecond{{0, 3, -1, 1, 2, 4, 5, -1, -1}};  // serial, command, LBN, length, time, response time

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return result;
}

std::optional<Layout> read_header(std::string_view line) {
  Layout layout;
  std::fill(std::begin(layout.index), std::end(layout.index), -1);
  if (line.starts_with('#')) line.remove_prefix(1);
  int index = 0;
  for (const std::string_view field : split(line, ',')) {
    const std::string title = lower(field);
    const auto has = [&](std::string_view word) { return title.find(word) != std::string::npos; };
    const auto set = [&](Column column) { layout.index[column] = index; };
    if (has("serial")) set(kSerial);
    if (has("length")) set(kLength);
    if (has("command") || has("cmd")) set(kCommand);
    if (has("lbn") || has("lba")) set(kLbn);
    if (has("time stamp") || has("timestamp")) set(kTime);
    if (has("response") || has("latency")) set(kLatency);
    if (has("world")) set(kWorld);
    if (has("handle")) set(kHandle);
    ++index;
  }
  const bool complete = layout.has(kLength) && layout.has(kCommand) && layout.has(kLbn) && layout.has(kTime);
  return complete ? std::optional(layout) : std::nullopt;
}

// The world and the handle of the disk, where the file is still called as the tool's channel was:
// vscsi_cmd_trace_WORLD_HANDLE.
std::string stream_of_path(std::string_view path) {
  constexpr std::string_view kChannel = "cmd_trace_";
  const std::size_t at = path.rfind(kChannel);
  if (at == std::string_view::npos) return "vscsistats";
  std::string_view rest = path.substr(at + kChannel.size());
  const auto digits = [&] {
    const std::string_view number = rest.substr(0, rest.find_first_not_of("0123456789"));
    rest.remove_prefix(number.size());
    return number;
  };
  const std::string_view world = digits();
  if (world.empty() || !rest.starts_with('_')) return "vscsistats";
  rest.remove_prefix(1);
  const std::string_view handle = digits();
  if (handle.empty()) return "vscsistats";
  return "world" + std::string(world) + "_handle" + std::string(handle);
}

class VscsiStatsReader final : public TextReader {
 public:
  VscsiStatsReader(std::unique_ptr<Input> input, const ReadOptions& options)
      : TextReader(std::move(input), options, "vscsistats"), path_stream_(stream_of_path(input_->path())) {}

 private:
  void parse(std::string_view line, Batch& batch) override {
    if (trim(line).empty()) return;
    if (line.starts_with('#') || line.starts_with("Vscsi Cmd Trace") || line.starts_with("Serial Number")) {
      if (const auto header = read_header(line)) layout_ = header;
      return;
    }
    fields_ = split(line, ',');
    if (!layout_) layout_ = fields_.size() > 1 && !is_whole(fields_[1]) ? kCommandSecond : kVersion1;
    const std::optional<Op> op = operation(line);
    if (!op) {
      info_.findings.add("commands other than read, write, unmap and flush, passed over", place());
      return;
    }
    Request request;
    request.op = *op;
    request.offset = parse_offset(field(kLbn, line), "LBN", 512);
    request.length = parse_length(field(kLength, line), "length");
    request.time = {parse_time(field(kTime, line), 1_us, "time stamp")};
    if (layout_->has(kLatency) && static_cast<std::size_t>(layout_->index[kLatency]) < fields_.size()) {
      request.latency = parse_latency(field(kLatency, line), 1_us, "response time");
    }
    request.stream = stream(line);
    batch.add(request);
  }

  std::string_view field(Column column, std::string_view line) const {
    const auto index = static_cast<std::size_t>(layout_->index[column]);
    if (index >= fields_.size()) throw BadField{line.data() + line.size(), "the row should have more columns"};
    return fields_[index];
  }

  std::optional<Op> operation(std::string_view line) const {
    const std::string_view text = field(kCommand, line);
    const std::string word = lower(text);
    if (word == "read") return Op::read;
    if (word == "write") return Op::write;
    if (text.find_first_not_of("0123456789abcdefABCDEFxX") != std::string_view::npos) return std::nullopt;
    return op_of_scsi(parse_hex(text, "command"));
  }

  StreamId stream(std::string_view line) {
    if (!layout_->has(kWorld) && !layout_->has(kHandle)) return stream_id(info_, path_stream_, line);
    name_.clear();
    if (layout_->has(kWorld)) name_.append("world").append(field(kWorld, line));
    if (layout_->has(kHandle)) name_.append(name_.empty() ? "handle" : "_handle").append(field(kHandle, line));
    return stream_id(info_, name_, line);
  }

  std::string path_stream_;
  std::optional<Layout> layout_;
  std::vector<std::string_view> fields_;
  std::string name_;
};

bool is_row(std::string_view line) {
  const auto fields = split(line, ',');
  return fields.size() == 6 && is_whole(fields[0]) && is_whole(fields[1]) && is_whole(fields[2]) &&
         (fields[3] == "read" || fields[3] == "write") && is_whole(fields[4]) && is_whole(fields[5]);
}

Match detect(const Probe& probe) {
  for (const std::string_view line : probe.lines(3)) {
    if (line.find("Vscsi Cmd Trace") != std::string_view::npos) return Match::certain;
    if (line.find("Serial Number,") != std::string_view::npos && read_header(line)) return Match::certain;
  }
  return mostly_rows(probe, is_row) ? Match::likely : Match::no;
}

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions& options) {
  return std::make_unique<VscsiStatsReader>(std::move(input), options);
}

}  // namespace

extern const Format vscsistats{
    .name = "vscsistats",
    .summary = "VMware vscsiStats command trace, as text",
    .description = R"(#Vscsi Cmd Trace. (Trace Format Version 1)
#Serial Number,IO Data Length,Num SG Entries,Command Type,LBN,Time Stamp (microseconds)
2147483692,4096,1,write,24048792,2756778716647

Columns are taken by the header's names; without one they are as above, or, where the second is not a number, serial,
command, LBN, length, time and perhaps response time.

  IO Data Length   bytes
  Command Type     read, write, or a SCSI operation code in hexadecimal; commands that move no data are passed over and
                   counted
  LBN              sectors of 512 bytes
  Time Stamp       of issue, in microseconds on the host's clock
  Response Time    (where there is one) microseconds

The stream is the virtual disk, "world11340_handle8196": from columns of world and handle, or from the name of the file
if it still holds the channel's, vscsi_cmd_trace_11340_8196; else there is one stream, "vscsistats". Serial numbers are
not in order.

Source: VMware's help of vscsiStats, and traces quoted in public.
)",
    .detect = detect,
    .open = open,
};

}  // namespace traces
