#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/captures.h"
#include "tests/support/garble.h"

namespace {

namespace fs = std::filesystem;
using support::shared_data;
using support::WholeTrace;
using traces::Level;
using traces::Op;

// The captures that are jobs of fio alone, so that fio's totals are the requests; of the last the writes are more.
constexpr const char* kJobs[] = {"virtio_rr4k_qd1",   "virtio_rr4k_qd32",  "virtio_mix70_8k_qd8", "virtio_seqw128k",
                                 "virtio_seqr128k",   "virtio_zipf4k",     "nvme_rr4k_qd1",       "nvme_rr4k_qd32",
                                 "nvme_mix70_8k_qd8", "nvme_seqw128k",     "nvme_seqr128k",       "scsi_rr4k_qd1",
                                 "scsi_rr4k_qd32",    "scsi_mix70_8k_qd8", "scsi_seqw128k",       "scsi_seqr128k",
                                 "dmlinear_upper",    "dmlinear_lower"};
constexpr const char* kOthers[] = {"nvme_discard_flush", "scsi_buffered", "ext4_fileops", "sqlite_ext4"};

std::vector<std::string> all_captures() {
  std::vector<std::string> names(std::begin(kJobs), std::end(kJobs));
  names.insert(names.end(), std::begin(kOthers), std::end(kOthers));
  return names;
}

std::string capture(const std::string& name) { return shared_data("samples/blktrace/" + name + "/" + name).string(); }

traces::ReadOptions at_level(Level level) {
  traces::ReadOptions options;
  options.level = level;
  return options;
}

// A record of either version and byte order.
std::string record(unsigned version, bool swap, std::uint64_t time, std::uint64_t sector, std::uint32_t bytes,
                   std::uint32_t action, std::uint32_t bits, std::uint32_t pid, std::uint32_t device,
                   std::string_view pdu = {}, std::uint16_t error = 0) {
  std::string out;
  const auto put = [&](auto value) {
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    if (swap) std::reverse(raw, raw + sizeof value);
    out.append(raw, sizeof value);
  };
  put(0x65617400u | version), put(std::uint32_t{77}), put(time), put(sector), put(bytes);
  if (version == 7) {
    put(bits << 16 | action), put(pid);
  } else {
    put(pid), put(std::uint64_t{bits} << 16 | action);
  }
  put(device), put(std::uint32_t{0}), put(error), put(static_cast<std::uint16_t>(pdu.size()));
  if (version == 8) out.append(12, '\0');
  return out.append(pdu);
}

std::string note(unsigned version, bool swap, std::uint64_t time, std::uint32_t kind, std::uint32_t pid,
                 std::string_view pdu) {
  return record(version, swap, time, 0, 0, kind, 0x400, pid, 0, pdu);
}

// The records of a file of version 7 in host order, written anew.
std::string rewritten(const std::string& file, unsigned version, bool swap, bool cgroup) {
  const std::string content = support::slurp(file);
  std::string out;
  for (std::size_t at = 0; at < content.size();) {
    const auto get = [&](auto value, std::size_t offset) {
      std::memcpy(&value, content.data() + at + offset, sizeof value);
      return value;
    };
    const auto action = get(std::uint32_t{}, 28);
    const auto length = get(std::uint16_t{}, 46);
    std::string pdu = content.substr(at + 48, length);
    const bool note = action >> 16 & 0x400;
    if (swap && note && (action & 0xffff) == 1) {
      std::reverse(pdu.begin(), pdu.begin() + 4);
      std::reverse(pdu.begin() + 4, pdu.end());
    }
    if (cgroup) pdu = "12345678" + pdu;
    out += record(version, swap, get(std::uint64_t{}, 8), get(std::uint64_t{}, 16), get(std::uint32_t{}, 24),
                  (action & 0xffff) | (cgroup ? 0x100 : 0), action >> 16, get(std::uint32_t{}, 32),
                  get(std::uint32_t{}, 36), pdu, get(std::uint16_t{}, 44));
    at += 48 + length;
  }
  return out;
}

std::string message_of(const std::string& path, const traces::ReadOptions& options = {}, std::string_view format = "") {
  try {
    support::read_all(path, format, options);
  } catch (const sim::DataError& error) { return error.what(); }
  return "";
}

constexpr std::uint32_t kDisk = 8 << 20;

}  // namespace

