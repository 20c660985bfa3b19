// The command line as a whole: help, versions, exit statuses, and bad input of every kind.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/program.h"
#include "tests/support/trace_files.h"

namespace {

using support::iocast;
namespace fs = std::filesystem;

const std::string kSample = IOCAST_SOURCE_DIR "/traces/samples/workstation.h5";

void expect_one_line_error(const support::ProgramResult& result, const std::string& says) {
  EXPECT_TRUE(result.status == 1 || result.status == 2) << result.status;
  EXPECT_TRUE(result.err.starts_with("iocast: ")) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_NE(result.err.find(says), std::string::npos) << "'" << says << "' is not in: " << result.err;
}

TEST(Main, VersionNamesTheProgramAndTheCommit) {
  const auto result = iocast("--version");
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(result.out.starts_with("iocast 0.")) << result.out;
  EXPECT_NE(result.out.find('('), std::string::npos);
}

TEST(Main, HelpOfEveryCommandBeginsWithItsUse) {
  EXPECT_EQ(iocast("help").status, 0);
  EXPECT_EQ(iocast("").status, 2);
  for (const std::string command : {"describe", "curve", "convert", "policies", "formats"}) {
    for (const auto& result : {iocast("help " + command), iocast(command + " --help")}) {
      EXPECT_EQ(result.status, 0);
      EXPECT_TRUE(result.out.starts_with("Usage: iocast " + command)) << result.out;
    }
    EXPECT_NE(iocast("help").out.find("  " + command), std::string::npos);
  }
}

TEST(Main, AMistypedCommandIsGuessed) {
  const auto result = iocast("curv x");
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("did you mean 'curve'"), std::string::npos) << result.err;
}

TEST(Main, EveryFormatAndPolicyExplainsItself) {
  const auto formats = iocast("formats --json").json()["formats"];
  EXPECT_GE(formats.size(), 29u);
  for (const auto& format : formats) {
    const auto result = iocast("formats " + format["name"].get<std::string>());
    EXPECT_EQ(result.status, 0);
    EXPECT_GT(result.out.size(), 100u) << format["name"];
  }
  const auto policies = iocast("policies --json").json()["policies"];
  EXPECT_GE(policies.size(), 7u);
  for (const auto& policy : policies)
    EXPECT_NE(iocast("policies " + policy["name"].get<std::string>()).out.find("Paper: "), std::string::npos);
}

TEST(BadInput, AFileThatIsNotThere) {
  expect_one_line_error(iocast("describe /no/such/trace"), "/no/such/trace: No such file");
}

TEST(BadInput, ADirectory) {
  const support::ScratchFolder folder;
  expect_one_line_error(iocast("curve " + folder.path("")), "is a directory");
}

TEST(BadInput, AnEmptyFile) {
  const support::ScratchFolder folder;
  expect_one_line_error(iocast("describe " + folder.file("x.csv", "")), "x.csv: is empty");
  expect_one_line_error(support::shell("{} describe - < /dev/null"), "standard input: is empty");
}

TEST(BadInput, AFileThatMayNotBeRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const support::ScratchFolder folder;
  const std::string path = folder.file("x.csv", "1,2,3\n");
  fs::permissions(path, fs::perms::none);
  expect_one_line_error(iocast("describe " + path), "Permission denied");
}

TEST(BadInput, NoFormatThatIsKnown) {
  const support::ScratchFolder folder;
  expect_one_line_error(iocast("describe " + folder.file("x", "what is this?\nno trace at all, it seems\n")),
                        "no format that iocast recognises");
}

TEST(BadInput, AGarbledLineIsNamedOrPassedOver) {
  const support::ScratchFolder folder;
  const std::string path = folder.file(
      "hm_0.csv",
      "128166385295514663,hm,0,Write,9056014336,2048,2833\n128166385295514878,hm,0,Write,118553x1808,512,2617\n"
      "128166385295515175,hm,0,Write,5548077056,4096,2320\n");
  expect_one_line_error(iocast("describe " + path + " --format msr"), "hm_0.csv:2:31: ");
  const auto tolerant = iocast("describe " + path + " --format msr --skip-bad 1 --json");
  ASSERT_EQ(tolerant.status, 0) << tolerant.err;
  EXPECT_EQ(tolerant.json()["trace"]["requests"], 2);
  EXPECT_EQ(tolerant.json()["trace"]["skipped_lines"], 1);
  EXPECT_EQ(iocast("describe " + path + " --format msr --skip-bad 0").status, 1);
}

