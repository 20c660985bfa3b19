// Two kinds of trouble that a user can cause. Only `main` catches them: it prints `iocast: ` and what() on one line.
// Broken invariants of our own are not errors but bugs: they abort.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace sim {

// The command line or a configuration file is wrong: exit status 2.
struct UsageError : std::runtime_error {
  using runtime_error::runtime_error;
};

// The work failed: bad data, a file that cannot be read, no room to write. Exit status 1.
struct DataError : std::runtime_error {
  using runtime_error::runtime_error;
};

// Where something is in an input. Which of the fields apply depends on the format; zero means "does not".
struct Place {
  std::string file;
  std::uint64_t line = 0;    // from 1
  std::uint64_t column = 0;  // from 1, in bytes
  std::uint64_t record = 0;  // from 1, in formats of fixed records
  std::uint64_t byte = 0;    // offset of that record (or of the trouble) in the decompressed input

  // "FILE:12:7", "FILE:record 9 (byte 384)", or "FILE".
  std::string text() const {
    if (line) return file + ":" + std::to_string(line) + (column ? ":" + std::to_string(column) : "");
    if (record) return file + ":record " + std::to_string(record) + " (byte " + std::to_string(byte) + ")";
    if (byte) return file + ":byte " + std::to_string(byte);
    return file;
  }
};

[[noreturn]] inline void fail(const Place& where, const std::string& what) {
  throw DataError(where.text() + ": " + what);
}

}  // namespace sim
