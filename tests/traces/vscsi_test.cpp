#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/garble.h"
#include "tests/support/records.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_files.h"

namespace {

using support::bytes;
using traces::Op;

std::string version1(std::uint16_t opcode, std::uint64_t block, std::uint32_t length, std::uint64_t time) {
  return bytes<std::uint32_t>(7) + bytes(length) + bytes<std::uint32_t>(1) + bytes(opcode) +
         bytes<std::uint16_t>(0x100) + bytes(block) + bytes(time);
}

std::string version2(std::uint16_t opcode, std::uint64_t block, std::uint32_t length, std::uint64_t time,
                     std::uint64_t response) {
  return bytes(opcode) + bytes<std::uint16_t>(0x200) + bytes<std::uint32_t>(7) + bytes(length) +
         bytes<std::uint32_t>(1) + bytes(block) + bytes(time) + bytes(response);
}

TEST(Vscsi, ReadsVersion2WithResponseTimes) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file(
      "x.bin", version2(0x28, 100, 4096, 5, 250) + version2(0x8A, 1, 512, 9, 1) + version2(0x42, 8, 8192, 10, 2)));
  ASSERT_EQ(trace.requests.size(), 3u);
  EXPECT_EQ(trace.info.format, "vscsi");
  EXPECT_EQ(trace.requests[0].offset.bytes, 51'200u);
  EXPECT_EQ(trace.requests[0].length.count, 4096);
  EXPECT_EQ(trace.requests[0].time.since_origin.count, 5'000);
  EXPECT_EQ(trace.requests[0].latency.count, 250'000);
  EXPECT_EQ(trace.requests[0].op, Op::read);
  EXPECT_EQ(trace.requests[1].op, Op::write);
  EXPECT_EQ(trace.requests[2].op, Op::discard);
}

TEST(Vscsi, KnowsTheOpcodesOfEachSize) {
  const support::ScratchFolder folder;
  std::string file;
  for (const std::uint16_t opcode : {0x08, 0x28, 0xA8, 0x88, 0x0A, 0x2A, 0xAA, 0x8A, 0x35, 0x91, 0x00, 0x12}) {
    file += version1(opcode, 1, 512, 1);
  }
  const auto trace = support::read_all(folder.file("x.bin", file));
  EXPECT_EQ(trace.count(Op::read), 4u);
  EXPECT_EQ(trace.count(Op::write), 4u);
  EXPECT_EQ(trace.count(Op::flush), 2u);
  ASSERT_EQ(trace.info.findings.all().size(), 1u);
  EXPECT_EQ(trace.info.findings.all()[0].count, 2u);
  EXPECT_NE(trace.info.findings.all()[0].first.find("record 11 (byte 320)"), std::string::npos);
}

TEST(Vscsi, NamesARecordThatIsCutAndOneOfAnotherVersion) {
  const support::ScratchFolder folder;
  const std::string two = version1(0x28, 1, 512, 1) + version1(0x28, 2, 512, 2);
  const auto error = [&](const std::string& content) {
    return support::error_of(folder.file("x.bin", content), "vscsi");
  };
  EXPECT_NE(error(two + std::string(31, 'x')).find("x.bin:record 3 (byte 64): the file ends 31 bytes into"),
            std::string::npos);
  EXPECT_NE(error(two + std::string(32, 'x')).find("record 3 (byte 64): has version"), std::string::npos);
  EXPECT_NE(error(two + version1(0x28, 1, 512, ~std::uint64_t{0})).find("record 3"), std::string::npos);
  EXPECT_NE(error(std::string(80, 'x')).find("these are not vscsi records"), std::string::npos);
  traces::ReadOptions options;
  options.skip_bad = 1;
  const auto passed = support::read_all(folder.file("x.bin", two + "xyz"), "vscsi", options);
  EXPECT_EQ(passed.requests.size(), 2u);
  EXPECT_EQ(passed.info.skipped_lines, 1u);
}

// The same requests as text, made by others: version,time,op,size,lbn.
TEST(Vscsi, AgreesWithTheCsvOfTheSameTrace) {
  NEEDS_SHARED_DATA("traces/cloudPhysicsIO.vscsi");
  const auto trace = support::read_all(support::shared_data("traces/cloudPhysicsIO.vscsi"));
  ASSERT_EQ(trace.requests.size(), 113'872u);
  EXPECT_EQ(trace.count(Op::write), 66'898u);
  EXPECT_EQ(trace.count(Op::read), 46'974u);
  std::ifstream csv(support::shared_data("traces/cloudPhysicsIO.csv"));
  std::string line;
  std::getline(csv, line);
  for (const auto& request : trace.requests) {
    ASSERT_TRUE(std::getline(csv, line));
    for (char& c : line) c = c == ',' ? ' ' : c;
    std::istringstream fields(line);
    std::string version, op;
    double time = 0;
    std::int64_t size = 0;
    std::uint64_t block = 0;
    fields >> version >> time >> op >> size >> block;
    ASSERT_TRUE(fields) << line;
    ASSERT_EQ(request.length.count, size) << line;
    ASSERT_EQ(request.offset.bytes, block * 512) << line;
    ASSERT_NEAR(static_cast<double>(request.time.since_origin.count) / 1e9, time, 1.001) << line;
  }
  EXPECT_FALSE(std::getline(csv, line));
}

TEST(Vscsi, TakesDamagedFiles) {
  NEEDS_SHARED_DATA("samples/cloudphysics_vscsi/cloudPhysicsIO.v1.2000.vscsi");
  support::expect_no_harm(
      support::slurp(support::shared_data("samples/cloudphysics_vscsi/cloudPhysicsIO.v1.2000.vscsi")), "vscsi");
}

}  // namespace
