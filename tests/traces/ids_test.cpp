#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/garble.h"
#include "tests/support/records.h"
#include "tests/support/shared_data.h"

namespace {

constexpr std::uint64_t kFirstWord = std::uint64_t{1} << 63;

TEST(Ids, KeepsNumbersAndNumbersWords) {
  const support::ScratchFolder folder;
  const auto trace =
      support::read_all(folder.file("x.txt", "apple\n7\n\nb/c:9\n07\r\napple\n0\n9223372036854775808\n7\n"));
  EXPECT_EQ(trace.info.format, "ids");
  EXPECT_EQ(trace.info.granularity, traces::Granularity::request);
  std::vector<std::uint64_t> found;
  for (const auto& request : trace.requests) found.push_back(request.offset.bytes);
  EXPECT_EQ(found, (std::vector<std::uint64_t>{kFirstWord, 7, kFirstWord + 1, kFirstWord + 2, kFirstWord, 0,
                                               kFirstWord + 3, 7}));
  EXPECT_EQ(trace.requests[7].time.since_origin.count, 7);
}

TEST(Ids, KeepsTheLargestNumber) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file("x.txt", "9223372036854775807\n"), "ids");
  EXPECT_EQ(trace.requests[0].offset.bytes, kFirstWord - 1);
}

TEST(Ids, LeavesNumbersToLirsAndTablesToCsv) {
  const support::ScratchFolder folder;
  EXPECT_EQ(support::read_all(folder.file("a.txt", "1\n2\n*\n3\n")).info.format, "lirs");
  EXPECT_EQ(support::read_all(folder.file("b.txt", "1\n2\n*\n3\n"), "ids").requests.size(), 4u);
  EXPECT_NE(support::read_all(folder.file("c.txt", "1\nx2\n")).info.format, "lirs");
  EXPECT_NE(support::error_of(folder.file("d.txt", "time,offset\n1,x\n")), "");
}

TEST(Ids, NamesALineOfTwoWords) {
  const support::ScratchFolder folder;
  const std::string error = support::error_of(folder.file("x.txt", "a\nb c\n"), "ids");
  EXPECT_NE(error.find("x.txt:2:2: a line should be one id"), std::string::npos) << error;
}

TEST(Ids, ReadsTheIdsOfACacheTrace) {
  NEEDS_SHARED_DATA("traces/cloudPhysicsIO.txt");
  const auto trace = support::read_all(support::shared_data("traces/cloudPhysicsIO.txt"), "ids");
  ASSERT_EQ(trace.requests.size(), 113'872u);
  std::ifstream text(support::shared_data("traces/cloudPhysicsIO.txt"));
  std::uint64_t id = 0;
  for (const auto& request : trace.requests) {
    ASSERT_TRUE(text >> id);
    ASSERT_EQ(request.offset.bytes, id);
  }
}

TEST(Ids, TakesDamagedFiles) { support::expect_no_harm("apple\n7\npear\nplum\n99\napple\n", "ids"); }

}  // namespace
