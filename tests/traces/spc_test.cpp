#include <gtest/gtest.h>

#include "tests/support/garble.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_files.h"

using traces::Op;

namespace {
constexpr std::string_view kRows =
    "0,20941264,8192,W,0.551706,Alpha/NT\n"
    "0, 20939840, 8192, w, 0.554041\r\n"
    "1,3436288,15872,r,1.250720,0x123,5.99,test\n"
    "2,10,0,R,2\n";
}

TEST(Spc, ReadsRows) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file("x", kRows));
  ASSERT_EQ(trace.requests.size(), 4u);
  EXPECT_EQ(trace.info.format, "spc");
  EXPECT_EQ(trace.info.clock, traces::Clock::relative);
  EXPECT_EQ(trace.info.streams.names(), (std::vector<std::string>{"asu0", "asu1", "asu2"}));
  EXPECT_EQ(trace.requests[0].offset.bytes, 20'941'264ull * 512);
  EXPECT_EQ(trace.requests[0].length.count, 8192);
  EXPECT_EQ(trace.requests[0].time.since_origin.count, 551'706'000);
  EXPECT_EQ(trace.requests[1].op, Op::write);
  EXPECT_EQ(trace.requests[2].op, Op::read);
  EXPECT_EQ(trace.requests[2].stream, 1);
  EXPECT_EQ(trace.requests[3].length.count, 0);
  EXPECT_EQ(trace.requests[3].latency, traces::kUnknown);
}

TEST(Spc, CountsInBlocksOfTheSizeTold) {
  const support::ScratchFolder folder;
  traces::ReadOptions options;
  options.sector = sim::Bytes{4096};
  const auto trace = support::read_all(folder.file("x", kRows), "spc", options);
  EXPECT_EQ(trace.requests[3].offset.bytes, 40960u);
  EXPECT_EQ(trace.requests[0].length.count, 8192);
  EXPECT_EQ(trace.info.sector.count, 4096);
}

TEST(Spc, TheSpecificationsOwnTypoIsABadLine) {
  NEEDS_SHARED_DATA("samples/spc");
  const std::string path = support::shared_data("samples/spc/spc_spec_example.spc").string();
  try {
    support::read_all(path);
    FAIL();
  } catch (const sim::DataError& error) {
    EXPECT_EQ(error.what(), path + ":9:19: timestamp should be a time, not '2 448003'");
  }
  traces::ReadOptions options;
  options.skip_bad = 1;
  const auto trace = support::read_all(path, "", options);
  EXPECT_EQ(trace.requests.size(), 10u);
  EXPECT_EQ(trace.info.skipped_lines, 1u);
}

TEST(Spc, TakesNoHarmFromDamage) { support::expect_no_harm(std::string(kRows), "spc"); }
