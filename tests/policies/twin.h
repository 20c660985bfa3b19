// A naive twin is a policy written a second time, straight from its paper, with the containers that come to mind first.
#pragma once

#include <concepts>

#include "tests/policies/play.h"

namespace support {

class Twin {
 public:
  virtual ~Twin() = default;
  virtual Played access(BlockId block, std::uint32_t next_use) = 0;
  virtual void forget(BlockId block) = 0;
  virtual bool contains(BlockId block) const = 0;
};

// Holds a policy against MakeTwin(capacity) on 1,000 traces, half of them with forgets, in calls of random length. A
// policy that knows writes or addresses has a MakeTwin(const SmallTrace&), and a twin of its own type whose access()
// has a third argument, `bool write`.
template <class MakeTwin>
void expect_equal_to_twin(const policies::Choice& chosen, MakeTwin make_twin) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const SmallTrace trace = small_trace(seed, seed % 2 == 1);
    SCOPED_TRACE(trace.name);
    const auto policy = chosen.make(trace.capacity, trace.footprint);
    const auto twin = [&] {
      if constexpr (std::invocable<MakeTwin, const SmallTrace&>) {
        return make_twin(trace);
      } else {
        return make_twin(trace.capacity);
      }
    }();
    Dice dice(seed + 1'000'000);
    for (std::size_t first = 0; first < trace.blocks.size();) {
      for (const BlockId block : trace.forgets[first]) policy->forget(block), twin->forget(block);
      std::size_t end = first + 1;
      const std::size_t longest = first + 1 + dice.below(40);
      while (end < longest && end < trace.blocks.size() && trace.forgets[end].empty()) ++end;
      const auto played = play(*policy, trace, first, end, chosen.spec->needs_future);
      for (std::size_t i = first; i < end; ++i) {
        const Played expected = [&] {
          if constexpr (requires { twin->access(trace.blocks[i], trace.next_use[i], true); }) {
            return twin->access(trace.blocks[i], trace.next_use[i], trace.writes[i] != 0);
          } else {
            return twin->access(trace.blocks[i], trace.next_use[i]);
          }
        }();
        ASSERT_EQ(played[i - first].outcome, expected.outcome) << "access " << i;
        ASSERT_EQ(played[i - first].victim, expected.victim) << "access " << i;
      }
      std::uint32_t resident = 0;
      for (BlockId block = 0; block < trace.footprint; ++block) {
        ASSERT_EQ(policy->contains(block), twin->contains(block)) << "block " << block << " before access " << end;
        resident += twin->contains(block);
      }
      ASSERT_EQ(policy->resident(), resident);
      first = end;
    }
  }
}

template <class MakeTwin>
void expect_equal_to_twin(std::string_view text, MakeTwin make_twin) {
  expect_equal_to_twin(choice(text), make_twin);
}

}  // namespace support
