// What a trace says of itself as a whole, and what looked wrong with it while it was read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/error.h"
#include "traces/request.h"

namespace traces {

// Where in the stack the requests were seen. `queue` (Q) is the application's view of the device, before merging and
// scheduling; `issue` (D) is what the device was sent.
enum class Level : std::uint8_t { unknown, queue, issue };

// What Request::time counts from.
enum class Clock : std::uint8_t {
  relative,   // an unstated moment, usually the first request
  monotonic,  // the start of the traced machine
  unix_epoch  // 1970-01-01 00:00 UTC
};

// How a trace is meant to be counted: block traces in blocks, object traces one unit a request.
enum class Granularity : std::uint8_t { block, request };

std::string_view name(Level);             // "unknown", "Q", "D"
std::string_view name(Clock);             // "relative", "monotonic", "unix"
Level level_from_name(std::string_view);  // unknown if it is none of them
Clock clock_from_name(std::string_view);  // relative if it is none of them

// Names to small numbers, in order of first appearance.
class NameTable {
 public:
  // Throws DataError past `max_size` names.
  std::uint32_t id(std::string_view name, std::size_t max_size = 65'536);
  const std::vector<std::string>& names() const { return names_; }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> ids_;
  std::uint32_t last_ = 0;
};

// Events that the tracer says it could not record.
struct LostEvents {
  sim::Instant time;  // of the record that follows the gap; zero when the place of the gap is not known
  std::uint64_t count = 0;
};

// Things noticed while reading, each kind counted, with the place of the first.
class Findings {
 public:
  struct Finding {
    std::string what;  // a plural noun phrase: "completions without a request"
    std::uint64_t count = 0;
    std::string first;  // Place::text(), or empty
  };
  // A count of zero adds nothing.
  void add(std::string_view what, const sim::Place& place, std::uint64_t count = 1);
  void add(std::string_view what, std::uint64_t count = 1) { add(what, sim::Place{}, count); }
  // `count` things where the place is text already; merges with what is there.
  void add(const Finding&);
  const std::vector<Finding>& all() const { return findings_; }  // in order of first appearance

 private:
  std::vector<Finding> findings_;
};

struct TraceInfo {
  std::string format;  // the reader's name
  std::string source_format;  // of a converted trace: the format it was converted from; else empty
  Level level = Level::unknown;
  Clock clock = Clock::relative;
  Granularity granularity = Granularity::block;
  sim::Bytes sector{512};                    // the unit of the source's addresses
  NameTable streams;                         // by StreamId; grows while reading
  NameTable processes;                       // by ProcessId; entry 0 is ""
  std::vector<sim::Bytes> stream_bytes;      // size of each stream's device where the source tells it; else 0 or absent
  std::optional<std::uint64_t> lost_events;  // absent: the source cannot tell
  std::vector<LostEvents> lost;
  Findings findings;
  std::uint64_t skipped_lines = 0;  // bad ones, under --skip-bad

  TraceInfo() { processes.id(""); }
};

}  // namespace traces
