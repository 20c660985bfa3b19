// The block references of a trace, renumbered: every distinct block (of every stream) gets a number from 0 in order of
// first appearance. Policies at every size then work on plain arrays indexed by it: no hashing past this point.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "traces/trace.h"

namespace traces {

using BlockId = std::uint32_t;
inline constexpr std::uint32_t kNeverAgain = UINT32_MAX;

// Which number each distinct block has got: one for all pieces of a trace that is taken in pieces.
class BlockNumbers {
 public:
  BlockNumbers();
  ~BlockNumbers();
  std::uint32_t size() const;  // distinct blocks so far
  class Table;
  Table& table() { return *table_; }

 private:
  std::unique_ptr<Table> table_;
};

// Which blocks of its device a read or write touches.
class Division {
 public:
  Division(sim::Bytes block, Granularity granularity)
      : granularity_(granularity), divisor_(static_cast<std::uint64_t>(block.count)) {
    if (std::has_single_bit(divisor_)) shift_ = std::countr_zero(divisor_);
  }

  // The number of the first one, and how many follow one another from there.
  std::uint64_t first(sim::Offset offset) const {
    return granularity_ == Granularity::request ? offset.bytes : number(offset.bytes);
  }
  std::uint32_t count(sim::Offset offset, std::uint32_t length) const {
    if (granularity_ == Granularity::request) return 1;
    if (length == 0) return 0;
    const std::uint64_t last = offset.bytes + (length - 1) < offset.bytes ? UINT64_MAX : offset.bytes + (length - 1);
    return static_cast<std::uint32_t>(number(last) - number(offset.bytes)) +
           1;  // the ids of object traces may be large
  }
  // Where first() is a shift to the right, by so many bits.
  std::optional<int> shift() const {
    if (granularity_ == Granularity::request) return 0;
    return shift_ >= 0 ? std::optional(shift_) : std::nullopt;
  }
  // The block number that holds byte `offset`.
  std::uint64_t number(std::uint64_t offset) const { return shift_ >= 0 ? offset >> shift_ : offset / divisor_; }
  // Whether each of the trace's requests [from, to) is a read or write of exactly one block.
  bool single(const Trace& trace, std::size_t from, std::size_t to) const;
  // Whole blocks from `offset` on, before `end`.
  std::pair<std::uint64_t, std::uint64_t> whole(std::uint64_t offset, std::uint64_t end) const {
    return {number(offset) + (number(offset) * divisor_ != offset), number(end)};
  }

 private:
  Granularity granularity_;
  std::uint64_t divisor_;
  int shift_ = -1;  // log2 of the block size when that is a power of two: shifting is cheaper than dividing
};

// How an access counts as the next use of its block.
enum class Use : std::uint8_t {
  use,
  none,  // not at all
  end    // as the end: accesses before it are not followed by a use
};

class Blocks {
 public:
  // With Granularity::block a request touches every block of `block` bytes that it overlaps, in ascending order; with
  // Granularity::request it touches one unit named by its stream and offset. Flushes and empty requests touch nothing.
  // Discards touch nothing either; they are kept apart. `trace` must outlive the result. Throws DataError past
  // 2^32 - 2 distinct blocks or accesses.
  Blocks(const Trace& trace, sim::Bytes block, Granularity);
  // A piece of a trace: continues the numbers of the pieces before it. footprint() is that of all pieces so far.
  Blocks(const Trace& piece, sim::Bytes block, Granularity, BlockNumbers&);

  const Trace& trace() const { return *trace_; }
  sim::Bytes block() const { return block_; }
  Granularity granularity() const { return granularity_; }
  const Division& division() const { return division_; }

  std::uint32_t footprint() const { return footprint_; }           // distinct blocks
  std::span<const BlockId> accesses() const { return accesses_; }  // of all requests, one after the other

  // How many accesses request `r` makes; the sum over the requests before it is where they begin.
  std::uint32_t count(std::size_t r) const {
    if (!moves_data(trace_->ops()[r])) return 0;
    return division_.count(trace_->offsets()[r], trace_->lengths()[r]);
  }

  // A discard's blocks that had been accessed before it; `position` is the index in accesses() before which it took
  // place, `request` the request's. A block is here only if all of it is discarded.
  struct Discard {
    std::uint64_t request, position;
    std::vector<BlockId> blocks;
  };
  std::span<const Discard> discards() const { return discards_; }

  // For each access that is a use, the position in accesses() of the next use of the same block, or kNeverAgain when
  // there is none or the block is discarded before it; for others anything. use(position) is a Use.
  template <class UseOf>
  Column<std::uint32_t> next_use(UseOf use) const;
  Column<std::uint32_t> next_use() const {
    return next_use([](std::size_t) { return Use::use; });
  }

  // Adds the addresses of the blocks numbered from addresses.size() on: the number on the device, with the stream's
  // number in the upper 16 bits.
  void append_addresses(std::vector<std::uint64_t>& addresses) const;

 private:
  const Trace* trace_;
  sim::Bytes block_;
  Granularity granularity_;
  Division division_;
  std::uint32_t footprint_ = 0;
  Column<BlockId> accesses_;
  std::vector<Discard> discards_;
};

template <class UseOf>
Column<std::uint32_t> Blocks::next_use(UseOf use) const {
  Column<std::uint32_t> uses(accesses_.size());
  std::vector<std::uint32_t> next(footprint_, kNeverAgain);
  auto discard = discards_.rbegin();
  for (std::size_t a = accesses_.size(); a-- > 0;) {
    for (; discard != discards_.rend() && discard->position == a + 1; ++discard) {
      for (const BlockId id : discard->blocks) next[id] = kNeverAgain;
    }
    std::uint32_t& later = next[accesses_[a]];
    uses[a] = later;
    const Use kind = use(a);
    if (kind != Use::none) later = kind == Use::use ? static_cast<std::uint32_t>(a) : kNeverAgain;
  }
  return uses;
}

}  // namespace traces
