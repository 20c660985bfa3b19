#include <gtest/gtest.h>

#include <map>

#include "tests/support/garble.h"
#include "tests/support/records.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_files.h"

namespace {

using support::bytes;
using traces::Op;

constexpr std::uint64_t kMagic = 0x123456789abcdef0;

std::string header(std::uint64_t version, std::size_t size = 8192) {
  return bytes(kMagic) + bytes(version) + std::string(size - 24, '\0') + bytes(kMagic);
}

std::string record(int version, std::uint32_t time, std::uint64_t id, std::int64_t size, std::uint8_t op,
                   std::uint32_t tenant) {
  static const std::map<int, std::size_t> kFeatures{{4, 1}, {5, 2}, {6, 4}, {7, 8}, {8, 16}};
  std::string text = bytes(time) + bytes(id) + (version < 3 ? bytes(static_cast<std::uint32_t>(size)) : bytes(size));
  if (version > 1) text += bytes(op | tenant << 8);
  if (version > 2) text += bytes<std::uint32_t>(60);
  text += bytes<std::int64_t>(-1);
  if (version > 3) text += std::string(4 * kFeatures.at(version), 'f');
  return text;
}

class LcsVersions : public testing::TestWithParam<int> {};

TEST_P(LcsVersions, AreRead) {
  const support::ScratchFolder folder;
  const int version = GetParam();
  std::string file = header(static_cast<std::uint64_t>(version));
  for (int i = 0; i < 3; ++i)
    file += record(version, 10 + i, 1000 + i, 512 * (1 + i), i == 1 ? 13 : 12, i == 2 ? 9 : 4);
  const auto trace = support::read_all(folder.file("x.lcs", file));
  ASSERT_EQ(trace.requests.size(), 3u);
  EXPECT_EQ(trace.info.format, "lcs");
  EXPECT_EQ(trace.info.granularity, traces::Granularity::request);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(trace.requests[i].time.since_origin.count, (10 + i) * 1'000'000'000ll);
    EXPECT_EQ(trace.requests[i].offset.bytes, 1000u + i);
    EXPECT_EQ(trace.requests[i].length.count, 512 * (1 + i));
  }
  if (version == 1) return;
  EXPECT_EQ(trace.requests[0].op, Op::read);
  EXPECT_EQ(trace.requests[1].op, Op::write);
  EXPECT_EQ(trace.info.streams.names(), (std::vector<std::string>{"tenant 4", "tenant 9"}));
  EXPECT_EQ(trace.requests[2].stream, 1);
}

INSTANTIATE_TEST_SUITE_P(Lcs, LcsVersions, testing::Range(1, 9));

TEST(Lcs, TakesTheShortHeaderOfOldFiles) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file("x.lcs", header(2, 1024) + record(2, 1, 77, 512, 12, 0)));
  ASSERT_EQ(trace.requests.size(), 1u);
  EXPECT_EQ(trace.requests[0].offset.bytes, 77u);
}

TEST(Lcs, CountsWhatItLeavesOut) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file("x.lcs", header(3) + record(3, 1, 1, 0, 12, 0) +
                                                                record(3, 1, 2, std::int64_t{5} << 30, 12, 0) +
                                                                record(3, 1, 3, 1, 9, 0)));
  ASSERT_EQ(trace.requests.size(), 2u);
  EXPECT_EQ(trace.requests[0].length, traces::kMaxLength);
  EXPECT_EQ(trace.requests[1].op, Op::discard);
  EXPECT_EQ(trace.info.findings.all().size(), 2u);
}

TEST(Lcs, SaysWhatIsWrongWithAHeader) {
  const support::ScratchFolder folder;
  const auto error = [&](const std::string& content) { return support::error_of(folder.file("x.lcs", content)); };
  EXPECT_NE(error(header(9)).find("lcs version 9; versions 1 to 8"), std::string::npos);
  EXPECT_NE(error(header(1).substr(0, 8000)).find("the header's end"), std::string::npos);
  EXPECT_NE(error(header(3) + record(3, 1, 1, -5, 12, 0)).find("record 1 (byte 8192): size -5"), std::string::npos);
  EXPECT_NE(error(header(2) + "abc").find("ends 3 bytes into this record of 28"), std::string::npos);
}

TEST(Lcs, HoldsTheSameRequestsAsOracleGeneral) {
  NEEDS_SHARED_DATA("samples/libcachesim");
  const auto expected =
      support::read_all(support::shared_data("samples/libcachesim/cloudPhysicsIO.2000.oracleGeneral.bin"));
  ASSERT_EQ(expected.requests.size(), 2000u);
  for (const char* name : {"derived.2000.v1.lcs", "derived.2000.v2.lcs"}) {
    const auto trace = support::read_all(support::shared_data("samples/libcachesim") / name);
    ASSERT_EQ(trace.requests.size(), 2000u) << name;
    for (std::size_t i = 0; i < trace.requests.size(); ++i) {
      ASSERT_EQ(trace.requests[i].time, expected.requests[i].time);
      ASSERT_EQ(trace.requests[i].offset, expected.requests[i].offset);
      ASSERT_EQ(trace.requests[i].length, expected.requests[i].length);
    }
  }
}

TEST(Lcs, TakesDamagedFiles) {
  std::string file = header(2);
  for (std::uint32_t i = 0; i < 100; ++i) file += record(2, i, i % 7, 4096, 12, i % 3);
  support::expect_no_harm(file, "lcs");
}

}  // namespace
