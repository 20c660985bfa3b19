#include <gtest/gtest.h>

#include "tests/support/garble.h"
#include "tests/support/program.h"
#include "tests/support/records.h"
#include "tests/support/shared_data.h"

namespace {

using traces::Op;

struct Totals {
  std::uint64_t reads, writes, syncs;
  bool operator==(const Totals&) const = default;
};

Totals totals_of(const nlohmann::json& fio) {
  const auto& job = fio.at("jobs").at(0);
  return {job.at("read").at("total_ios"), job.at("write").at("total_ios"), job.at("sync").at("total_ios")};
}

TEST(FioIolog, ReadsWhatFioCounted) {
  NEEDS_SHARED_DATA("samples/fio_iolog/fio_v3.iolog");
  const auto trace = support::read_all(support::shared_data("samples/fio_iolog/fio_v3.iolog"));
  EXPECT_EQ(trace.info.format, "fio_iolog");
  const auto json = nlohmann::json::parse(support::slurp(support::shared_data("samples/fio_iolog/fio_v3.fio.json")));
  EXPECT_EQ((Totals{trace.count(Op::read), trace.count(Op::write), trace.count(Op::flush)}), totals_of(json));
  EXPECT_EQ(trace.count(Op::read), 152u);
  std::uint64_t read_bytes = 0;
  for (const auto& r : trace.requests) read_bytes += r.op == Op::read ? static_cast<std::uint64_t>(r.length.count) : 0;
  EXPECT_EQ(read_bytes, json.at("jobs").at(0).at("read").at("io_bytes").get<std::uint64_t>());
  EXPECT_EQ(trace.requests[0].time.since_origin.count, 401'000);
  EXPECT_EQ(trace.requests[0].offset.bytes, 4'046'848u);
  EXPECT_EQ(trace.info.streams.names(), std::vector<std::string>{"/dev/loop4"});
}

TEST(FioIolog, ReadsTrims) {
  NEEDS_SHARED_DATA("samples/fio_iolog/t0038.iolog");
  const auto trace = support::read_all(support::shared_data("samples/fio_iolog/t0038.iolog"));
  EXPECT_EQ(trace.count(Op::discard), 10u);
  EXPECT_EQ(trace.count(Op::write), 10u);
  EXPECT_EQ(trace.requests[0].length.count, std::int64_t{1} << 31);
}

TEST(FioIolog, AdvancesByWaitsInVersion2) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file(
      "x.iolog",
      "fio version 2 iolog\n/dev/a add\n/dev/a open\n/dev/a read 0 512\n/dev/a wait 250 0\n/dev/a write 512 1024\n"
      "/dev/a wait 50\n/dev/a datasync 0 0\n/dev/a trim 0 4096\n/dev/a close\n"));
  ASSERT_EQ(trace.requests.size(), 4u);
  EXPECT_EQ(trace.requests[0].time.since_origin.count, 0);
  EXPECT_EQ(trace.requests[1].time.since_origin.count, 250'000);
  EXPECT_EQ(trace.requests[2].time.since_origin.count, 300'000);
  EXPECT_EQ(trace.requests[2].op, Op::flush);
  EXPECT_EQ(trace.requests[3].op, Op::discard);
}

TEST(FioIolog, TakesNamesWithBlanks) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file(
      "x.iolog", "fio version 3 iolog\n1 a b read add\n2 a b read read 0 512\n3 a b read sync\n4 c write 1 2\n"));
  ASSERT_EQ(trace.requests.size(), 3u);
  EXPECT_EQ(trace.info.streams.names(), (std::vector<std::string>{"a b read", "c"}));
  EXPECT_EQ(trace.requests[1].op, Op::flush);
}

TEST(FioIolog, SaysWhereALineIsWrong) {
  const support::ScratchFolder folder;
  const auto error = [&](const std::string& lines) {
    return support::error_of(folder.file("x.iolog", "fio version 3 iolog\n" + lines));
  };
  EXPECT_NE(error("1 a read 0 512\n2 a reed 0 512\n").find("x.iolog:3:5: action should be one of read"),
            std::string::npos);
  EXPECT_NE(error("1 a read 0 51x\n").find("x.iolog:2:12: length"), std::string::npos);
  EXPECT_NE(error("x a read 0 512\n").find("x.iolog:2:1: time"), std::string::npos);
  EXPECT_NE(error("1 read 0 512\n").find("file name"), std::string::npos);
  EXPECT_NE(error("1 a wait 100 0\n").find("not 'wait'"), std::string::npos);
  const std::string version1 = support::error_of(folder.file("y.iolog", "fio version 1 iolog\n"), "fio_iolog");
  EXPECT_NE(version1.find("y.iolog:1: the first line should be"), std::string::npos) << version1;
}

