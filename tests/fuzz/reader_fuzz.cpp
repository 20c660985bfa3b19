// Feeds arbitrary bytes to every reader: the first byte picks the format, the rest is the file. Whatever comes, a reader
// must end: with requests, or with a DataError or UsageError.
//
// Built with clang and -fsanitize=fuzzer,address by tests/fuzz/run.sh, which also makes the first inputs.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "sim/error.h"
#include "traces/registry.h"

namespace {

// A file in memory under a name that any reader can open.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size) : fd_(::memfd_create("fuzz", 0)) {
    if (fd_ < 0 || ::write(fd_, data, size) != static_cast<ssize_t>(size)) std::abort();
  }
  ~MemoryFile() { ::close(fd_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto formats = traces::formats();
  const std::size_t choice = data[0] % (formats.size() + 1);
  const MemoryFile file(data + 1, size - 1);
  traces::ReadOptions options;
  options.skip_bad = data[1] % 2 ? 1000 : 0;
  try {
    const auto reader = traces::open_trace(file.path(), choice < formats.size() ? formats[choice]->name : "", options);
    traces::Batch batch;
    while (reader->next(batch)) {
      for (const traces::Request& request : batch.requests()) {
        if (request.length.count < 0 || request.length > traces::kMaxLength) std::abort();
        if (request.stream >= reader->info().streams.names().size()) std::abort();
        if (request.process >= reader->info().processes.names().size()) std::abort();
      }
    }
  } catch (const sim::DataError&) {
  } catch (const sim::UsageError&) {
  }
  return 0;
}
