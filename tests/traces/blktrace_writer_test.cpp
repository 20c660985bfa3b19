#include <gtest/gtest.h>

#include "tests/support/captures.h"

namespace {

using traces::Op;
using traces::Request;

struct Written {
  std::string path;
  traces::Findings notes;
};

Written write(const support::ScratchFolder& folder, const std::vector<Request>& requests, const traces::TraceInfo& info,
              const std::string& name = "out.blktrace.0") {
  Written written{folder.path(name), {}};
  const auto writer = traces::format_for_output(written.path).create(written.path, {});
  for (const Request& r : requests) writer->write({&r, 1}, info);
  EXPECT_FALSE(std::filesystem::exists(written.path));
  writer->finish(info, written.notes);
  return written;
}

Request request(std::int64_t time, Op op, std::uint64_t offset, std::int64_t length, std::int64_t latency = -1,
                std::int64_t delay = -1) {
  Request r;
  r.time = {{time}}, r.op = op, r.offset = {offset}, r.length = {length}, r.latency = {latency},
  r.issue_delay = {delay};
  return r;
}

traces::TraceInfo info_with(std::initializer_list<const char*> streams) {
  traces::TraceInfo info;
  info.level = traces::Level::queue;
  for (const char* stream : streams) info.streams.id(stream);
  return info;
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  char chunk[4096];
  for (std::size_t got; (got = std::fread(chunk, 1, sizeof chunk, pipe)) > 0;) text.append(chunk, got);
  EXPECT_EQ(::pclose(pipe), 0) << command << "\n" << text;
  return text;
}

}  // namespace

TEST(BlktraceWriter, KeepsEveryKindOfRequest) {
  const support::ScratchFolder folder;
  auto info = info_with({"254,16", "hm_0", "8,0"});
  info.clock = traces::Clock::unix_epoch;
  info.processes.id("postgres");
  std::vector<Request> requests;
  for (std::int64_t i = 0; i < 2000; ++i) {
    const auto op = static_cast<Op>(i % 4);
    requests.push_back(request(1'700'000'000'000'000'000 + i * 1000, op,
                               op == Op::flush ? 0 : static_cast<std::uint64_t>(i) * 8192, op == Op::flush ? 0 : 4096,
                               i % 5 ? 1'000'000 - i * 400 : -1, i % 3 && op != Op::flush ? 500 : -1));
    if (op == Op::flush) requests.back().latency = {10'000}, requests.back().issue_delay = {300};
    requests.back().stream = static_cast<traces::StreamId>(i % 3);
    requests.back().process = static_cast<traces::ProcessId>(i % 2);
    requests.back().flags = static_cast<std::uint8_t>(i % 16);
  }
  const auto written = write(folder, requests, info);
  EXPECT_EQ(written.notes.all().size(), 1u);  // a stream's name
  const auto trace = support::read_all(written.path);
  ASSERT_EQ(trace.requests.size(), requests.size());
  EXPECT_EQ(trace.info.streams.names(), (std::vector<std::string>{"254,16", "8,0", "8,16"}));
  EXPECT_EQ(trace.info.clock, traces::Clock::unix_epoch);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Request &is = trace.requests[i], &was = requests[i];
    ASSERT_EQ(is.time, was.time);
    ASSERT_EQ(is.op, was.op);
    ASSERT_EQ(is.offset, was.offset);
    ASSERT_EQ(is.length, was.length);
    ASSERT_EQ(is.latency, was.latency) << i;
    ASSERT_EQ(is.issue_delay, was.issue_delay) << i;
    ASSERT_EQ(is.flags, was.flags) << i;
    ASSERT_EQ(is.process, was.process) << i;
  }
}

TEST(BlktraceWriter, SaysWhatItCannotHold) {
  const support::ScratchFolder folder;
  auto info = info_with({"disk"});
  info.processes.id("a name of over 15 bytes");
  auto odd = request(5, Op::read, 100, 1000);
  odd.process = 1;
  const auto written = write(folder, {odd, request(6, Op::write, 0, 0)}, info);
  const auto trace = support::read_all(written.path);
  ASSERT_EQ(trace.requests.size(), 1u);
  EXPECT_EQ(trace.requests[0].offset.bytes, 0u);
  EXPECT_EQ(trace.requests[0].length.count, 1536);
  EXPECT_EQ(trace.info.processes.names()[trace.requests[0].process], "a name of over ");
  EXPECT_EQ(written.notes.all().size(), 4u);
  info.granularity = traces::Granularity::request;
  EXPECT_THROW(write(folder, {odd}, info), sim::DataError);
}

