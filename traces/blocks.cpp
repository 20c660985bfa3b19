#include "traces/blocks.h"

#include <algorithm>

#include "sim/cpu.h"
#include "sim/error.h"
#include "sim/random.h"

namespace traces {

// Each loop is one operation on one kind of value, so that it is vectorised.
IOCAST_FOR_EACH_CPU bool Division::single(const Trace& trace, std::size_t from, std::size_t to) const {
  const Op* const ops = trace.ops().data();
  const std::uint32_t* const lengths = trace.lengths().data();
  const sim::Offset* const offsets = trace.offsets().data();
  std::uint8_t bits = 0;
  for (std::size_t r = from; r < to; ++r) bits |= static_cast<std::uint8_t>(ops[r]);
  if (bits > static_cast<std::uint8_t>(Op::write)) return false;
  if (granularity_ == Granularity::request) return true;
  std::uint32_t empty = 0;  // the highest bit: lengths are at most 2^31
  for (std::size_t r = from; r < to; ++r) empty |= lengths[r] - 1;
  if (empty >> 31) return false;
  if (shift_ < 0) {
    for (std::size_t r = from; r < to; ++r) {
      if (count(offsets[r], lengths[r]) != 1) return false;
    }
    return true;
  }
  std::uint64_t differ = 0;  // blocks of 2^n bytes are one if no bit from the nth on differs
  for (std::size_t r = from; r < to; ++r) differ |= offsets[r].bytes ^ (offsets[r].bytes + lengths[r] - 1);
  return differ < divisor_;
}

// Numbers distinct (stream, block) pairs in order of first appearance: a hash table with linear probing. A table of our
// own because a trace's lookups are known in advance, and prefetching them is worth a factor of three.
class BlockNumbers::Table {
 public:
  struct Key {
    std::uint64_t block;
    std::uint16_t stream;
    bool operator==(const Key&) const = default;
  };

  static std::uint64_t hash(Key key) { return sim::mix(key.block + key.stream * 0x9E3779B97F4A7C15u); }
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash >> shift_]); }
  std::uint32_t size() const { return used_; }

  BlockId number(Key key, std::uint64_t hash) {
    for (std::uint64_t at = hash >> shift_;; at = (at + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[at];
      if (slot.id == kEmpty) {
        if (used_ >= slots_.size() / 4 * 3) {
          grow();
          return number(key, hash);
        }
        if (used_ >= kEmpty - 1)
          throw sim::DataError("more than 4 billion distinct blocks: use a larger --block, or part of the trace");
        slot = {key.block, used_, key.stream};
        return used_++;
      }
      if (slot.block == key.block && slot.stream == key.stream) return slot.id;
    }
  }

  // kNeverAgain when the pair has no number.
  BlockId find(Key key) const {
    for (std::uint64_t at = hash(key) >> shift_;; at = (at + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[at];
      if (slot.id == kEmpty || (slot.block == key.block && slot.stream == key.stream)) return slot.id;
    }
  }

  // The numbers of a stream's blocks from `first` to before `end`, ascending.
  std::vector<BlockId> range(std::uint16_t stream, std::uint64_t first, std::uint64_t end) const {
    std::vector<BlockId> ids;
    if (end - first <= used_) {
      for (std::uint64_t block = first; block < end; ++block) {
        if (const BlockId id = find({block, stream}); id != kEmpty) ids.push_back(id);
      }
    } else {
      for (const Slot& slot : slots_) {
        if (slot.id != kEmpty && slot.stream == stream && slot.block >= first && slot.block < end)
          ids.push_back(slot.id);
      }
    }
    std::sort(ids.begin(), ids.end());
    return ids;
  }

 private:
  static constexpr BlockId kEmpty = kNeverAgain;
  struct Slot {
    std::uint64_t block = 0;
    BlockId id = kEmpty;
    std::uint16_t stream = 0;
  };

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    --shift_;
    for (const Slot& slot : old) {
      if (slot.id == kEmpty) continue;
      std::uint64_t at = hash({slot.block, slot.stream}) >> shift_;
      while (slots_[at].id != kEmpty) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(1024);
  int shift_ = 64 - 10;
  std::uint32_t used_ = 0;
};

BlockNumbers::BlockNumbers() : table_(std::make_unique<Table>()) {}
BlockNumbers::~BlockNumbers() = default;
std::uint32_t BlockNumbers::size() const { return table_->size(); }

Blocks::Blocks(const Trace& trace, sim::Bytes block, Granularity granularity)
    : Blocks(trace, block, granularity, *std::make_unique<BlockNumbers>()) {}

Blocks::Blocks(const Trace& trace, sim::Bytes block, Granularity granularity, BlockNumbers& numbers)
    : trace_(&trace), block_(block), granularity_(granularity), division_(block, granularity) {
  accesses_.reserve(trace.size());
  BlockNumbers::Table& numbering = numbers.table();

  // References wait in a short queue, so that their slots are in the cache when their turn comes.
  constexpr std::size_t kQueue = 64;
  struct Pending {
    BlockNumbers::Table::Key key;
    std::uint64_t hash;
  } pending[kQueue];
  std::size_t waiting = 0;
  const auto drain = [&] {
    for (std::size_t i = 0; i < waiting; ++i) accesses_.push_back(numbering.number(pending[i].key, pending[i].hash));
    waiting = 0;
  };
  const auto refer = [&](std::uint64_t number, StreamId stream) {
    const BlockNumbers::Table::Key key{number, stream};
    pending[waiting] = {key, BlockNumbers::Table::hash(key)};
    numbering.prefetch(pending[waiting].hash);
    if (++waiting == kQueue) drain();
  };

  for (std::size_t r = 0; r < trace.size(); ++r) {
    const std::uint64_t offset = trace.offsets()[r].bytes;
    const std::uint64_t length = trace.lengths()[r];
    const StreamId stream = trace.streams()[r];
    if (trace.ops()[r] == Op::discard) {
      drain();
      std::vector<BlockId> gone;
      if (granularity == Granularity::request) {
        gone = numbering.range(stream, offset, offset + 1);
      } else {
        const auto [first, end] = division_.whole(offset, offset + length);
        if (first < end) gone = numbering.range(stream, first, end);
      }
      if (!gone.empty()) discards_.push_back({r, accesses_.size(), std::move(gone)});
    } else if (const std::uint32_t blocks = count(r)) {
      const std::uint64_t first = division_.first({offset});
      for (std::uint32_t b = 0; b < blocks; ++b) refer(first + b, stream);
    }
  }
  drain();
  footprint_ = numbering.size();
  if (accesses_.size() >= kNeverAgain)
    throw sim::DataError("more than 4 billion block accesses: use a larger --block, or part of the trace");
}

void Blocks::append_addresses(std::vector<std::uint64_t>& addresses) const {
  std::size_t access = 0;
  for (std::size_t r = 0; r < trace_->size(); ++r) {
    const std::uint64_t first = division_.first(trace_->offsets()[r]);
    const std::uint32_t blocks = count(r);
    for (std::uint32_t b = 0; b < blocks; ++b, ++access) {
      if (accesses_[access] == addresses.size())
        addresses.push_back((first + b) ^ static_cast<std::uint64_t>(trace_->streams()[r]) << 48);
    }
  }
}

}  // namespace traces