TEST(Blktrace, CountsWhatFioDid) {
  NEEDS_SHARED_DATA("samples/blktrace");
  for (const char* name : kJobs) {
    const auto trace = support::read_all(capture(name));
    const auto [reads, writes, trims] = support::fio_totals(capture(name) + ".fio.json");
    EXPECT_EQ(trace.count(Op::read), reads) << name;
    EXPECT_EQ(trace.count(Op::write), writes) << name;
    EXPECT_EQ(trace.requests.size(), reads + writes + trims) << name;
    EXPECT_EQ(trace.info.level, Level::queue) << name;
    EXPECT_EQ(trace.info.clock, traces::Clock::unix_epoch) << name;
    EXPECT_EQ(trace.info.lost_events, 0u) << name;
    EXPECT_TRUE(trace.info.findings.all().empty()) << name << ": " << trace.info.findings.all()[0].what;
    EXPECT_TRUE(support::in_order(trace)) << name;
    EXPECT_EQ(trace.info.processes.names(), (std::vector<std::string>{"", "fio"})) << name;
  }
}

TEST(Blktrace, TimesAreWithinTheRunOfTheLoad) {
  NEEDS_SHARED_DATA("samples/blktrace");
  for (const std::string& name : all_captures()) {
    const auto trace = support::read_all(capture(name));
    const auto nanoseconds = [&](const char* which) { return std::stod(support::slurp(capture(name) + which)) * 1e9; };
    EXPECT_GT(static_cast<double>(trace.requests.front().time.since_origin.count), nanoseconds(".t0") - 1e9) << name;
    EXPECT_LT(static_cast<double>(trace.requests.back().time.since_origin.count), nanoseconds(".t1") + 1e9) << name;
  }
}

TEST(Blktrace, CountsAndBytesAreThoseOfBlkparse) {
  NEEDS_SHARED_DATA("samples/blktrace");
  for (const std::string& name : all_captures()) {
    const std::string summary = support::slurp(capture(name) + ".blkparse.summary.txt");
    if (summary.empty()) continue;
    const auto same = [&](const WholeTrace& trace, const char* reads, const char* writes, bool flush_is_a_read) {
      const std::uint64_t flushes = trace.count(Op::flush);
      const std::pair read{trace.count(Op::read) + (flush_is_a_read ? flushes : 0),
                           support::bytes_of(trace, Op::read) / 1024};
      const std::pair write{trace.count(Op::write) + trace.count(Op::discard) + (flush_is_a_read ? 0 : flushes),
                            (support::bytes_of(trace, Op::write) + support::bytes_of(trace, Op::discard)) / 1024};
      EXPECT_EQ(read, support::blkparse_count(summary, reads)) << name;
      EXPECT_EQ(write, support::blkparse_count(summary, writes)) << name;
    };
    same(support::read_all(capture(name)), "Reads Queued", "Writes Queued", false);
    if (name == "dmlinear_upper") continue;  // has no issues
    same(support::read_all(capture(name), "", at_level(Level::issue)), "Read Dispatches", "Write Dispatches", true);
  }
}

TEST(Blktrace, LatenciesAreThoseOfBtt) {
  NEEDS_SHARED_DATA("samples/blktrace");
  for (const std::string& name : all_captures()) {
    const auto trace = support::read_all(capture(name));
    const std::string report = support::slurp(capture(name) + ".btt.txt");
    double queue_to_completion = 0, issue_to_completion = 0;
    std::uint64_t count = 0;
    for (const auto& r : trace.requests) {
      if (r.op == Op::flush) continue;
      ++count;
      ASSERT_GE(r.latency.count, 0) << name;
      queue_to_completion += static_cast<double>(r.latency.count);
      issue_to_completion += static_cast<double>((r.latency - r.issue_delay).count);
    }
    const auto q2c = support::btt_average(report, "Q2C"), d2c = support::btt_average(report, "D2C");
    if (name == "virtio_zipf4k") continue;  // btt loses one of two reads of the same block at once
    EXPECT_EQ(q2c.second, count) << name;
    if (name == "ext4_fileops" || name == "sqlite_ext4") {  // btt takes the first completion of a write with flushes
      EXPECT_GT(queue_to_completion / static_cast<double>(count), q2c.first) << name;
      continue;
    }
    EXPECT_NEAR(queue_to_completion / static_cast<double>(count), q2c.first, 1) << name;
    if (name == "dmlinear_upper") continue;
    EXPECT_NEAR(issue_to_completion / static_cast<double>(count), d2c.first, 1) << name;
  }
}

