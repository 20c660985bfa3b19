#include "policies/parts/growing_heap.h"

#include <map>

#include "tests/policies/play.h"

namespace {

using policies::BlockId;

struct Entry {
  std::uint32_t key;
  BlockId block;
  bool operator<(const Entry& other) const { return std::pair(key, block) < std::pair(other.key, other.block); }
};

// Random arrivals, growth, departures from anywhere and of the least, against a map.
TEST(GrowingHeap, EqualsAMap) {
  for (const std::uint32_t most : {1u, 2u, 5u, 6u, 200u}) {
    support::Dice dice(most);
    policies::GrowingHeap<Entry> heap(most);
    std::map<BlockId, std::uint32_t> keys;
    std::vector<std::uint32_t> places(300);
    const auto placed = [&places](BlockId block, std::uint32_t place) { places[block] = place; };
    const auto now = [&keys](BlockId block) { return Entry{keys.at(block), block}; };
    for (int step = 0; step < 20'000; ++step) {
      const BlockId block = dice.below(300);
      if (keys.contains(block) && dice.chance(0.2)) {
        heap.erase(places[block], placed);
        keys.erase(block);
      } else if (keys.contains(block)) {
        keys[block] += dice.below(50);
      } else if (keys.size() < most) {
        keys[block] = dice.below(1000);
        heap.push({keys[block], block}, placed);
      } else {
        const auto least = std::min_element(keys.begin(), keys.end(), [](const auto& a, const auto& b) {
          return Entry{a.second, a.first} < Entry{b.second, b.first};
        });
        ASSERT_EQ(heap.least(now, placed).block, least->first) << "step " << step;
        heap.erase(places[least->first], placed);
        keys.erase(least);
      }
      ASSERT_EQ(heap.size(), keys.size());
      ASSERT_EQ(heap.holds(block, places[block]), keys.contains(block)) << "step " << step;
    }
  }
}

}  // namespace
