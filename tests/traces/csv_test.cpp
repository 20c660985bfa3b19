#include <gtest/gtest.h>

#include "tests/support/garble.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_files.h"

using support::ScratchFolder;
using traces::Clock;
using traces::Level;
using traces::Op;

namespace {

support::WholeTrace read_with(const std::string& map, std::string_view content) {
  const ScratchFolder folder;
  traces::ReadOptions options;
  options.map = map;
  return support::read_all(folder.file("x", content), "csv", options);
}

std::string error_with(const std::string& map, std::string_view content) {
  try {
    read_with(map, content);
  } catch (const sim::DataError& error) {
    const std::string text = error.what();
    return "data" + text.substr(text.find("/x") + 2);
  } catch (const sim::UsageError& error) { return std::string("usage: ") + error.what(); }
  return "no error";
}

std::vector<std::string> findings_of(const support::WholeTrace& trace) {
  std::vector<std::string> what;
  for (const auto& finding : trace.info.findings.all()) what.push_back(finding.what);
  return what;
}

bool has(const std::vector<std::string>& list, std::string_view start) {
  return std::any_of(list.begin(), list.end(), [&](const std::string& s) { return s.starts_with(start); });
}

}  // namespace

// The first example of `iocast formats csv`.
TEST(Csv, ReadsTheExampleOfItsDescription) {
  const auto trace = read_with("time=ts:us,stream=vol+disk,op=rw,offset=lba:512,length=size:512,latency=rt:ms",
                               "ts,vol,disk,rw,lba,size,rt\n1690000000000000,7,2,R,2048,8,0.35\n"
                               "1690000000000010,7,3,write,0x10,1,\n");
  ASSERT_EQ(trace.requests.size(), 2u);
  EXPECT_EQ(trace.info.clock, Clock::unix_epoch);
  EXPECT_EQ(trace.info.streams.names(), (std::vector<std::string>{"7_2", "7_3"}));
  EXPECT_EQ(trace.requests[0].time.since_origin.count, 1'690'000'000'000'000'000);
  EXPECT_EQ(trace.requests[0].offset.bytes, 1u << 20);
  EXPECT_EQ(trace.requests[0].length.count, 4096);
  EXPECT_EQ(trace.requests[0].latency.count, 350'000);
  EXPECT_EQ(trace.requests[1].op, Op::write);
  EXPECT_EQ(trace.requests[1].offset.bytes, 8192u);
  EXPECT_EQ(trace.requests[1].latency, traces::kUnknown);
  EXPECT_EQ(findings_of(trace), std::vector<std::string>{"assumptions: times since 1970 (Unix)"});
}

TEST(Csv, ReadsByNumberWithoutAHeader) {
  const auto trace =
      read_with("time=4:100ns:filetime,offset=2:4KiB,length=fixed:4096,op=3,read=0,write=1,skip=9,stream=none",
                "a;5;0;128166372003061629\nb;18;1;128166372003061630\nb;6;9;128166372003061630\n");
  ASSERT_EQ(trace.requests.size(), 2u);
  EXPECT_EQ(trace.info.clock, Clock::unix_epoch);
  EXPECT_EQ(trace.requests[0].time.since_origin.count, 1'172'163'600'306'162'900);
  EXPECT_EQ(trace.requests[0].offset.bytes, 20480u);
  EXPECT_EQ(trace.requests[1].op, Op::write);
  EXPECT_EQ(trace.requests[1].length.count, 4096);
  EXPECT_EQ(trace.info.streams.names(), std::vector<std::string>{"csv"});
  EXPECT_TRUE(has(findings_of(trace), "requests passed over"));
}

TEST(Csv, ReadsMarksOfOtherPlaces) {
  const auto trace =
      read_with("time=1:ms:relative,offset=2,length=3,op=4,decimal=comma,thousands=point,stamp=completion,latency=5:us",
                "1.000,5;1.048.576;16.384;W;500,25\n");
  ASSERT_EQ(trace.requests.size(), 1u);
  EXPECT_EQ(trace.requests[0].time.since_origin.count, 1'000'500'000 - 500'250);
  EXPECT_EQ(trace.requests[0].latency.count, 500'250);
  EXPECT_EQ(trace.requests[0].offset.bytes, 1'048'576u);
  EXPECT_EQ(trace.requests[0].length.count, 16384);
  EXPECT_EQ(trace.info.clock, Clock::relative);
}

TEST(Csv, ReadsOtherDelimiters) {
  for (const auto& [delimiter, text] : {std::pair{"tab", "1\t4096\t512\tr\n"},
                                        {"blank", "  1   4096 512\tr\n"},
                                        {"bar", "1|4096|512|r\n"},
                                        {"semicolon", "1;4096;512;r\n"},
                                        {"auto", "1 4096 512 r\n"}}) {
    const auto trace = read_with(std::string("time=1:s,offset=2,length=3,op=4,delimiter=") + delimiter, text);
    ASSERT_EQ(trace.requests.size(), 1u) << delimiter;
    EXPECT_EQ(trace.requests[0].offset.bytes, 4096u);
    EXPECT_EQ(trace.requests[0].time.since_origin.count, 1'000'000'000);
  }
}

TEST(Csv, ReadsQuotedFieldsAndNames) {
  const auto trace = read_with("time=\"t, s\":s,offset=\"1\",length=len,op=op",
                               "\"t, s\",1,len,op,disk\n\"5\",4096,\"512\",\"write\",\"a, b\"\n");
  ASSERT_EQ(trace.requests.size(), 1u);
  EXPECT_EQ(trace.requests[0].offset.bytes, 4096u);
  EXPECT_EQ(trace.requests[0].op, Op::write);
  EXPECT_EQ(trace.info.streams.names(), std::vector<std::string>{"a, b"});  // a name that is known
}

TEST(Csv, ReadsOddNumbers) {
  const auto trace =
      read_with("time=t:s:relative,offset=o,length=l", "t,o,l,op\n1.5e-05,4096.0,0x200,28\n1E+2,0,1,0x2A\n");
  EXPECT_EQ(trace.requests[0].time.since_origin.count, 15'000);
  EXPECT_EQ(trace.requests[0].offset.bytes, 4096u);
  EXPECT_EQ(trace.requests[0].length.count, 512);
  EXPECT_EQ(trace.requests[1].time.since_origin.count, 100'000'000'000);
  EXPECT_EQ(trace.requests[1].op, Op::write);
}

TEST(Csv, ReadsDates) {
  const auto trace =
      read_with("", "timestamp,op,offset,size\n2024-02-29 12:00:00.5,R,0,512\n2024-03-01T00:00:00Z,W,0,512\n");
  EXPECT_EQ(trace.info.clock, Clock::unix_epoch);
  EXPECT_EQ(trace.requests[0].time.since_origin.count, 1'709'208'000'500'000'000);
  EXPECT_EQ(trace.requests[1].time.since_origin.count, 1'709'251'200'000'000'000);
}

TEST(Csv, GuessesFromKnownNames) {
  const auto trace = read_with("",
                               "# made by hand\n#Timestamp (us), Device, LBA, Sectors, Type, "
                               "response_time_ms\n10,sda,8,16,Read,1\n11,sdb,0,1,TRIM,2\n");
  ASSERT_EQ(trace.requests.size(), 2u);
  EXPECT_EQ(trace.info.streams.names(), (std::vector<std::string>{"sda", "sdb"}));
  EXPECT_EQ(trace.requests[0].time.since_origin.count, 10'000);
  EXPECT_EQ(trace.requests[0].offset.bytes, 4096u);
  EXPECT_EQ(trace.requests[0].length.count, 8192);
  EXPECT_EQ(trace.requests[0].latency.count, 1'000'000);
  EXPECT_EQ(trace.requests[1].op, Op::discard);
  EXPECT_TRUE(trace.info.findings.all().empty());
}

TEST(Csv, SaysWhatItAssumes) {
  const auto trace = read_with("", "time,block,latency\n3,8,4\n");
  EXPECT_EQ(trace.requests[0].time.since_origin.count, 3'000'000'000);
  EXPECT_EQ(trace.requests[0].offset.bytes, 4096u);
  EXPECT_EQ(trace.requests[0].latency.count, 4'000'000'000);
  const auto findings = findings_of(trace);
  EXPECT_EQ(findings.size(), 5u);
  for (const char* start :
       {"assumptions: times in seconds", "assumptions: latencies in s", "assumptions: offsets in sectors",
        "assumptions: no column of lengths", "assumptions: no column of operations"}) {
    EXPECT_TRUE(has(findings, start)) << start;
  }
}

TEST(Csv, GuessesUnitsWhereSecondsCannotBe) {
  for (const auto& [text, nanoseconds] : {std::pair{"1690000000", 1'690'000'000'000'000'000},
                                          {"1690000000.25", 1'690'000'000'250'000'000},
                                          {"1690000000001", 1'690'000'000'001'000'000},
                                          {"1690000000000001", 1'690'000'000'000'001'000},
                                          {"1690000000000000001", 1'690'000'000'000'000'001},
                                          {"128166372003061629", 1'172'163'600'306'162'900}}) {
    const auto trace = read_with("", "time,op,offset,size\n" + std::string(text) + ",r,0,1\n");
    EXPECT_EQ(trace.requests[0].time.since_origin.count, nanoseconds) << text;
    EXPECT_EQ(trace.info.clock, Clock::unix_epoch) << text;
    EXPECT_EQ(findings_of(trace).size(), 2u);
  }
}

// The first row's latency waits for the unit that its time settles.
TEST(Csv, LatenciesAreInTheUnitOfTimes) {
  const auto trace = read_with("", "timestamp,op,offset,size,rt\n1690000000000001,r,0,1,5\n1690000000000002,r,0,1,5\n");
  EXPECT_EQ(trace.requests[0].latency.count, 5000);
  EXPECT_EQ(trace.requests[1].latency.count, 5000);
  EXPECT_TRUE(has(findings_of(trace), "assumptions: latencies in us"));
}

TEST(Csv, CountsFrom1601InAnyUnitThatFits) {
  const std::string row = ",0,1\n";
  EXPECT_EQ(
      read_with("time=1:filetime,offset=2,length=3", "128166372003061629" + row).requests[0].time.since_origin.count,
      1'172'163'600'306'162'900);
  EXPECT_EQ(read_with("time=1:s:filetime,offset=2,length=3", "12816637200.3" + row).requests[0].time.since_origin.count,
            1'172'163'600'300'000'000);
  EXPECT_TRUE(
      error_with("time=1:ns:filetime,offset=2,length=3", "1" + row).starts_with("usage: --map: times since 1601"));
}

TEST(Csv, KeepsObjectsAsIds) {
  const auto trace = read_with("", "timestamp,obj_id,obj_size\n1,18446744073709551615,77\n");
  EXPECT_EQ(trace.info.granularity, traces::Granularity::request);
  EXPECT_EQ(trace.requests[0].offset.bytes, 18'446'744'073'709'551'615u);
  EXPECT_EQ(trace.requests[0].length.count, 77);
  EXPECT_EQ(read_with("offset=1:object", "5\n6\n").requests[1].length.count, 1);
}

TEST(Csv, CutsALongDiscard) {
  const auto trace = read_with("", "time_ns,op,offset,size\n0,discard,0,5368709120\n");
  ASSERT_EQ(trace.requests.size(), 3u);
  EXPECT_EQ(trace.requests[2].offset.bytes, 4'294'967'296u);
  EXPECT_EQ(trace.requests[2].length.count, 1'073'741'824);
}

TEST(Csv, TellsWhatIsWrongWithTheMap) {
  const std::string rows = "ts,lba\n1,2\n";
  EXPECT_TRUE(error_with("time=when", rows).starts_with("usage: --map: there is no column 'when'; there are ts, lba"));
  EXPECT_TRUE(error_with("time=ts:parsec", rows).starts_with("usage: --map: 'parsec' should be a unit"));
  EXPECT_TRUE(error_with("time", rows).starts_with("usage: --map: 'time' should be KEY=VALUE"));
  EXPECT_TRUE(error_with("tmie=ts", rows).starts_with("usage: --map: there is no 'tmie'"));
  EXPECT_TRUE(error_with("offset=3", rows).starts_with("usage: --map: column 3 should be 1 to 2"));
  EXPECT_TRUE(error_with("offset=lba:block", rows).starts_with("usage: --map: a block should have its size"));
  EXPECT_TRUE(error_with("offset=lba:0", rows).starts_with("usage: --map: unit '0'"));
  EXPECT_TRUE(error_with("op=a+b", rows).starts_with("usage: --map: op should be one column"));
  EXPECT_TRUE(error_with("op=lba:512", rows).starts_with("usage: --map: op takes no unit"));
  EXPECT_TRUE(error_with("delimiter=dot", rows).starts_with("usage: --map: delimiter should be one of auto comma"));
  EXPECT_TRUE(error_with("offset=\"lba", rows).starts_with("usage: --map: a quote does not end"));
  EXPECT_TRUE(error_with("length=fixed", rows).starts_with("usage: --map: length=fixed should name"));
  EXPECT_TRUE(
      error_with("time=1,header=yes", "a,b\n1,2\n").starts_with("usage: --map: it should name the column of offsets"));
}

TEST(Csv, NamesThePlaceOfWhatIsWrong) {
  const std::string header = "time_us,op,offset,size\n";
  EXPECT_EQ(error_with("", header + "1,r,0,512\n2,r,x,512\n"), "data:3:5: offset should be a whole number, not 'x'");
  EXPECT_EQ(error_with("", header + "1,r\n"), "data:2:4: offset should be a whole number, not ''");
  EXPECT_EQ(error_with("", header + "1s,r,0,1\n"), "data:2:1: time should be a time, not '1s'");
  EXPECT_EQ(error_with("", header + "1,\"r,0,1\n"), "data:2:3: a quote that does not end on its line");
  EXPECT_TRUE(error_with("", header + "1,0,0,1\n").starts_with("data:2:3: operation should be a word"));
  EXPECT_TRUE(error_with("", "1,2,3\n").starts_with("data:1: no header line that tells the columns"));
  EXPECT_TRUE(error_with("time=1,offset=2,decimal=comma,length=fixed:1", "1,5;x\n").starts_with("data:1:5: offset"));
}

TEST(Csv, ReadsTheRealSampleWithoutAMap) {
  NEEDS_SHARED_DATA("samples/libcachesim");
  const auto trace = support::read_all(support::shared_data("samples/libcachesim/cloudPhysicsIO.2000.csv").string());
  ASSERT_EQ(trace.requests.size(), 1999u);
  EXPECT_EQ(trace.info.format, "csv");
  EXPECT_EQ(trace.info.clock, Clock::relative);
  EXPECT_EQ(trace.requests[0].offset.bytes, 42'932'745ull * 512);
  EXPECT_EQ(trace.requests[0].length.count, 512);
  EXPECT_EQ(trace.requests[0].op, Op::write);
  EXPECT_EQ(trace.requests[0].time.since_origin.count, 5'633'898'000'000'000);
}

// Counted with cut and uniq.
TEST(Csv, ReadsTheWholeCloudPhysicsTrace) {
  NEEDS_SHARED_DATA("traces/cloudPhysicsIO.csv");
  const auto trace = support::read_all(support::shared_data("traces/cloudPhysicsIO.csv").string());
  EXPECT_EQ(trace.count(Op::read), 46'974u);
  EXPECT_EQ(trace.count(Op::write), 66'898u);
}

// The same file by its own reader and by the map that says what that reader knows.
TEST(Csv, AgreesWithTheReaderOfMsr) {
  NEEDS_SHARED_DATA("samples/msr_cambridge");
  const auto path = support::shared_data("samples/msr_cambridge/msr-cambridge1-sample.csv").string();
  traces::ReadOptions options;
  options.map = "time=1:100ns:filetime,stream=2+3,op=4,offset=5,length=6,latency=7:100ns";
  const auto mapped = support::read_all(path, "", options);
  const auto known = support::read_all(path);
  EXPECT_EQ(mapped.info.streams.names(), known.info.streams.names());
  ASSERT_EQ(mapped.requests.size(), known.requests.size());
  for (std::size_t i = 0; i < known.requests.size(); ++i) {
    EXPECT_EQ(mapped.requests[i].time, known.requests[i].time);
    EXPECT_EQ(mapped.requests[i].offset, known.requests[i].offset);
    EXPECT_EQ(mapped.requests[i].length, known.requests[i].length);
    EXPECT_EQ(mapped.requests[i].latency, known.requests[i].latency);
    EXPECT_EQ(mapped.requests[i].op, known.requests[i].op);
  }
}

namespace {

traces::Request random_request(std::uint64_t n) {
  const auto word = [&](std::uint64_t i) { return sim::random_word(n, i); };
  traces::Request r;
  r.time = {{static_cast<std::int64_t>(word(0))}};
  r.offset = {word(1)};
  r.length = {static_cast<std::int64_t>(word(2) % (traces::kMaxLength.count + 1))};
  if (word(3) % 2) r.latency = {static_cast<std::int64_t>(word(4) >> 1)};
  if (word(3) % 3) r.issue_delay = {static_cast<std::int64_t>(word(5) >> 1)};
  r.process = static_cast<traces::ProcessId>(word(6) % 3);
  r.stream = static_cast<traces::StreamId>(word(7) % 6);
  r.op = static_cast<Op>(word(8) % 4);
  r.flags = static_cast<std::uint8_t>(word(9) % 16);
  return r;
}

}  // namespace

TEST(Csv, ReadsBackEverythingItWrites) {
  for (const Clock clock : {Clock::relative, Clock::monotonic, Clock::unix_epoch}) {
    for (const Level level : {Level::unknown, Level::queue, Level::issue}) {
      for (const auto granularity : {traces::Granularity::block, traces::Granularity::request}) {
        traces::TraceInfo info;
        info.clock = clock;
        info.level = level;
        info.granularity = granularity;
        for (const char* name : {"sda", "254,16", " odd ", "", "say \"hi\"", "\""}) info.streams.id(name);
        for (const char* name : {"fio (7)", "a, b"}) info.processes.id(name);
        std::vector<traces::Request> requests;
        for (std::uint64_t n = 0; n < 500; ++n) requests.push_back(random_request(n));
        const ScratchFolder folder;
        const auto writer = traces::format_named("csv").create(folder.path("out"), {});
        writer->write(requests, info);
        traces::Findings notes;
        writer->finish(info, notes);
        EXPECT_TRUE(notes.all().empty());
        const auto back = support::read_all(folder.path("out"));
        EXPECT_EQ(back.info.format, "csv");
        EXPECT_EQ(back.info.clock, clock);
        EXPECT_EQ(back.info.level, level);
        EXPECT_EQ(back.info.granularity, granularity);
        EXPECT_TRUE(back.info.findings.all().empty());
        ASSERT_EQ(back.requests.size(), requests.size());
        for (std::size_t i = 0; i < requests.size(); ++i) {
          const auto& a = requests[i];
          const auto& b = back.requests[i];
          EXPECT_EQ(std::tie(a.time, a.offset, a.length, a.latency, a.issue_delay, a.op, a.flags),
                    std::tie(b.time, b.offset, b.length, b.latency, b.issue_delay, b.op, b.flags));
          EXPECT_EQ(info.streams.names()[a.stream], back.info.streams.names()[b.stream]);
          EXPECT_EQ(info.processes.names()[a.process], back.info.processes.names()[b.process]);
        }
      }
    }
  }
}

TEST(Csv, WritesAReadableTable) {
  traces::TraceInfo info;
  info.clock = Clock::unix_epoch;
  info.level = Level::queue;
  info.streams.id("sda");
  traces::Request request;
  request.time = {{1'690'000'000'000'000'001}};
  request.offset = {512};
  request.length = {4096};
  request.op = Op::write;
  request.flags = traces::kFua;
  const ScratchFolder folder;
  const auto writer = traces::format_for_output("out.csv").create(folder.path("out.csv"), {});
  writer->write(std::span(&request, 1), info);
  traces::Findings notes;
  writer->finish(info, notes);
  EXPECT_EQ(support::slurp(folder.path("out.csv")),
            "queue_time_ns_unix,stream,op,offset_bytes,length_bytes,latency_ns,issue_delay_ns,flags,process\n"
            "1690000000000000001,sda,write,512,4096,,,1,\n");
}

TEST(Csv, TakesNoHarmFromDamage) {
  support::expect_no_harm(
      "queue_time_ns_unix,stream,op,offset_bytes,length_bytes,latency_ns,issue_delay_ns,flags,process\n"
      "1690000000000000001,sda,write,512,4096,,,1,\n1690000000000000002,\"s,b\",read,512,4096,15,3,0,fio\n",
      "csv");
  traces::ReadOptions options;
  options.map =
      "time=ts,offset=lba:4096,length=size:512,op=rw,latency=rt:ms,decimal=comma,thousands=point,stamp=completion";
  support::expect_no_harm("ts;lba;size;rw;rt\n1.690.000.000,5;77.777;8;R;0,35\n2024-02-29 12:00:00;1;1;28;1e-5\n",
                          "csv", options);
}
