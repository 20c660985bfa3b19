#include <gtest/gtest.h>

#include "tests/support/captures.h"
#include "tests/support/garble.h"

namespace {

using support::shared_data;
using traces::Op;

constexpr std::string_view kTrace =
    "# tracer: nop\n"
    "#\n"
    "# entries-in-buffer/entries-written: 5/12   #P:2\n"
    "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
    "     a [0] b: c-717     [000] d..1.   312.681612: block_bio_queue: 254,16 FWFS 8 + 8 [a [0] b: c]\n"
    "     a [0] b: c-717     [000] d..1.   312.681613: block_rq_issue: 254,16 WFS 4096 () 8 + 8 none,0,0 [a [0] b: c]\n"
    "          <idle>-0      [001] d.h2.   312.681620: block_rq_complete: 254,16 WFS () 8 + 8 none,0,0 [0]\n"
    "          <idle>-0      [001] d.h2.   312.681622: block_rq_complete: 254,16 WFS () 8 + 0 none,0,0 [0]\n"
    "             cat-9      [001] d.h2.   312.681623: sched_switch: prev_comm=cat\n";

}  // namespace

TEST(Ftrace, TracepointsInTheTraceFile) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file("trace", kTrace));
  EXPECT_EQ(trace.info.format, "ftrace");
  ASSERT_EQ(trace.requests.size(), 1u);
  EXPECT_EQ(trace.requests[0].time.since_origin.count, 312'681'612'000);
  EXPECT_EQ(trace.requests[0].latency.count, 10'000);
  EXPECT_EQ(trace.requests[0].issue_delay.count, 1'000);
  EXPECT_EQ(trace.requests[0].flags, traces::kFua | traces::kSync);
  EXPECT_EQ(trace.info.processes.names()[trace.requests[0].process], "a [0] b: c");
  EXPECT_EQ(trace.info.clock, traces::Clock::monotonic);
  EXPECT_EQ(trace.info.lost_events, 7u);
  EXPECT_EQ(support::finding(trace.info, "not of the block layer"), 1u);
}

TEST(Ftrace, BlkTracerBesideWhatFioDid) {
  NEEDS_SHARED_DATA("samples/ftrace_text");
  const auto trace = support::read_all(shared_data("samples/ftrace_text/blk_tracer_trace_pipe.txt").string());
  const auto totals = support::fio_totals(shared_data("samples/ftrace_text/ft.fio.json"));
  EXPECT_EQ(trace.count(Op::read), totals[0]);
  EXPECT_EQ(trace.count(Op::write), totals[1]);
  EXPECT_TRUE(trace.info.findings.all().empty());
  EXPECT_EQ(trace.info.lost_events, std::nullopt);
  for (const auto& r : trace.requests) {
    EXPECT_GT(r.latency.count, 0);
    EXPECT_GT(r.issue_delay.count, 0);
  }
}

TEST(Ftrace, AllWaysToPrintTheSameRead) {
  NEEDS_SHARED_DATA("samples/ftrace_text");
  for (const char* name : {"tx01.dat", "tx10.dat", "tx11.dat"}) {
    const auto trace = support::read_all(shared_data(std::string("samples/ftrace_text/") + name).string());
    ASSERT_EQ(trace.requests.size(), 1u) << name;
    EXPECT_EQ(trace.requests[0].length.count, 4096);
    EXPECT_GT(trace.requests[0].latency.count, 50'000);
    EXPECT_EQ(trace.info.streams.names()[0], "7,4");
    EXPECT_EQ(trace.info.processes.names()[1], "dd");
  }
  try {
    support::read_all(shared_data("samples/ftrace_text/tx00.dat").string());
    FAIL();
  } catch (const sim::DataError& error) {
    EXPECT_NE(std::string(error.what()).find("tx00.dat:1:10: the lines have no time: trace with options/context-info"),
              std::string::npos)
        << error.what();
  }
}

TEST(Ftrace, ReportOfTraceCmd) {
  NEEDS_SHARED_DATA("samples/trace_cmd");
  const std::string path = shared_data("samples/trace_cmd/tc.report.txt.gz").string();
  const auto trace = support::read_all(path);
  EXPECT_EQ(trace.count(Op::read), 274u);
  EXPECT_EQ(trace.count(Op::write), 126u);
  EXPECT_EQ(trace.info.level, traces::Level::issue);
  EXPECT_EQ(trace.info.streams.names(), (std::vector<std::string>{"254,16"}));
  for (const auto& r : trace.requests) EXPECT_GT(r.latency.count, 0);
  traces::ReadOptions options;
  options.level = traces::Level::queue;
  EXPECT_THROW(support::read_all(path, "", options), sim::DataError);
}

TEST(Ftrace, LostEventsAreCountedWhereTheTextTells) {
  const support::ScratchFolder folder;
  const std::string line = " cat-9 [001] d.h2. 1.000001: 8,0 Q R 8 + 8 [cat]\n";
  auto trace =
      support::read_all(folder.file("x", "CPU:1 [LOST 7 EVENTS]\n" + line + "CPU:0 [5 EVENTS DROPPED]\n" + line));
  EXPECT_EQ(trace.info.lost_events, 12u);
  ASSERT_EQ(trace.info.lost.size(), 2u);
  EXPECT_EQ(trace.info.lost[0].count, 7u);
  EXPECT_EQ(trace.info.lost[0].time.since_origin.count, 1'000'001'000);
  traces::ReadOptions options;
  options.loss_log = folder.file("stats", "entries: 0\noverrun: 3\ncommit overrun: 0\ndropped events: 4\n");
  EXPECT_EQ(support::read_all(folder.file("y", line), "", options).info.lost_events, 7u);
}

TEST(Ftrace, NamesThePlaceOfWhatIsWrong) {
  const support::ScratchFolder folder;
  const auto expect = [&](const std::string& line, const std::string& where_and_what) {
    const std::string path = folder.file("x", line + "\n");
    try {
      support::read_all(path, "ftrace");
      ADD_FAILURE() << line;
    } catch (const sim::DataError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(path + ":1:" + where_and_what)) << error.what();
    }
  };
  expect("cat-9 [001] d.h2. 12345678: 8,0 Q R 8 + 8 [cat]", "19: time should be in seconds with a point");
  expect("what is this", "1: should be 'TASK-PID [CPU] FLAGS TIME: EVENT'");
  expect("cat-9 [001] d.h2. 1.5: 8,0 Q R 8 + x [cat]", "36: number of sectors");
}

TEST(Ftrace, TakesNoHarmFromDamage) {
  support::expect_no_harm(std::string(kTrace), "ftrace");
  NEEDS_SHARED_DATA("samples/ftrace_text");
  traces::ReadOptions options;
  options.skip_bad = 1'000;
  const std::string text = support::slurp(shared_data("samples/ftrace_text/blk_tracer_trace_pipe.txt").string());
  support::expect_no_harm(text.substr(0, 15'000), "ftrace", options);
}
