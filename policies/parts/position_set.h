// A set of positions in a sequence whose largest member is found fast: one bit a position, and 64-ary levels above in
// which a bit says that the word below it is not empty.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace policies {

class PositionSet {
 public:
  static constexpr std::uint32_t kWordBits = 64;

  // Makes room for positions below `count`. What is in the set stays.
  void reserve(std::uint64_t count) {
    for (auto& level : levels_) {
      count = (count + kWordBits - 1) / kWordBits;
      if (count > level.size()) level.resize(count);
    }
  }
  std::uint64_t room() const { return levels_[0].size() * std::uint64_t{kWordBits}; }

  bool contains(std::uint32_t position) const { return levels_[0][position / kWordBits] & bit(position); }

  void insert(std::uint32_t position) {
    for (auto& level : levels_) {
      std::uint64_t& word = level[position / kWordBits];
      const bool was_empty = word == 0;
      word |= bit(position);
      if (!was_empty) return;
      position /= kWordBits;
    }
  }

  void erase(std::uint32_t position) {
    for (auto& level : levels_) {
      std::uint64_t& word = level[position / kWordBits];
      word &= ~bit(position);
      if (word != 0) return;
      position /= kWordBits;
    }
  }

  // Not for an empty set.
  std::uint32_t largest() const {
    std::uint32_t index = 0;
    for (std::size_t i = kLevels; i-- > 0;) {
      index = index * kWordBits + static_cast<std::uint32_t>(std::bit_width(levels_[i][index])) - 1;
    }
    return index;
  }

  void prefetch(std::uint32_t position) const { __builtin_prefetch(&levels_[0][position / kWordBits], 1); }

 private:
  static constexpr std::size_t kLevels = 6;  // 64^6 > 2^32: the top level is one word
  static std::uint64_t bit(std::uint32_t position) { return std::uint64_t{1} << position % kWordBits; }

  std::array<std::vector<std::uint64_t>, kLevels> levels_;
};

}  // namespace policies
