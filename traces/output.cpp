#include "traces/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "sim/error.h"

namespace traces {
namespace {

constexpr std::size_t kBufferBytes = 1 << 20;

// What a signal handler may touch: fixed slots of plain pointers. Files beyond the slots are only not cleaned up
// on a signal.
std::array<std::atomic<const char*>, 256> temporaries{};

void remember(const char* path) {
  for (auto& slot : temporaries) {
    const char* none = nullptr;
    if (slot.compare_exchange_strong(none, path)) return;
  }
}

void forget(const char* path) {
  for (auto& slot : temporaries) {
    const char* mine = path;
    if (slot.compare_exchange_strong(mine, nullptr)) return;
  }
}

void on_signal(int signal) {
  for (auto& slot : temporaries) {
    if (const char* path = slot.load()) ::unlink(path);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

[[noreturn]] void fail(const std::string& path) {
  throw sim::DataError(path + ": cannot write: " + std::strerror(errno));
}

void write_fully(int fd, const std::string& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail(path);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

}  // namespace

void remove_temporaries_on_signal() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, on_signal);
}

TemporaryFile::TemporaryFile(std::string path) : path_(std::move(path)), temporary_(path_ + ".tmp-XXXXXX") {
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) throw sim::DataError(path_ + ": is a directory");
  const int fd = ::mkstemp(temporary_.data());
  if (fd < 0) fail(path_);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(fd, 0666 & ~mask);
  ::close(fd);
  remember(temporary_.c_str());
}

TemporaryFile::~TemporaryFile() {
  if (!committed_) ::unlink(temporary_.c_str());
  forget(temporary_.c_str());
}

void TemporaryFile::commit() {
  const int fd = ::open(temporary_.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = fd >= 0 && (::fsync(fd) == 0 || errno == EINVAL);
  if (fd >= 0) ::close(fd);
  if (!synced || ::rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_);
  committed_ = true;
}

Output::Output(const std::string& path) : name_(path), buffer_(std::make_unique_for_overwrite<char[]>(kBufferBytes)) {
  if (path == "-") {
    name_ = "standard output";
    fd_ = ::dup(STDOUT_FILENO);
  } else {
    file_ = std::make_unique<TemporaryFile>(path);
    fd_ = ::open(file_->temporary().c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  }
  if (fd_ < 0) fail(name_);
}

Output::~Output() {
  if (fd_ >= 0) ::close(fd_);
}

void Output::write(std::string_view bytes) {
  if (bytes.empty()) return;  // whose address may be null, which memcpy must not be given
  if (used_ + bytes.size() > kBufferBytes) flush();
  if (bytes.size() > kBufferBytes) {
    write_fully(fd_, name_, bytes);
    flushed_ += bytes.size();
    return;
  }
  std::memcpy(buffer_.get() + used_, bytes.data(), bytes.size());
  used_ += bytes.size();
}

const std::string& Output::flush() {
  write_fully(fd_, name_, {buffer_.get(), used_});
  flushed_ += used_;
  used_ = 0;
  static const std::string none;
  return file_ ? file_->temporary() : none;
}

void Output::commit() {
  flush();
  const int fd = fd_;
  fd_ = -1;
  if (::close(fd) != 0) fail(name_);
  if (file_) file_->commit();
}

}  // namespace traces
