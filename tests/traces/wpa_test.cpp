#include <gtest/gtest.h>

#include "tests/support/garble.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_files.h"

using traces::Op;

namespace {

constexpr std::string_view kGerman =
    "IO Type;Priority;Process (Name);Init Time (s);Complete Time (s);IO Time (\u00B5s);Size (B);Min Offset;Max Offset;"
    "Disk;Count\r\n"
    "Read;Normal;System;1,079943800;1,080031000;87,200;16.384;0x0000000000000400;0x00000000000043FF;1;1\r\n"
    "Write;Normal;a.exe;1.234,500000000;1.234,502795900;2.795,900;512;0x0000000100000000;0x00000001000001FF;0;1\r\n"
    "Flush;Normal;System;1.235,0;1.235,0000457;45,700;0;0xFFFFFFFFFFFFFFFF;0xFFFFFFFFFFFFFFFF;1;1\r\n"
    "Read;Normal;System;1.235,0;1.235,0000457;45,700;0;0x0;0x0;1;2\r\n";
// American marks, quoted; other columns in another order; no IO Time and no Size.
constexpr std::string_view kAmerican =
    "\xEF\xBB\xBFMin Offset,Max Offset,Complete Time (ms),Init Time (ms),IO Type\n"
    "0x200,0x3FF,\"1,234.6\",\"1,234.567890\",Read\n";

}  // namespace

TEST(Wpa, ReadsCommasAsDecimalMarks) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file("x", kGerman));
  ASSERT_EQ(trace.requests.size(), 3u);
  EXPECT_EQ(trace.info.format, "wpa");
  EXPECT_EQ(trace.info.streams.names(), (std::vector<std::string>{"disk1", "disk0"}));
  EXPECT_EQ(trace.requests[0].time.since_origin.count, 1'079'943'800);
  EXPECT_EQ(trace.requests[0].latency.count, 87'200);
  EXPECT_EQ(trace.requests[0].length.count, 16384);
  EXPECT_EQ(trace.requests[0].offset.bytes, 1024u);
  EXPECT_EQ(trace.requests[1].time.since_origin.count, 1'234'500'000'000);
  EXPECT_EQ(trace.requests[1].latency.count, 2'795'900);
  EXPECT_EQ(trace.requests[1].offset.bytes, 0x100000000u);
  EXPECT_EQ(trace.requests[1].op, Op::write);
  EXPECT_EQ(trace.requests[2].op, Op::flush);
  EXPECT_EQ(trace.requests[2].offset.bytes, 0u);
  EXPECT_EQ(trace.info.processes.names(), (std::vector<std::string>{"", "System", "a.exe"}));
  ASSERT_EQ(trace.info.findings.all().size(), 1u);  // the row that stands for two
}

TEST(Wpa, ReadsAnyOrderAndMarks) {
  const support::ScratchFolder folder;
  const auto trace = support::read_all(folder.file("x", kAmerican));
  ASSERT_EQ(trace.requests.size(), 1u);
  EXPECT_EQ(trace.info.format, "wpa");
  EXPECT_EQ(trace.requests[0].time.since_origin.count, 1'234'567'890);
  EXPECT_EQ(trace.requests[0].latency.count, 32'110);
  EXPECT_EQ(trace.requests[0].offset.bytes, 512u);
  EXPECT_EQ(trace.requests[0].length.count, 512);
}

TEST(Wpa, NamesThePlaceOfWhatIsWrong) {
  const support::ScratchFolder folder;
  const std::string path = folder.file("x", std::string(kGerman) + "Read;Normal;System;1,0;1,1;1,0;x;0x0;0x1;1;1\n");
  try {
    support::read_all(path);
    FAIL();
  } catch (const sim::DataError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with(path + ":6:32: ")) << error.what();
  }
  EXPECT_THROW(support::read_all(folder.file("y", "IO Type;Size (B)\nRead;1\n"), "wpa"), sim::DataError);
}

TEST(Wpa, ReadsTheRealSample) {
  NEEDS_SHARED_DATA("samples/wpa_diskio_csv");
  const auto trace =
      support::read_all(support::shared_data("samples/wpa_diskio_csv/wpaexporter_diskio.2000.csv").string());
  EXPECT_EQ(trace.requests.size(), 1999u);
  EXPECT_EQ(trace.count(Op::read), 1843u);
  EXPECT_EQ(trace.count(Op::write), 119u);
  EXPECT_EQ(trace.count(Op::flush), 37u);
  EXPECT_TRUE(trace.info.findings.all().empty());
  // Init Time 1,718822100, IO Time 1.795,900 us.
  EXPECT_EQ(trace.requests[43].time.since_origin.count, 1'718'822'100);
  EXPECT_EQ(trace.requests[43].latency.count, 1'795'900);
}

TEST(Wpa, TakesNoHarmFromDamage) {
  support::expect_no_harm(std::string(kGerman), "wpa");
  support::expect_no_harm(std::string(kAmerican), "wpa");
}
