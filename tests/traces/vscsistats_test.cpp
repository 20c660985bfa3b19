#include <gtest/gtest.h>

#include "tests/support/garble.h"
#include "tests/support/trace_files.h"

using traces::Op;

namespace {

constexpr std::string_view kRows =
    "#Vscsi Cmd Trace. (Trace Format Version 1)\n"
    "#Serial Number,IO Data Length,Num SG Entries,Command Type,LBN,Time Stamp (microseconds)\n"
    "2147483692,4096,1,write,24048792,2756778716647\n"
    "2147483658,4608,2,read,23749656,2756797029103\n"
    "2147483659,0,0,0x12,0,2756797029104\n"
    "2147483660,8192,1,2a,16,2756797029105\n";

}  // namespace

TEST(VscsiStats, ReadsRows) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file("vscsi_cmd_trace_11340_8196.txt", kRows));
  ASSERT_EQ(trace.requests.size(), 3u);
  EXPECT_EQ(trace.info.format, "vscsistats");
  EXPECT_EQ(trace.info.streams.names(), std::vector<std::string>{"world11340_handle8196"});
  EXPECT_EQ(trace.requests[0].time.since_origin.count, 2'756'778'716'647'000);
  EXPECT_EQ(trace.requests[0].offset.bytes, 24'048'792ull * 512);
  EXPECT_EQ(trace.requests[0].length.count, 4096);
  EXPECT_EQ(trace.requests[0].op, Op::write);
  EXPECT_EQ(trace.requests[1].op, Op::read);
  EXPECT_EQ(trace.requests[2].op, Op::write);
  EXPECT_EQ(trace.info.findings.all()[0].count, 1u);  // INQUIRY
}

TEST(VscsiStats, TakesColumnsFromTheHeader) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file(
      "x",
      "Serial Number,World ID,Handle ID,Command Type,LBN,IO Data Length,Time Stamp (microseconds),Response Time\n"
      "1,5,7,read,8,512,1000,250\n1,5,8,read,8,512,1000,250\n"));
  ASSERT_EQ(trace.requests.size(), 2u);
  EXPECT_EQ(trace.info.streams.names(), (std::vector<std::string>{"world5_handle7", "world5_handle8"}));
  EXPECT_EQ(trace.requests[0].latency.count, 250'000);
  EXPECT_EQ(trace.requests[0].offset.bytes, 4096u);
}

TEST(VscsiStats, ReadsBothOrdersWithoutAHeader) {
  const support::ScratchFolder folder;
  const auto first = support::read_all(folder.file("x", "2147483692,4096,1,write,24,27567\n"));
  EXPECT_EQ(first.info.format, "vscsistats");
  EXPECT_EQ(first.requests[0].offset.bytes, 24ull * 512);
  const auto second = support::read_all(folder.file("y", "2147483692,read,24,4096,27567,10\n"), "vscsistats");
  EXPECT_EQ(second.requests[0].offset.bytes, 24ull * 512);
  EXPECT_EQ(second.requests[0].length.count, 4096);
  EXPECT_EQ(second.requests[0].latency.count, 10'000);
  EXPECT_EQ(second.info.streams.names(), std::vector<std::string>{"vscsistats"});
}

TEST(VscsiStats, NamesThePlaceOfWhatIsWrong) {
  const support::ScratchFolder folder;
  const std::string path = folder.file("x", std::string(kRows) + "1,4096,1,write,9\n");
  try {
    support::read_all(path);
    FAIL();
  } catch (const sim::DataError& error) { EXPECT_EQ(error.what(), path + ":7:17: the row should have more columns"); }
}

TEST(VscsiStats, TakesNoHarmFromDamage) { support::expect_no_harm(std::string(kRows), "vscsistats"); }
