// A whole trace in memory: read-only columns, in order of time, shared by all threads. 23 bytes a request, and more
// only for the optional columns that were asked for and that the source has.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "traces/column.h"
#include "traces/info.h"
#include "traces/reader.h"

namespace traces {

struct LoadOptions {
  bool details = false;                  // keep latency, issue delay, flags and process too
  std::optional<sim::Nanoseconds> from;  // keep requests at or after this much past the trace's first
  std::optional<sim::Nanoseconds> to;    // and before this
};

class Trace {
 public:
  // Reads to the end. Requests out of order are sorted by time, those of equal time in the order of the source, and
  // counted in info().findings. Throws what the reader throws, and DataError when no request is left.
  static Trace load(Reader&, const LoadOptions& = {});
  // The requests of one stream alone, on the same time base.
  Trace only(StreamId) const;

  std::size_t size() const { return times_.size(); }
  const TraceInfo& info() const { return info_; }
  // Of time zero, on the clock that info() names: the first request's.
  sim::Instant start() const { return start_; }
  sim::Nanoseconds duration() const;  // from the first request to the last

  std::span<const sim::Nanoseconds> times() const { return times_; }  // since start()
  std::span<const sim::Offset> offsets() const { return offsets_; }
  std::span<const std::uint32_t> lengths() const { return lengths_; }  // bytes
  std::span<const Op> ops() const { return ops_; }
  std::span<const StreamId> streams() const { return streams_; }
  // Empty unless asked for and known for at least one request.
  std::span<const sim::Nanoseconds> latencies() const { return latencies_; }
  std::span<const sim::Nanoseconds> issue_delays() const { return issue_delays_; }

 private:
  void append(const Request&, bool details);
  void sort();
  void keep(std::size_t from, std::size_t to);

  TraceInfo info_;
  sim::Instant start_{};
  Column<sim::Nanoseconds> times_, latencies_, issue_delays_;
  Column<sim::Offset> offsets_;
  Column<std::uint32_t> lengths_;
  Column<Op> ops_;
  Column<StreamId> streams_;
};

}  // namespace traces
