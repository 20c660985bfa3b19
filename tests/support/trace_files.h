// Small files for tests of readers, and whole traces as vectors.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "traces/registry.h"

namespace support {

// A folder of its own that is removed with everything in it.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "iocast-test-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string path(const std::string& name) const { return (path_ / name).string(); }
  // Writes `content` to a file in the folder and returns its path.
  std::string file(const std::string& name, std::string_view content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

struct WholeTrace {
  std::vector<traces::Request> requests;
  traces::TraceInfo info;
  std::uint64_t count(traces::Op op) const {
    std::uint64_t n = 0;
    for (const auto& r : requests) n += r.op == op;
    return n;
  }
};

inline WholeTrace read_all(traces::Reader& reader) {
  WholeTrace whole;
  traces::Batch batch;
  while (reader.next(batch))
    whole.requests.insert(whole.requests.end(), batch.requests().begin(), batch.requests().end());
  whole.info = reader.info();
  return whole;
}

// Opens as the command line does: `format` empty means recognised.
inline WholeTrace read_all(const std::string& path, std::string_view format = "",
                           const traces::ReadOptions& options = {}) {
  return read_all(*traces::open_trace(path, format, options));
}

inline std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace support
