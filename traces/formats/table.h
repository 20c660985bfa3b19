// What the readers of tables (one request a line, in columns) share beyond TextReader: units with their limits, names
// of streams and processes, and the shape of lines by which a format is recognised.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/units.h"
#include "traces/registry.h"
#include "traces/text_reader.h"

namespace traces::table {

using namespace sim::literals;

// 1970 on the clock of Windows, which counts units of 100 ns from 1601.
inline constexpr sim::Nanoseconds kFiletimeUnit{100};
inline constexpr std::int64_t kFiletimeOfUnixEpoch = 116'444'736'000'000'000;

// No request is longer; and it bounds into how many pieces a garbled one is cut.
inline constexpr std::uint64_t kLongest = std::uint64_t{1} << 48;

[[noreturn]] inline void bad_field(std::string_view field, std::string_view what, std::string_view should) {
  throw BadField{field.data(), std::string(what) + " " + std::string(should) + ", not '" + std::string(field) + "'"};
}

inline sim::Offset to_offset(std::uint64_t count, std::uint64_t unit, std::string_view field, const char* what) {
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(count, unit, &bytes)) [[unlikely]] {
    bad_field(field, what, "should stay below 2^64 bytes");
  }
  return {bytes};
}

inline sim::Bytes to_length(std::uint64_t count, std::uint64_t unit, std::string_view field, const char* what) {
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(count, unit, &bytes) || bytes > kLongest) [[unlikely]] {
    bad_field(field, what, "should be at most 256 TiB (is the unit right?)");
  }
  return {static_cast<std::int64_t>(bytes)};
}

// The next field, a decimal count of units of `unit` bytes.
inline sim::Offset take_offset(std::string_view& line, char delimiter, const char* what, std::uint64_t unit = 1) {
  std::string_view field = line;
  const std::uint64_t count = take_number(line, delimiter, what);
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(count, unit, &bytes)) [[unlikely]]
    to_offset(count, unit, take_field(field, delimiter), what);
  return {bytes};
}
inline sim::Bytes take_length(std::string_view& line, char delimiter, const char* what, std::uint64_t unit = 1) {
  std::string_view field = line;
  const std::uint64_t count = take_number(line, delimiter, what);
  if (count > kLongest / unit) [[unlikely]]
    to_length(count, unit, take_field(field, delimiter), what);
  return {static_cast<std::int64_t>(count * unit)};
}

// The same of a field that was taken.
inline sim::Offset parse_offset(std::string_view field, const char* what, std::uint64_t unit = 1) {
  return to_offset(parse_number(field, what), unit, field, what);
}
inline sim::Bytes parse_length(std::string_view field, const char* what, std::uint64_t unit = 1) {
  return to_length(parse_number(field, what), unit, field, what);
}

// A duration, which is not negative.
inline sim::Nanoseconds parse_latency(std::string_view field, sim::Nanoseconds unit, const char* what) {
  const sim::Nanoseconds latency = parse_time(field, unit, what);
  if (latency.count < 0) [[unlikely]]
    bad_field(field, what, "should not be negative");
  return latency;
}

// `time - latency`, for tables that stamp a request when it completes.
inline sim::Instant issue_time(sim::Nanoseconds completion, sim::Nanoseconds latency, std::string_view field) {
  std::int64_t time = 0;
  if (__builtin_sub_overflow(completion.count, latency.count, &time)) [[unlikely]] {
    bad_field(field, "latency", "should leave the time of issue within 64-bit nanoseconds");
  }
  return {{time}};
}

// "R" or "W", in either case.
inline Op parse_read_write(std::string_view field, const char* what) {
  if (field.size() == 1) {
    const char letter = static_cast<char>(field[0] | 0x20);
    if (letter == 'r') return Op::read;
    if (letter == 'w') return Op::write;
  }
  bad_field(field, what, "should be R or W");
}

inline void expect_end(std::string_view rest, const char* last_column) {
  if (!trim(rest).empty()) throw BadField{rest.data(), std::string("should end after ") + last_column};
}

inline std::string_view without_byte_order_mark(std::string_view line) {
  if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  return line;
}

// --- Names ---

inline StreamId stream_id(TraceInfo& info, std::string_view name, std::string_view field) {
  try {
    return static_cast<StreamId>(info.streams.id(name));
  } catch (const sim::DataError& too_many) { throw BadField{field.data(), too_many.what()}; }
}

// Streams by the text that names them, for rows that change between a few: finds most without hashing all of it.
class RecentStreams {
 public:
  // make() gives the id for a text that is not remembered.
  template <class Make>
  StreamId id(std::string_view text, const Make& make) {
    Entry& entry = entries_[slot(text)];
    if (entry.known && entry.text == text) return entry.id;
    const StreamId id = make();
    entry = {std::string(text), id, true};
    return id;
  }

