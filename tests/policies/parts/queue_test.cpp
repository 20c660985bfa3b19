#include "policies/parts/queue.h"

#include <deque>

#include "tests/policies/play.h"

namespace {

using policies::BlockId;
using policies::kNowhere;
using policies::QueueIndex;

// Random joins, departures from anywhere, and departures of the oldest and the youngest, against a deque.
TEST(Queue, EqualsADeque) {
  for (const std::uint32_t most : {1u, 2u, 9u, 40u}) {
    support::Dice dice(most);
    policies::Queue queue(most);
    std::deque<BlockId> expected;
    std::vector<QueueIndex> where(100);
    for (int step = 0; step < 20'000; ++step) {
      const BlockId block = dice.below(100);
      const auto known = std::find(expected.begin(), expected.end(), block);
      if (known != expected.end()) {
        queue.erase(where[block]);
        expected.erase(known);
      } else if (expected.size() == most && dice.chance(0.5)) {
        ASSERT_EQ(queue.pop_youngest(), expected.back());
        expected.pop_back();
      } else if (expected.size() == most) {
        ASSERT_EQ(queue.at(queue.oldest()), expected.front());
        ASSERT_EQ(queue.pop(), expected.front());
        expected.pop_front();
      }
      if (dice.chance(0.8) && expected.size() < most) {
        const auto moved = [&](BlockId b, QueueIndex from, QueueIndex to) {
          ASSERT_EQ(where[b], from);
          where[b] = to;
        };
        where[block] = queue.push(block, moved);
        expected.push_back(block);
      }
      ASSERT_EQ(queue.size(), expected.size());
      if (expected.empty()) continue;
      QueueIndex at = queue.oldest();
      for (const BlockId b : expected) {
        ASSERT_EQ(at, where[b]);
        ASSERT_EQ(queue.at(at), b);
        at = queue.younger(at);
      }
      ASSERT_EQ(at, kNowhere);
    }
  }
}

}  // namespace
