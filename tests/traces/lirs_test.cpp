#include <gtest/gtest.h>

#include "tests/support/trace_files.h"

TEST(Lirs, ReadsNumbersAndPassesOverMarks) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file("x.trace", "3\n*\n1\n3\n"));
  ASSERT_EQ(trace.requests.size(), 3u);
  EXPECT_EQ(trace.requests[2].offset.bytes, 3u);
  EXPECT_EQ(trace.info.granularity, traces::Granularity::request);
}

TEST(Lirs, NamesTheLineOfABadNumber) {
  const support::ScratchFolder folder;
  try {
    support::read_all(folder.file("x.trace", "3\n1x\n"), "lirs");
    FAIL();
  } catch (const sim::DataError& error) {
    EXPECT_NE(std::string(error.what()).find("x.trace:2:1: block number"), std::string::npos) << error.what();
  }
}
