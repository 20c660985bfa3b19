#include <gtest/gtest.h>

#include "tests/support/garble.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_files.h"

using support::ScratchFolder;
using traces::Op;

namespace {

// 128166372003061629 ticks from 1601, less the 116444736000000000 up to 1970, are 1172163600.3061629 s: 22 February
// 2007.
constexpr std::string_view kRows =
    "128166372003061629,hm,0,Read,2096128000,4096,15000\n"
    "128166372003061630,hm,1,Write,512,1536,0\n"
    "128166372003061630,prn,1,Write,18446744073709551103,512,7\n";

std::string message_of(const std::string& path, std::string_view format = "msr") {
  try {
    support::read_all(path, format);
  } catch (const sim::DataError& error) { return error.what(); }
  return "no error";
}

}  // namespace

TEST(Msr, ReadsRows) {
  const ScratchFolder folder;
  const auto trace = support::read_all(folder.file("x", kRows));
  ASSERT_EQ(trace.requests.size(), 3u);
  EXPECT_EQ(trace.info.format, "msr");
  EXPECT_EQ(trace.info.clock, traces::Clock::unix_epoch);
  EXPECT_EQ(trace.info.streams.names(), (std::vector<std::string>{"hm_0", "hm_1", "prn_1"}));
  EXPECT_EQ(trace.requests[0].time.since_origin.count, 1'172'163'600'306'162'900);
  EXPECT_EQ(trace.requests[0].offset.bytes, 2'096'128'000u);
  EXPECT_EQ(trace.requests[0].length.count, 4096);
  EXPECT_EQ(trace.requests[0].latency.count, 1'500'000);
  EXPECT_EQ(trace.requests[0].op, Op::read);
  EXPECT_EQ(trace.requests[1].latency, traces::kUnknown);
  EXPECT_EQ(trace.requests[1].op, Op::write);
  EXPECT_EQ(trace.requests[2].stream, 2);
  EXPECT_EQ(trace.requests[2].offset.bytes, 18'446'744'073'709'551'103u);
}

TEST(Msr, PassesOverAHeader) {
  const ScratchFolder folder;
  const std::string header = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\r\n";
  EXPECT_EQ(support::read_all(folder.file("x", header + "128166372003061629,a,0,Read,0,1,1\r\n")).requests.size(), 1u);
}

TEST(Msr, TakesTimesThatStartFromZeroAsRelative) {
  const ScratchFolder folder;
  const auto trace = support::read_all(folder.file("x", "0,a,0,Read,0,512,1\n25,a,0,Read,0,512,1\n"));
  EXPECT_EQ(trace.info.clock, traces::Clock::relative);
  EXPECT_EQ(trace.requests[1].time.since_origin.count, 2500);
  EXPECT_EQ(trace.info.findings.all().size(), 1u);
}

TEST(Msr, NamesThePlaceOfWhatIsWrong) {
  const ScratchFolder folder;
  const auto starts_with = [](const std::string& text, const std::string& start) { return text.starts_with(start); };
  const std::string good = "128166372003061629,hm,0,Read,0,512,1\n";
  const auto tail_of = [&](const std::string& row) {
    const std::string path = folder.file("x", good + row);
    const std::string message = message_of(path);
    return starts_with(message, path) ? message.substr(path.size()) : message;
  };
  EXPECT_TRUE(starts_with(tail_of("128166372003061629,hm,0,Reed,0,512,1\n"), ":2:25: type should be Read or Write"));
  EXPECT_TRUE(starts_with(tail_of("128166372003061629,hm,0,Read,0,-5,1\n"), ":2:32: size should be a whole number"));
  EXPECT_TRUE(starts_with(tail_of("128166372003061629,hm,0,Read,0\n"), ":2:31: size"));
  EXPECT_TRUE(starts_with(tail_of("12816637200306162999999,hm,0,Read,0,1,1\n"), ":2:1: timestamp is past the range"));
  EXPECT_TRUE(starts_with(tail_of("128166372003061629,hm,0,Read,0,512,1,9\n"), ":2:38: should end after"));
  EXPECT_TRUE(
      starts_with(tail_of("128166372003061629,hm,0,Read,0,9000000000000000000,1\n"), ":2:32: size should be at"));
}

TEST(Msr, PassesOverBadLinesWhenTold) {
  const ScratchFolder folder;
  traces::ReadOptions options;
  options.skip_bad = 1;
  const auto trace = support::read_all(folder.file("x", std::string(kRows) + "junk\n"), "msr", options);
  EXPECT_EQ(trace.requests.size(), 3u);
  EXPECT_EQ(trace.info.skipped_lines, 1u);
}

TEST(Msr, ReadsTheRealSample) {
  NEEDS_SHARED_DATA("samples/msr_cambridge");
  const auto path = support::shared_data("samples/msr_cambridge/msr-cambridge1-sample.csv").string();
  const auto trace = support::read_all(path);
  EXPECT_EQ(trace.requests.size(), 1000u);
  EXPECT_EQ(trace.info.streams.names(), std::vector<std::string>{"hm_0"});
  EXPECT_EQ(trace.requests[0].offset.bytes, 9'056'014'336u);
  EXPECT_EQ(trace.requests[0].latency.count, 283'300);
  EXPECT_TRUE(trace.info.findings.all().empty());
}

TEST(Msr, WritesWhatItRead) {
  NEEDS_SHARED_DATA("samples/msr_cambridge");
  const auto path = support::shared_data("samples/msr_cambridge/msr-cambridge1-sample.csv").string();
  const auto trace = support::read_all(path);
  const ScratchFolder folder;
  const auto writer = traces::format_named("msr").create(folder.path("out"), {});
  writer->write(trace.requests, trace.info);
  traces::Findings notes;
  writer->finish(trace.info, notes);
  EXPECT_EQ(support::slurp(folder.path("out")), support::slurp(path));
  EXPECT_TRUE(notes.all().empty());
}

TEST(Msr, SaysWhatItCannotWrite) {
  traces::TraceInfo info;
  for (const char* name : {"a_0", "a", "b,c", "plain_"}) info.streams.id(name);
  std::vector<traces::Request> requests(6);
  for (std::uint16_t i = 0; i < 4; ++i) requests[i].stream = i;
  requests[0].time = {{199}};
  requests[0].latency = {40};
  requests[4].op = Op::discard;
  requests[5].op = Op::flush;
  const ScratchFolder folder;
  const auto writer = traces::format_named("msr").create(folder.path("out"), {});
  writer->write(requests, info);
  traces::Findings notes;
  writer->finish(info, notes);
  EXPECT_EQ(support::slurp(folder.path("out")),
            "1,a,0,Read,0,0,1\n0,a,1,Read,0,0,0\n0,b_c,0,Read,0,0,0\n0,plain_,0,Read,0,0,0\n");
  std::vector<std::pair<std::string, std::uint64_t>> told;
  for (const auto& note : notes.all())
    told.emplace_back(note.what.substr(0, note.what.find_first_of(" ,")), note.count);
  EXPECT_EQ(told, (std::vector<std::pair<std::string, std::uint64_t>>{
                      {"discards", 1}, {"flushes", 1}, {"times", 1}, {"unknown", 3}, {"streams", 3}}));
}

TEST(Msr, TakesNoHarmFromDamage) { support::expect_no_harm(std::string(kRows), "msr"); }
