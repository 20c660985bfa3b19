#include <gtest/gtest.h>

#include "tests/support/garble.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_files.h"

using traces::Op;

namespace {
constexpr std::string_view kRows =
    "1538323200,4247200,128,1,1058\n"
    "1538323199,13896880,8,0,1063\n";
}

TEST(Tencent, ReadsRows) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file("x", kRows));
  ASSERT_EQ(trace.requests.size(), 2u);
  EXPECT_EQ(trace.info.format, "tencent");
  EXPECT_EQ(trace.info.clock, traces::Clock::unix_epoch);
  EXPECT_EQ(trace.info.streams.names(), (std::vector<std::string>{"vol1058", "vol1063"}));
  EXPECT_EQ(trace.requests[0].time.since_origin.count, 1'538'323'200'000'000'000);
  EXPECT_EQ(trace.requests[0].offset.bytes, 4'247'200ull * 512);
  EXPECT_EQ(trace.requests[0].length.count, 65536);
  EXPECT_EQ(trace.requests[0].op, Op::write);
  EXPECT_EQ(trace.requests[1].op, Op::read);
  EXPECT_LT(trace.requests[1].time, trace.requests[0].time);
}

TEST(Tencent, NamesThePlaceOfWhatIsWrong) {
  const support::ScratchFolder folder;
  const std::string path = folder.file("x", std::string(kRows) + "1538323199,36028797018963968,8,0,1063\n");
  try {
    support::read_all(path, "tencent");
    FAIL();
  } catch (const sim::DataError& error) {
    EXPECT_EQ(error.what(), path + ":3:12: offset should stay below 2^64 bytes, not '36028797018963968'");
  }
}

TEST(Tencent, ReadsTheRealSample) {
  NEEDS_SHARED_DATA("samples/tencent_cbs");
  const auto trace =
      support::read_all(support::shared_data("samples/tencent_cbs/cloud_storage-sample.2000.csv").string());
  EXPECT_EQ(trace.requests.size(), 2000u);
  EXPECT_EQ(trace.count(Op::read) + trace.count(Op::write), 2000u);
}

TEST(Tencent, TakesNoHarmFromDamage) { support::expect_no_harm(std::string(kRows), "tencent"); }
