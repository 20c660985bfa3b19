// Every table among the real files is recognised as what it is, and nothing else is taken for a table.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "tests/support/shared_data.h"
#include "tests/support/trace_files.h"

namespace {

namespace fs = std::filesystem;

const std::map<std::string, std::string> kTables = {
    {"samples/alibaba/alibaba_first_rows_quoted.csv", "alibaba"},
    {"samples/biosnoop/bcc_biosnoop_example.txt", "biosnoop"},
    {"samples/disksim_ascii/ascii.2000.trace", "disksim"},
    {"samples/etl/net.4.5.2.x86.cut.compressed.etl.diskio.csv", "csv"},
    {"samples/etl/net.4.5.2.x86.cut.uncompressed.etl.diskio.csv", "csv"},
    {"samples/libcachesim/cloudPhysicsIO.2000.csv", "csv"},
    {"samples/mqsim_ascii/tpcc-small.2000.trace", "mqsim"},
    {"samples/mqsim_ascii/wsrch-small.2000.trace", "mqsim"},
    {"samples/msr_cambridge/msr-cambridge1-sample.csv", "msr"},
    {"samples/spc/spc_spec_example.spc", "spc"},
    {"samples/systor17/systor17-additional-sample.csv.gz", "systor"},
    {"samples/systor17/systor17-traces-sample.csv.gz", "systor"},
    {"samples/tencent_cbs/cloud_storage-sample.2000.csv", "tencent"},
    {"samples/wpa_diskio_csv/wpaexporter_diskio.2000.csv", "wpa"},
    {"traces/cloudPhysicsIO.csv", "csv"},
};

const std::set<std::string> kTableFormats = {"alibaba", "biosnoop",   "csv", "disksim", "fiu",
                                             "mqsim",   "msr",        "spc", "systor",  "tectonic",
                                             "tencent", "vscsistats", "wpa", "xperf"};

// The format that a file is taken for, or "" for none.
std::string recognised(const std::string& path) {
  try {
    return traces::open_trace(path, "", {})->info().format;
  } catch (const sim::DataError&) { return ""; }
}

}  // namespace

TEST(RecogniseTables, RealFiles) {
  NEEDS_SHARED_DATA("samples");
  for (const auto& [file, format] : kTables) {
    const fs::path path = support::shared_data(file);
    EXPECT_TRUE(!fs::exists(path) || recognised(path.string()) == format) << file;
  }
}

TEST(RecogniseTables, NothingElseIsOne) {
  NEEDS_SHARED_DATA("samples");
  const fs::path root = support::shared_data("");
  std::size_t files = 0;
  for (const char* folder : {"samples", "traces"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file() || kTables.contains(fs::relative(entry.path(), root).string())) continue;
      ++files;
      EXPECT_FALSE(kTableFormats.contains(recognised(entry.path().string()))) << entry.path();
    }
  }
  EXPECT_GT(files, 100u);
}

// DiskSim's files of the `validate` tests tell no time of arrival.
TEST(RecogniseTables, ValidationFilesAreNoTraces) {
  const support::ScratchFolder folder;
  EXPECT_EQ(recognised(folder.file("x", "W Hit    4583176   4    663.00000  45422.00000\n")), "");
}

TEST(RecogniseTables, LookAlikes) {
  const support::ScratchFolder folder;
  const auto of = [&](std::string_view content) { return recognised(folder.file("x", content)); };
  EXPECT_EQ(of("938513000 4 264719034 16 0\n"), "mqsim");
  EXPECT_EQ(of("938513000 4 264719034 16 0\n938513000.5 4 264719034 16 0\n"), "disksim");
  EXPECT_EQ(of("0,R,126703661056,4096,1577808000000046\n"), "alibaba");
  EXPECT_EQ(of("1538323200,4247200,128,1,1058\n"), "tencent");
  EXPECT_EQ(of("0,20941264,8192,W,0.551706\n"), "spc");
  EXPECT_EQ(of("1,2,3\n"), "");
  EXPECT_EQ(of("some,words\n"), "");
  EXPECT_EQ(of("time,size,price\n1,2,3\n"), "");
}
