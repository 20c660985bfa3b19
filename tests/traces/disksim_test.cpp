#include <gtest/gtest.h>

#include "tests/support/garble.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_files.h"

using traces::Op;

namespace {
constexpr std::string_view kRows =
    "13.191135\t30\t0\t5\t1\n"
    "17.829285 20   576560\t6 0\n"
    "18 20 8 1 3\n"
    "19.5 20 8 1 10\n";  // flags are hexadecimal: 0x10
}

TEST(DiskSim, ReadsRows) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file("x", kRows));
  ASSERT_EQ(trace.requests.size(), 4u);
  EXPECT_EQ(trace.info.format, "disksim");
  EXPECT_EQ(trace.info.streams.names(), (std::vector<std::string>{"dev30", "dev20"}));
  EXPECT_EQ(trace.requests[0].time.since_origin.count, 13'191'135);
  EXPECT_EQ(trace.requests[0].length.count, 2560);
  EXPECT_EQ(trace.requests[0].op, Op::read);
  EXPECT_EQ(trace.requests[1].offset.bytes, 576'560ull * 512);
  EXPECT_EQ(trace.requests[1].op, Op::write);
  EXPECT_EQ(trace.requests[2].op, Op::read);
  EXPECT_EQ(trace.requests[2].time.since_origin.count, 18'000'000);
  EXPECT_EQ(trace.requests[3].op, Op::write);
}

TEST(DiskSim, NamesThePlaceOfWhatIsWrong) {
  const support::ScratchFolder folder;
  const std::string path = folder.file("x", std::string(kRows) + "20.5\t1\t2\n");
  try {
    support::read_all(path, "disksim");
    FAIL();
  } catch (const sim::DataError& error) {
    EXPECT_EQ(error.what(), path + ":5:9: block count should be a whole number, not ''");
  }
}

TEST(DiskSim, ReadsTheRealSample) {
  NEEDS_SHARED_DATA("samples/disksim_ascii");
  const auto trace = support::read_all(support::shared_data("samples/disksim_ascii/ascii.2000.trace").string());
  EXPECT_EQ(trace.requests.size(), 2000u);
  EXPECT_EQ(trace.count(Op::read), 1615u);
  EXPECT_EQ(trace.count(Op::write), 385u);
}

TEST(DiskSim, TakesNoHarmFromDamage) { support::expect_no_harm(std::string(kRows), "disksim"); }
