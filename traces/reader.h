// A reader turns one trace, in whatever format, into batches of requests. It streams: its memory does not grow with
// the trace (but for what its format must remember, such as requests that wait for their completion).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "traces/info.h"
#include "traces/request.h"

namespace traces {

// Requests handed over at a time: large enough to amortise a virtual call, small enough to stay in the cache.
class Batch {
 public:
  static constexpr std::size_t kTarget = 4096;

  void clear() { requests_.clear(); }
  bool full() const { return requests_.size() >= kTarget; }
  // Cuts a request of over kMaxLength into several that touch each other.
  void add(Request request) {
    while (request.length > kMaxLength) [[unlikely]] {
        Request piece = request;
        piece.length = kMaxLength;
        requests_.push_back(piece);
        request.offset = request.offset + kMaxLength;
        request.length -= kMaxLength;
      }
    requests_.push_back(request);
  }
  std::vector<Request>& requests() { return requests_; }
  const std::vector<Request>& requests() const { return requests_; }

 private:
  std::vector<Request> requests_;
};

class Reader {
 public:
  virtual ~Reader() = default;

  // Replaces the batch by the next requests, in the order of the source (which need not be that of time): at least
  // one, about Batch::kTarget; false, and an empty batch, at the end. Throws DataError with the place of the trouble.
  virtual bool next(Batch&) = 0;

  // Complete once next() has returned false; streams, level and findings may grow until then.
  virtual const TraceInfo& info() const = 0;

  // Requests in the trace, or at most so many, where that is known before reading (to reserve memory, to show progress).
  virtual std::optional<std::uint64_t> size_hint() const { return std::nullopt; }
};

// What the user may say about how a trace is to be read. A format uses what applies to it.
struct ReadOptions {
  Level level = Level::unknown;      // --level: unknown = the application's view where present, else issue
  std::uint64_t skip_bad = 0;        // --skip-bad: bad lines to pass over before it is an error
  std::string map;                   // --map, see formats/csv.cpp
  std::string loss_log;              // --loss-log: what the tracer printed, which says how many events it lost
  std::optional<sim::Bytes> sector;  // --sector: for formats whose block size is told elsewhere (SPC)
  unsigned threads = 1;              // for formats that decode in parallel
};

}  // namespace traces
