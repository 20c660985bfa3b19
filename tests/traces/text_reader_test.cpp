#include "traces/text_reader.h"

#include <gtest/gtest.h>

#include <limits>

#include "sim/random.h"

using namespace traces;
using namespace sim::literals;

namespace {

std::string why(const auto& parse) {
  try {
    parse();
  } catch (const BadField& bad) { return bad.what; }
  return "";
}

std::int64_t seconds(std::string_view text) { return parse_time(text, 1_s, "t").count; }

}  // namespace

TEST(TextReader, NumbersOfUpTo64Bits) {
  EXPECT_EQ(parse_number("0", "n"), 0u);
  EXPECT_EQ(parse_number("9999999999999999999", "n"), 9'999'999'999'999'999'999u);
  EXPECT_EQ(parse_number("18446744073709551615", "n"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(parse_number("00000000000000000000000007", "n"), 7u);
  EXPECT_EQ(why([] { parse_number("18446744073709551616", "n"); }), "n '18446744073709551616' is larger than 64 bits");
  for (const std::string_view bad : {"", "-1", "+1", "1.0", "1x", "x", " 1", "0x10"}) {
    EXPECT_EQ(why([&] { parse_number(bad, "n"); }), "n should be a whole number, not '" + std::string(bad) + "'");
  }
}

TEST(TextReader, NumbersAgreeWithTheirText) {
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const std::uint64_t value = sim::random_word(3, i) >> i % 64;
    EXPECT_EQ(parse_number(std::to_string(value), "n"), value);
  }
}

TEST(TextReader, TimesAreExact) {
  EXPECT_EQ(seconds("1456095145.133076000"), 1'456'095'145'133'076'000);
  EXPECT_EQ(seconds("0.1"), 100'000'000);
  EXPECT_EQ(seconds(".5"), 500'000'000);
  EXPECT_EQ(seconds("5."), 5'000'000'000);
  EXPECT_EQ(seconds("-1.5"), -1'500'000'000);
  EXPECT_EQ(seconds("-0.25"), -250'000'000);
  EXPECT_EQ(seconds("1.9999999999999"), 1'999'999'999);
  EXPECT_EQ(parse_time("0.35", 1_ms, "t").count, 350'000);
  EXPECT_EQ(parse_time("283", 1_us, "t").count, 283'000);
  EXPECT_EQ(parse_time("7", {100}, "t").count, 700);
  EXPECT_EQ(parse_time("9223372036854775807", 1_ns, "t").count, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(seconds("9223372036.854775807"), std::numeric_limits<std::int64_t>::max());
}

TEST(TextReader, TimesCountFromAnOrigin) {
  EXPECT_EQ(parse_time("128166372003061629", {100}, "t", 116'444'736'000'000'000).count, 1'172'163'600'306'162'900);
  EXPECT_EQ(parse_time("1.5", 1_s, "t", 3).count, -1'500'000'000);
}

TEST(TextReader, TimesOutOfRangeOrShape) {
  for (const std::string_view bad : {"", "-", ".", "-.", "1.2.3", "1,5", "1e5", "x", "+1", "--1", "1.x", "1-"}) {
    EXPECT_TRUE(why([&] { seconds(bad); }).starts_with("t should be a time, not")) << bad;
  }
  for (const std::string_view bad : {"9223372036.854775808", "9223372037", "99999999999999999999999", "-9223372037"}) {
    EXPECT_TRUE(why([&] { seconds(bad); }).starts_with("t is past the range of 64-bit nanoseconds")) << bad;
  }
}

TEST(TextReader, TakesFieldsAndWords) {
  std::string_view line = " a , b\t,,c";
  EXPECT_EQ(take_field(line, ','), "a");
  EXPECT_EQ(take_field(line, ','), "b");
  EXPECT_EQ(take_field(line, ','), "");
  EXPECT_EQ(take_field(line, ','), "c");
  EXPECT_TRUE(line.empty());
  EXPECT_EQ(take_field(line, ','), "");
  line = "  one two\tthree  ";
  EXPECT_EQ(take_word(line), "one");
  EXPECT_EQ(take_last_word(line), "three");
  EXPECT_EQ(take_last_word(line), "two");
  EXPECT_EQ(take_last_word(line), "");
  EXPECT_EQ(take_word(line), "");
}

TEST(TextReader, HexadecimalWithAndWithoutMark) {
  EXPECT_EQ(parse_hex("0x018f0b8000", "n"), 0x018f0b8000u);
  EXPECT_EQ(parse_hex("FF", "n"), 255u);
  EXPECT_EQ(why([] { parse_hex("0x", "n"); }), "n should be a hexadecimal number, not '0x'");
  EXPECT_EQ(why([] { parse_hex("0x1g", "n"); }), "n should be a hexadecimal number, not '0x1g'");
}
