#include <gtest/gtest.h>

#include "tests/support/captures.h"
#include "tests/support/garble.h"

// That the text gives the same requests as the binary records is tested with those, in blktrace_test.cpp.

namespace {

constexpr std::string_view kText =
    "  8,0    1        1     0.000000000   490  Q  WS 0 + 8 [dd]\n"
    "  8,0    1        2     0.000000500   490  m   N a message of the scheduler\n"
    "  8,0    1        3     0.000001000   490  D  WS 0 + 8 [dd]\n"
    "  8,0    0        1     0.000101000     0  C  WS 0 + 8 [0]\n"
    "CPU0 (sda):\n Reads Queued:           0,        0KiB\t Writes Queued:           1,        4KiB\n\n"
    "Total (sda):\n Reads Queued:           0,        0KiB\nSkips: 3 forward (9 -  75.0%)\nInput file sda.blktrace.0 "
    "added\n";

}  // namespace

TEST(Blkparse, EventsAndSummary) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file("x.txt", kText));
  EXPECT_EQ(trace.info.format, "blkparse");
  ASSERT_EQ(trace.requests.size(), 1u);
  EXPECT_EQ(trace.requests[0].latency.count, 101'000);
  EXPECT_EQ(trace.requests[0].issue_delay.count, 1'000);
  EXPECT_EQ(trace.requests[0].flags, traces::kSync);
  EXPECT_EQ(trace.info.clock, traces::Clock::relative);
  EXPECT_EQ(trace.info.lost_events, std::nullopt);
  ASSERT_EQ(trace.info.findings.all().size(), 1u);
  EXPECT_EQ(support::finding(trace.info, "statements of blkparse that it skipped events"), 1u);
}

TEST(Blkparse, NamesLineAndColumnOfWhatIsWrong) {
  const support::ScratchFolder folder;
  const auto expect = [&](const std::string& line, const std::string& where_and_what) {
    const std::string path =
        folder.file("x", "  8,0    1        1     0.000000000   490  Q  WS 0 + 8 [dd]\n" + line + "\n");
    try {
      support::read_all(path, "blkparse");
      ADD_FAILURE() << line;
    } catch (const sim::DataError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(path + ":2:" + where_and_what)) << error.what();
    }
  };
  expect("8,0 1 2 0.1 490 Q R x + 8 [dd]", "21: sector should be a whole number");
  expect("8,0 1 2 0.1 490 K R 0 + 8 [dd]", "17: action should be");
  expect("8,0 1 2 now 490 Q R 0 + 8 [dd]", "9: time should be a time");
  expect("something else", "1: should be 'MAJOR,MINOR CPU");
  expect("8,0 1 2 0.1 490 Q R 0 + 8", "");
  expect("8,0 1 2 9223372036.0 490 Q R 0 + 8 [x]", "1: time is past any clock's range");
  traces::ReadOptions options;
  options.skip_bad = 1;
  const auto trace = support::read_all(
      folder.file("y", "  8,0 1 1 0.0 4 Q WS 0 + 8 [dd]\nbad\n  8,0 1 1 0.2 4 Q WS 0 + 8 [dd]\n"), "blkparse", options);
  EXPECT_EQ(trace.requests.size(), 2u);
  EXPECT_EQ(trace.info.skipped_lines, 1u);
}

TEST(Blkparse, LiveTextBesideWhatFioDid) {
  NEEDS_SHARED_DATA("samples/blktrace_stream/live");
  const auto trace = support::read_all(support::shared_data("samples/blktrace_stream/live/live.txt").string());
  const auto totals = support::fio_totals(support::shared_data("samples/blktrace_stream/live/live.fio.json"));
  EXPECT_EQ(trace.count(traces::Op::read), totals[0]);
  EXPECT_EQ(trace.count(traces::Op::write), totals[1]);
  EXPECT_TRUE(trace.info.findings.all().empty());
}

TEST(Blkparse, LostEventsAreThoseOfTheLog) {
  const support::ScratchFolder folder;
  traces::ReadOptions options;
  options.loss_log = folder.file("log", " Total: 10 events (dropped 7), 1 KiB data\n");
  EXPECT_EQ(support::read_all(folder.file("x", kText), "", options).info.lost_events, 7u);
}

TEST(Blkparse, TakesNoHarmFromDamage) {
  support::expect_no_harm(std::string(kText), "blkparse");
  NEEDS_SHARED_DATA("samples/blktrace_stream");
  traces::ReadOptions options;
  options.skip_bad = 1'000;
  const std::string text = support::slurp(support::shared_data("samples/blktrace_stream/multi.blkparse.txt").string());
  support::expect_no_harm(text.substr(0, 20'000), "blkparse", options);
}
