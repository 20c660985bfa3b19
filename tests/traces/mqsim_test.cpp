#include <gtest/gtest.h>

#include "tests/support/garble.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_files.h"

using traces::Op;

namespace {
constexpr std::string_view kRows =
    "938513000 4 264719034 16 0\n"
    "938828000 3 197570570 32 1\n";
}

TEST(MqSim, ReadsRows) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file("x", kRows));
  ASSERT_EQ(trace.requests.size(), 2u);
  EXPECT_EQ(trace.info.format, "mqsim");
  EXPECT_EQ(trace.info.streams.names(), (std::vector<std::string>{"dev4", "dev3"}));
  EXPECT_EQ(trace.requests[0].time.since_origin.count, 938'513'000);
  EXPECT_EQ(trace.requests[0].offset.bytes, 264'719'034ull * 512);
  EXPECT_EQ(trace.requests[0].length.count, 8192);
  EXPECT_EQ(trace.requests[0].op, Op::write);
  EXPECT_EQ(trace.requests[1].op, Op::read);
}

TEST(MqSim, NamesThePlaceOfWhatIsWrong) {
  const support::ScratchFolder folder;
  const std::string path = folder.file("x", std::string(kRows) + "938828000 3 197570570 32 2\n");
  try {
    support::read_all(path, "mqsim");
    FAIL();
  } catch (const sim::DataError& error) {
    EXPECT_EQ(error.what(), path + ":3:26: type should be 0 (write) or 1 (read), not '2'");
  }
}

TEST(MqSim, ReadsTheRealSamples) {
  NEEDS_SHARED_DATA("samples/mqsim_ascii");
  for (const char* name : {"tpcc", "wsrch"}) {
    const auto file = std::string("samples/mqsim_ascii/") + name + "-small.2000.trace";
    EXPECT_EQ(support::read_all(support::shared_data(file).string()).requests.size(), 2000u);
  }
}

TEST(MqSim, TakesNoHarmFromDamage) { support::expect_no_harm(std::string(kRows), "mqsim"); }
