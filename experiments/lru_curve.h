// LRU at every size from one pass of reuse distances (Mattson and others, 1970): the same figures as a simulation of
// each size. Cost: O(log_64 footprint) an access, whatever the number of sizes. Memory: 9 bytes a block of footprint
// and 80 a size and window.
#pragma once

#include <bit>
#include <span>
#include <vector>

#include "experiments/hit_rate.h"
#include "traces/reuse_distance.h"

namespace experiments {

// Finds the first of ascending sizes that is at least a distance, from a table by the distance's leading four bits.
class SizeIndex {
 public:
  explicit SizeIndex(std::vector<std::uint32_t> sizes);
  std::uint32_t operator()(std::uint32_t distance) const {
    std::uint32_t index = start_[bucket_of(distance)];
    while (index < sizes_.size() && sizes_[index] < distance) ++index;
    return index;
  }
  const std::vector<std::uint32_t>& sizes() const { return sizes_; }

 private:
  static std::uint32_t bucket_of(std::uint32_t distance) {
    if (distance < 8) return distance;
    const int top = std::bit_width(distance) - 4;
    return static_cast<std::uint32_t>(top) * 8 + (distance >> top);
  }
  std::vector<std::uint32_t> sizes_;
  std::vector<std::uint32_t> start_;
};

class LruCurve {
 public:
  LruCurve(std::uint32_t footprint, std::span<const std::uint32_t> capacities, std::uint32_t windows);

  // The next piece of the trace.
  void play(const traces::Blocks& blocks, std::span<const Segment> segments);
  // One row for each capacity, in the order given, but for their policy's name and fill time.
  std::vector<HitRate> rows(std::span<const Demand> demand) const;

 private:
  // Of the accesses (runs, requests) that hit from one size on and miss at all smaller ones.
  struct At {
    ByOp hits, hit_bytes;
    std::uint64_t request_hits = 0, runs_begin = 0, runs_end = 0;
  };

  void count(const traces::Blocks& blocks, const Segment& segment, std::vector<At>& at) const;

  std::vector<std::uint32_t> capacities_;
  SizeIndex index_;
  traces::ReuseDistance reuse_;
  std::vector<std::uint32_t> distances_;
  std::vector<std::vector<At>> at_;  // by window, then by size; one more: at no size
  bool whole_blocks_ = true;         // a miss fetches whole blocks
  std::uint64_t block_bytes_ = 0;
};

}  // namespace experiments
