// Blocks by a key that grows while they are in the heap, as when each use makes a block worth more. Growth is not told
// to the heap: an entry keeps the key it came with until it reaches the top, and then takes its new place. A use thus
// costs nothing here, and a block that is used many times before it comes to the top is moved once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "policies/policy.h"

namespace policies {

// `Entry` has a key that operator< compares, and a member `block`. The owner keeps the place of each block in the heap:
// placed(block, place) is called whenever it has changed.
template <class Entry>
class GrowingHeap {
 public:
  using Place = std::uint32_t;

  explicit GrowingHeap(std::uint32_t most) : entries_(std::make_unique_for_overwrite<Entry[]>(most)) {}

  std::uint32_t size() const { return size_; }
  bool holds(BlockId block, Place place) const { return place < size_ && entries_[place].block == block; }

  template <class Placed>
  void push(const Entry& entry, Placed placed) {
    rise(size_++, entry, placed);
  }

  // The entry with the least key; now(block) is what would be pushed today. Not for an empty heap.
  template <class Now, class Placed>
  const Entry& least(Now now, Placed placed) {
    for (;;) {
      const Entry entry = now(entries_[0].block);
      if (!(entries_[0] < entry)) return entries_[0];
      sink(0, entry, placed);
    }
  }

  template <class Placed>
  void erase(Place place, Placed placed) {
    const Entry last = entries_[--size_];
    if (place == size_) return;
    if (place > 0 && last < entries_[parent(place)]) {
      rise(place, last, placed);
    } else {
      sink(place, last, placed);
    }
  }

 private:
  static constexpr std::uint64_t kChildren = 4;

  static Place parent(Place place) { return static_cast<Place>((place - 1) / kChildren); }

  template <class Placed>
  void put(Place place, const Entry& entry, Placed placed) {
    entries_[place] = entry;
    placed(entry.block, place);
  }

  template <class Placed>
  void rise(Place place, const Entry& entry, Placed placed) {
    for (; place > 0 && entry < entries_[parent(place)]; place = parent(place)) {
      put(place, entries_[parent(place)], placed);
    }
    put(place, entry, placed);
  }

  template <class Placed>
  void sink(Place place, const Entry& entry, Placed placed) {
    for (;;) {
      const std::uint64_t first = kChildren * place + 1;
      if (first >= size_) break;
      const Entry* const least =
          std::min_element(&entries_[first], &entries_[0] + std::min<std::uint64_t>(first + kChildren, size_));
      if (!(*least < entry)) break;
      const auto child = static_cast<Place>(least - &entries_[0]);
      put(place, *least, placed);
      place = child;
    }
    put(place, entry, placed);
  }

  std::uint32_t size_ = 0;
  std::unique_ptr<Entry[]> entries_;
};

}  // namespace policies
