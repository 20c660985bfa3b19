// Reuse distance: how many distinct blocks were touched since the last access to the same block, itself included. LRU
// with room for c blocks hits exactly the accesses whose distance is at most c, so one pass gives its hits at every
// size (Mattson, Gecsei, Slutz, Traiger, "Evaluation techniques for storage hierarchies", IBM Systems Journal 9(2),
// 1970).
//
// Every block holds one slot on a line of slots ordered by last access; the distance is the number of taken slots from
// the block's own to the newest. They are counted by population counts over a bit a slot and sums over a few levels of
// counters that fan out by 64, so that an access writes O(1) words and reads O(log_64 footprint) cache lines. Cost:
// 9 bytes a block of footprint.
#pragma once

#include <cstdint>
#include <queue>
#include <span>
#include <vector>

namespace traces {

class ReuseDistance {
 public:
  static constexpr std::uint32_t kInfinite = UINT32_MAX;  // first access, or first since the block was forgotten

  explicit ReuseDistance(std::uint32_t footprint);

  // Plays accesses in order; distances[i] is that of blocks[i].
  void access(std::span<const std::uint32_t> blocks, std::span<std::uint32_t> distances);

  // The block's content is gone (discarded). LRU of size c then has a free slot if it held the block, and the next
  // miss fills it without pushing anything out: distances stay those of LRU at every size.
  void forget(std::uint32_t block);

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::uint32_t kLeafSlots = 512;  // a cache line of bits
  static constexpr std::uint32_t kFan = 64;

  template <class Count>
  std::uint32_t taken_after(std::uint32_t slot, Count popcount) const;
  void mark(std::uint32_t slot);
  void unmark(std::uint32_t slot);
  void compact();
  void play(std::span<const std::uint32_t> blocks, std::span<std::uint32_t> distances);

  std::vector<std::uint32_t> slot_;                // of each block, or kNone
  std::vector<std::uint64_t> bits_;                // one a slot: taken
  std::vector<std::uint16_t> leaves_;              // taken slots of each kLeafSlots
  std::vector<std::vector<std::uint32_t>> upper_;  // upper_[0]: sums of kFan leaves, upper_[1]: of kFan of those, ...
  std::uint32_t slots_, next_ = 0;                 // how many, and the first never used
  // Slots of forgotten blocks that still take room in caches that reach past them, newest first.
  std::priority_queue<std::uint32_t> holes_;
};

}  // namespace traces