TEST(Blktrace, CountsOfMixedCaptures) {
  NEEDS_SHARED_DATA("samples/blktrace");
  struct Counts {
    const char* name;
    std::uint64_t read, write, discard, flush;
  };
  for (const Counts& c : {Counts{"nvme_discard_flush", 96, 1012, 61, 50}, Counts{"scsi_buffered", 132, 4096, 0, 1},
                          Counts{"ext4_fileops", 5, 1043, 6, 3}, Counts{"sqlite_ext4", 11, 499, 0, 27}}) {
    const auto trace = support::read_all(capture(c.name));
    EXPECT_EQ(trace.count(Op::read), c.read) << c.name;
    EXPECT_EQ(trace.count(Op::write), c.write) << c.name;
    EXPECT_EQ(trace.count(Op::discard), c.discard) << c.name;
    EXPECT_EQ(trace.count(Op::flush), c.flush) << c.name;
    for (const char* wrong : {"completions", "without", "requeues", "order"})
      EXPECT_EQ(support::finding(trace.info, wrong), 0u) << c.name;
  }
}

TEST(Blktrace, IssueLevelNeedsIssues) {
  NEEDS_SHARED_DATA("samples/blktrace");
  EXPECT_NE(message_of(capture("dmlinear_upper"), at_level(Level::issue))
                .find("has no issue (D) events: read it with --level Q"),
            std::string::npos);
  EXPECT_EQ(support::read_all(capture("dmlinear_lower"), "", at_level(Level::issue)).requests.size(), 300u);
}

TEST(Blktrace, SameRequestsAsTheTextOfBlkparse) {
  NEEDS_SHARED_DATA("samples/blktrace");
  for (const std::string& name : all_captures()) {
    for (const Level level : {Level::unknown, Level::issue}) {
      if (level == Level::issue && name == "dmlinear_upper") continue;
      std::string text = capture(name) + ".blkparse.txt";
      if (!fs::exists(text)) text += ".gz";
      const auto from_text = support::read_all(text, "", at_level(level));
      const auto binary = support::read_all(capture(name), "", at_level(level));
      EXPECT_EQ(from_text.info.format, "blkparse");
      EXPECT_EQ(support::lines_of(binary), support::lines_of(from_text)) << name;
    }
  }
}

TEST(Blktrace, StreamOfTwoDevices) {
  NEEDS_SHARED_DATA("samples/blktrace_stream");
  const auto trace = support::read_all(shared_data("samples/blktrace_stream/multi.stream").string());
  EXPECT_EQ(trace.requests.size(), 400u);
  EXPECT_TRUE(support::in_order(trace));  // in the file 370 events are up to 43 ms late
  EXPECT_TRUE(trace.info.findings.all().empty());
  EXPECT_EQ(trace.info.lost_events, std::nullopt);
  const auto first = support::fio_totals(shared_data("samples/blktrace_stream/m1.fio.json"));
  const auto second = support::fio_totals(shared_data("samples/blktrace_stream/m2.fio.json"));
  EXPECT_EQ(trace.count(Op::read), first[0] + second[0]);
  EXPECT_EQ(trace.count(Op::write), first[1] + second[1]);
  for (const auto& r : trace.requests) {
    EXPECT_EQ(trace.info.streams.names()[r.stream], r.op == Op::read ? "254,16" : "259,0");
    EXPECT_GT(r.latency.count, 0);
  }
  const auto text = support::read_all(shared_data("samples/blktrace_stream/multi.blkparse.txt").string());
  EXPECT_EQ(support::lines_of(trace), support::lines_of(text));
}

