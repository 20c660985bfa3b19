// Blocks in order of arrival, in one array. A block joins at the young end and may leave from anywhere, at any time:
// a list without links, so that leaving touches one cache line where unlinking touches two others, each found only
// after the first has come from memory.
//
// A block that leaves makes a hole. The old end steps over holes, and when the array is used up the holes are squeezed
// out. The array has `spread` times the room of the blocks, so squeezing moves at most 1 / (spread - 1) blocks a push,
// amortised.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "policies/policy.h"

namespace policies {

// Where a block is in its queue. The owner keeps it, one for each block: a block is in one queue at a time.
using QueueIndex = std::uint32_t;
inline constexpr QueueIndex kNowhere = UINT32_MAX;

class Queue {
 public:
  // For at most `most` blocks at a time; 4 * spread bytes each.
  explicit Queue(std::uint32_t most, std::uint32_t spread = 2)
      : room_(static_cast<std::uint32_t>(std::clamp<std::uint64_t>(std::uint64_t{most} * spread, 16, UINT32_MAX - 1))),
        slots_(std::make_unique_for_overwrite<BlockId[]>(room_)) {}

  std::uint32_t size() const { return size_; }
  BlockId at(QueueIndex index) const { return slots_[index]; }

  // Makes `block` the youngest. moved(block, from, to) is called for each block that squeezing moves to another index.
  template <class Moved>
  QueueIndex push(BlockId block, Moved moved) {
    if (used_ == room_) [[unlikely]]
      squeeze(moved);
    const QueueIndex index = young_;
    slots_[index] = block;
    young_ = after(index);
    ++used_, ++size_;
    return index;
  }

  void erase(QueueIndex index) {
    slots_[index] = kNoBlock;
    --size_;
  }

  // Takes out the oldest block. Not for an empty queue.
  BlockId pop() {
    const QueueIndex index = oldest();
    const BlockId block = slots_[index];
    old_ = after(index);
    --used_, --size_;
    return block;
  }

  // Takes out the youngest block. Not for an empty queue.
  BlockId pop_youngest() {
    do {
      young_ = young_ == 0 ? room_ - 1 : young_ - 1;
      --used_;
    } while (slots_[young_] == kNoBlock);
    --size_;
    return slots_[young_];
  }

  // Not for an empty queue.
  QueueIndex oldest() {
    while (slots_[old_] == kNoBlock) {
      old_ = after(old_);
      --used_;
    }
    return old_;
  }

  // The next younger block's index, or kNowhere after the youngest.
  QueueIndex younger(QueueIndex index) const {
    for (index = after(index); index != young_; index = after(index)) {
      if (slots_[index] != kNoBlock) return index;
    }
    return kNowhere;
  }

  void prefetch(QueueIndex index) const { __builtin_prefetch(&slots_[index], 1); }

 private:
  QueueIndex after(QueueIndex index) const { return index + 1 == room_ ? 0 : index + 1; }

  template <class Moved>
  [[gnu::noinline]] void squeeze(Moved& moved) {
    QueueIndex from = old_;
    QueueIndex to = old_;
    for (std::uint32_t left = used_; left > 0; --left, from = after(from)) {
      const BlockId block = slots_[from];
      if (block == kNoBlock) continue;
      if (from != to) {
        slots_[to] = block;
        moved(block, from, to);
      }
      to = after(to);
    }
    young_ = to;
    used_ = size_;
  }

  std::uint32_t room_;
  std::uint32_t size_ = 0;  // blocks
  std::uint32_t used_ = 0;  // blocks and holes, from old_ up to young_
  QueueIndex old_ = 0;
  QueueIndex young_ = 0;
  std::unique_ptr<BlockId[]> slots_;
};

}  // namespace policies
