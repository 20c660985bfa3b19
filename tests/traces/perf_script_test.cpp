#include <gtest/gtest.h>

#include "tests/support/captures.h"
#include "tests/support/garble.h"

namespace {

using support::shared_data;
using traces::Op;

support::WholeTrace sample(const std::string& name) {
  return support::read_all(shared_data("samples/perf_script/" + name).string());
}

std::uint64_t on_device(const support::WholeTrace& trace, std::string_view device, Op op) {
  std::uint64_t count = 0;
  for (const auto& r : trace.requests) count += r.op == op && trace.info.streams.names()[r.stream] == device;
  return count;
}

}  // namespace

TEST(PerfScript, CountsWhatFioDid) {
  NEEDS_SHARED_DATA("samples/perf_script");
  const auto trace = sample("perf_script_ns.txt");
  EXPECT_EQ(trace.info.format, "perf_script");
  const auto totals = support::fio_totals(shared_data("samples/perf_script/p.fio.json"));
  EXPECT_EQ(on_device(trace, "254,16", Op::read), totals[0]);
  EXPECT_EQ(on_device(trace, "254,16", Op::write), totals[1]);
  EXPECT_EQ(on_device(trace, "254,0", Op::read), 1u);  // of the root disk
  EXPECT_EQ(trace.info.level, traces::Level::issue);
  EXPECT_TRUE(trace.info.findings.all().empty());
  EXPECT_EQ(trace.requests[1].time.since_origin.count, 255'801'837'731);
  EXPECT_EQ(trace.requests[1].latency.count, 306'750);
  EXPECT_EQ(trace.requests[0].flags, traces::kMetadata);
}

TEST(PerfScript, MicrosecondsAndChosenFields) {
  NEEDS_SHARED_DATA("samples/perf_script");
  const auto exact = sample("perf_script_ns.txt"), rounded = sample("perf_script_us.txt"),
             fields = sample("perf_script_fields.txt");
  ASSERT_EQ(rounded.requests.size(), 150u);
  ASSERT_EQ(fields.requests.size(), 10u);
  for (std::size_t i = 0; i < rounded.requests.size(); ++i) {
    EXPECT_EQ(rounded.requests[i].offset, exact.requests[i].offset);
    EXPECT_EQ(rounded.requests[i].time.since_origin.count, exact.requests[i].time.since_origin.count / 1000 * 1000);
  }
  for (std::size_t i = 0; i < fields.requests.size(); ++i) {
    EXPECT_EQ(support::lines_of(fields)[i], support::lines_of(exact)[i]);
  }
}

TEST(PerfScript, PrioritiesOfNewKernels) {
  NEEDS_SHARED_DATA("samples/perf_script");
  const auto trace = sample("perf_script_k618_ioprio.txt");  // 800 lines of a longer run: 416 issues, 384 completions
  EXPECT_EQ(trace.requests.size(), 416u);
  EXPECT_EQ(support::finding(trace.info, "requests without a completion"), 32u);
  EXPECT_EQ(trace.info.findings.all().size(), 1u);
}

TEST(PerfScript, QueueEventsAreTheApplicationsView) {
  const support::ScratchFolder folder;
  const std::string text =
      "# captured on: some day\n"
      " my app 7714 [000]  1.000000001:  block:block_bio_queue: 8,0 W 0 + 8 [my app]\n"
      " my app 7714 [000]  1.000000002:  block:block_bio_queue: 8,0 W 8 + 8 [my app]\n"
      " my app 7714 [000]  1.000000003:  block:block_rq_insert: 8,0 W 8192 () 0 + 16 [my app]\n"
      " my app 7714 1.000000004:       1 block:block_rq_issue: 8,0 W 8192 () 0 + 16 [my app]\n"
      " my app 7714 1.000000005: PERF_RECORD_LOST lost 9\n"
      " my app 7714 1.000000006:       sched:sched_switch: a ==> b\n"
      " swapper     0 [001]  1.000000104: block:block_rq_complete: 8,0 W () 0 + 16 [0]\n";
  const auto trace = support::read_all(folder.file("x", text));
  EXPECT_EQ(trace.requests.size(), 2u);
  EXPECT_EQ(trace.requests[0].latency.count, 103);
  EXPECT_EQ(trace.requests[1].issue_delay.count, 2);
  EXPECT_EQ(trace.info.processes.names()[1], "my app");
  EXPECT_EQ(trace.info.lost_events, 9u);
  EXPECT_EQ(support::finding(trace.info, "lines that are not block events"), 1u);
  traces::ReadOptions options;
  options.level = traces::Level::issue;
  EXPECT_EQ(support::read_all(folder.path("x"), "", options).requests.size(), 1u);
}

TEST(PerfScript, NamesThePlaceOfWhatIsWrong) {
  const support::ScratchFolder folder;
  const std::string path = folder.file("x", " fio 1 [000] 1.5: block:block_rq_issue: 8,0 R 1 () x + 8 [fio]\n");
  try {
    support::read_all(path);
    FAIL();
  } catch (const sim::DataError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with(path + ":1:52: sector should be a whole number")) << error.what();
  }
  EXPECT_THROW(support::read_all(folder.file("y", " fio 1 block:block_rq_issue: 8,0 R 1 () 0 + 8 [fio]\n")),
               sim::DataError);
}

TEST(PerfScript, TakesNoHarmFromDamage) {
  NEEDS_SHARED_DATA("samples/perf_script");
  traces::ReadOptions options;
  options.skip_bad = 1'000;
  const std::string text = support::slurp(shared_data("samples/perf_script/perf_script_k618_ioprio.txt").string());
  support::expect_no_harm(text.substr(0, 15'000), "perf_script");
  support::expect_no_harm(text.substr(0, 15'000), "perf_script", options);
}
