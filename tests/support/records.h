// Binary records put together from numbers, traces written from requests, and errors as text.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string>

#include "tests/support/trace_files.h"

namespace support {

template <class T>
std::string bytes(T value) {
  std::string text(sizeof value, '\0');
  std::memcpy(text.data(), &value, sizeof value);
  return text;
}

// Writes the trace and returns what the writer says the format could not hold. `batch` requests at a time.
inline traces::Findings write_all(const WholeTrace& trace, const std::string& path, std::string_view format,
                                  const traces::WriteOptions& options = {}, std::size_t batch = 1000) {
  const auto writer = traces::format_named(format).create(path, options);
  const std::span<const traces::Request> all(trace.requests);
  for (std::size_t i = 0; i < all.size(); i += batch) {
    writer->write(all.subspan(i, std::min(batch, all.size() - i)), trace.info);
  }
  traces::Findings notes;
  writer->finish(trace.info, notes);
  return notes;
}

// What reading the trace fails with; empty if it does not.
inline std::string error_of(const std::string& path, std::string_view format = "") {
  try {
    read_all(path, format);
    return "";
  } catch (const sim::DataError& error) { return error.what(); }
}

}  // namespace support
