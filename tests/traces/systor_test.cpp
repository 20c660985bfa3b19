#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/garble.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_files.h"

using traces::Op;

namespace {
constexpr std::string_view kRows =
    "Timestamp,Response,IOType,LUN,Offset,Size\n"
    "1456095145.133076000,0.000806000,R,0,899056122368,131072\n"
    "1456095145.126285000,0.008044000,W,3,4256049987072,122880\n"
    "1456095145.200000000,,R,0,512,512\n"
    "1456095145.300000000,,,0,1024,512\n"
    "Timestamp,Response,IOType,LUN,Offset,Size\n"
    "1456095145.400000000,0.1,,0,1024,512\n";
}

TEST(Systor, ReadsRows) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file("x", kRows));
  ASSERT_EQ(trace.requests.size(), 3u);
  EXPECT_EQ(trace.info.format, "systor");
  EXPECT_EQ(trace.info.clock, traces::Clock::unix_epoch);
  EXPECT_EQ(trace.info.streams.names(), (std::vector<std::string>{"lun0", "lun3"}));
  EXPECT_EQ(trace.requests[0].time.since_origin.count, 1'456'095'145'133'076'000);
  EXPECT_EQ(trace.requests[0].latency.count, 806'000);
  EXPECT_EQ(trace.requests[0].offset.bytes, 899'056'122'368u);
  EXPECT_EQ(trace.requests[1].op, Op::write);
  EXPECT_EQ(trace.requests[1].length.count, 122'880);
  EXPECT_LT(trace.requests[1].time, trace.requests[0].time);
  EXPECT_EQ(trace.requests[2].latency, traces::kUnknown);
  ASSERT_EQ(trace.info.findings.all().size(), 1u);
  EXPECT_EQ(trace.info.findings.all()[0].count, 2u);  // rows without an IOType
  EXPECT_TRUE(trace.info.findings.all()[0].first.ends_with("x:5"));
}

TEST(Systor, NamesThePlaceOfWhatIsWrong) {
  const support::ScratchFolder folder;
  const std::string path = folder.file("x", "Timestamp,Response,IOType,LUN,Offset,Size\n145.1,0.1,Q,0,0,0\n");
  try {
    support::read_all(path);
    FAIL();
  } catch (const sim::DataError& error) { EXPECT_EQ(error.what(), path + ":2:11: IOType should be R or W, not 'Q'"); }
}

// The stamps are of issue: with the response added they are in order, by themselves they are not.
TEST(Systor, RealSamplesAreInOrderOfCompletion) {
  NEEDS_SHARED_DATA("samples/systor17");
  const std::pair<const char*, std::uint64_t> kWrites[] = {{"additional", 299}, {"traces", 173}};
  for (const auto& [name, writes] : kWrites) {
    const auto file = std::string("samples/systor17/systor17-") + name + "-sample.csv.gz";
    const auto trace = support::read_all(support::shared_data(file).string());
    EXPECT_EQ(trace.requests.size(), 999u);
    EXPECT_EQ(trace.count(Op::write), writes);
    const auto completion = [](const traces::Request& r) { return r.time + r.latency; };
    const auto earlier = [&](const auto& a, const auto& b) { return completion(a) < completion(b); };
    EXPECT_TRUE(std::is_sorted(trace.requests.begin(), trace.requests.end(), earlier));
    const auto issued_earlier = [](const auto& a, const auto& b) { return a.time < b.time; };
    EXPECT_FALSE(std::is_sorted(trace.requests.begin(), trace.requests.end(), issued_earlier));
  }
}

TEST(Systor, TakesNoHarmFromDamage) { support::expect_no_harm(std::string(kRows), "systor"); }
