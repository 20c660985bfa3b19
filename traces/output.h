// A file that appears whole or not at all: written under a temporary name beside its own, renamed by commit(), and
// removed if that is never reached (an error, or SIGINT, SIGTERM or SIGHUP).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace traces {

class TemporaryFile {
 public:
  // Throws DataError if the file cannot be made.
  explicit TemporaryFile(std::string path);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  const std::string& path() const { return path_; }            // the final name
  const std::string& temporary() const { return temporary_; }  // the name to write to
  // Flushes to the disk and renames. Throws DataError.
  void commit();

 private:
  std::string path_, temporary_;
  bool committed_ = false;
};

// Buffered bytes to a TemporaryFile, or to standard output for the path "-".
class Output {
 public:
  explicit Output(const std::string& path);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output();

  void write(std::string_view bytes);  // throws DataError, with the system's reason
  std::uint64_t written() const { return flushed_ + used_; }
  // All that was written so far is in the temporary file, whose name this is; empty for standard output.
  const std::string& flush();
  void commit();

 private:
  std::string name_;
  std::unique_ptr<TemporaryFile> file_;
  int fd_ = -1;
  std::unique_ptr<char[]> buffer_;
  std::size_t used_ = 0;
  std::uint64_t flushed_ = 0;
};

// Makes SIGINT, SIGTERM and SIGHUP remove the temporary files before the process ends by that signal.
void remove_temporaries_on_signal();

}  // namespace traces
