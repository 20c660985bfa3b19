#include <gtest/gtest.h>

#include "tests/support/garble.h"
#include "tests/support/trace_files.h"

using traces::Op;

namespace {
constexpr std::string_view kRows =
    "89968195792462 20782 gzip 283193184 8 R 6 0 56f11b711d91a065a2b6458eca924523\n"
    "89968195792999 21 a W 1 b 100 16 W 8 33\n"  // a process called "a W 1 b", and no digest
    "89967000000000 20782 gzip 283193192 8 R 6 0 56f11b711d91a065a2b6458eca924523\n";
}

TEST(Fiu, ReadsRows) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file("x", kRows));
  ASSERT_EQ(trace.requests.size(), 3u);
  EXPECT_EQ(trace.info.format, "fiu");
  EXPECT_EQ(trace.info.clock, traces::Clock::relative);
  EXPECT_EQ(trace.info.streams.names(), (std::vector<std::string>{"dev6_0", "dev8_33"}));
  EXPECT_EQ(trace.info.processes.names(), (std::vector<std::string>{"", "gzip (20782)", "a W 1 b (21)"}));
  EXPECT_EQ(trace.requests[0].time.since_origin.count, 89'968'195'792'462);
  EXPECT_EQ(trace.requests[0].offset.bytes, 283'193'184ull * 512);
  EXPECT_EQ(trace.requests[0].length.count, 4096);
  EXPECT_EQ(trace.requests[0].op, Op::read);
  EXPECT_EQ(trace.requests[1].op, Op::write);
  EXPECT_EQ(trace.requests[1].offset.bytes, 51'200u);
  EXPECT_EQ(trace.requests[1].length.count, 8192);
  EXPECT_EQ(trace.requests[2].process, trace.requests[0].process);
}

TEST(Fiu, NamesThePlaceOfWhatIsWrong) {
  const support::ScratchFolder folder;
  const std::string path = folder.file("x", "1 2 gzip x 8 R 6 0\n");
  try {
    support::read_all(path, "fiu");
    FAIL();
  } catch (const sim::DataError& error) {
    EXPECT_EQ(error.what(), path + ":1:10: LBA should be a whole number, not 'x'");
  }
}

TEST(Fiu, TakesNoHarmFromDamage) { support::expect_no_harm(std::string(kRows), "fiu"); }
