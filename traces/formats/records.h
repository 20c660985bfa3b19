// What readers of binary records of one fixed size share: the loop over records, the place of an error, --skip-bad.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "traces/input.h"
#include "traces/reader.h"

namespace traces {

// Numbers at any address; the callers' machine is little-endian, as hdf5.cpp asserts.
template <class T>
T load_little(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

inline std::uint32_t load_big32(const char* from) { return __builtin_bswap32(load_little<std::uint32_t>(from)); }

// Thrown by what decodes a record: what is wrong with it.
struct BadRecord {
  std::string what;
};

// A moment that is `count` units after the clock's zero.
inline sim::Instant instant_of(std::uint64_t count, sim::Nanoseconds unit) {
  std::int64_t time = 0;
  if (__builtin_mul_overflow(count, unit.count, &time)) {
    throw BadRecord{"time " + std::to_string(count) + " is past the range of 64-bit nanoseconds"};
  }
  return {{time}};
}

inline sim::Offset offset_of(std::uint64_t count, sim::Bytes unit) {
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(unit.count), &bytes)) {
    throw BadRecord{"address " + std::to_string(count) + " is past 2^64 bytes"};
  }
  return {bytes};
}

class RecordReader : public Reader {
 public:
  bool next(Batch& batch) final {
    batch.clear();
    while (!batch.full() && !ended_) {
      const std::string_view bytes = input_->peek(record_bytes_ * Batch::kTarget);
      const std::size_t records = std::min(bytes.size() / record_bytes_, Batch::kTarget);
      for (std::size_t i = 0; i < records; ++i) take(bytes.substr(i * record_bytes_, record_bytes_), batch);
      input_->take(records * record_bytes_);
      if (records == 0) end(bytes.size());
    }
    return !batch.requests().empty();
  }

  const TraceInfo& info() const final { return info_; }

  std::optional<std::uint64_t> size_hint() const final {
    std::error_code unknown;
    const auto bytes = std::filesystem::file_size(input_->path(), unknown);
    if (unknown || input_->compressed() || bytes < header_bytes_) return std::nullopt;
    return (bytes - header_bytes_) / record_bytes_;
  }

 protected:
  RecordReader(std::unique_ptr<Input> input, const ReadOptions& options, std::string_view format)
      : input_(std::move(input)), skip_bad_(options.skip_bad) {
    info_.format = format;
  }

  // To be called before the first next(): the header is passed over.
  void begin(std::size_t header_bytes, std::size_t record_bytes) {
    header_bytes_ = header_bytes;
    record_bytes_ = record_bytes;
    input_->take(header_bytes);
  }

  // Adds what the record says to the batch: no request, one, or several. Throws BadRecord.
  virtual void decode(const char* record, Batch&) = 0;

  // Of the record that is being decoded.
  sim::Place place() const {
    sim::Place place{.file = input_->path()};
    place.record = record_;
    place.byte = header_bytes_ + (record_ - 1) * record_bytes_;
    return place;
  }

  std::unique_ptr<Input> input_;
  TraceInfo info_;

 private:
  void take(std::string_view record, Batch& batch) {
    ++record_;
    try {
      decode(record.data(), batch);
    } catch (const BadRecord& bad) { pass_over(bad.what, "bad records passed over"); }
  }

  void end(std::size_t bytes_left) {
    ended_ = true;
    if (bytes_left == 0) return;
    ++record_;
    pass_over("the file ends " + std::to_string(bytes_left) + " bytes into this record of " +
                  std::to_string(record_bytes_) + ": it was cut short, or is in another format",
              "incomplete records at the end");
  }

  void pass_over(const std::string& what, std::string_view finding) {
    if (info_.skipped_lines >= skip_bad_) sim::fail(place(), what);
    ++info_.skipped_lines;
    info_.findings.add(finding, place());
  }

  std::uint64_t skip_bad_;
  std::size_t header_bytes_ = 0, record_bytes_ = 1;
  std::uint64_t record_ = 0;
  bool ended_ = false;
};

}  // namespace traces
