#include "traces/text_reader.h"

#include <charconv>

namespace traces {

bool TextReader::next(Batch& batch) {
  batch.clear();
  std::string_view line;
  while (!batch.full() && !finished_) {
    if (!input_->line(line)) {
      finished_ = true;
      finish(batch);
      break;
    }
    const std::size_t before = batch.requests().size();
    try {
      parse(line, batch);
    } catch (const BadField& bad) {
      batch.requests().resize(before);
      sim::Place place = input_->place();
      if (bad.at >= line.data() && bad.at <= line.data() + line.size()) place.column = static_cast<std::uint64_t>(bad.at - line.data()) + 1;
      if (info_.skipped_lines >= skip_bad_) sim::fail(place, bad.what);
      ++info_.skipped_lines;
      info_.findings.add("bad lines passed over", place);
    }
  }
  return !batch.requests().empty();
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string_view take_field(std::string_view& line, char delimiter) {
  const std::size_t end = line.find(delimiter);
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  return trim(field);
}

std::string_view take_word(std::string_view& line) {
  std::size_t begin = 0;
  while (begin < line.size() && (line[begin] == ' ' || line[begin] == '\t')) ++begin;
  std::size_t end = begin;
  while (end < line.size() && line[end] != ' ' && line[end] != '\t') ++end;
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

namespace {

std::uint64_t parse_integer(std::string_view field, int base, const char* kind, const char* what) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value, base);
  if (error == std::errc::result_out_of_range) throw BadField{field.data(), std::string(what) + " '" + std::string(field) + "' is larger than 64 bits"};
  if (error != std::errc{} || end != field.data() + field.size()) {
    throw BadField{field.data(), std::string(what) + " should be " + kind + ", not '" + std::string(field) + "'"};
  }
  return value;
}

}  // namespace

std::uint64_t parse_number(std::string_view field, const char* what) { return parse_integer(field, 10, "a whole number", what); }

std::uint64_t parse_hex(std::string_view field, const char* what) {
  if (field.starts_with("0x") || field.starts_with("0X")) field.remove_prefix(2);
  return parse_integer(field, 16, "a hexadecimal number", what);
}

sim::Nanoseconds parse_time(std::string_view field, sim::Nanoseconds unit, const char* what) {
  const auto bad = [&](const char* why) { return BadField{field.data(), std::string(what) + " " + why + " '" + std::string(field) + "'"}; };
  constexpr auto kNotATime = "should be a time, not";
  std::string_view digits = field;
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  const char* const end = digits.data() + digits.size();
  std::int64_t total = 0;
  const auto [point, error] = std::from_chars(digits.data(), end, total);
  const bool only_fraction = error == std::errc::invalid_argument && digits.size() > 1 && digits.front() == '.';
  if (total < 0 || (error == std::errc::invalid_argument && !only_fraction)) throw bad(kNotATime);
  if (error == std::errc::result_out_of_range || __builtin_mul_overflow(total, unit.count, &total)) {
    throw bad("is past the range of 64-bit nanoseconds (292 years; is the unit right?):");
  }
  if (point != end) {
    if (*point != '.') throw bad(kNotATime);
    // A unit is at most a second, so digits past the ninth are below a nanosecond, and the product stays below 2^63.
    std::int64_t fraction = 0, scale = 1;
    for (const char* p = point + 1; p != end; ++p) {
      if (*p < '0' || *p > '9') throw bad(kNotATime);
      if (scale < 1'000'000'000) fraction = fraction * 10 + (*p - '0'), scale *= 10;
    }
    if (__builtin_add_overflow(total, fraction * unit.count / scale, &total)) throw bad("is past the range of 64-bit nanoseconds:");
  }
  return {negative ? -total : total};
}

}  // namespace traces
