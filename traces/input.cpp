#include "traces/input.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace traces {
namespace {

constexpr std::size_t kChunk = 1 << 20;
constexpr std::size_t kMaxLine = 1 << 20;

bool looks_compressed(std::string_view head) {
  using namespace std::string_view_literals;
  for (const std::string_view magic : {"\x1f\x8b"sv, "\x28\xb5\x2f\xfd"sv,
                                       "\xfd"
                                       "7zXZ\0"sv,
                                       "BZh"sv, "\x04\x22\x4d\x18"sv}) {
    if (head.starts_with(magic)) return true;
  }
  return false;
}

// Some kinds of damage libarchive has no words for.
std::string reason(archive* a) {
  const char* text = archive_error_string(a);
  return text ? text : "the compressed data is damaged";
}

std::size_t read_fully(int fd, const std::string& path, char* to, std::size_t room) {
  std::size_t total = 0;
  while (total < room) {
    const ssize_t got = ::read(fd, to + total, room - total);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw sim::DataError(path + ": " + std::strerror(errno));
    if (got == 0) break;
    total += static_cast<std::size_t>(got);
  }
  return total;
}

}  // namespace

// Feeds libarchive: first the bytes that were looked at, then the rest of the file.
struct ArchiveSource {
  static la_ssize_t read(archive* a, void* self, const void** data) {
    auto& input = *static_cast<Input*>(self);
    static thread_local std::string chunk;
    if (!input.prefix_.empty()) {
      chunk.swap(input.prefix_);
      input.prefix_.clear();
    } else {
      chunk.resize(kChunk);
      ssize_t got;
      do got = ::read(input.fd_, chunk.data(), kChunk);
      while (got < 0 && errno == EINTR);
      if (got < 0) {
        archive_set_error(a, errno, "%s", std::strerror(errno));
        return -1;
      }
      chunk.resize(static_cast<std::size_t>(got));
    }
    input.seen_ += chunk.size();
    *data = chunk.data();
    return static_cast<la_ssize_t>(chunk.size());
  }
};

Input::Input(std::string path) : path_(std::move(path)) {
  if (path_ == "-") {
    path_ = "standard input";
    fd_ = ::dup(STDIN_FILENO);
  } else {
    fd_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  }
  if (fd_ < 0) throw sim::DataError(path_ + ": " + std::strerror(errno));
  try {
    struct stat status {};
    if (::fstat(fd_, &status) == 0 && S_ISDIR(status.st_mode))
      throw sim::DataError(path_ + ": is a directory, not a trace file");
    prefix_.resize(kChunk);
    prefix_.resize(read_fully(fd_, path_, prefix_.data(), 8));
    if (prefix_.empty()) throw sim::DataError(path_ + ": is empty");
    if (looks_compressed(prefix_)) {
      archive_ = archive_read_new();
      archive_read_support_filter_gzip(archive_);
      archive_read_support_filter_zstd(archive_);
      archive_read_support_filter_xz(archive_);
      archive_read_support_filter_bzip2(archive_);
      archive_read_support_filter_lz4(archive_);
      archive_read_support_format_raw(archive_);
      archive_read_support_format_empty(archive_);
      archive_entry* entry = nullptr;
      if (archive_read_open(archive_, this, nullptr, &ArchiveSource::read, nullptr) != ARCHIVE_OK ||
          archive_read_next_header(archive_, &entry) != ARCHIVE_OK) {
        throw sim::DataError(path_ + ": cannot decompress: " + reason(archive_));
      }
      if (peek(1).empty()) throw sim::DataError(path_ + ": is empty once decompressed");
    }
  } catch (...) {
    if (archive_) archive_read_free(archive_);
    ::close(fd_);
    throw;
  }
}

Input::~Input() {
  if (archive_) archive_read_free(archive_);
  ::close(fd_);
}

std::size_t Input::read_source(char* to, std::size_t room) {
  if (!archive_) {
    std::size_t total = std::min(room, prefix_.size());
    if (total) {
      std::memcpy(to, prefix_.data(), total);
      prefix_.erase(0, total);
    }
    return total + read_fully(fd_, path_, to + total, room - total);
  }
  const la_ssize_t got = archive_read_data(archive_, to, room);
  if (got < 0) {
    throw sim::DataError(path_ + ": byte " + std::to_string(consumed_ + (filled_ - position_)) +
                         " once decompressed: " + reason(archive_) + " (is the file cut short?)");
  }
  return static_cast<std::size_t>(got);
}

bool Input::fill(std::size_t wanted) {
  while (filled_ - position_ < wanted && !ended_) {
    if (position_ > 0) {
      std::memmove(buffer_.get(), buffer_.get() + position_, filled_ - position_);
      filled_ -= position_;
      position_ = 0;
    }
    const std::size_t needed = std::max(wanted, filled_) + kChunk;
    if (capacity_ < needed) {
      auto larger = std::make_unique_for_overwrite<char[]>(needed);
      if (filled_) std::memcpy(larger.get(), buffer_.get(), filled_);
      buffer_ = std::move(larger);
      capacity_ = needed;
    }
    const std::size_t got = read_source(buffer_.get() + filled_, kChunk);
    filled_ += got;
    ended_ = got == 0;
  }
  return filled_ - position_ >= wanted;
}

std::string_view Input::peek(std::size_t wanted) {
  fill(wanted);
  return {buffer_.get() + position_, filled_ - position_};
}

bool Input::line(std::string_view& text) {
  std::size_t searched = 0;
  for (;;) {
    const char* begin = buffer_.get() + position_;
    const std::size_t available = filled_ - position_;
    const auto* end = available > searched
                          ? static_cast<const char*>(std::memchr(begin + searched, '\n', available - searched))
                          : nullptr;
    if (end || (ended_ && available)) {
      std::size_t length = end ? static_cast<std::size_t>(end - begin) : available;
      take(length + (end ? 1 : 0));
      if (length && begin[length - 1] == '\r') --length;
      text = {begin, length};
      ++line_number_;
      return true;
    }
    if (ended_) return false;
    if (available > kMaxLine) {
      ++line_number_;
      fail("a line of over 1 MiB: this is not a text trace");
    }
    searched = available;
    fill(available + 1);
  }
}

sim::Place Input::place() const {
  sim::Place place{.file = path_};
  place.line = line_number_;
  if (!line_number_) place.byte = consumed_;
  return place;
}

}  // namespace traces
