#include <gtest/gtest.h>

#include "tests/support/garble.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_files.h"

using traces::Level;
using traces::Op;

namespace {

constexpr std::string_view kRows =
    "Tracing block device I/O... Hit Ctrl-C to end.\n"
    "TIME(s)     COMM           PID    DISK    T SECTOR     BYTES   LAT(ms)\n"
    "0.000004    supervise      1950   xvda1   W 13092560   4096       0.74\n"
    "1.500000    my app 2       7      sdb     R 8          512        1.00\n"
    "2.000000    kworker/0:1H   9      sdb     FF 0         0          2.50\n"
    "2.000000    fstrim         9      sdb     DS 2048      1048576    0\n";
constexpr std::string_view kQueued =
    "TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  QUE(ms) LAT(ms)\n"
    "1.000000    dd             1      nvme1n1 W 1142400    4096      0.01    0.55\n";

}  // namespace

TEST(Biosnoop, ReadsRows) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file("x", kRows));
  ASSERT_EQ(trace.requests.size(), 4u);
  EXPECT_EQ(trace.info.format, "biosnoop");
  EXPECT_EQ(trace.info.level, Level::issue);
  EXPECT_EQ(trace.info.streams.names(), (std::vector<std::string>{"xvda1", "sdb"}));
  EXPECT_EQ(trace.info.processes.names()[2], "my app 2 (7)");
  EXPECT_EQ(trace.requests[0].time.since_origin.count, 4'000 - 740'000);
  EXPECT_EQ(trace.requests[0].latency.count, 740'000);
  EXPECT_EQ(trace.requests[0].offset.bytes, 13'092'560ull * 512);
  EXPECT_EQ(trace.requests[0].length.count, 4096);
  EXPECT_EQ(trace.requests[1].time.since_origin.count, 1'499'000'000);
  EXPECT_EQ(trace.requests[1].op, Op::read);
  EXPECT_EQ(trace.requests[2].op, Op::flush);
  EXPECT_EQ(trace.requests[3].op, Op::discard);
  ASSERT_EQ(trace.info.findings.all().size(), 1u);  // the line before the header
}

TEST(Biosnoop, ReadsQueueingTimes) {
  const support::ScratchFolder folder;
  const std::string path = folder.file("x", kQueued);
  const auto queue = support::read_all(path);
  EXPECT_EQ(queue.info.level, Level::queue);
  EXPECT_EQ(queue.requests[0].time.since_origin.count, 1'000'000'000 - 560'000);
  EXPECT_EQ(queue.requests[0].latency.count, 560'000);
  EXPECT_EQ(queue.requests[0].issue_delay.count, 10'000);
  traces::ReadOptions options;
  options.level = Level::issue;
  const auto issue = support::read_all(path, "", options);
  EXPECT_EQ(issue.info.level, Level::issue);
  EXPECT_EQ(issue.requests[0].time.since_origin.count, 1'000'000'000 - 550'000);
  EXPECT_EQ(issue.requests[0].latency.count, 550'000);
}

TEST(Biosnoop, RefusesALevelThatIsNotThere) {
  const support::ScratchFolder folder;
  traces::ReadOptions options;
  options.level = Level::queue;
  EXPECT_THROW(support::read_all(folder.file("x", kRows), "", options), sim::DataError);
  EXPECT_THROW(support::read_all(folder.file("y", std::string(kQueued) + "\n" + std::string(kRows))), sim::DataError);
}

TEST(Biosnoop, NamesThePlaceOfWhatIsWrong) {
  const support::ScratchFolder folder;
  const std::string path = folder.file("x", std::string(kRows) + "3.0 dd 1 sda W x 512 1\n");
  try {
    support::read_all(path);
    FAIL();
  } catch (const sim::DataError& error) {
    EXPECT_EQ(error.what(), path + ":7:16: SECTOR should be a whole number, not 'x'");
  }
  EXPECT_THROW(support::read_all(folder.file("y", "no table\n"), "biosnoop"), sim::DataError);
}

// Prose, a table, prose with a table of another kind, and a table with queueing times.
TEST(Biosnoop, ReadsTheDocumentationsRows) {
  NEEDS_SHARED_DATA("samples/biosnoop");
  const auto trace = support::read_all(support::shared_data("samples/biosnoop/bcc_biosnoop_example.txt").string());
  EXPECT_EQ(trace.requests.size(), 21u);
  EXPECT_EQ(trace.info.level, Level::issue);
  EXPECT_EQ(trace.info.streams.names(), (std::vector<std::string>{"xvda1", "xvdc", "xvdb", "nvme1n1"}));
  EXPECT_EQ(trace.requests[20].latency.count, 650'000);
}

TEST(Biosnoop, TheOtherBiosnoopIsNoTrace) {
  NEEDS_SHARED_DATA("samples/biosnoop");
  const auto path = support::shared_data("samples/biosnoop/bpftrace_biosnoop_example.txt").string();
  EXPECT_THROW(support::read_all(path), sim::DataError);
}

TEST(Biosnoop, TakesNoHarmFromDamage) {
  support::expect_no_harm(std::string(kRows), "biosnoop");
  support::expect_no_harm(std::string(kQueued), "biosnoop");
}
