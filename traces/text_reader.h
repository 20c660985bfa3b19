// What readers of line formats share: the loop over lines, the place of an error, and --skip-bad.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "traces/input.h"
#include "traces/reader.h"

namespace traces {

// Thrown by the field parsers and by TextReader::parse: what is wrong, and where in the line (null: the whole line).
struct BadField {
  const char* at;
  std::string what;
};

class TextReader : public Reader {
 public:
  bool next(Batch&) final;
  const TraceInfo& info() const final { return info_; }

 protected:
  TextReader(std::unique_ptr<Input> input, const ReadOptions& options, std::string_view format)
      : input_(std::move(input)), skip_bad_(options.skip_bad) {
    info_.format = format;
  }

  // Adds what the line says to the batch: no request, one, or several. Throws BadField.
  virtual void parse(std::string_view line, Batch&) = 0;
  // Called once after the last line, for requests that were held back.
  virtual void finish(Batch&) {}

  sim::Place place() const { return input_->place(); }

  std::unique_ptr<Input> input_;
  TraceInfo info_;

 private:
  std::uint64_t skip_bad_;
  bool finished_ = false;
};

// --- Fields of a line. All throw BadField; none copies. ---

std::string_view trim(std::string_view);
// Takes the next field, up to `delimiter` or the end, off the front of `line`; blanks around it are trimmed.
std::string_view take_field(std::string_view& line, char delimiter);
// Takes the next run of non-blanks off the front of `line`; empty at the end.
std::string_view take_word(std::string_view& line);
// The same off the end of `line`.
std::string_view take_last_word(std::string_view& line);

// A whole number, all of `field`. `what` names it in the error: "offset".
std::uint64_t parse_number(std::string_view field, const char* what);
// The same in base 16, with or without 0x.
std::uint64_t parse_hex(std::string_view field, const char* what);
// A decimal number of units of `unit` (at most a second) each, exactly: "1456095145.133076000" in seconds is
// 1456095145133076000 ns. More digits than a nanosecond are dropped. Negative values are allowed. `origin`, in whole
// units, is taken off first, for clocks whose zero is further away than Nanoseconds reach. Throws if it leaves the
// range of Nanoseconds.
sim::Nanoseconds parse_time(std::string_view field, sim::Nanoseconds unit, const char* what, std::int64_t origin = 0);

// parse_number and parse_time of the next field, faster than first to take the field and then to parse it.
std::uint64_t take_number(std::string_view& line, char delimiter, const char* what);
// False, and nothing taken, where the next field is not the digits of a number.
bool try_take_number(std::string_view& line, char delimiter, std::uint64_t& value);
sim::Nanoseconds take_time(std::string_view& line, char delimiter, sim::Nanoseconds unit, const char* what,
                           std::int64_t origin = 0);

// --- How the short ones are done: they run several times a line, on fields of a few bytes. ---

constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

inline std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Where `wanted` first is in `text`, or its size: memchr for short texts, eight bytes at a time.
inline std::size_t find_byte(std::string_view text, char wanted) {
  std::size_t at = 0;
  if constexpr (std::endian::native == std::endian::little) {
    constexpr std::uint64_t kOnes = 0x0101010101010101, kHighs = 0x8080808080808080;
    const std::uint64_t pattern = kOnes * static_cast<unsigned char>(wanted);
    for (; at + 8 <= text.size(); at += 8) {
      std::uint64_t word;
      std::memcpy(&word, text.data() + at, 8);
      word ^= pattern;
      if (const std::uint64_t zeros = (word - kOnes) & ~word & kHighs) {
        return at + static_cast<std::size_t>(std::countr_zero(zeros)) / 8;
      }
    }
  }
  while (at < text.size() && text[at] != wanted) ++at;
  return at;
}

inline std::string_view take_field(std::string_view& line, char delimiter) {
  const std::size_t end = find_byte(line, delimiter);
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(end == line.size() ? end : end + 1);
  return trim(field);
}

inline std::string_view take_word(std::string_view& line) {
  std::size_t begin = 0;
  while (begin < line.size() && is_blank(line[begin])) ++begin;
  std::size_t end = begin;
  while (end < line.size() && !is_blank(line[end])) ++end;
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

inline std::string_view take_last_word(std::string_view& line) {
  std::size_t end = line.size();
  while (end > 0 && is_blank(line[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && !is_blank(line[begin - 1])) --begin;
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_suffix(line.size() - begin);
  return word;
}

// Takes any field: gives the value of 20 digits, and the reason why another is not a number.
std::uint64_t parse_unusual_number(std::string_view field, const char* what);

inline std::uint64_t parse_number(std::string_view field, const char* what) {
  constexpr std::size_t kAlwaysFit = 19;  // digits in 64 bits
  if (field.empty() || field.size() > kAlwaysFit) [[unlikely]]
    return parse_unusual_number(field, what);
  std::uint64_t value = 0;
  for (const char c : field) {
    const auto digit = static_cast<unsigned char>(c - '0');
    if (digit > 9) [[unlikely]]
      return parse_unusual_number(field, what);
    value = value * 10 + digit;
  }
  return value;
}

inline bool try_take_number(std::string_view& line, char delimiter, std::uint64_t& value) {
  constexpr std::size_t kAlwaysFit = 19;
  const char* const begin = line.data();
  const char* const end = begin + line.size();
  const char* const most = begin + std::min(kAlwaysFit, line.size());
  const char* p = begin;
  value = 0;
  for (; p != most && is_digit(*p); ++p) value = value * 10 + static_cast<std::uint64_t>(*p - '0');
  if (p == begin || (p != end && *p != delimiter)) return false;
  line.remove_prefix(static_cast<std::size_t>(p - begin) + (p == end ? 0 : 1));
  return true;
}

inline std::uint64_t take_number(std::string_view& line, char delimiter, const char* what) {
  std::uint64_t value;
  if (try_take_number(line, delimiter, value)) [[likely]]
    return value;
  return parse_number(take_field(line, delimiter), what);
}

inline sim::Nanoseconds take_time(std::string_view& line, char delimiter, sim::Nanoseconds unit, const char* what,
                                  std::int64_t origin) {
  std::string_view rest = line;
  std::uint64_t value;
  std::int64_t time;
  if (try_take_number(rest, delimiter, value) && !__builtin_sub_overflow(value, origin, &time) &&
      !__builtin_mul_overflow(time, unit.count, &time)) {
    line = rest;
    return {time};
  }
  return parse_time(take_field(line, delimiter), unit, what, origin);
}

}  // namespace traces
