#include "policies/parts/position_set.h"

#include <set>

#include "tests/policies/play.h"

namespace {

TEST(PositionSet, EqualsASet) {
  for (const std::uint32_t range : {1u, 64u, 65u, 5000u, 300'000u}) {
    support::Dice dice(range);
    policies::PositionSet positions;
    std::set<std::uint32_t> expected;
    std::uint32_t room = 0;
    for (int step = 0; step < 30'000; ++step) {
      if (room < range && dice.chance(0.01)) {
        room = std::min(range, room * 2 + 1);
        positions.reserve(room);
      }
      if (room == 0) continue;
      const std::uint32_t position = dice.below(room);
      ASSERT_EQ(positions.contains(position), expected.contains(position));
      if (dice.chance(0.5)) {
        positions.insert(position);
        expected.insert(position);
      } else {
        positions.erase(position);
        expected.erase(position);
      }
      if (!expected.empty() && dice.chance(0.3)) {
        const std::uint32_t largest = *expected.rbegin();
        ASSERT_EQ(positions.largest(), largest);
        positions.erase(largest);
        expected.erase(largest);
      }
      if (expected.empty()) continue;
      ASSERT_EQ(positions.largest(), *expected.rbegin());
    }
  }
}

// 50 million positions use five of the levels, and the last ones the last word of each.
TEST(PositionSet, ReachesFar) {
  policies::PositionSet positions;
  positions.reserve(50'000'000);
  for (const std::uint32_t position : {0u, 63u, 64u, 4095u, 4096u, 262'144u, 16'777'216u, 49'999'999u}) {
    positions.insert(position);
    EXPECT_EQ(positions.largest(), position);
  }
  positions.erase(49'999'999);
  EXPECT_EQ(positions.largest(), 16'777'216u);
}

}  // namespace
