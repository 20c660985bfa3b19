#include "traces/reuse_distance.h"

#include <algorithm>
#include <array>
#include <bit>

#include "sim/cpu.h"

namespace traces {
namespace {

// 64 zeros, then 64 values of all ones: read from 63 - p on, a mask for what lies behind position p of a group.
template <class T>
constexpr std::array<T, 128> kBehind = [] {
  std::array<T, 128> mask{};
  std::fill(mask.begin() + 64, mask.end(), static_cast<T>(-1));
  return mask;
}();

// The sum of the values behind position `at` in its group of 64. A fixed number of steps vectorises and has no branch
// to mispredict.
template <class T>
inline __attribute__((always_inline)) T sum_behind(const T* values, std::uint32_t at) {
  const T* group = values + (at & ~63u);
  const T* mask = kBehind<T>.data() + 63 - (at & 63u);
  T sum = 0;
  for (int i = 0; i < 64; ++i) sum = static_cast<T>(sum + (group[i] & mask[i]));
  return sum;
}

}  // namespace

ReuseDistance::ReuseDistance(std::uint32_t footprint) : slot_(footprint, kNone) {
  // Twice the footprint and some: then half an access of renumbering is paid for each access.
  const std::uint64_t wanted = std::min<std::uint64_t>(std::uint64_t{2} * footprint + 4096, kNone - kLeafSlots * kFan);
  const std::uint64_t group = kLeafSlots * kFan;
  slots_ = static_cast<std::uint32_t>((wanted + group - 1) / group * group);
  bits_.assign(slots_ / 64, 0);
  leaves_.assign(slots_ / kLeafSlots, 0);
  std::size_t size = leaves_.size();
  do {
    size = (size + kFan - 1) / kFan;
    upper_.emplace_back((size + kFan - 1) / kFan * kFan, 0);  // whole groups, so that a sum never reads past the end
  } while (size > kFan);
}

inline __attribute__((always_inline)) void ReuseDistance::mark(std::uint32_t slot) {
  bits_[slot / 64] |= std::uint64_t{1} << (slot % 64);
  std::uint32_t at = slot / kLeafSlots;
  ++leaves_[at];
  for (auto& level : upper_) ++level[at /= kFan];
}

inline __attribute__((always_inline)) void ReuseDistance::unmark(std::uint32_t slot) {
  bits_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
  std::uint32_t at = slot / kLeafSlots;
  --leaves_[at];
  for (auto& level : upper_) --level[at /= kFan];
}

template <class Count>
inline __attribute__((always_inline)) std::uint32_t ReuseDistance::taken_after(std::uint32_t slot,
                                                                               Count popcount) const {
  const std::uint64_t* line = &bits_[slot / kLeafSlots * (kLeafSlots / 64)];
  const std::uint32_t word = slot % kLeafSlots / 64;
  std::uint32_t sum = popcount(line[word] >> (slot % 64) >> 1);
  for (std::uint32_t w = 0; w < kLeafSlots / 64; ++w) sum += popcount(w > word ? line[w] : 0);
  std::uint32_t at = slot / kLeafSlots;
  sum += sum_behind(leaves_.data(), at);
  for (const auto& level : upper_) sum += sum_behind(level.data(), at /= kFan);
  return sum;
}

void ReuseDistance::access(std::span<const std::uint32_t> blocks, std::span<std::uint32_t> distances) {
  while (!blocks.empty()) {
    if (next_ == slots_) compact();
    const std::size_t part = std::min<std::size_t>(blocks.size(), slots_ - next_);
    play(blocks.first(part), distances.first(part));
    blocks = blocks.subspan(part);
    distances = distances.subspan(part);
  }
}

IOCAST_FOR_EACH_CPU
void ReuseDistance::play(std::span<const std::uint32_t> blocks, std::span<std::uint32_t> distances) {
  constexpr std::size_t kFar = 24, kNear = 12;
  const auto popcount = [](std::uint64_t word) { return static_cast<std::uint32_t>(__builtin_popcountll(word)); };
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i + kFar < blocks.size()) {
      __builtin_prefetch(&slot_[blocks[i + kFar]]);
      const std::uint32_t soon = slot_[blocks[i + kNear]];
      if (soon != kNone) __builtin_prefetch(&bits_[soon / 64]);
    }
    std::uint32_t& slot = slot_[blocks[i]];
    if (slot == kNone) {
      distances[i] = kInfinite;
      if (!holes_.empty()) {
        unmark(holes_.top());
        holes_.pop();
      }
    } else {
      distances[i] = taken_after(slot, popcount) + 1;
      std::uint32_t freed = slot;
      if (!holes_.empty() && holes_.top() > slot) [[unlikely]] {
        // Caches that reach the hole but not the block miss, and fill the hole; those that reach the block hit, and
        // keep a free slot: the newest hole moves to where the block was.
        freed = holes_.top();
        holes_.pop();
        holes_.push(slot);
      }
      unmark(freed);
    }
    slot = next_++;
    mark(slot);
  }
}

void ReuseDistance::forget(std::uint32_t block) {
  if (slot_[block] == kNone) return;
  holes_.push(slot_[block]);
  slot_[block] = kNone;
}

void ReuseDistance::compact() {
  std::vector<std::uint32_t> before(bits_.size());  // taken slots before each word
  std::uint32_t taken = 0;
  for (std::size_t w = 0; w < bits_.size(); ++w) {
    before[w] = taken;
    taken += static_cast<std::uint32_t>(std::popcount(bits_[w]));
  }
  const auto renumbered = [&](std::uint32_t slot) {
    const std::uint64_t below = (std::uint64_t{1} << (slot % 64)) - 1;
    return before[slot / 64] + static_cast<std::uint32_t>(std::popcount(bits_[slot / 64] & below));
  };
  for (std::uint32_t& slot : slot_) {
    if (slot != kNone) slot = renumbered(slot);
  }
  std::vector<std::uint32_t> holes;
  for (; !holes_.empty(); holes_.pop()) holes.push_back(renumbered(holes_.top()));
  holes_ = std::priority_queue<std::uint32_t>(std::less<std::uint32_t>(), std::move(holes));

  std::fill(bits_.begin(), bits_.end(), 0);
  std::fill(leaves_.begin(), leaves_.end(), 0);
  for (auto& level : upper_) std::fill(level.begin(), level.end(), 0);
  for (next_ = 0; next_ < taken; ++next_) mark(next_);
}

}  // namespace traces