TEST(BadInput, CompressedFilesCutShort) {
  const support::ScratchFolder folder;
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += std::to_string(i * 7919 % 1000) + "\n";
  const std::string plain = folder.file("t.trace", text);
  for (const auto& [tool, ending] :
       {std::pair{"gzip", ".gz"}, {"zstd -q", ".zst"}, {"xz", ".xz"}, {"bzip2", ".bz2"}, {"lz4 -q", ".lz4"}}) {
    const std::string whole = folder.path(std::string("whole") + ending),
                      cut = folder.path(std::string("cut") + ending);
    if (support::shell(std::string(tool) + " -c " + plain + " > " + whole).status != 0)
      continue;  // the tool is not installed
    EXPECT_EQ(iocast("describe --json " + whole).json()["trace"]["requests"], 20'000) << tool;
    EXPECT_EQ(support::shell("cat " + whole + " | {} describe --json -").json()["trace"]["requests"], 20'000) << tool;
    const std::string bytes = support::slurp(whole);
    folder.file(std::string("cut") + ending, bytes.substr(0, bytes.size() / 2));
    expect_one_line_error(iocast("describe " + cut), cut);
    std::string damaged = bytes;
    for (std::size_t at = bytes.size() / 3; at < damaged.size(); at += 97)
      damaged[at] = static_cast<char>(~damaged[at]);
    expect_one_line_error(iocast("describe --format lirs " + folder.file(std::string("damaged") + ending, damaged)),
                          "damaged");
  }
}

TEST(BadInput, ATraceCutShort) {
  const support::ScratchFolder folder;
  const std::string bytes = support::slurp(kSample);
  for (const double share : {0.001, 0.3, 0.9, 0.999}) {
    const std::string path =
        folder.file("cut.h5", bytes.substr(0, static_cast<std::size_t>(share * static_cast<double>(bytes.size()))));
    expect_one_line_error(iocast("curve --quiet " + path), "cut.h5");
  }
}

TEST(BadOutput, AFullDiskLeavesNothing) {
  // A limit on the size of files stands for a full disk: write() fails in the middle. The signal that comes with it is
  // off.
  const support::ScratchFolder folder;
  for (const std::string name : {"x.h5", "x.csv", "x.iolog", "x.blktrace", "x.oracleGeneral"}) {
    const auto result =
        support::shell("trap '' XFSZ; ulimit -f 64; {} convert " + kSample + " --quiet -o " + folder.path(name));
    EXPECT_EQ(result.status, 1) << name << ": " << result.err;
    EXPECT_NE(result.err.find(name), std::string::npos) << result.err;
  }
  EXPECT_TRUE(fs::is_empty(folder.path(""))) << "something was left behind";
  expect_one_line_error(support::shell("{} convert " + kSample + " --quiet -o - --to csv > /dev/full"),
                        "No space left");
  expect_one_line_error(support::shell("{} curve --quiet --json " + kSample + " > /dev/full"), "standard output");
}

TEST(BadOutput, AFolderThatIsNotThere) {
  expect_one_line_error(iocast("convert " + kSample + " -o /no/such/folder/x.h5"), "/no/such/folder/x.h5");
}

TEST(BadOutput, ASignalLeavesNothing) {
  const support::ScratchFolder folder;
  // The input never ends; the program is stopped while it writes.
  const auto result = support::shell(
      "(echo 1; sleep 0.3; yes 2) | timeout -s INT 1 {} convert - --format lirs --quiet -o " + folder.path("x.csv"));
  EXPECT_NE(result.status, 0);
  EXPECT_TRUE(fs::is_empty(folder.path("")));
}

TEST(BadInput, AFailureLeavesTheOldOutput) {
  const support::ScratchFolder folder;
  const std::string old = folder.file("out.csv", "precious\n");
  EXPECT_EQ(iocast("convert --quiet " + folder.file("bad.trace", "1\n2\nx\n") + " --format lirs -o " + old).status, 1);
  EXPECT_EQ(support::slurp(old), "precious\n");
}

}  // namespace
