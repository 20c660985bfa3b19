#include <gtest/gtest.h>

#include <functional>

#include "sim/random.h"
#include "tests/support/garble.h"
#include "tests/support/program.h"
#include "tests/support/records.h"
#include "tests/support/shared_data.h"
#include "traces/hdf5.h"

namespace {

namespace hdf5 = traces::hdf5;
using traces::Op;
using traces::Request;

constexpr std::int64_t kStart = 1'456'095'145'133'076'000;

bool equal(const Request& a, const Request& b) {
  return a.time == b.time && a.offset == b.offset && a.length == b.length && a.latency == b.latency &&
         a.issue_delay == b.issue_delay && a.process == b.process && a.stream == b.stream && a.op == b.op &&
         a.flags == b.flags;
}

void expect_equal(const support::WholeTrace& a, const support::WholeTrace& b) {
  ASSERT_EQ(a.requests.size(), b.requests.size());
  for (std::size_t i = 0; i < a.requests.size(); ++i) ASSERT_TRUE(equal(a.requests[i], b.requests[i])) << i;
}

support::WholeTrace plain_trace(std::size_t count) {
  support::WholeTrace trace;
  trace.info.format = "msr";
  trace.info.clock = traces::Clock::unix_epoch;
  trace.info.streams.id("disk");
  for (std::size_t i = 0; i < count; ++i) {
    Request request;
    request.time = {
        {kStart + static_cast<std::int64_t>(i) * 1000 + static_cast<std::int64_t>(sim::random_word(1, i) % 2000)}};
    request.offset = {sim::random_word(2, i) % (1 << 20) * 512};
    request.length = {static_cast<std::int64_t>(512 * (1 + sim::random_word(3, i) % 16))};
    request.op = sim::random_word(4, i) % 3 ? Op::read : Op::write;
    trace.requests.push_back(request);
  }
  trace.requests.front().time = {{kStart}};
  return trace;
}

// All that the format can hold.
support::WholeTrace full_trace(std::size_t count) {
  support::WholeTrace trace = plain_trace(count);
  auto& info = trace.info;
  info.level = traces::Level::issue;
  info.sector = {4096};
  info.granularity = traces::Granularity::request;
  info.streams.id("größer/b");
  info.processes.id("fio");
  info.stream_bytes = {{1 << 30}, {0}};
  info.lost_events = 12;
  info.lost = {{{{kStart + 5}}, 5}, {{}, 7}};
  info.findings.add("completions without a request", sim::Place{.file = "x", .line = 3}, 4);
  info.skipped_lines = 2;
  for (std::size_t i = 0; i < count; ++i) {
    Request& request = trace.requests[i];
    request.stream = i % 2;
    request.op = static_cast<Op>(i % 4);
    request.flags = static_cast<std::uint8_t>(i % 16);
    request.latency = i % 5 ? sim::Nanoseconds{static_cast<std::int64_t>(i) * 7} : traces::kUnknown;
    request.issue_delay = i % 3 ? sim::Nanoseconds{static_cast<std::int64_t>(i)} : traces::kUnknown;
    request.process = i % 2;
  }
  return trace;
}

TEST(Native, KeepsEverything) {
  const support::ScratchFolder folder;
  const auto trace = full_trace(10'000);
  EXPECT_TRUE(support::write_all(trace, folder.path("x.h5"), "native").all().empty());
  const auto again = support::read_all(folder.path("x.h5"));
  expect_equal(trace, again);
  EXPECT_EQ(again.info.format, "native");
  EXPECT_EQ(again.info.source_format, "msr");
  EXPECT_EQ(again.info.level, traces::Level::issue);
  EXPECT_EQ(again.info.clock, traces::Clock::unix_epoch);
  EXPECT_EQ(again.info.granularity, traces::Granularity::request);
  EXPECT_EQ(again.info.sector.count, 4096);
  EXPECT_EQ(again.info.streams.names(), trace.info.streams.names());
  EXPECT_EQ(again.info.processes.names(), trace.info.processes.names());
  EXPECT_EQ(again.info.stream_bytes, trace.info.stream_bytes);
  EXPECT_EQ(again.info.lost_events, 12u);
  ASSERT_EQ(again.info.lost.size(), 2u);
  EXPECT_EQ(again.info.lost[0].time.since_origin.count, kStart + 5);
  EXPECT_EQ(again.info.lost[1].time, sim::Instant{});
  EXPECT_EQ(again.info.lost[1].count, 7u);
  ASSERT_EQ(again.info.findings.all().size(), 1u);
  EXPECT_EQ(again.info.findings.all()[0].count, 4u);
  EXPECT_EQ(again.info.findings.all()[0].first, "x:3");
  EXPECT_EQ(again.info.skipped_lines, 2u);
}

TEST(Native, KeepsTheStartOfEachClock) {
  const support::ScratchFolder folder;
  auto trace = plain_trace(10);
  trace.info.lost_events.reset();
  for (const auto clock : {traces::Clock::relative, traces::Clock::monotonic, traces::Clock::unix_epoch}) {
    trace.info.clock = clock;
    support::write_all(trace, folder.path("x.h5"), "native");
    const auto again = support::read_all(folder.path("x.h5"));
    expect_equal(trace, again);
    EXPECT_EQ(again.info.clock, clock);
    EXPECT_EQ(again.info.lost_events, std::nullopt);
  }
}

TEST(Native, IsTheSameToTheByteForAnyThreadsAndBatches) {
  const support::ScratchFolder folder;
  const auto trace = full_trace(1'200'000);
  traces::WriteOptions options;
  support::write_all(trace, folder.path("1.h5"), "native", options, 1000);
  options.threads = 5;
  support::write_all(trace, folder.path("5.h5"), "native", options, 77'777);
  EXPECT_TRUE(support::slurp(folder.path("1.h5")) == support::slurp(folder.path("5.h5")));
  for (const unsigned threads : {1u, 4u}) {
    traces::ReadOptions reading;
    reading.threads = threads;
    expect_equal(trace, support::read_all(folder.path("1.h5"), "", reading));
  }
}

TEST(Native, BeginsAnOptionalColumnWhereItIsFirstNeeded) {
  const support::ScratchFolder folder;
  auto trace = plain_trace(400'000);
  support::write_all(trace, folder.path("plain.h5"), "native");
  trace.requests[300'000].latency = {5};
  trace.requests.back().flags = traces::kFua;
  support::write_all(trace, folder.path("late.h5"), "native");
  auto plain = hdf5::File::open(folder.path("plain.h5")), late = hdf5::File::open(folder.path("late.h5"));
  for (const char* name : {"flags", "latency_ns", "issue_delay_ns", "process"}) {
    EXPECT_FALSE(plain.root().open("trace").has(name)) << name;
    EXPECT_EQ(late.root().open("trace").has(name), name[0] == 'f' || name[0] == 'l') << name;
  }
  expect_equal(trace, support::read_all(folder.path("late.h5")));
}

TEST(Native, TellsHowManyRequestsThereAre) {
  const support::ScratchFolder folder;
  support::write_all(plain_trace(1234), folder.path("x.h5"), "native");
  EXPECT_EQ(traces::open_trace(folder.path("x.h5"), "", {})->size_hint(), 1234u);
}

TEST(Native, HoldsATraceOfNoRequests) {
  const support::ScratchFolder folder;
  support::WholeTrace trace;
  trace.info.format = "csv";
  support::write_all(trace, folder.path("x.h5"), "native");
  EXPECT_TRUE(support::read_all(folder.path("x.h5")).requests.empty());
}

TEST(Native, TakesRequestsOutOfOrderButNoneBeforeTheFirst) {
  const support::ScratchFolder folder;
  auto trace = plain_trace(10);
  std::swap(trace.requests[4], trace.requests[7]);
  support::write_all(trace, folder.path("x.h5"), "native");
  expect_equal(trace, support::read_all(folder.path("x.h5")));
  trace.requests[5].time = {{kStart - 1500}};
  try {
    support::write_all(trace, folder.path("y.h5"), "native");
    FAIL();
  } catch (const sim::DataError& error) {
    EXPECT_NE(std::string(error.what()).find("y.h5: a request is 1.50 us earlier"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path("y.h5")));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path("")), {}), 1);
}

TEST(Native, KnowsItsCompressions) {
  const support::ScratchFolder folder;
  traces::WriteOptions options;
  options.compress = "zip";
  EXPECT_THROW(support::write_all(plain_trace(10), folder.path("x.h5"), "native", options), sim::UsageError);
  options.compress = "lz4";
  const auto trace = full_trace(150'000);
  if (!hdf5::available(hdf5::Codec::lz4)) {
    EXPECT_THROW(support::write_all(trace, folder.path("x.h5"), "native", options), sim::UsageError);
    GTEST_SKIP() << "no HDF5 plug-in for lz4";
  }
  support::write_all(trace, folder.path("x.h5"), "native", options);
  expect_equal(trace, support::read_all(folder.path("x.h5")));
}

// --- Files by other hands ---

struct Columns {
  std::vector<std::uint64_t> time{0, 10, 20}, offset{0, 512, 1024};
  std::vector<std::uint32_t> length{512, 512, 512};
  std::vector<std::uint8_t> op{0, 1, 2};
  std::vector<std::uint16_t> stream{0, 0, 1};
  std::vector<std::string> streams{"a", "b"};
  std::int64_t schema = 1, start = 0;
};

void write_by_hand(const std::string& path, const Columns& columns,
                   const std::function<void(hdf5::Group&)>& more = {}) {
  auto file = hdf5::File::create(path, path);
  {
    hdf5::Group group = file.root().make("trace");
    group.set("schema_version", columns.schema);
    group.set("start_ns", columns.start);
    group.write("time_ns", columns.time);
    group.write("offset_bytes", columns.offset);
    group.write("length_bytes", columns.length);
    group.write("op", columns.op);
    group.write("stream", columns.stream);
    group.write("stream_names", columns.streams);
    if (more) more(group);
  }
  file.close();
}

TEST(Native, ReadsAFileWithOnlyWhatMustBe) {
  const support::ScratchFolder folder;
  write_by_hand(folder.path("x.h5"), {});
  const auto trace = support::read_all(folder.path("x.h5"));
  ASSERT_EQ(trace.requests.size(), 3u);
  EXPECT_EQ(trace.requests[1].time.since_origin.count, 10);
  EXPECT_EQ(trace.requests[2].op, Op::discard);
  EXPECT_EQ(trace.requests[2].latency, traces::kUnknown);
}

TEST(Native, SaysWhatIsWrongInAFile) {
  const support::ScratchFolder folder;
  const std::string path = folder.path("x.h5");
  const auto expect = [&](const std::string& part, const std::function<void(Columns&)>& spoil,
                          const std::function<void(hdf5::Group&)>& more = {}) {
    Columns columns;
    spoil(columns);
    write_by_hand(path, columns, more);
    const std::string error = support::error_of(path);
    EXPECT_NE(error.find(part), std::string::npos) << error;
    EXPECT_EQ(error.find(path), 0u) << error;
  };
  const auto nothing = [](Columns&) {};
  expect("has version 2 of the trace schema", [](Columns& c) { c.schema = 2; });
  expect("/trace/op has 4 rows, but /trace/time_ns 3", [](Columns& c) { c.op.push_back(0); });
  expect("/trace/op: 4 in row 1 should be 0 read", [](Columns& c) { c.op[1] = 4; });
  expect("/trace/stream: 2 in row 2 is not a row of stream_names", [](Columns& c) { c.stream[2] = 2; });
  expect("/trace/length_bytes: 3000000000 in row 0 is more than", [](Columns& c) { c.length[0] = 3'000'000'000; });
  expect("/trace/time_ns: 20 in row 2 is past the range", [](Columns& c) { c.start = INT64_MAX - 15; });
  expect("/trace/stream_names: 'a' in row 1 should not be there a second time", [](Columns& c) {
    c.streams = {"a", "a"};
  });
  expect("/trace/latency_ns: 9223372036854775808 in row 0 is past", nothing, [](hdf5::Group& group) {
    group.write("latency_ns", std::vector<std::uint64_t>{std::uint64_t{1} << 63, ~std::uint64_t{0}, 1});
  });
  expect("/trace/flags: should be a column of unsigned 8-bit numbers", nothing, [](hdf5::Group& group) {
    group.write("flags", std::vector<std::uint32_t>{1, 2, 3});
  });
  expect("/trace/process: 1 in row 2 is not a row of process_names", nothing, [](hdf5::Group& group) {
    group.write("process", std::vector<std::uint32_t>{0, 0, 1});
  });
}

TEST(Native, RefusesOtherHdf5Files) {
  const support::ScratchFolder folder;
  const std::string path = folder.path("x.h5");
  { hdf5::File::create(path, path).close(); }
  EXPECT_NE(support::error_of(path).find("has no group /trace"), std::string::npos);
  auto file = hdf5::File::create(path, path);
  { file.root().make("trace").set("schema_version", std::int64_t{1}); }
  file.close();
  EXPECT_NE(support::error_of(path).find("/trace/stream_names: there is no such column"), std::string::npos)
      << support::error_of(path);
}

// --- Damage ---

}  // namespace

// The library (1.10.8) forgets some hundred bytes for each structure whose checksum is wrong.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }

namespace {

// Everything in the file has a checksum: what a damaged file gives is an error, or the trace as it was.
TEST(Native, NeverReadsDamagedFilesWrongly) {
  const support::ScratchFolder folder;
  const auto trace = full_trace(3'000);
  support::write_all(trace, folder.path("x.h5"), "native");
  const std::string content = support::slurp(folder.path("x.h5"));
  int refused = 0;
  for (std::uint64_t round = 0; round < 300; ++round) {
    std::string damaged = content;
    damaged[sim::random_word(9, round) % damaged.size()] ^= static_cast<char>(1 << round % 8);
    try {
      expect_equal(trace, support::read_all(folder.file("damaged.h5", damaged), "native"));
    } catch (const sim::DataError& error) {
      ++refused;
      EXPECT_EQ(std::string(error.what()).find(folder.path("damaged.h5")), 0u) << error.what();
    }
  }
  EXPECT_GT(refused, 150);
  support::expect_no_harm(content, "native");
}

TEST(Native, NamesATruncatedFile) {
  const support::ScratchFolder folder;
  support::write_all(plain_trace(100'000), folder.path("x.h5"), "native");
  const std::string content = support::slurp(folder.path("x.h5"));
  for (const std::size_t size : {content.size() - 1, content.size() / 2, std::size_t{100}}) {
    const std::string error = support::error_of(folder.file("cut.h5", content.substr(0, size)));
    EXPECT_NE(error.find("cut.h5: is not an HDF5 file that can be opened"), std::string::npos) << error;
  }
}

// --- Others read it ---

TEST(Native, IsReadByH5py) {
  if (support::shell("/usr/bin/python3 -c 'import h5py'").status != 0) GTEST_SKIP() << "no h5py";
  const support::ScratchFolder folder;
  const auto trace = full_trace(200'000);
  traces::WriteOptions options;
  options.tool = "iocast 1.2";
  support::write_all(trace, folder.path("x.h5"), "native", options);
  std::array<std::uint64_t, 9> sums{};
  for (const Request& r : trace.requests) {
    const std::uint64_t values[] = {static_cast<std::uint64_t>((r.time - trace.requests[0].time).count),
                                    r.offset.bytes,
                                    static_cast<std::uint64_t>(r.length.count),
                                    static_cast<std::uint64_t>(r.op),
                                    r.stream,
                                    r.flags,
                                    static_cast<std::uint64_t>(r.latency.count),
                                    static_cast<std::uint64_t>(r.issue_delay.count),
                                    r.process};
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += values[i];
  }
  std::string expected;
  for (const std::uint64_t sum : sums) expected += std::to_string(sum) + "\n";
  expected += "1 iocast 1.2 msr D unix " + std::to_string(kStart) +
              " 4096 request 12\n['disk', 'größer/b'] ['', 'fio'] [5, 7]\n";
  const std::string script = folder.file("read.py", R"(import sys, h5py, numpy
sys.stdout.reconfigure(encoding='utf-8')
trace = h5py.File(sys.argv[1], 'r')['trace']
for name in ['time_ns', 'offset_bytes', 'length_bytes', 'op', 'stream', 'flags', 'latency_ns', 'issue_delay_ns', 'process']:
    print(trace[name][:].astype('u8').sum(dtype='u8'))
text = lambda name: trace.attrs[name].decode() if isinstance(trace.attrs[name], bytes) else trace.attrs[name]
print(trace.attrs['schema_version'], text('tool'), text('source_format'), text('level'), text('clock'),
      trace.attrs['start_unix_ns'], trace.attrs['sector_bytes'], text('granularity'), trace.attrs['lost_events'])
print(list(trace['stream_names'].asstr()[:]), list(trace['process_names'].asstr()[:]), list(trace['lost/count'][:]))
)");
  const auto python = support::shell("/usr/bin/python3 '" + script + "' '" + folder.path("x.h5") + "'");
  EXPECT_EQ(python.out, expected) << python.err;
}

// A file as h5py makes it: contiguous, big-endian, chunks of another size, other filters, texts of any length.
TEST(Native, ReadsWhatH5pyWrites) {
  if (support::shell("/usr/bin/python3 -c 'import h5py'").status != 0) GTEST_SKIP() << "no h5py";
  const support::ScratchFolder folder;
  const std::string script = folder.file("write.py", R"(import sys, h5py, numpy
trace = h5py.File(sys.argv[1], 'w').create_group('trace')
n = 100000
i = numpy.arange(n)
trace.create_dataset('time_ns', data=i.astype('u8'), chunks=(7000,), compression='gzip', shuffle=True)
trace.create_dataset('offset_bytes', data=(i * 512).astype('>u8'))
trace.create_dataset('length_bytes', data=(i % 4096).astype('u4'), chunks=(999,), compression='gzip', fletcher32=True)
trace.create_dataset('op', data=(i % 4).astype('u1'), chunks=(7000,))
trace.create_dataset('stream', data=(i % 2).astype('u2'), chunks=(7000,), compression='lzf')
trace.create_dataset('process', data=(i % 3).astype('u4'), chunks=(7000,), compression='gzip')
trace.create_dataset('stream_names', data=['sda', 'größer'], dtype=h5py.string_dtype())
trace.create_dataset('process_names', data=['', 'a', 'b'], dtype=h5py.string_dtype())
trace.attrs['schema_version'] = 1
trace.attrs['level'] = 'Q'
trace.attrs['clock'] = 'unix'
trace.attrs['start_unix_ns'] = 5
)");
  const auto python = support::shell("/usr/bin/python3 '" + script + "' '" + folder.path("x.h5") + "'");
  ASSERT_EQ(python.status, 0) << python.err;
  const std::string error = support::error_of(folder.path("x.h5"));
  // lzf is a filter of h5py's own, which the library here does not have.
  EXPECT_NE(error.find("/trace/stream: is compressed by HDF5 filter 32000"), std::string::npos) << error;
  ASSERT_EQ(support::shell("sed -i \"s/, compression='lzf'//\" '" + script + "' && /usr/bin/python3 '" + script +
                           "' '" + folder.path("x.h5") + "'")
                .status,
            0);
  traces::ReadOptions options;
  options.threads = 3;
  const auto trace = support::read_all(folder.path("x.h5"), "", options);
  ASSERT_EQ(trace.requests.size(), 100'000u);
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    const Request& r = trace.requests[i];
    ASSERT_EQ(r.time.since_origin.count, static_cast<std::int64_t>(i) + 5);
    ASSERT_EQ(r.offset.bytes, i * 512);
    ASSERT_EQ(r.length.count, static_cast<std::int64_t>(i % 4096));
    ASSERT_EQ(static_cast<std::size_t>(r.op), i % 4);
    ASSERT_EQ(r.stream, i % 2);
    ASSERT_EQ(r.process, i % 3);
    ASSERT_EQ(r.latency, traces::kUnknown);
  }
  EXPECT_EQ(trace.info.level, traces::Level::queue);
  EXPECT_EQ(trace.info.streams.names(), (std::vector<std::string>{"sda", "größer"}));
}

TEST(Native, HoldsWhatARealTraceSays) {
  NEEDS_SHARED_DATA("traces/cloudPhysicsIO.vscsi");
  const support::ScratchFolder folder;
  const auto trace = support::read_all(support::shared_data("traces/cloudPhysicsIO.vscsi"));
  support::write_all(trace, folder.path("x.h5"), "native");
  expect_equal(trace, support::read_all(folder.path("x.h5")));
  EXPECT_LT(std::filesystem::file_size(folder.path("x.h5")), 1'200'000u);  // of 3.6 MB
}

}  // namespace
