// The block references of a trace, cut into segments: runs of requests that every cache is given in one call. A segment
// ends where the warm-up ends, at the end of a time window, and before a discard, so that counting needs no look at the
// clock. What does not depend on the cache (the demand) is counted once, here.
//
// A trace may come in several pieces, one after the other, each with its own Blocks over one numbering.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "traces/blocks.h"

namespace experiments {

// Reads and writes apart.
struct ByOp {
  std::uint64_t reads = 0, writes = 0;
  std::uint64_t sum() const { return reads + writes; }
  void add(const ByOp& more) { reads += more.reads, writes += more.writes; }
};

// What requests ask for, whatever the cache.
struct Demand {
  std::uint64_t requests = 0;  // reads and writes that touch at least one block
  ByOp accesses;               // block references
  ByOp bytes;                  // requested
  std::uint64_t write_requests = 0;
  // Accesses that no cache can hit: the first to their block in the whole trace, and the first after a discard of it.
  std::uint64_t cold_misses = 0, discard_misses = 0;
  std::uint64_t working_set = 0;  // distinct blocks; of all windows together: the footprint

  void add(const Demand& more);
};

// Of requests [from, to), but for what the blocks' numbers tell. Those for which `fills` (by request; may be empty) is
// 1 are none.
Demand demand_of(const traces::Trace& trace, const traces::Division& division, std::size_t from, std::size_t to,
                 std::span<const std::uint8_t> fills = {});
// The same, faster, where each is a read or write of one block (Division::single) and none a fill.
Demand single_block_demand(const traces::Trace& trace, std::size_t from, std::size_t to);

struct Segment {
  std::size_t request, request_end;  // in this piece
  std::size_t access, access_end;
  std::uint32_t window;
  bool counted;                            // is past the warm-up
  bool simple;                             // every request is a read or write of exactly one block
  ByOp accesses, bytes;                    // of this segment
  const traces::Blocks::Discard* discard;  // takes place before the first request
};

// When the request came that makes the segment's access, by its index in the piece.
sim::Nanoseconds time_of(const traces::Blocks& blocks, const Segment& segment, std::size_t access);

// Equal windows of time, from the first request that is counted.
struct Windows {
  std::uint64_t warmup_requests = 0;  // so many of the first requests are not counted
  sim::Nanoseconds begin{0};          // time of the first one that is
  sim::Nanoseconds width{1};
  std::uint32_t count = 1;  // later requests belong to the last window

  // So many windows from the first request counted to the last of the trace, or as many as the width wants. Throws
  // UsageError when that is more than 100,000.
  static Windows split(std::uint64_t warmup_requests, sim::Nanoseconds begin, sim::Nanoseconds last,
                       std::uint32_t count);
  static Windows of_width(std::uint64_t warmup_requests, sim::Nanoseconds begin, sim::Nanoseconds last,
                          sim::Nanoseconds width);
  std::uint32_t at(sim::Nanoseconds time) const;
  // How many of ascending times, of which the first is in the window, are in it.
  std::size_t within(std::uint32_t window, std::span<const sim::Nanoseconds> times) const;
  // The same for a trace whose requests are parts of those of this one: `origins` are their indices, ascending.
  Windows of_parts(std::span<const std::uint64_t> origins) const;
};

class Segmenter {
 public:
  static constexpr std::size_t kRequests = 2048;  // in a segment, at most

  struct Wanted {
    std::vector<std::uint32_t> capacities{};  // whose fill_time() will be asked
    bool working_sets = false;                // Demand::working_set of each window; costs a random access a reference
  };
  Segmenter(const Windows& windows, std::uint32_t footprint, Wanted wanted);

  // The segments of the trace's next piece. Requests for which `fills` (by request; may be empty) is 1 are no demand.
  std::vector<Segment> cut(const traces::Blocks& blocks, std::span<const std::uint8_t> fills = {});

  const std::vector<Demand>& demand() const { return demand_; }  // by window
  // Time at which a cache of `capacity` blocks that lets every miss in is full for the first time, since the trace's
  // start; absent if never.
  std::optional<sim::Nanoseconds> fill_time(std::uint32_t capacity) const;

 private:
  static constexpr std::uint32_t kNoWindow = UINT32_MAX;

  std::size_t end_of(const traces::Blocks& blocks, const Segment& segment) const;
  void count(const traces::Blocks& blocks, std::span<const std::uint8_t> fills, Segment& segment);
  void discard(const traces::Blocks::Discard& discard);
  void refer(const traces::Blocks& blocks, const Segment& segment);
  void refer_each(const traces::Blocks& blocks, const Segment& segment);

  Windows windows_;
  std::vector<Demand> demand_;
  std::vector<std::uint32_t> last_window_;  // in which each block was seen; empty unless working sets are wanted
  std::vector<bool> gone_;                  // blocks discarded and not seen since; empty until the first discard
  std::uint32_t footprint_;
  std::uint64_t requests_ = 0;                        // of earlier pieces
  std::uint32_t seen_ = 0;                            // distinct blocks so far: ids are in order of first appearance
  std::uint32_t live_ = 0;                            // of them not gone
  std::vector<std::uint32_t> capacities_;             // ascending
  std::vector<sim::Nanoseconds> filled_;              // when each of the first of them was
  const traces::Blocks::Discard* discard_ = nullptr;  // the next one of this piece
  const traces::Blocks::Discard* discards_end_ = nullptr;
};

}  // namespace experiments