TEST(BlktraceWriter, IssueLevelKeepsQueueTimesOfUpToASecond) {
  const support::ScratchFolder folder;
  auto info = info_with({"8,0"});
  info.level = traces::Level::issue;
  const auto written = write(
      folder,
      {request(5'000'000'000, Op::read, 0, 512, 10, 900'000'000), request(5'000'000'001, Op::read, 512, 512, 10, -1)},
      info);
  const auto queued = support::read_all(written.path);
  ASSERT_EQ(queued.requests.size(), 2u);
  EXPECT_EQ(queued.requests[0].time.since_origin.count, 4'100'000'000);
  EXPECT_EQ(queued.requests[0].latency.count, 900'000'010);
  traces::ReadOptions options;
  options.level = traces::Level::issue;
  const auto issued = support::read_all(written.path, "", options);
  EXPECT_EQ(issued.requests[0].issue_delay.count, 900'000'000);
  EXPECT_EQ(issued.requests[1].latency.count, 10);
  ASSERT_EQ(written.notes.all().size(), 1u);
  EXPECT_EQ(written.notes.all()[0].count, 1u);
}

TEST(BlktraceWriter, ATraceWithoutRequestsIsATrace) {
  const support::ScratchFolder folder;
  const auto written = write(folder, {}, info_with({}));
  EXPECT_TRUE(support::read_all(written.path).requests.empty());
}

TEST(BlktraceWriter, BlkparseCountsTheSame) {
  NEEDS_SHARED_DATA("samples/blktrace");
  if (!support::installed("blkparse")) GTEST_SKIP() << "no blkparse";
  const support::ScratchFolder folder;
  for (const char* name : {"ext4_fileops", "nvme_discard_flush", "virtio_zipf4k", "dmlinear_upper"}) {
    const auto trace = support::read_all(support::shared_data("samples/blktrace").string() + "/" + name + "/" + name);
    const auto written = write(folder, trace.requests, trace.info, std::string(name) + ".blktrace.0");
    const std::string text = output_of("blkparse -i " + written.path);
    const std::string original = support::slurp(support::shared_data("samples/blktrace").string() + "/" + name + "/" +
                                                name + ".blkparse.summary.txt");
    for (const char* words : {"Reads Queued", "Writes Queued"}) {
      EXPECT_EQ(support::blkparse_count(text, words), support::blkparse_count(original, words)) << name << " " << words;
    }
    EXPECT_EQ(support::blkparse_count(text, "Reads Completed").first,
              support::blkparse_count(text, "Reads Queued").first);
    EXPECT_EQ(support::blkparse_count(text, "Writes Completed").first,
              support::blkparse_count(text, "Writes Queued").first);
    EXPECT_NE(text.find("Skips: 0 forward"), std::string::npos);
    // What blkparse prints of it reads back as the same requests.
    const auto again = support::read_all(folder.file("text", text));
    EXPECT_EQ(support::lines_of(again), support::lines_of(trace)) << name;
  }
}

TEST(BlktraceWriter, FioTakesTheRequests) {
  NEEDS_SHARED_DATA("samples/blktrace");
  if (!support::installed("fio")) GTEST_SKIP() << "no fio";
  const support::ScratchFolder folder;
  const auto trace = support::read_all(support::shared_data("samples/blktrace/ext4_fileops/ext4_fileops").string());
  const auto written = write(folder, trace.requests, trace.info, "x.blktrace");
  output_of("fio --name=replay --read_iolog=" + written.path +
            " --replay_redirect=/dev/null --filename=/dev/null --size=1g --ioengine=null --replay_no_stall=1 "
            "--output-format=json --output=" +
            folder.path("fio.json"));
  const auto totals = support::fio_totals(folder.path("fio.json"));
  EXPECT_EQ(totals[0], trace.count(Op::read));
  EXPECT_EQ(totals[1], trace.count(Op::write));
  EXPECT_EQ(totals[2], trace.count(Op::discard));
}
