#include "sim/units.h"

#include <gtest/gtest.h>

#include <concepts>

#include "sim/error.h"

namespace {

using namespace sim::literals;
using sim::parse_bytes, sim::parse_duration;

template <class A, class B>
concept Adds = requires(A a, B b) { a + b; };
template <class A, class B>
concept Compares = requires(A a, B b) { a < b; };

TEST(Units, MixingKindsDoesNotCompile) {
  static_assert(Adds<sim::Bytes, sim::Bytes> && Adds<sim::Instant, sim::Nanoseconds> && Adds<sim::Offset, sim::Bytes>);
  static_assert(!Adds<sim::Bytes, sim::Nanoseconds>);
  static_assert(!Adds<sim::Bytes, sim::Sectors>);
  static_assert(!Adds<sim::Instant, sim::Instant>);
  static_assert(!Adds<sim::Bytes, int>);
  static_assert(!Compares<sim::Instant, sim::Nanoseconds>);
  static_assert(sizeof(sim::Instant) == 8 && sizeof(sim::Offset) == 8);
}

TEST(Units, SizesReadAsTheyAreWritten) {
  EXPECT_EQ(parse_bytes("4096"), 4096_B);
  EXPECT_EQ(parse_bytes("4KiB"), 4_KiB);
  EXPECT_EQ(parse_bytes("4k"), 4_KiB);
  EXPECT_EQ(parse_bytes("10GB").count, 10'000'000'000);
  EXPECT_EQ(parse_bytes("1.5TiB").count, 1'649'267'441'664);
  EXPECT_EQ(parse_bytes("2 MiB"), 2_MiB);
}

TEST(Units, DurationsReadAsTheyAreWritten) {
  EXPECT_EQ(parse_duration("80us"), 80_us);
  EXPECT_EQ(parse_duration("1.5s"), 1500_ms);
  EXPECT_EQ(parse_duration("2h"), 7200_s);
  EXPECT_EQ(parse_duration("3m"), 180_s);
}

TEST(Units, NonsenseIsRefused) {
  for (const char* text : {"", "GiB", "-1", "4XB", "1e30GiB", "nan", "4 Ki B"}) EXPECT_THROW(parse_bytes(text), sim::UsageError) << text;
  for (const char* text : {"", "5", "ms", "-2s", "1e20h"}) EXPECT_THROW(parse_duration(text), sim::UsageError) << text;
}

TEST(Units, FormatsForPeople) {
  EXPECT_EQ(sim::format(4_KiB), "4 KiB");
  EXPECT_EQ(sim::format(sim::Bytes{1536}), "1.50 KiB");
  EXPECT_EQ(sim::format(250_us), "250 us");
  EXPECT_EQ(sim::format(8280_s), "2.3 h");
  EXPECT_EQ(sim::format(sim::Nanoseconds{31'556'952'000'000'000} * 31), "31.0 years");
}

TEST(Units, SectorsRoundUp) {
  EXPECT_EQ(sim::to_sectors(513_B).count, 2);
  EXPECT_EQ(sim::to_bytes(sim::Sectors{3}), 1536_B);
}

}  // namespace
