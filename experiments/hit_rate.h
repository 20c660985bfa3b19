// Hit rates without a clock: which references of a trace hit, for many policies at many sizes at once.
//
// What a write does to the cache is HitRateOptions::writes; it always goes on to the storage behind (write-through),
// unless write_back says that the cache keeps it until its block is pushed out. A block that misses on a read is
// fetched whole, adjacent ones of a request together; a write that covers part of a block fetches nothing (the cache
// keeps track of which sectors are valid). An access that a stage turns away is a miss. A discard takes its whole
// blocks out of the cache. Flushes touch nothing.
//
// Cost: O(accesses) for each policy and size, times what the policy does (a few dozen instructions); all sizes of plain
// LRU together cost one pass of reuse distances, about as much as two or three simulated sizes. Memory: that of the
// blocks, plus each running policy's own (see policies/README.md) on each thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/admissions.h"
#include "experiments/segments.h"
#include "policies/admission.h"
#include "policies/policy.h"
#include "traces/blocks.h"

namespace experiments {

struct HitRateOptions {
  policies::Writes writes = policies::Writes::allocate;
  std::vector<policies::Stage> admission{};  // in front of every policy, and before those of its own
  bool write_back = false;                   // only with Writes::allocate
  bool simulate_lru = false;  // simulate LRU at each size, as the other policies, instead of one pass for all
  bool working_sets = false;  // Demand::working_set of each window
  unsigned threads = 1;
  std::function<void(double)> progress{};  // called with the share that is done, from any thread, one call at a time
};

// What a cache makes of the demand.
struct Counts {
  ByOp hits;                       // block references
  ByOp hit_bytes;                  // requested bytes in blocks that hit
  std::uint64_t request_hits = 0;  // requests of which every block hit
  // What goes to the storage behind. A read is a run of adjacent missed blocks of one request. A write is a write
  // request; with write_back, a dirty block that is pushed out (a block written and then discarded, or still in the
  // cache at the end, is none).
  ByOp backend_requests, backend_bytes;
  std::uint64_t cache_write_bytes = 0;  // fetched blocks kept, and written bytes kept

  void add(const Counts& more);
};

struct HitRate : Counts {
  std::string policy;  // canonical: "s3_fifo:small=0.2"
  std::uint32_t capacity_blocks = 0;
  bool stack_distance = false;             // or simulated
  std::vector<Counts> windows{};           // those of HitRates, which sum up to this row
  std::optional<sim::Nanoseconds> full{};  // when the cache was full for the first time, since the trace's start
  // Of a sample of all blocks (see sampled_hit_rate.h); then the figures above are estimates for all of them.
  double sample_rate = 1;
  double hit_ratio_ci95 = 0;                  // half the width of the 95% confidence interval for the sampling error
  std::uint32_t sampled_capacity_blocks = 0;  // of the caches that were simulated instead; 0 without sampling
};

struct HitRates {
  Windows windows;
  std::vector<Demand> window_demand;
  Demand demand;              // of all windows
  std::vector<HitRate> rows;  // policies in the order given, each with the capacities in the order given
};

// For a trace whose requests are not those of the applications.
struct Derived {
  std::vector<Verdicts> verdicts{};       // by admission, on each request; empty: the stages judge the trace's own
  std::span<const std::uint8_t> fills{};  // by request: 1 for one that brings a block into the caches and counts for
                                          // nothing; may be empty
};

// `capacities` are in blocks, at least 1.
HitRates hit_rates(const traces::Blocks& blocks, std::span<const policies::Choice> choices,
                   std::span<const std::uint32_t> capacities, const Windows& windows, const HitRateOptions& options,
                   const Derived& derived = {});

// One simulated cache, and what becomes of each access, segment by segment: victims as in policies::Accesses.
using Observer = std::function<void(const Segment&, std::span<const policies::Outcome> outcomes,
                                    std::span<const policies::BlockId> victims)>;
HitRates observed_hit_rate(const traces::Blocks& blocks, const policies::Choice& choice, std::uint32_t capacity,
                           const Windows& windows, const HitRateOptions& options, const Observer& observer);

// The same for a trace that comes in pieces, so that it need not be in memory: the same figures to the last bit. All
// caches are in memory at once. Policies that know the future cannot be asked for.
class HitRateStream {
 public:
  // `footprint` is that of the whole trace.
  HitRateStream(std::uint32_t footprint, std::span<const std::string> streams,
                std::span<const policies::Choice> choices, std::span<const std::uint32_t> capacities,
                const Windows& windows, const HitRateOptions& options);
  ~HitRateStream();
  void play(const traces::Blocks& piece);
  HitRates finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace experiments
