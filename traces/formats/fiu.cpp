// FIU traces: homes, mail, web (Koller, Rangaswami, "I/O Deduplication", FAST 2010; SNIA IOTTA sets 390 and 391).
#include "traces/formats/table.h"

namespace traces {
namespace {

using namespace table;

constexpr std::uint64_t kSector = 512;
constexpr std::size_t kMd5Digits = 32;

struct Row {
  std::string_view time, pid, process, lba, size, op, major, minor;
};

bool is_md5(std::string_view word) {
  return word.size() == kMd5Digits && word.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// The name of the process may hold anything, so the columns behind it are taken from the end.
Row split_row(std::string_view line) {
  Row row;
  row.time = take_word(line);
  row.pid = take_word(line);
  row.minor = take_last_word(line);
  if (is_md5(row.minor)) row.minor = take_last_word(line);
  row.major = take_last_word(line);
  row.op = take_last_word(line);
  row.size = take_last_word(line);
  row.lba = take_last_word(line);
  row.process = trim(line);
  return row;
}

class FiuReader final : public TextReader {
 public:
  FiuReader(std::unique_ptr<Input> input, const ReadOptions& options) : TextReader(std::move(input), options, "fiu") {}

 private:
  void parse(std::string_view line, Batch& batch) override {
    if (trim(line).empty()) return;
    const Row row = split_row(line);
    if (row.lba.empty()) throw BadField{line.data(), "should have eight or nine columns"};
    Request request;
    request.time = {parse_time(row.time, 1_ns, "timestamp")};
    request.offset = parse_offset(row.lba, "LBA", kSector);
    request.length = parse_length(row.size, "size", kSector);
    request.op = parse_read_write(row.op, "operation");
    request.stream = stream(row);
    request.process = process(row);
    batch.add(request);
  }

  StreamId stream(const Row& row) {
    parse_number(row.major, "major device number");
    parse_number(row.minor, "minor device number");
    name_.assign("dev").append(row.major).append("_").append(row.minor);
    return stream_id(info_, name_, row.major);
  }

  ProcessId process(const Row& row) {
    parse_number(row.pid, "process id");
    name_.assign(row.process).append(" (").append(row.pid).append(")");
    return process_id(info_, name_, *input_);
  }

  std::string name_;
};

bool is_row(std::string_view line) {
  const Row row = split_row(line);
  return is_whole(row.time) && is_whole(row.pid) && is_whole(row.lba) && is_whole(row.size) && is_read_write(row.op) &&
         is_whole(row.major) && is_whole(row.minor);
}

Match detect(const Probe& probe) { return mostly_rows(probe, is_row) ? Match::likely : Match::no; }

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions& options) {
  return std::make_unique<FiuReader>(std::move(input), options);
}

}  // namespace

extern const Format fiu{
    .name = "fiu",
    .summary = "FIU homes, mail, web (SNIA 390, 391)",
    .description = R"text(timestamp pid process lba size op major minor [md5]    (separated by blanks)
89968195792462 20782 gzip 283193184 8 R 6 0 56f11b711d91a065a2b6458eca924523

  timestamp     of issue, in nanoseconds, from the start of the machine or the trace
  pid, process  who issued it, named "gzip (20782)"; the name may hold blanks
  lba, size     sectors of 512 bytes
  op            R or W
  major, minor  the device: the stream, named "dev6_0"
  md5           of the content, passed over; not always there

A line is 4 KiB in most parts (one hash), so that a long request is several lines. There are no response times. The
files of the 21 days, one after the other, are not in order of time.

Source: Koller and Rangaswami, FAST 2010, and the READMEs of SNIA IOTTA trace sets 390 and 391.
)text",
    .detect = detect,
    .open = open,
};

}  // namespace traces
