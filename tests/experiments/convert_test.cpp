// `iocast convert`: what goes in comes out, in every format that can hold it.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "tests/support/program.h"
#include "tests/support/trace_files.h"

namespace {

using support::iocast;
using traces::Op;

const std::string kSample = IOCAST_SOURCE_DIR "/traces/samples/workstation.h5";

void expect_done(const support::ProgramResult& result) { EXPECT_EQ(result.status, 0) << result.err; }

TEST(Convert, EveryWritableFormatHoldsTheRequests) {
  const support::ScratchFolder folder;
  const auto original = support::read_all(kSample);
  struct Case {
    std::string name, format;
    std::int64_t tick;  // of its times, in ns
    bool only_data;     // holds no discards and flushes
  };
  for (const auto& [name, format, tick, only_data] :
       {Case{"a.h5", "native", 1, false}, Case{"a.csv", "csv", 1, false}, Case{"a.iolog", "fio_iolog", 1000, false},
        Case{"a.blktrace", "blktrace", 1, false}, Case{"a.msr", "msr", 100, true}}) {
    expect_done(iocast("convert " + kSample + " -o " + folder.path(name) + " --to " + format));
    const auto copy = support::read_all(folder.path(name));
    EXPECT_EQ(copy.info.format, format);
    std::vector<traces::Request> expected;
    for (const auto& r : original.requests) {
      if (!only_data || r.op == Op::read || r.op == Op::write) expected.push_back(r);
    }
    ASSERT_EQ(copy.requests.size(), expected.size()) << name;
    const auto start = copy.requests[0].time, original_start = expected[0].time;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(copy.requests[i].op, expected[i].op) << name << " request " << i;
      ASSERT_EQ(copy.requests[i].length, expected[i].length) << name << " request " << i;
      ASSERT_TRUE(expected[i].op == Op::flush || copy.requests[i].offset == expected[i].offset)
          << name << " request " << i;
      const auto drift = (copy.requests[i].time - start) - (expected[i].time - original_start);
      ASSERT_LE(std::abs(drift.count), tick) << name << " request " << i;
    }
  }
}

TEST(Convert, ByWayOfAPipeAndBack) {
  const support::ScratchFolder folder;
  expect_done(
      support::shell("{} convert " + kSample + " -o - --to csv | {} convert - -o " + folder.path("b.h5") + " --quiet"));
  EXPECT_EQ(support::shell("{} curve --json --quiet --capacity log:5 " + folder.path("b.h5")).json()["rows"][3]["hits"],
            support::shell("{} curve --json --quiet --capacity log:5 " + kSample).json()["rows"][3]["hits"]);
}

TEST(Convert, SplitsByStream) {
  const support::ScratchFolder folder;
  const std::string trace = folder.file(
      "t.csv", "time_s,disk,op,offset_bytes,length_bytes\n0,a,R,0,4096\n1,b/1,W,4096,4096\n2,a,R,8192,4096\n");
  expect_done(iocast("convert " + trace + " --split stream -o " + folder.path("out.csv")));
  EXPECT_EQ(support::read_all(folder.path("out-a.csv")).requests.size(), 2u);
  const auto b = support::read_all(folder.path("out-b_1.csv"));
  ASSERT_EQ(b.requests.size(), 1u);
  EXPECT_EQ(b.requests[0].op, Op::write);
  EXPECT_FALSE(std::filesystem::exists(folder.path("out.csv")));
}

TEST(Convert, SamplingKeepsWholeBlocksOfReferences) {
  const support::ScratchFolder folder;
  const auto blocks_of = [](const support::WholeTrace& trace) {
    std::map<std::uint64_t, int> count;
    for (const auto& r : trace.requests) {
      if (r.op != Op::read && r.op != Op::write) continue;
      for (std::uint64_t b = r.offset.bytes / 4096;
           b * 4096 < r.offset.bytes + static_cast<std::uint64_t>(r.length.count); ++b)
        ++count[b];
    }
    return count;
  };
  const auto whole = blocks_of(support::read_all(kSample));
  for (const double rate : {0.1, 0.5}) {
    expect_done(iocast("convert " + kSample + " -o " + folder.path("s.h5") + " --sample " + std::to_string(rate)));
    const auto part = blocks_of(support::read_all(folder.path("s.h5")));
    EXPECT_NEAR(static_cast<double>(part.size()) / static_cast<double>(whole.size()), rate, 0.01);
    for (const auto& [block, count] : part)
      ASSERT_EQ(count, whole.at(block)) << "block " << block << " lost some of its references";
  }
}

TEST(Convert, MergesByTimeAndPutsInOrder) {
  const support::ScratchFolder folder;
  const std::string head = "time_s,disk,op,offset_bytes,length_bytes\n";
  const std::string one = folder.file("one.csv", head + "0,a,R,0,512\n4,a,R,512,512\n2,a,R,1024,512\n"),
                    two = folder.file("two.csv", head + "10,b,W,0,512\n11,b,W,0,512\n");
  const auto result = iocast("convert " + one + " " + two + " --clock-offset 2=500ms -o " + folder.path("m.h5"));
  expect_done(result);
  EXPECT_NE(result.err.find("earlier than one before"), std::string::npos);
  const auto merged = support::read_all(folder.path("m.h5"));
  std::vector<double> seconds;
  for (const auto& r : merged.requests) seconds.push_back(static_cast<double>(r.time.since_origin.count) / 1e9);
  // Neither clock is absolute: each trace begins at zero, the second half a second late.
  EXPECT_EQ(seconds, (std::vector<double>{0, 0.5, 1.5, 2, 4}));
  EXPECT_EQ(merged.info.streams.names().size(), 2u);
}

TEST(Convert, FurtherOutOfOrderThanTheWindowIsAnError) {
  const support::ScratchFolder folder;
  std::string text = "time_s,op,offset_bytes,length_bytes\n";
  for (int i = 1; i <= 20'000; ++i) text += std::to_string(i) + ",R,0,512\n";
  const std::string trace = folder.file("t.csv", text + "0,R,0,512\n");
  const auto result = iocast("convert " + trace + " --sort-window 100 -o " + folder.path("x.h5"));
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("--sort-window"), std::string::npos) << result.err;
  expect_done(iocast("convert " + trace + " --sort-window 30000 -o " + folder.path("x.h5")));
}

TEST(Convert, EqualInputGivesEqualBytesWithAnyThreads) {
  const support::ScratchFolder folder;
  expect_done(iocast("convert " + kSample + " --threads 1 -o " + folder.path("one.h5")));
  expect_done(iocast("convert " + kSample + " --threads 4 -o " + folder.path("four.h5")));
  EXPECT_EQ(support::slurp(folder.path("one.h5")), support::slurp(folder.path("four.h5")));
}

TEST(Convert, SaysWhatTheFormatCannotHold) {
  const support::ScratchFolder folder;
  const auto result = iocast("convert " + kSample + " --to msr -o " + folder.path("x"));
  expect_done(result);
  EXPECT_NE(result.err.find("2,365"), std::string::npos) << result.err;
  EXPECT_EQ(iocast("convert " + kSample + " -o " + folder.path("x.unknown")).status, 2);
  EXPECT_EQ(iocast("convert " + kSample + " -o -").status, 2);
  EXPECT_EQ(iocast("convert " + kSample + " -o - --to native").status, 2);
  EXPECT_EQ(iocast("convert " + kSample).status, 2);
}

}  // namespace
