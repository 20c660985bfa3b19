#include <gtest/gtest.h>

#include "tests/support/garble.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_files.h"

using traces::Op;

namespace {
constexpr std::string_view kRows =
    "0,R,126703661056,4096,1577808000000046\n"
    "419,W,8792731648,16384,1577808144360767\n"
    "0,R,126703644672,4096,1577808000000626\n";
}

TEST(Alibaba, ReadsRows) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file("x", kRows));
  ASSERT_EQ(trace.requests.size(), 3u);
  EXPECT_EQ(trace.info.format, "alibaba");
  EXPECT_EQ(trace.info.clock, traces::Clock::unix_epoch);
  EXPECT_EQ(trace.info.streams.names(), (std::vector<std::string>{"vol0", "vol419"}));
  EXPECT_EQ(trace.requests[1].time.since_origin.count, 1'577'808'144'360'767'000);
  EXPECT_EQ(trace.requests[1].offset.bytes, 8'792'731'648u);
  EXPECT_EQ(trace.requests[1].length.count, 16384);
  EXPECT_EQ(trace.requests[1].op, Op::write);
  EXPECT_EQ(trace.requests[2].stream, 0);
  EXPECT_EQ(trace.requests[2].latency, traces::kUnknown);
}

TEST(Alibaba, NamesThePlaceOfWhatIsWrong) {
  const support::ScratchFolder folder;
  const std::string path = folder.file("x", "0,R,1,2,3\n0,R,-1,4096,1577808000000046\n");
  try {
    support::read_all(path, "alibaba");
    FAIL();
  } catch (const sim::DataError& error) {
    EXPECT_EQ(error.what(), path + ":2:5: offset should be a whole number, not '-1'");
  }
}

TEST(Alibaba, ReadsTheRealRows) {
  NEEDS_SHARED_DATA("samples/alibaba");
  const auto trace = support::read_all(support::shared_data("samples/alibaba/alibaba_first_rows_quoted.csv").string());
  EXPECT_EQ(trace.requests.size(), 13u);
  EXPECT_EQ(trace.info.streams.names()[6], "vol419");
}

TEST(Alibaba, TakesNoHarmFromDamage) { support::expect_no_harm(std::string(kRows), "alibaba"); }
