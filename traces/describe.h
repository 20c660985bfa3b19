// What is in a trace, and what looks wrong with it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/histogram.h"
#include "traces/blocks.h"
#include "traces/trace.h"

namespace traces {

// Of the whole trace, or of one stream.
struct StreamDescription {
  std::string name;
  std::array<std::uint64_t, 4> requests{}, bytes{};  // by Op
  std::array<std::map<std::uint32_t, std::uint64_t>, 2> sizes;  // requests by length in bytes, of reads and of writes
  std::array<std::uint64_t, 5> aligned{};  // reads and writes whose offset is a multiple of kAlignments[i]
  // Reads and writes that begin where one of the 32 latest of the stream ended: several sequential streams may be mixed.
  std::uint64_t sequential = 0;
  std::array<sim::Histogram, 2> latency_ns;  // of reads and writes for which it is known
  std::uint32_t footprint_blocks = 0;
  std::uint32_t one_hit_blocks = 0;     // accessed exactly once
  std::uint64_t accesses = 0;           // block references
  sim::Nanoseconds first{0}, last{0};   // since the trace's start

  std::uint64_t total() const { return requests[0] + requests[1] + requests[2] + requests[3]; }
  std::uint64_t reads_and_writes() const { return requests[0] + requests[1]; }
};
inline constexpr std::array<std::uint64_t, 5> kAlignments{512, 4096, 16'384, 65'536, 1 << 20};

// One of up to 60 equal parts of the trace's time.
struct Interval {
  sim::Nanoseconds begin{0}, length{0};
  std::uint64_t requests = 0, read_bytes = 0, write_bytes = 0;
  std::uint32_t working_set_blocks = 0;  // distinct blocks accessed in it
  std::uint32_t footprint_blocks = 0;    // distinct blocks accessed up to its end
};

struct QueueDepth {
  double mean = 0;         // over time
  std::uint64_t max = 0;
};

struct ZipfFit {
  double exponent = 0;     // s in: accesses to the block of rank r fall off as r^-s
  double r_squared = 0;    // of the straight line through log(accesses) over log(rank)
};

struct Description {
  StreamDescription all;
  std::vector<StreamDescription> streams;
  std::vector<Interval> intervals;
  // Burstiness: requests a second over the second with most of them; variance over mean of the counts of whole seconds
  // (1: Poisson); absent for a trace of under 3 seconds.
  std::optional<double> peak_rate, dispersion;
  sim::Histogram reuse_distance;  // in blocks, of the accesses that are not the first to their block
  std::uint64_t cold_accesses = 0;
  std::optional<ZipfFit> zipf;    // absent when fewer than 10 blocks are accessed more than once
  std::optional<QueueDepth> queue_depth;  // where the trace knows latencies
  sim::Histogram issue_delay_ns;
  // What looks wrong beyond the reader's findings: whole sentences.
  std::vector<std::string> doubts;
};

// `blocks` belongs to `trace`, which was loaded with details. O(requests + accesses) time.
Description describe(const Trace& trace, const Blocks& blocks);

}  // namespace traces
