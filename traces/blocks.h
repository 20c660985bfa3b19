// The block references of a trace, renumbered: every distinct block (of every stream) gets a number from 0 in order of
// first appearance. Policies at every size then work on plain arrays indexed by it: no hashing past this point.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "traces/trace.h"

namespace traces {

using BlockId = std::uint32_t;
inline constexpr std::uint32_t kNeverAgain = UINT32_MAX;

class Blocks {
 public:
  // With Granularity::block a request touches every block of `block` bytes that it overlaps, in ascending order; with
  // Granularity::request it touches one unit named by its stream and offset. Flushes and empty requests touch nothing.
  // Discards touch nothing either; they are kept apart. `trace` must outlive the result. Throws DataError past
  // 2^32 - 2 distinct blocks or accesses.
  Blocks(const Trace& trace, sim::Bytes block, Granularity);

  const Trace& trace() const { return *trace_; }
  sim::Bytes block() const { return block_; }
  Granularity granularity() const { return granularity_; }

  std::uint32_t footprint() const { return footprint_; }           // distinct blocks
  std::span<const BlockId> accesses() const { return accesses_; }  // of all requests, one after the other

  // How many accesses request `r` makes; the sum over the requests before it is where they begin.
  std::uint32_t count(std::size_t r) const {
    const Op op = trace_->ops()[r];
    if (op != Op::read && op != Op::write) return 0;
    if (granularity_ == Granularity::request) return 1;
    const std::uint32_t length = trace_->lengths()[r];
    if (length == 0) return 0;
    const std::uint64_t first = trace_->offsets()[r].bytes;
    const std::uint64_t last =
        first + (length - 1) < first ? UINT64_MAX : first + (length - 1);  // ids of object traces
    return static_cast<std::uint32_t>(number(last) - number(first)) + 1;
  }
  // The block number on its device that holds byte `offset`.
  std::uint64_t number(std::uint64_t offset) const { return shift_ >= 0 ? offset >> shift_ : offset / divisor_; }

  // A discard's blocks that had been accessed before it; `position` is the index in accesses() before which it took
  // place, `request` the request's. A block is here only if all of it is discarded.
  struct Discard {
    std::uint64_t request, position;
    std::vector<BlockId> blocks;
  };
  std::span<const Discard> discards() const { return discards_; }

  // For each access, the position in accesses() of the next one to the same block, or kNeverAgain when there is none or
  // the block is discarded before it. Computed at the
  // first call, which must come before the object is shared between threads.
  std::span<const std::uint32_t> next_use();

 private:
  const Trace* trace_;
  sim::Bytes block_;
  Granularity granularity_;
  int shift_ = -1;  // log2 of the block size when that is a power of two: shifting is cheaper than dividing
  std::uint64_t divisor_;
  std::uint32_t footprint_ = 0;
  Column<BlockId> accesses_;
  Column<std::uint32_t> next_use_;
  std::vector<Discard> discards_;
};

}  // namespace traces
