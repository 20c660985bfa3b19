// From a trace to its curves.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/curve_options.h"
#include "experiments/hit_rate.h"
#include "traces/trace.h"

namespace experiments {

// A trace, or one of its streams, that can be gone through as often as wanted.
struct Subject {
  using Visit = std::function<void(const traces::Trace& piece)>;
  std::string trace, stream;               // names; the stream's is empty for all of them
  const traces::Trace* whole = nullptr;    // when it is in memory
  std::function<void(const Visit&)> each;  // visits its pieces in order; one if it is in memory
};

// The first level of two, past the warm-up.
struct FirstLevelResult {
  std::string policy;
  std::uint32_t capacity_blocks = 0;
  std::uint64_t accesses = 0, hits = 0;
};

struct Curves {
  std::string trace, stream;
  traces::TraceInfo info;
  traces::Granularity granularity = traces::Granularity::block;
  std::uint64_t requests = 0, reads = 0, writes = 0, accesses = 0, warmup = 0;
  std::uint32_t footprint = 0;  // estimated when sampled
  sim::Nanoseconds duration{0}, counted_time{0};
  std::optional<double> sample_rate{};
  std::optional<FirstLevelResult> first_level{};
  std::vector<std::string> notes{};  // what the user should know of how it was computed
  HitRates rates;
};

// Throws DataError when the subject touches no block.
Curves compute(const Subject& subject, const CurveOptions& options);

}  // namespace experiments