TEST(Blktrace, BinaryModeOfTheKernelsTracer) {
  NEEDS_SHARED_DATA("samples/blktrace_stream/live");
  const auto trace = support::read_all(shared_data("samples/blktrace_stream/live/ftbin.dat").string());
  const auto totals = support::fio_totals(shared_data("samples/blktrace_stream/live/ftbin.fio.json"));
  EXPECT_EQ(trace.count(Op::read), totals[0]);
  EXPECT_EQ(trace.count(Op::write), totals[1]);
  EXPECT_EQ(trace.info.clock, traces::Clock::monotonic);
  NEEDS_SHARED_DATA("samples/ftrace_text");
  for (const char* name : {"v00.dat", "v01.dat"}) {  // the second with options/context-info
    EXPECT_EQ(support::read_all(shared_data(std::string("samples/ftrace_text/") + name).string()).requests.size(), 1u);
  }
}

TEST(Blktrace, LostEventsAreThoseOfTheLog) {
  NEEDS_SHARED_DATA("samples/blktrace_drops");
  const fs::path folder = shared_data("samples/blktrace_drops");
  EXPECT_EQ(support::read_all((folder / "drops").string()).info.lost_events, 20'108u);
  const support::ScratchFolder scratch;
  for (const char* name : {"drops.blktrace.0", "drops.blktrace.1"}) fs::copy(folder / name, scratch.path(name));
  const auto alone = support::read_all(scratch.path("drops"));
  EXPECT_EQ(alone.info.lost_events, std::nullopt);
  EXPECT_GT(support::finding(alone.info, "requests without a completion"), 0u);
  traces::ReadOptions options;
  options.loss_log = (folder / "drops.log").string();
  EXPECT_EQ(support::read_all(scratch.path("drops"), "", options).info.lost_events, 20'108u);
  options.loss_log = scratch.file("other", "nothing of it\n");
  EXPECT_NE(message_of(scratch.path("drops"), options).find("other: says nothing of lost events"), std::string::npos);
  scratch.file("drops.blktrace.log", "  Total:  3900 events (dropped 5),  183 KiB data\n");
  EXPECT_EQ(support::read_all(scratch.path("drops")).info.lost_events, 5u);
}

TEST(Blktrace, OneFileOfASetIsReadAloneAndSaysSo) {
  NEEDS_SHARED_DATA("samples/blktrace");
  const std::string set = capture("virtio_rr4k_qd1");
  const auto first = support::read_all(set + ".blktrace.0"), second = support::read_all(set + ".blktrace.1");
  EXPECT_EQ(first.requests.size() + second.requests.size(), 1000u);
  EXPECT_EQ(support::finding(first.info, "other files of the same set not read (give " + set), 1u);
}

TEST(Blktrace, RawPagesOfTracefsConverted) {
  NEEDS_SHARED_DATA("samples/tracefs_raw");
  for (const std::string name : {"ev", "blk"}) {
    const auto trace = support::read_all(shared_data("samples/tracefs_raw/" + name).string());
    EXPECT_EQ(trace.count(Op::read), 344u);
    EXPECT_EQ(trace.count(Op::write), 156u);
    EXPECT_EQ(trace.info.lost_events, 0u);
    EXPECT_TRUE(trace.info.findings.all().empty());
    const auto text = support::read_all(
        shared_data("samples/tracefs_raw/" + name + (name == "ev" ? ".blkparse.txt" : ".blkparse.txt.gz")).string());
    EXPECT_EQ(support::lines_of(trace), support::lines_of(text));
  }
}

TEST(Blktrace, RealCachesSendTheirDisksWhatTheKernelCounted) {
  NEEDS_SHARED_DATA("samples/cache_groundtruth");
  const auto read = [](const std::string& set, const char* part) {
    return support::read_all(shared_data("samples/cache_groundtruth/" + set + "/" + set + "." + part).string());
  };
  struct Case {
    const char* name;
    std::uint64_t fast_reads, slow_reads, slow_writes;
  };
  for (const Case& c : {Case{"dmwritecache", 3863, 1107, 0}, Case{"bcache_writethrough", 9897, 2063, 3040},
                        Case{"bcache_writeback", 0, 2051, 838}, Case{"dmcache_smq_writethrough", 8999, 3985, 3040},
                        Case{"base_slow", 0, 0, 0}}) {
    const auto upper = read(c.name, "upper");
    const auto totals = support::fio_totals(
        shared_data(std::string("samples/cache_groundtruth/") + c.name + "/" + c.name + ".fio.json"));
    EXPECT_EQ(upper.count(Op::read), totals[0]) << c.name;
    EXPECT_EQ(upper.count(Op::write), totals[1]) << c.name;
    EXPECT_EQ(upper.info.lost_events, 0u);
    if (c.fast_reads) { EXPECT_EQ(read(c.name, "fast").count(Op::read), c.fast_reads) << c.name; }
    if (!c.slow_reads) continue;
    const auto slow = read(c.name, "slow");
    EXPECT_EQ(slow.info.level, Level::issue);
    EXPECT_EQ(slow.count(Op::read), c.slow_reads) << c.name;
    EXPECT_EQ(slow.count(Op::write), c.slow_writes) << c.name;
  }
  // bcache's upper device completes under the backing one.
  EXPECT_EQ(support::finding(read("bcache_writeback", "upper").info, "streams without completions"), 1u);
  EXPECT_EQ(support::finding(read("bcache_writeback", "slow").info, "completions without a request"), 15'000u);
  // A folder: the three devices of one run, merged.
  const auto all = support::read_all(shared_data("samples/cache_groundtruth/dmwritecache").string());
  EXPECT_EQ(all.info.streams.names().size(), 3u);
  EXPECT_EQ(support::finding(all.info, "streams of issues"), 2u);
  EXPECT_TRUE(support::in_order(all));
}

TEST(Blktrace, BothVersionsInBothByteOrders) {
  NEEDS_SHARED_DATA("samples/blktrace");
  const auto expected = support::lines_of(support::read_all(capture("ext4_fileops")));
  const support::ScratchFolder folder;
  for (const unsigned version : {7u, 8u}) {
    for (const bool swap : {false, true}) {
      for (const bool cgroup : {false, true}) {
        for (const char* cpu : {".blktrace.0", ".blktrace.1"}) {
          folder.file(std::string("again") + cpu, rewritten(capture("ext4_fileops") + cpu, version, swap, cgroup));
        }
        const auto trace = support::read_all(folder.path("again"));
        EXPECT_EQ(support::lines_of(trace), expected) << version << swap << cgroup;
        EXPECT_EQ(trace.info.clock, traces::Clock::unix_epoch);
      }
    }
  }
  // The version is each record's own.
  const support::ScratchFolder mixed;
  const auto trace = support::read_all(
      mixed.file("x", record(7, false, 1, 0, 512, 1, 0x11, 1, kDisk) + record(8, true, 2, 0, 512, 8, 0x181, 1, kDisk)));
  ASSERT_EQ(trace.requests.size(), 1u);
  EXPECT_EQ(trace.requests[0].latency.count, 1);
}

TEST(Blktrace, ZoneCommandsAndWriteZeroesOfVersion8) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file("x", record(8, false, 1, 0, 0, 1, 0x12 | 1 << 17, 1, kDisk) +
                                                            record(8, false, 2, 8, 4096, 1, 0x12 | 1 << 22, 1, kDisk)));
  ASSERT_EQ(trace.requests.size(), 1u);
  EXPECT_EQ(trace.requests[0].op, Op::write);
  EXPECT_EQ(support::finding(trace.info, "zone commands"), 1u);
  EXPECT_EQ(support::finding(trace.info, "write-zeroes"), 1u);
}

TEST(Blktrace, ProcessNamesFollowTheNotes) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(
      folder.file("x", note(7, false, 1, 0, 9, "first\0\0\0") + record(7, false, 2, 0, 512, 1, 0x11, 9, kDisk) +
                           record(7, false, 3, 8, 512, 1, 0x11, 10, kDisk) + note(7, false, 4, 0, 9, "second") +
                           note(7, false, 4, 2, 9, "a message") + record(7, false, 5, 16, 512, 1, 0x11, 9, kDisk)));
  ASSERT_EQ(trace.requests.size(), 3u);
  EXPECT_EQ(trace.info.processes.names()[trace.requests[0].process], "first");
  EXPECT_EQ(trace.requests[1].process, 0u);
  EXPECT_EQ(trace.info.processes.names()[trace.requests[2].process], "second");
}

