// The direction of includes: sim <- traces, policies <- models <- experiments.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

namespace {

namespace fs = std::filesystem;

const std::map<std::string, std::set<std::string>> kMayInclude{
    {"sim", {"sim"}},
    {"traces", {"sim", "traces"}},
    {"policies", {"sim", "policies"}},
    {"models", {"sim", "traces", "policies", "models"}},
    {"experiments", {"sim", "traces", "policies", "models", "experiments"}},
};
// What the policies may know of the kernel: no clock, no events.
const std::set<std::string> kKernelForPolicies{"sim/units.h", "sim/error.h", "sim/nearest.h", "sim/random.h"};

// "FILE:LINE: what is wrong" for each include of `file` that goes the wrong way.
std::vector<std::string> violations(const fs::path& file, const std::string& folder) {
  static const std::regex include("^\\s*#\\s*include\\s+\"([a-z_]+)/([^\"]+)\"");
  std::vector<std::string> found;
  std::ifstream in(file);
  std::string text;
  for (int line = 1; std::getline(in, text); ++line) {
    std::smatch match;
    if (!std::regex_search(text, match, include)) continue;
    const std::string target = match[1], header = target + "/" + match[2].str();
    if (!kMayInclude.contains(target)) continue;
    const bool wrong = !kMayInclude.at(folder).contains(target) ||
                       (folder == "policies" && target == "sim" && !kKernelForPolicies.contains(header));
    if (wrong)
      found.push_back(file.string() + ":" + std::to_string(line) + ": " + folder + " may not include " + header);
  }
  return found;
}

TEST(Layers, IncludesGoOneWay) {
  int files = 0;
  for (const auto& [folder, allowed] : kMayInclude) {
    const fs::path root = fs::path(IOCAST_SOURCE_DIR) / folder;
    if (!fs::exists(root)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      const std::string ending = entry.path().extension().string();
      if (ending != ".h" && ending != ".cpp") continue;
      ++files;
      for (const std::string& violation : violations(entry.path(), folder)) ADD_FAILURE() << violation;
    }
  }
  EXPECT_GT(files, 50);
}

TEST(Layers, AWrongIncludeIsFound) {
  const fs::path file = fs::temp_directory_path() / "iocast_layers_test.cpp";
  std::ofstream(file) << "#include <vector>\n#include \"sim/units.h\"\n#include \"traces/trace.h\"\n";
  EXPECT_EQ(violations(file, "policies").size(), 1u);
  EXPECT_EQ(violations(file, "experiments").size(), 0u);
  fs::remove(file);
}

// What stands in front of every policy has one, as the policy's own interface.
TEST(Layers, APolicyHasNoHeader) {
  for (const auto& entry : fs::directory_iterator(fs::path(IOCAST_SOURCE_DIR) / "policies")) {
    const fs::path name = entry.path().filename();
    EXPECT_TRUE(name.extension() != ".h" || name == "policy.h" || name == "admission.h") << name;
  }
}

}  // namespace
