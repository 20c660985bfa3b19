#include <gtest/gtest.h>

#include "tests/support/garble.h"
#include "tests/support/records.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_files.h"

namespace {

using traces::Op;

std::string big(std::initializer_list<std::uint32_t> words) {
  std::string text;
  for (const std::uint32_t word : words) text += support::bytes(__builtin_bswap32(word));
  return text;
}

// Version 4, kind 1: as long as its first word says.
std::string record(std::uint32_t second, std::uint32_t sector, std::uint32_t device, std::uint32_t flags,
                   std::uint32_t kind = 1) {
  return big({56, 4 << 16 | kind, second, 500, 10, 250, 8192, sector, device, 4, 0, flags, 0, 1});
}

constexpr char kHeader[] =
    "$$TR_IOREC-1.3 (fixture)\n\ntracedate    = \"Sat May 30 00:03:06 1992\";\n"
    "disks = { 0 -> { sectorsize  = 1024,\n } };\n\f";

TEST(HplSrt, ReadsARecordByHand) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(
      folder.file("x.srt", kHeader + record(2, 6, 0x08000107, 0x01000001) + record(3, 7, 0x0800000F, 0)));
  ASSERT_EQ(trace.requests.size(), 2u);
  const auto& first = trace.requests[0];
  EXPECT_EQ(trace.info.format, "hpl_srt");
  EXPECT_EQ(trace.info.clock, traces::Clock::unix_epoch);
  EXPECT_EQ(first.time.since_origin.count, 707'184'188'000'500'000);  // 1992-05-30 00:03:08.0005 UTC
  EXPECT_EQ(first.offset.bytes, 6144u);
  EXPECT_EQ(first.length.count, 8192);
  EXPECT_EQ(first.issue_delay.count, 10'000);
  EXPECT_EQ(first.latency.count, 250'000);
  EXPECT_EQ(first.op, Op::read);
  EXPECT_EQ(first.flags, traces::kSync);
  EXPECT_EQ(trace.requests[1].op, Op::write);
  EXPECT_EQ(trace.info.streams.names(), (std::vector<std::string>{"8:1", "8:0"}));
}

TEST(HplSrt, CountsSuspectAndOtherRecords) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file("x.srt", kHeader + record(1, 1, 0, 0, 4) + record(1, 1, 0, 0, 3)));
  EXPECT_EQ(trace.requests.size(), 1u);
  EXPECT_EQ(trace.info.findings.all().size(), 2u);
}

TEST(HplSrt, SaysWhatIsWrong) {
  const support::ScratchFolder folder;
  const auto error = [&](const std::string& content) { return support::error_of(folder.file("x.srt", content)); };
  EXPECT_NE(error(kHeader + record(1, 1, 0, 0) + "ab").find("record 2"), std::string::npos);
  EXPECT_NE(error(kHeader + record(1, 1, 0, 0) + record(1, 1, 0, 0).substr(0, 40))
                .find("ends 40 bytes into this record of 56"),
            std::string::npos);
  EXPECT_NE(error(kHeader + big({56, 9 << 16 | 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})).find("version 9"),
            std::string::npos);
  EXPECT_NE(error("$$TR_IOREC-1.3\n").find("form feed"), std::string::npos);
  EXPECT_NE(error("$$TR_IOREC-1.3\nsectorsize = 256;\nsectorsize = 512;\n\f").find("--sector"), std::string::npos);
}

// 2000 records of hplajw. The counts were taken by a script of a few lines that knows only the record's layout.
TEST(HplSrt, ReadsTheSample) {
  NEEDS_SHARED_DATA("samples/hpl_srt/ajw.2000.srt");
  const auto trace = support::read_all(support::shared_data("samples/hpl_srt/ajw.2000.srt"));
  ASSERT_EQ(trace.requests.size(), 2000u);
  EXPECT_EQ(trace.count(Op::read), 912u);
  EXPECT_EQ(trace.count(Op::write), 1088u);
  EXPECT_EQ(trace.info.sector.count, 256);
  ASSERT_EQ(trace.info.streams.names(), (std::vector<std::string>{"8:1", "8:0"}));
  std::size_t second_disk = 0, synchronous = 0;
  std::uint64_t end = 0;
  for (const auto& request : trace.requests) {
    second_disk += request.stream == 0;
    synchronous += request.flags == traces::kSync;
    end = std::max(end, request.offset.bytes + static_cast<std::uint64_t>(request.length.count));
  }
  EXPECT_EQ(second_disk, 441u);
  EXPECT_EQ(synchronous, 485u);
  EXPECT_LE(end, 1449u * 8 * 113 * 256);  // cylinders, heads, sectors of the HP 7937 as the header has it
  const auto& last = trace.requests.back();
  EXPECT_EQ(last.time.since_origin.count, 707'184'186'000'000'000 + 220'381'695'814'000);
  EXPECT_EQ(last.offset.bytes, 991'536u * 256);
  EXPECT_EQ(last.latency.count, 26'392'000);
}

TEST(HplSrt, TakesDamagedFiles) {
  NEEDS_SHARED_DATA("samples/hpl_srt/ajw.2000.srt");
  support::expect_no_harm(support::slurp(support::shared_data("samples/hpl_srt/ajw.2000.srt")), "hpl_srt");
}

}  // namespace
