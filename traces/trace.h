// A trace in memory, or a piece of one: read-only columns, in order of time, shared by all threads. 23 bytes a request,
// and more only for the optional columns that were asked for and that the source has.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

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
  // Empty, on the time base of `like` and with its info.
  static Trace empty_like(const Trace& like);
  // The requests that are added from here on are of `piece`, which may know more streams and more of itself.
  void continue_with(const Trace& piece) { info_ = piece.info_, start_ = piece.start_; }
  // Adds a request whose `time` is since start(), not before the last one.
  void add(sim::Nanoseconds time, sim::Offset, std::uint32_t length, Op, StreamId);
  // Those requests alone, by index, on the same time base.
  Trace only(std::span<const std::uint32_t> requests) const;
  // Which requests each stream has, by StreamId, in order. Throws DataError past 2^32 requests.
  std::vector<std::vector<std::uint32_t>> requests_by_stream() const;

  std::size_t size() const { return times_.size(); }
  const TraceInfo& info() const { return *info_; }
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
  friend class Pieces;
  void append(const Request&, bool details);
  void sort();
  void keep(std::size_t from, std::size_t to);

  std::shared_ptr<const TraceInfo> info_ = std::make_shared<TraceInfo>();  // may be that of other traces too
  sim::Instant start_{};
  Column<sim::Nanoseconds> times_, latencies_, issue_delays_;
  Column<sim::Offset> offsets_;
  Column<std::uint32_t> lengths_;
  Column<Op> ops_;
  Column<StreamId> streams_;
};

// A trace in pieces, for when it is larger than memory. Requests must be in order of time.
class Pieces {
 public:
  // `reader` must outlive it; `from` and `to` are as in LoadOptions.
  Pieces(Reader& reader, std::size_t requests, std::optional<sim::Nanoseconds> from, std::optional<sim::Nanoseconds> to)
      : reader_(reader), requests_(requests), from_(from), to_(to) {}

  // Replaces `piece` by the next requests, on one time base for all pieces: the first request's time. Its info is
  // complete in the last piece only. False at the end. Throws DataError when a request is earlier than one before it.
  bool next(Trace& piece);

 private:
  Reader& reader_;
  std::size_t requests_;
  std::optional<sim::Nanoseconds> from_, to_;
  Batch batch_;
  std::optional<sim::Nanoseconds> first_;  // of the source
  std::optional<sim::Nanoseconds> start_;  // of what is kept
  sim::Nanoseconds latest_{0};
};

}  // namespace traces
