// One IO as traced, and the words that describe it.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/units.h"

namespace traces {

enum class Op : std::uint8_t { read = 0, write = 1, discard = 2, flush = 3 };

constexpr bool moves_data(Op op) { return op <= Op::write; }

inline constexpr std::string_view kOpNames[] = {"read", "write", "discard", "flush"};

// Bits of Request::flags.
inline constexpr std::uint8_t kFua = 1;
inline constexpr std::uint8_t kSync = 2;
inline constexpr std::uint8_t kMetadata = 4;
inline constexpr std::uint8_t kReadAhead = 8;

// A duration that the trace does not tell.
inline constexpr sim::Nanoseconds kUnknown{-1};

// The longest request that one Request holds. A longer one (a discard of a whole disk) is cut into several.
inline constexpr sim::Bytes kMaxLength{std::int64_t{1} << 31};

using StreamId = std::uint16_t;   // index into TraceInfo::streams
using ProcessId = std::uint32_t;  // index into TraceInfo::processes; 0 is always "unknown"

struct Request {
  sim::Instant time;                        // when it entered the level traced, on the clock that TraceInfo names
  sim::Offset offset;                       // first byte, on its stream's device; in object formats the raw id
  sim::Bytes length;                        // 0 .. kMaxLength
  sim::Nanoseconds latency = kUnknown;      // from `time` to completion
  sim::Nanoseconds issue_delay = kUnknown;  // from queueing to issue to the device
  ProcessId process = 0;
  StreamId stream = 0;
  Op op = Op::read;
  std::uint8_t flags = 0;
};
static_assert(sizeof(Request) == 48);

}  // namespace traces
