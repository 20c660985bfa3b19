// Hit rates without a clock: which references of a trace hit, for many policies at many sizes at once.
//
// Writes allocate: a write puts its blocks into the cache as a read does, and it always goes on to the storage behind
// (write-through). A block that misses on a read is fetched whole, adjacent ones of a request together; a write that
// covers part of a block fetches nothing (the cache keeps track of which sectors are valid). A discard takes its whole
// blocks out of the cache. Flushes touch nothing.
//
// Cost: O(accesses) for each policy and size, times what the policy does (a few dozen instructions); all sizes of plain
// LRU together cost one pass of reuse distances, about as much as two or three simulated sizes. Memory: that of the
// blocks, plus each running policy's own (see policies/README.md) on each thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "policies/policy.h"
#include "traces/blocks.h"

namespace experiments {

struct HitRateOptions {
  std::uint64_t warmup_requests = 0;  // so many of the first requests fill the caches but are not counted
  unsigned threads = 1;
  bool simulate_lru = false;  // simulate LRU at each size, as the other policies, instead of one pass for all
  std::function<void(double)> progress{};  // called with the share that is done, from any thread, one call at a time
};

// Reads and writes apart. All counts are after the warm-up.
struct ByOp {
  std::uint64_t reads = 0, writes = 0;
  std::uint64_t sum() const { return reads + writes; }
};

// What does not depend on the cache.
struct Demand {
  std::uint64_t requests = 0;  // reads and writes that touch at least one block
  ByOp accesses;               // block references
  ByOp bytes;                  // requested
  std::uint64_t write_requests = 0;
  // Accesses that no cache can hit: the first to their block in the whole trace, and the first after a discard of it.
  std::uint64_t cold_misses = 0, discard_misses = 0;
};

struct HitRate {
  std::string policy;  // canonical: "s3_fifo:small=0.2"
  std::uint32_t capacity_blocks = 0;
  bool stack_distance = false;      // or simulated
  ByOp hits;                        // block references
  std::uint64_t request_hits = 0;   // requests of which every block hit
  ByOp hit_bytes;                   // requested bytes in blocks that hit
  std::uint64_t backend_reads = 0;  // runs of adjacent missed blocks of read requests
  std::uint64_t backend_read_bytes = 0;
  std::uint64_t cache_write_bytes = 0;  // fetched blocks kept, and written bytes kept
  // Lowest and highest tenth of the block hit ratio over up to 100 windows of equal time; absent without a hit ratio.
  std::optional<double> window_p10, window_p90;
};

struct HitRates {
  Demand demand;
  std::vector<HitRate> rows;  // policies in the order given, each with the capacities in the order given
};

// `capacities` are in blocks, at least 1. `blocks` is not const only for next_use(), which policies that know the
// future need.
HitRates hit_rates(traces::Blocks& blocks, std::span<const policies::Choice> choices,
                   std::span<const std::uint32_t> capacities, const HitRateOptions&);

}  // namespace experiments
