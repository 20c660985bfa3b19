#include "traces/formats/csv_columns.h"

#include <gtest/gtest.h>

#include "sim/error.h"

using namespace traces::table;

TEST(CsvColumns, GuessesTheDelimiter) {
  EXPECT_EQ(guess_delimiter("a,b;c,d", '.'), ',');
  EXPECT_EQ(guess_delimiter("1,5;2,5;3,5;4,5", ','), ';');
  EXPECT_EQ(guess_delimiter("\"a,b,c\"|d", '.'), '|');
  EXPECT_EQ(guess_delimiter("a\tb", '.'), '\t');
  EXPECT_EQ(guess_delimiter("a  b", '.'), ' ');
}

TEST(CsvColumns, UnitsAreInNames) {
  const auto plan = plan_for_header({"Init Time (ms)", "offset_sectors", "size_kib", "nr_sectors", "latency_us"});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->time.time, "ms");
  EXPECT_EQ(plan->offset_unit, 512u);
  EXPECT_EQ(plan->length_unit, 1024u);  // the first name of a length counts
  EXPECT_EQ(plan->latency.time, "us");
  EXPECT_EQ(plan->at(Role::length), 2u);
  EXPECT_EQ(plan->needed, 5u);
}

TEST(CsvColumns, AnOffsetAloneIsNoHeader) {
  EXPECT_FALSE(plan_for_header({"offset", "colour"}));
  EXPECT_FALSE(plan_for_header({"time", "op", "size"}));
  EXPECT_TRUE(plan_for_header({"offset", "op"}));
}

TEST(CsvColumns, StreamsAreJoinedInTheOrderOfColumns) {
  const auto plan = plan_for_header({"Timestamp", "Hostname", "DiskNumber", "Type", "Offset", "Size", "ResponseTime"});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->column[static_cast<std::size_t>(Role::stream)], (std::vector<int>{1, 2}));
}

TEST(CsvColumns, OwnHeadersTellLevelAndClock) {
  const auto plan = plan_for_header({"issue_time_ns_monotonic", "stream", "op", "offset_bytes", "length_bytes",
                                     "latency_ns", "issue_delay_ns", "flags", "process"});
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->own);
  EXPECT_EQ(plan->level, traces::Level::issue);
  EXPECT_EQ(plan->base, "monotonic");
  EXPECT_FALSE(plan_for_header({"time_ns", "stream", "op", "offset_bytes", "length_bytes"})->own);
}

TEST(CsvColumns, TakesAMapApart) {
  const Map map = parse_map("time=\"a:b,c\":us:unix,stream=x+\"3\",write=1|W,delimiter=tab,decimal=comma");
  const auto& time = map.entries[static_cast<std::size_t>(Role::time)];
  EXPECT_EQ(time.columns, std::vector<std::string>{"a:b,c"});
  EXPECT_EQ(time.unit.time, "us");
  EXPECT_EQ(time.base, "unix");
  const auto& stream = map.entries[static_cast<std::size_t>(Role::stream)];
  EXPECT_EQ(stream.columns, (std::vector<std::string>{"x", "3"}));
  EXPECT_TRUE(stream.quoted[1]);
  EXPECT_EQ(map.words.size(), 2u);
  EXPECT_EQ(map.words[1].first, "W");
  EXPECT_EQ(map.delimiter, '\t');
  EXPECT_EQ(map.decimal, ',');
}
