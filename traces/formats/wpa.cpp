// Tables of disk IO that Windows Performance Analyzer exports (wpaexporter, or "Disk Usage" saved as CSV).
#include "traces/formats/table.h"

namespace traces {
namespace {

using namespace table;

enum Column { kType, kInit, kComplete, kTime, kSize, kOffset, kMaxOffset, kDisk, kProcess, kCount, kColumns };

struct Known {
  std::string_view name;
  Column column;
};
constexpr Known kKnown[] = {{"IO Type", kType},
                            {"Init Time", kInit},
                            {"IO Init Time", kInit},
                            {"Complete Time", kComplete},
                            {"IO Complete Time", kComplete},
                            {"IO Time", kTime},
                            {"Size", kSize},
                            {"IO Size", kSize},
                            {"Min Offset", kOffset},
                            {"Offset", kOffset},
                            {"Max Offset", kMaxOffset},
                            {"Disk", kDisk},
                            {"Process", kProcess},
                            {"Process (Name)", kProcess},
                            {"Process Name", kProcess},
                            {"Count", kCount}};

// What a header line says: where each column is (-1: nowhere), and in which unit times are.
struct Layout {
  char delimiter = ',';
  int index[kColumns];
  sim::Nanoseconds unit[kColumns];
  bool size_in_bytes = true;

  bool has(Column column) const { return index[column] >= 0; }
  bool usable() const {
    return has(kType) && has(kOffset) && (has(kInit) || has(kComplete)) && (has(kSize) || has(kMaxOffset));
  }
};

// "Init Time (s)" -> "Init Time", "s". A bracket that holds no unit stays part of the name.
std::pair<std::string_view, std::string_view> name_and_unit(std::string_view title) {
  const std::size_t open = title.rfind(" (");
  if (open == std::string_view::npos || !title.ends_with(')')) return {title, ""};
  const std::string_view unit = title.substr(open + 2, title.size() - open - 3);
  for (const std::string_view known : {"s", "ms", "us", "\u00B5s", "\u03BCs", "ns", "B", "KB", "MB", "GB"}) {
    if (unit == known) return {title.substr(0, open), unit};
  }
  return {title, ""};
}

sim::Nanoseconds time_unit(std::string_view unit) {
  return unit == "s" || unit.empty() ? 1_s : unit == "ms" ? 1_ms : unit == "ns" ? 1_ns : 1_us;
}

Layout read_header(std::string_view line) {
  line = without_byte_order_mark(line);
  Layout layout;
  std::fill(std::begin(layout.index), std::end(layout.index), -1);
  std::ptrdiff_t most = 0;
  for (const char delimiter : {',', ';', '\t'}) {
    const auto count = std::count(line.begin(), line.end(), delimiter);
    if (count > most) most = count, layout.delimiter = delimiter;
  }
  int index = 0;
  for (const std::string_view title : split_quoted(line, layout.delimiter)) {
    const auto [name, unit] = name_and_unit(trim(title));
    for (const Known& known : kKnown) {
      if (known.name != name || layout.has(known.column)) continue;
      layout.index[known.column] = index;
      layout.unit[known.column] = time_unit(unit);
      if (known.column == kSize) layout.size_in_bytes = unit == "B" || unit.empty();
    }
    ++index;
  }
  return layout;
}

class WpaReader final : public TextReader {
 public:
  WpaReader(std::unique_ptr<Input> input, const ReadOptions& options) : TextReader(std::move(input), options, "wpa") {}

 private:
  void parse(std::string_view line, Batch& batch) override {
    if (input_->line_number() == 1) {
      see_header(line);
    } else if (!line.empty()) {
      row(line, batch);
    }
  }

  void see_header(std::string_view line) {
    try {
      layout_ = read_header(line);
    } catch (const BadField& bad) { sim::fail(place(), bad.what); }
    if (!layout_.usable()) {
      sim::fail(place(), "the header should name IO Type, Init Time or Complete Time, Size, and Min Offset");
    }
    if (!layout_.size_in_bytes) sim::fail(place(), "Size should be exported in bytes: the column Size (B)");
  }

  void row(std::string_view line, Batch& batch) {
    fields_.clear();
    for (std::string_view rest = line; !rest.empty();) fields_.push_back(take_quoted_field(rest, layout_.delimiter));
    if (layout_.has(kCount) && field(kCount) != "1") {
      info_.findings.add("rows that sum up several IOs, passed over (export each IO as a row)", place());
      return;
    }
    Request request;
    set_times(request);
    request.stream = layout_.has(kDisk) ? disks_.id(info_, field(kDisk), "disk") : stream_id(info_, "wpa", line);
    if (layout_.has(kProcess)) request.process = process_id(info_, field(kProcess), *input_);
    const std::string_view type = field(kType);
    if (type == "Read" || type == "Write") {
      request.op = type == "Read" ? Op::read : Op::write;
      set_extent(request);
    } else if (type == "Flush") {
      request.op = Op::flush;
    } else {
      bad_field(type.data() ? type : line, "IO Type", "should be Read, Write or Flush");
    }
    batch.add(request);
  }

