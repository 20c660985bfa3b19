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
      if (bad.at >= line.data() && bad.at <= line.data() + line.size())
        place.column = static_cast<std::uint64_t>(bad.at - line.data()) + 1;
      if (info_.skipped_lines >= skip_bad_) sim::fail(place, bad.what);
      ++info_.skipped_lines;
      info_.findings.add("bad lines passed over", place);
    }
  }
  return !batch.requests().empty();
}

namespace {

// `digits` is the end of `field`.
std::uint64_t parse_integer(std::string_view field, std::string_view digits, int base, const char* kind,
                            const char* what) {
  std::uint64_t value = 0;
  const char* const field_end = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), field_end, value, base);
  if (error == std::errc::result_out_of_range) {
    throw BadField{field.data(), std::string(what) + " '" + std::string(field) + "' is larger than 64 bits"};
  }
  if (error != std::errc{} || end != field_end) {
    throw BadField{field.data(), std::string(what) + " should be " + kind + ", not '" + std::string(field) + "'"};
  }
  return value;
}

}  // namespace

std::uint64_t parse_unusual_number(std::string_view field, const char* what) {
  return parse_integer(field, field, 10, "a whole number", what);
}

std::uint64_t parse_hex(std::string_view field, const char* what) {
  std::string_view digits = field;
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  return parse_integer(field, digits, 16, "a hexadecimal number", what);
}

sim::Nanoseconds parse_time(std::string_view field, sim::Nanoseconds unit, const char* what, std::int64_t origin) {
  const auto bad = [&](const char* why) {
    return BadField{field.data(), std::string(what) + " " + why + " '" + std::string(field) + "'"};
  };
  constexpr auto kNotATime = "should be a time, not";
  constexpr auto kOutOfRange = "is past the range of 64-bit nanoseconds (292 years; is the unit right?):";
  const char* p = field.data();
  const char* const end = p + field.size();
  const bool negative = p != end && *p == '-';
  if (negative) ++p;
  const char* const first = p;
  std::int64_t total = 0;
  bool overflow = false;
  const char* const always_fit = p + std::min<std::ptrdiff_t>(18, end - p);
  for (; p != always_fit && is_digit(*p); ++p) total = total * 10 + (*p - '0');
  for (; p != end && is_digit(*p); ++p) {
    overflow |= __builtin_mul_overflow(total, std::int64_t{10}, &total);
    overflow |= __builtin_add_overflow(total, std::int64_t{*p - '0'}, &total);
  }
  auto digits = p - first;
  std::int64_t fraction = 0;
  if (p != end) {
    if (*p != '.') throw bad(kNotATime);
    // A unit is at most a second, so digits past the ninth are below a nanosecond, and the product stays below 2^63.
    std::int64_t scale = 1;
    for (++p; p != end; ++p, ++digits) {
      if (!is_digit(*p)) throw bad(kNotATime);
      if (scale < 1'000'000'000) fraction = fraction * 10 + (*p - '0'), scale *= 10;
    }
    fraction = fraction * unit.count / scale;
  }
  if (digits == 0) throw bad(kNotATime);
  if (overflow) throw bad(kOutOfRange);
  overflow |= __builtin_sub_overflow(negative ? -total : total, origin, &total);
  overflow |= __builtin_mul_overflow(total, unit.count, &total);
  overflow |= __builtin_add_overflow(total, negative ? -fraction : fraction, &total);
  if (overflow) throw bad(kOutOfRange);
  return {total};
}

}  // namespace traces