 private:
  struct Entry {
    std::string text;
    StreamId id = 0;
    bool known = false;
  };
  static constexpr std::size_t kSlots = 256;
  // Names differ in their last letters, the digits.
  static std::size_t slot(std::string_view text) {
    std::size_t hash = text.size();
    for (std::size_t i = text.size() < 4 ? 0 : text.size() - 4; i < text.size(); ++i) {
      hash = hash * 31 + static_cast<unsigned char>(text[i]);
    }
    if (!text.empty()) hash += 17 * static_cast<unsigned char>(text[0]);
    return hash % kSlots;
  }
  std::vector<Entry> entries_{kSlots};
};

// Streams that a table numbers: "vol1058".
class NumberedStreams {
 public:
  explicit NumberedStreams(std::string_view prefix) : prefix_(prefix) {}

  StreamId id(TraceInfo& info, std::string_view field, const char* what) {
    return id(info, parse_number(field, what), field);
  }
  // The next field.
  StreamId take(TraceInfo& info, std::string_view& line, char delimiter, const char* what) {
    const std::string_view field = line;
    return id(info, take_number(line, delimiter, what), field);
  }

 private:
  StreamId id(TraceInfo& info, std::uint64_t number, std::string_view field) {
    if (number == last_number_ && known_any_) return last_;
    auto found = ids_.find(number);
    if (found == ids_.end()) {
      found = ids_.emplace(number, stream_id(info, prefix_ + std::to_string(number), field)).first;
    }
    known_any_ = true;
    last_number_ = number;
    return last_ = found->second;
  }

  std::string prefix_;
  std::unordered_map<std::uint64_t, StreamId> ids_;
  std::uint64_t last_number_ = 0;
  StreamId last_ = 0;
  bool known_any_ = false;
};

// The process that a table names, or 0 past a million names: memory stays bounded on long traces.
inline ProcessId process_id(TraceInfo& info, std::string_view name, const Input& input) {
  constexpr std::size_t kMost = 1 << 20;
  try {
    return info.processes.id(name, kMost);
  } catch (const sim::DataError&) {
    info.findings.add("requests of processes past the 1048576th name, which are not told apart", input.place());
    return 0;
  }
}

// --- Lines with quoted fields: a field that begins with a double quote ends at the next one, and holds delimiters ---

// Takes the next field; a quoted one without its quotes. A doubled quote inside stays doubled.
inline std::string_view take_quoted_field(std::string_view& line, char delimiter) {
  std::string_view rest = line;
  while (!rest.empty() && is_blank(rest.front()) && rest.front() != delimiter) rest.remove_prefix(1);
  if (rest.empty() || rest.front() != '"') return take_field(line, delimiter);
  std::size_t end = 1;
  while (end < rest.size() && (rest[end] != '"' || (end + 1 < rest.size() && rest[end + 1] == '"'))) {
    end += rest[end] == '"' ? 2 : 1;
  }
  if (end >= rest.size()) throw BadField{rest.data(), "a quote that does not end on its line"};
  const std::string_view field = rest.substr(1, end - 1);
  rest.remove_prefix(end + 1);
  if (!take_field(rest, delimiter).empty()) throw BadField{field.data(), "a quoted field should end at its quote"};
  line = rest;
  return field;
}

// All of them.
inline std::vector<std::string_view> split_quoted(std::string_view line, char delimiter) {
  std::vector<std::string_view> fields;
  while (!line.empty()) {
    const bool last_is_empty = line.size() == 1 && line.front() == delimiter;
    fields.push_back(take_quoted_field(line, delimiter));
    if (last_is_empty) fields.emplace_back();
  }
  return fields;
}

// --- Recognising ---

inline bool is_whole(std::string_view field) {
  return !field.empty() && std::all_of(field.begin(), field.end(), is_digit);
}

// Digits with at most one point.
inline bool is_decimal(std::string_view field) {
  const std::size_t point = field.find('.');
  if (point == std::string_view::npos) return is_whole(field);
  return is_whole(field.substr(0, point)) && (point + 1 == field.size() || is_whole(field.substr(point + 1)));
}

inline bool is_read_write(std::string_view field) {
  return field == "R" || field == "W" || field == "r" || field == "w";
}

inline std::vector<std::string_view> split(std::string_view line, char delimiter) {
  std::vector<std::string_view> fields;
  while (!line.empty()) fields.push_back(take_field(line, delimiter));
  return fields;
}

inline std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> words;
  for (auto word = take_word(line); !word.empty(); word = take_word(line)) words.push_back(word);
  return words;
}

// True if most of the first lines (three in four, so that one bad row hides nothing) are rows by `is_row`. Empty
// lines and the first `skip` do not count.
template <class IsRow>
bool mostly_rows(const Probe& probe, const IsRow& is_row, std::size_t skip = 0) {
  std::size_t rows = 0, others = 0;
  for (const std::string_view line : probe.lines(100)) {
    if (skip > 0) {
      --skip;
    } else if (!trim(line).empty()) {
      ++(is_row(line) ? rows : others);
    }
  }
  return rows > 0 && rows >= 3 * others;
}

}  // namespace traces::table
