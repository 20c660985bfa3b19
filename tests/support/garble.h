// Damaged copies of a file, for tests that a reader takes any of them with an error or to the end, and no worse.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "sim/random.h"
#include "tests/support/trace_files.h"

namespace support {

// Opens `content` as `format` cut at many lengths, and with bytes of it changed. Each must end, or throw a
// DataError or UsageError.
inline void expect_no_harm(const std::string& content, std::string_view format,
                           const traces::ReadOptions& options = {}) {
  const ScratchFolder folder;
  const auto read = [&](const std::string& damaged) {
    const std::string path = folder.file("damaged", damaged);
    try {
      const auto reader = traces::open_trace(path, format, options);
      traces::Batch batch;
      std::uint64_t requests = 0;
      while (reader->next(batch)) requests += batch.requests().size();
      EXPECT_LT(requests, 10'000'000u);
    } catch (const sim::DataError&) {
    } catch (const sim::UsageError&) {  // a map that no longer fits the damaged header
    }
  };
  for (std::uint64_t cut = 0; cut < 60; ++cut) {
    read(content.substr(0, 1 + sim::random_word(1, cut) % content.size()));
  }
  for (std::uint64_t round = 0; round < 300; ++round) {
    std::string damaged = content;
    for (std::uint64_t change = 0; change < 1 + round % 4; ++change) {
      const std::uint64_t word = sim::random_word(2, round * 8 + change);
      // Digits, delimiters and marks do more than random bytes: the line keeps its form.
      static constexpr std::string_view kTelling = "0123456789,;.-+eExX \t\"\n\r#:()RW\xff";
      const char byte = round % 3 == 0 ? static_cast<char>(word >> 40) : kTelling[(word >> 40) % kTelling.size()];
      damaged[word % damaged.size()] = byte;
    }
    read(damaged);
  }
}

}  // namespace support
