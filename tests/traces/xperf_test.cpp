#include <gtest/gtest.h>

#include "tests/support/garble.h"
#include "tests/support/trace_files.h"

using traces::Op;

namespace {

constexpr std::string_view kOld =
    "BeginHeader\n"
    "              DiskRead,  TimeStamp,     Process Name ( PID),   ThreadID,             IrpPtr,   ByteOffset,     "
    "IOSize, ElapsedTime,  DiskNum, IrpFlags, DiskSvcTime, I/O Pri,  VolSnap,         FileObject, FileName\n"
    "             DiskWrite,  TimeStamp,     Process Name ( PID),   ThreadID,             IrpPtr,   ByteOffset,     "
    "IOSize, ElapsedTime,  DiskNum, IrpFlags, DiskSvcTime, I/O Pri,  VolSnap,         FileObject, FileName\n"
    "          DiskReadInit,  TimeStamp,     Process Name ( PID),   ThreadID,             IrpPtr\n"
    "             DiskFlush,  TimeStamp,     Process Name ( PID),   ThreadID,             IrpPtr,                      "
    "  "
    "   ElapsedTime,  DiskNum, IrpFlags, DiskSvcTime, I/O Pri\n"
    "EndHeader\n"
    "OS Version: 6.0.6001, Trace Size: 13952KB, Events Lost: 5, Buffers lost: 2, Trace Start: 128408000000000000, "
    "Trace "
    "Length: 3 sec, PointerSize: 8, Trace Name: mytrace.etl\n"
    "          DiskReadInit,       8300,       System (   4),         72, 0xfffffa80\n"
    "              DiskRead,       8612,       System (   4),         72, 0xfffffa80, 0x018f0b8000, 0x00001000, 283, "
    "0, "
    "0x060043, 283, 3, Original, 0xffffe288272d0d20, \"C:\\$Mft\"\n"
    "             DiskWrite,       9000, \"odd, name.exe (3984)\",    72, 0xfffffa80, 0x0000000200, 0x00000200, 100, "
    "2, "
    "0x060043, 99, 3, Original, 0xffffe288272d0d20, \"C:\\a, b\"\n"
    "             DiskFlush,      10000,       System (   4),         72, 0xfffffa80, 500, 2, 0x060043, 500, 3\n"
    "                 Noise, 1, 2, 3\n";
// Newer versions have a column CPU before IrpPtr; this row is one that the tool printed.
constexpr std::string_view kNew =
    "BeginHeader\n"
    "DiskRead,  TimeStamp,     Process Name ( PID),   ThreadID, CPU, IrpPtr, ByteOffset, IOSize, ElapsedTime,  "
    "DiskNum, "
    "IrpFlags, DiskSvcTime, I/O Pri,  VolSnap, FileObject, FileName\n"
    "EndHeader\n"
    "DiskRead, 8612, xperf.exe (3984), 11844, 1, 0xffffe288b23f1b20, 0x018f0b8000, 0x00001000, 283, 0, 0x060043, 283, "
    "3, "
    "Original, 0xffffe288272d0d20, \"C:\\$Mft\"\n";

}  // namespace

TEST(Xperf, ReadsRows) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file("x", kOld));
  ASSERT_EQ(trace.requests.size(), 3u);
  EXPECT_EQ(trace.info.format, "xperf");
  EXPECT_EQ(trace.info.clock, traces::Clock::unix_epoch);
  EXPECT_EQ(trace.info.lost_events, 5u);
  EXPECT_EQ(trace.info.findings.all()[0].count, 2u);  // lost buffers
  EXPECT_EQ(trace.info.streams.names(), (std::vector<std::string>{"disk0", "disk2"}));
  EXPECT_EQ(trace.info.processes.names(), (std::vector<std::string>{"", "System (4)", "odd, name.exe (3984)"}));
  // 128408000000000000 ticks are 1196326400 s of Unix; 8612 us of completion less 283 us.
  EXPECT_EQ(trace.requests[0].time.since_origin.count, 1'196'326'400'000'000'000 + 8'329'000);
  EXPECT_EQ(trace.requests[0].latency.count, 283'000);
  EXPECT_EQ(trace.requests[0].offset.bytes, 0x018f0b8000u);
  EXPECT_EQ(trace.requests[0].length.count, 4096);
  EXPECT_EQ(trace.requests[1].op, Op::write);
  EXPECT_EQ(trace.requests[1].stream, 1);
  EXPECT_EQ(trace.requests[1].offset.bytes, 512u);
  EXPECT_EQ(trace.requests[2].op, Op::flush);
  EXPECT_EQ(trace.requests[2].latency.count, 500'000);
  EXPECT_EQ(trace.requests[2].stream, 1);
}

TEST(Xperf, TakesColumnsFromTheHeader) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file("x", kNew));
  ASSERT_EQ(trace.requests.size(), 1u);
  EXPECT_EQ(trace.info.clock, traces::Clock::relative);
  EXPECT_EQ(trace.requests[0].time.since_origin.count, 8'329'000);
  EXPECT_EQ(trace.requests[0].offset.bytes, 0x018f0b8000u);
  EXPECT_EQ(trace.requests[0].length.count, 4096);
  EXPECT_EQ(trace.requests[0].latency.count, 283'000);
  EXPECT_FALSE(trace.info.lost_events.has_value());
}

TEST(Xperf, NamesThePlaceOfWhatIsWrong) {
  const support::ScratchFolder folder;
  const std::string path = folder.file("x", std::string(kNew) + "DiskRead, 1, a (1), 1, 1, 0x0, 0xzz, 0x1, 1, 0\n");
  try {
    support::read_all(path);
    FAIL();
  } catch (const sim::DataError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with(path + ":5:32: ByteOffset")) << error.what();
  }
  EXPECT_THROW(support::read_all(folder.file("y", "DiskRead, 1, a (1)\n"), "xperf"), sim::DataError);
  EXPECT_THROW(support::read_all(folder.file("z", "nothing\n"), "xperf"), sim::DataError);
}

TEST(Xperf, TakesNoHarmFromDamage) {
  support::expect_no_harm(std::string(kOld), "xperf");
  support::expect_no_harm(std::string(kNew), "xperf");
}
