// What `iocast curve` was asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/command.h"
#include "experiments/hit_rate.h"
#include "experiments/second_level.h"
#include "traces/trace.h"

namespace experiments {

// One size as asked for, before the footprint is known.
struct CapacityText {
  enum class Kind { bytes, share, blocks, log } kind;
  double value;
};

// How much of the trace fills the caches without counting: one of the three.
struct Warmup {
  double share = 0;
  std::uint64_t requests = 0;
  sim::Nanoseconds time{0};
};

// How large a sample to take: one of the three; none is no sampling.
struct SampleText {
  double rate = 0;
  std::uint64_t blocks = 0;  // in each replica
  double error = 0;          // the widest confidence interval wanted, plus or minus
  std::uint64_t seed = 1;
  bool wanted() const { return rate > 0 || blocks > 0 || error > 0; }
};

// The first level, in front of the caches.
struct BehindText {
  policies::Choice choice;
  CapacityText capacity;
  bool exclusive = false;
};

struct CurveOptions {
  std::vector<policies::Choice> choices;
  std::vector<CapacityText> capacities;
  sim::Bytes block{4096};
  std::optional<traces::Granularity> granularity;  // else the trace's natural one
  Warmup warmup;
  std::optional<sim::Nanoseconds> window;
  SampleText sample;
  std::optional<BehindText> behind;
  std::size_t relative_to = SIZE_MAX;  // index of a choice
  bool per_stream = false, quiet = false;
  std::optional<sim::Nanoseconds> backend_seek;
  std::optional<double> backend_rate;  // bytes a second
  std::uint64_t memory_bytes = 0;      // that a trace may take before it is read in pieces
  HitRateOptions hit_rate;
};

void add_curve_options(po::options_description&);
// Throws UsageError.
CurveOptions curve_options(const Arguments&);

CapacityText parse_capacity(const std::string& text);
// The sizes in blocks for a footprint, in the order asked for, each once.
std::vector<std::uint32_t> capacities_for(std::span<const CapacityText> capacities, sim::Bytes block,
                                          std::uint32_t footprint);

}  // namespace experiments