  void set_times(Request& request) {
    if (!decimal_) decimal_ = decimal_mark(field(layout_.has(kInit) ? kInit : kComplete));
    if (layout_.has(kTime)) request.latency = latency(field(kTime));
    if (layout_.has(kInit)) {
      request.time = {time(kInit)};
      if (!layout_.has(kTime) && layout_.has(kComplete)) {
        request.latency = issue_time(time(kComplete), request.time.since_origin, field(kComplete)).since_origin;
        if (request.latency.count < 0) bad_field(field(kComplete), "Complete Time", "should not be before Init Time");
      }
    } else {
      request.time = {time(kComplete)};
      if (layout_.has(kTime)) request.time = issue_time(time(kComplete), request.latency, field(kComplete));
    }
  }

  void set_extent(Request& request) {
    request.offset = {address(kOffset, "Min Offset")};
    if (layout_.has(kSize)) {
      request.length = to_length(whole(kSize, "Size"), 1, field(kSize), "Size");
    } else {
      const std::uint64_t last = address(kMaxOffset, "Max Offset");
      if (last < request.offset.bytes) bad_field(field(kMaxOffset), "Max Offset", "should not be below Min Offset");
      request.length = to_length(last - request.offset.bytes, 1, field(kMaxOffset), "Max Offset");
      request.length += 1_B;
    }
  }

  std::string_view field(Column column) const {
    const auto index = static_cast<std::size_t>(layout_.index[column]);
    return index < fields_.size() ? fields_[index] : std::string_view{};
  }

  // Seconds are exported with nine digits behind their mark, so the last mark in them is the decimal one.
  static char decimal_mark(std::string_view seconds) {
    const std::size_t last = seconds.find_last_of(".,");
    return last == std::string_view::npos ? '.' : seconds[last];
  }

  // The number without the marks between thousands, with a decimal point.
  const std::string& plain(std::string_view number) {
    plain_.clear();
    for (const char c : number) {
      if (c == decimal_) {
        plain_ += '.';
      } else if (is_digit(c) || c == '-') {
        plain_ += c;
      } else if (c != '.' && c != ',' && c != ' ' && c != '\'' && static_cast<unsigned char>(c) < 0x80) {
        bad_field(number, "the field", "should be a number");
      }
    }
    return plain_;
  }

  // Errors of the number without its marks are told at the field that has them.
  template <class Parse>
  auto in_place(std::string_view field, const Parse& parse) {
    try {
      return parse(plain(field));
    } catch (BadField& bad) {
      bad.at = field.data();
      throw;
    }
  }

  sim::Nanoseconds time(Column column) {
    return in_place(field(column),
                    [&](const std::string& text) { return parse_time(text, layout_.unit[column], "time"); });
  }
  sim::Nanoseconds latency(std::string_view text) {
    return in_place(text,
                    [&](const std::string& number) { return parse_latency(number, layout_.unit[kTime], "IO Time"); });
  }
  std::uint64_t whole(Column column, const char* what) {
    return in_place(field(column), [&](const std::string& text) { return parse_number(text, what); });
  }
  std::uint64_t address(Column column, const char* what) {
    return field(column).starts_with("0x") ? parse_hex(field(column), what) : whole(column, what);
  }

  Layout layout_;
  char decimal_ = 0;
  NumberedStreams disks_{"disk"};
  std::vector<std::string_view> fields_;
  std::string plain_;
};

Match detect(const Probe& probe) {
  const auto lines = probe.lines(1);
  if (lines.empty() || lines[0].find("IO Type") == std::string_view::npos) return Match::no;
  try {
    return read_header(lines[0]).usable() ? Match::certain : Match::no;
  } catch (const BadField&) { return Match::no; }
}

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions& options) {
  return std::make_unique<WpaReader>(std::move(input), options);
}

}  // namespace

extern const Format wpa{
    .name = "wpa",
    .summary = "Windows Performance Analyzer disk IO export",
    .description = R"(IO Type;Process (Name);Init Time (s);IO Time (us);...;Size (B);Min Offset;Disk;Count
Read;System;1,079943800;87,200;...;512;0x0000000000000000;1;1

Columns are taken by their names, in any order; others are passed over. The delimiter is the commonest of , ; and tab in
the header; the decimal mark is the last one in the first time, and other marks stand between thousands.

  IO Type                   Read, Write or Flush (whose offset and size mean nothing)
  Init Time, Complete Time  of issue and completion, in the unit that the title names, from the start of the trace
  IO Time                   the latency; else Complete Time - Init Time
  Size                      bytes; else Max Offset - Min Offset + 1
  Min Offset                bytes from the start of the disk, hexadecimal
  Disk                      the stream, named "disk1"
  Process                   kept by its name
  Count                     rows that stand for several IOs are passed over and counted

Source: files that wpaexporter wrote.
)",
    .detect = detect,
    .open = open,
};

}  // namespace traces
