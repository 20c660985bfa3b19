#include <gtest/gtest.h>

#include "tests/support/garble.h"
#include "tests/support/trace_files.h"

using traces::Op;

namespace {

constexpr std::string_view k2019 =
    "# sampled\n"
    "310 262144 4325376 1572074461.57806 1 24 3 5\n"
    "310 0 8388608 1572074462 4 24 3 5\n"
    "311 0 4096 1572074463.5 100 24 3 5\n";
constexpr std::string_view k2021 = "12 1 2 1633030000.25 6 3 5 77 1\n12 1 2 1633030000.5 5 3 5 78 3\n";
// user_namespace user_name rs_shard_id op_count host_name
constexpr std::string_view k2023 = "12 4096 8192 1679700000.000001 3 1 2 9 2 40\n";

}  // namespace

TEST(Tectonic, ReadsRowsOf2019) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file("x", k2019));
  ASSERT_EQ(trace.requests.size(), 2u);
  EXPECT_EQ(trace.info.format, "tectonic");
  EXPECT_EQ(trace.info.clock, traces::Clock::unix_epoch);
  EXPECT_EQ(trace.info.streams.names(), std::vector<std::string>{"tectonic"});
  EXPECT_EQ(trace.requests[0].offset.bytes, 310u * 8'388'608 + 262'144);
  EXPECT_EQ(trace.requests[0].length.count, 4'325'376);
  EXPECT_EQ(trace.requests[0].time.since_origin.count, 1'572'074'461'578'060'000);
  EXPECT_EQ(trace.requests[0].op, Op::read);
  EXPECT_EQ(trace.requests[1].op, Op::write);
  ASSERT_EQ(trace.info.findings.all().size(), 1u);  // the unknown operation
  EXPECT_TRUE(trace.info.findings.all()[0].first.ends_with("x:4"));
}

TEST(Tectonic, ReadsRowsOf2021AsAStreamAHost) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file("x", k2021));
  ASSERT_EQ(trace.requests.size(), 4u);  // the second row stands for three operations
  EXPECT_EQ(trace.info.format, "tectonic");
  EXPECT_EQ(trace.info.streams.names(), (std::vector<std::string>{"host77", "host78"}));
  EXPECT_EQ(trace.requests[0].op, Op::write);
  EXPECT_EQ(trace.requests[3].op, Op::read);
  EXPECT_EQ(trace.info.findings.all()[0].count, 2u);
}

TEST(Tectonic, ReadsRowsOf2023) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file("x", k2023));
  ASSERT_EQ(trace.requests.size(), 2u);
  EXPECT_EQ(trace.info.streams.names(), std::vector<std::string>{"host40"});
  EXPECT_EQ(trace.requests[0].op, Op::write);
  EXPECT_EQ(trace.requests[0].offset.bytes, 12u * 8'388'608 + 4096);
}

TEST(Tectonic, NamesThePlaceOfWhatIsWrong) {
  const support::ScratchFolder folder;
  const std::string path = folder.file("x", std::string(k2019) + "1 2 3 4.5 7 1 2 3\n");
  try {
    support::read_all(path, "tectonic");
    FAIL();
  } catch (const sim::DataError& error) {
    EXPECT_EQ(error.what(), path + ":5:11: op_name should be 1 to 6, or 100 for unknown, not '7'");
  }
}

TEST(Tectonic, TakesNoHarmFromDamage) {
  support::expect_no_harm(std::string(k2019), "tectonic");
  support::expect_no_harm(std::string(k2023) + std::string(k2021), "tectonic");
}
