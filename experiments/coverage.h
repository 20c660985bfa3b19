// Which part of each block of a request is asked for.
#pragma once

#include <cstdint>

#include "traces/blocks.h"

namespace experiments {

// The requested bytes that lie in the `index`th of the `count` blocks that request `r` touches.
class Coverage {
 public:
  Coverage(const traces::Blocks& blocks, std::size_t r, std::uint32_t count)
      : block_(static_cast<std::uint64_t>(blocks.block().count)), length_(blocks.trace().lengths()[r]), count_(count) {
    if (count > 1) first_ = block_ - blocks.trace().offsets()[r].bytes % block_;
  }
  std::uint64_t bytes(std::uint32_t index) const {
    if (count_ == 1) return length_;
    if (index == 0) return first_;
    return index + 1 < count_ ? block_ : length_ - first_ - (count_ - 2) * block_;
  }

 private:
  std::uint64_t block_, length_, first_ = 0;
  std::uint32_t count_;
};

}  // namespace experiments
