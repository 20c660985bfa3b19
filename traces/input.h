// Bytes from a file, a pipe or standard input, decompressed on the way when their first bytes say gzip, zstd, xz,
// bzip2 or lz4. Memory is bounded whatever the size.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sim/error.h"

struct archive;

namespace traces {

class Input {
 public:
  // `path` "-" is standard input. Throws DataError: no such file, a directory, no permission, or empty.
  explicit Input(std::string path);
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  ~Input();

  const std::string& path() const { return path_; }
  bool compressed() const { return archive_ != nullptr; }
  std::uint64_t consumed() const { return consumed_; }  // decompressed bytes taken so far

  // At least `wanted` bytes (or all that are left, when fewer) from the current position, without taking them. The
  // view holds until the next call. `wanted` may be any size; the buffer grows to it.
  std::string_view peek(std::size_t wanted);
  void take(std::size_t count) {
    position_ += count;
    consumed_ += count;
  }  // count <= what the last peek returned

  // The next line without its "\n" or "\r\n"; false at the end. A last line without a newline counts. The view holds
  // until the next call. Throws DataError for a line longer than 1 MiB: that is not a text file.
  bool line(std::string_view& text);
  std::uint64_t line_number() const { return line_number_; }  // of the line last returned, from 1

  sim::Place place() const;  // file and line, or file and byte where no line was read
  [[noreturn]] void fail(const std::string& what) const { sim::fail(place(), what); }

 private:
  bool fill(std::size_t wanted);  // false when the source ended before `wanted` bytes
  std::size_t read_source(char* to, std::size_t room);

  std::string path_;
  int fd_ = -1;
  archive* archive_ = nullptr;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t position_ = 0;  // of the next byte to take
  std::size_t filled_ = 0;
  bool ended_ = false;
  std::uint64_t consumed_ = 0;
  std::uint64_t line_number_ = 0;
  std::uint64_t seen_ = 0;  // compressed bytes that the decompressor was given
  std::string prefix_;      // bytes read to recognise compression, to be handed on

  friend struct ArchiveSource;
};

}  // namespace traces