TEST(Blktrace, LinesAboutLostEventsBetweenRecords) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file(
      "x", "CPU:0 [LOST 3 EVENTS]\n" + record(7, false, 10, 0, 512, 1, 0x11, 9, kDisk) +
               "CPU:1 [LOST 4 EVENTS]\nCPU:0 [LOST 1 EVENTS]\n" + record(7, false, 20, 0, 512, 8, 0x181, 9, kDisk)));
  EXPECT_EQ(trace.requests.size(), 1u);
  EXPECT_EQ(trace.info.lost_events, 8u);
  ASSERT_EQ(trace.info.lost.size(), 2u);
  EXPECT_EQ(trace.info.lost[1].time.since_origin.count, 20);
  EXPECT_EQ(trace.info.lost[1].count, 5u);
}

TEST(Blktrace, SaysWhichRecordIsBad) {
  const support::ScratchFolder folder;
  const std::string one = record(7, false, 10, 0, 512, 1, 0x11, 9, kDisk),
                    two = record(7, false, 20, 8, 512, 1, 0x11, 9, kDisk);
  const auto starts = [](const std::string& text, const std::string& with) {
    EXPECT_TRUE(text.starts_with(with)) << text;
  };
  std::string path = folder.file("cut", one + two.substr(0, 30));
  starts(message_of(path), path + ":record 2 (byte 48): the file ends inside this record");
  traces::ReadOptions skip;
  skip.skip_bad = 1;
  const auto rest = support::read_all(path, "", skip);
  EXPECT_EQ(rest.requests.size(), 1u);
  EXPECT_EQ(rest.info.skipped_lines, 1u);
  path = folder.file("middle", one + "rubbish" + two + two);
  starts(message_of(path), path + ":record 2 (byte 48): should begin with blktrace's magic number");
  EXPECT_EQ(support::read_all(path, "", skip).requests.size(), 3u);
  path = folder.file("version", one + record(9, false, 10, 0, 512, 1, 0x11, 9, kDisk));
  starts(message_of(path), path + ":record 2 (byte 48): is of version 9; 7 and 8 are known");
  path = folder.file("time", record(7, false, ~0ull, 0, 512, 1, 0x11, 9, kDisk));
  starts(message_of(path), path + ":record 1 (byte 0): time is past any clock's range");
  path = folder.file("sector", record(7, false, 1, ~0ull, 512, 1, 0x11, 9, kDisk));
  starts(message_of(path), path + ":record 1 (byte 0): sector is past any device's end");
  path = folder.file("pdu", one + note(7, false, 1, 0, 9, std::string(60'000, 'x')).substr(0, 50'000));
  starts(message_of(path), path + ":record 2 (byte 48): the file ends inside this record");
}

TEST(Blktrace, TakesNoHarmFromDamage) {
  NEEDS_SHARED_DATA("samples/blktrace");
  traces::ReadOptions skip;
  skip.skip_bad = UINT64_MAX;
  for (const char* name : {"ext4_fileops", "sqlite_ext4"}) {
    const std::string content = support::slurp(capture(name) + ".blktrace.0").substr(0, 20'000);
    support::expect_no_harm(content, "blktrace");
    support::expect_no_harm(content, "blktrace", skip);
    support::expect_no_harm(content, "blktrace", at_level(Level::issue));
  }
}

TEST(Blktrace, WritesWhatItReads) {
  NEEDS_SHARED_DATA("samples/blktrace");
  const support::ScratchFolder folder;
  for (const std::string& name : all_captures()) {
    for (const Level level : {Level::queue, Level::issue}) {
      if (level == Level::issue && name == "dmlinear_upper") continue;
      const auto reader = traces::open_trace(capture(name), "", at_level(level));
      const std::string path = folder.path("out.blktrace");
      const auto writer = traces::format_for_output(path).create(path, {});
      WholeTrace original;
      traces::Batch batch;
      while (reader->next(batch)) {
        writer->write(batch.requests(), reader->info());
        original.requests.insert(original.requests.end(), batch.requests().begin(), batch.requests().end());
      }
      original.info = reader->info();
      traces::Findings notes;
      writer->finish(reader->info(), notes);
      const auto again = support::read_all(path, "", at_level(level));
      EXPECT_EQ(again.requests.at(0).time, original.requests.at(0).time) << name;
      auto was = support::lines_of(original), is = support::lines_of(again);
      EXPECT_EQ(is, was) << name << (level == Level::queue ? " Q" : " D");
    }
  }
}