support::WholeTrace mixed_trace() {
  support::WholeTrace trace;
  for (const char* name : {"disk one", "disk_one", ""}) trace.info.streams.id(name);
  for (int i = 0; i < 90; ++i) {
    traces::Request request;
    request.time = {{5'000'000 + i * 20'000}};
    request.offset = {static_cast<std::uint64_t>(i) * 4096};
    request.length = {i % 9 == 8 ? 0 : 4096};
    request.stream = static_cast<traces::StreamId>(i % 3);
    request.op = i % 9 == 8 ? Op::flush : i % 2 ? Op::write : Op::read;
    trace.requests.push_back(request);
  }
  return trace;
}

TEST(FioIolog, WritesWhatItReads) {
  const support::ScratchFolder folder;
  const support::WholeTrace trace = mixed_trace();
  const auto notes = support::write_all(trace, folder.path("x.iolog"), "fio_iolog");
  const auto again = support::read_all(folder.path("x.iolog"));
  ASSERT_EQ(again.requests.size(), trace.requests.size());
  EXPECT_EQ(again.info.streams.names(), (std::vector<std::string>{"disk_one", "disk_one_2", "stream"}));
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    const auto &a = trace.requests[i], &b = again.requests[i];
    ASSERT_EQ(a.time - trace.requests[0].time, b.time.since_origin);
    ASSERT_EQ(a.offset, b.offset);
    ASSERT_EQ(a.length, b.length);
    ASSERT_EQ(a.op, b.op);
    ASSERT_EQ(a.stream, b.stream);
  }
  ASSERT_EQ(notes.all().size(), 1u);
  EXPECT_EQ(notes.all()[0].count, 2u);  // names
}

TEST(FioIolog, SaysWhatTheFormatCannotHold) {
  const support::ScratchFolder folder;
  support::WholeTrace trace = mixed_trace();
  trace.requests.resize(3);
  trace.requests[0].latency = {7};
  trace.requests[1].time = trace.requests[1].time + sim::Nanoseconds{1};
  trace.requests[1].flags = traces::kFua;
  trace.requests[2].length = {};
  const auto notes = support::write_all(trace, folder.path("x.iolog"), "fio_iolog");
  EXPECT_EQ(notes.all().size(), 5u);
  EXPECT_EQ(support::read_all(folder.path("x.iolog")).requests.size(), 2u);
}

// fio itself reads the log, and issues (to its null engine) what is in it.
TEST(FioIolog, IsReplayedByFio) {
  if (support::shell("fio --version").status != 0) GTEST_SKIP() << "no fio";
  const support::ScratchFolder folder;
  const support::WholeTrace trace = mixed_trace();
  support::write_all(trace, folder.path("x.iolog"), "fio_iolog");
  const auto fio =
      support::shell("cd '" + folder.path("") + "' && fio --name=replay --ioengine=null --replay_no_stall=1 " +
                     "--read_iolog=x.iolog --output-format=json");
  ASSERT_EQ(fio.status, 0) << fio.err;
  EXPECT_EQ(totals_of(nlohmann::json::parse(fio.out)),
            (Totals{trace.count(Op::read), trace.count(Op::write), trace.count(Op::flush)}));
}

TEST(FioIolog, TakesDamagedFiles) {
  support::expect_no_harm(
      "fio version 3 iolog\n1 /dev/a add\n2 /dev/a open\n3 /dev/a read 0 512\n4 /dev/a sync 0 0\n9 /dev/a trim 0 8192\n"
      "20 /dev/a write 4096 512\n30 /dev/a close\n",
      "fio_iolog");
  support::expect_no_harm(
      "fio version 2 iolog\n/dev/a add\n/dev/a read 0 512\n/dev/a wait 100 0\n/dev/a write 4096 512\n", "fio_iolog");
}

}  // namespace
