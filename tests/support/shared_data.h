// Real trace files and reference results for tests that are stronger with them. They are not part of the project: a
// test that wants one skips, saying so, where it is absent.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace support {

// The folder named by IOCAST_TEST_DATA, or `shared` beside the project's.
inline std::filesystem::path shared_data(const std::string& name) {
  const char* folder = std::getenv("IOCAST_TEST_DATA");
  return (folder ? std::filesystem::path(folder) : std::filesystem::path(IOCAST_SOURCE_DIR).parent_path() / "shared") /
         name;
}

}  // namespace support

// In a test: skips it when the named file or folder of the shared data is absent.
#define NEEDS_SHARED_DATA(name) \
  if (!std::filesystem::exists(support::shared_data(name))) GTEST_SKIP() << "no test data " << (name)
