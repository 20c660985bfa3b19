#include <list>

#include "sim/error.h"
#include "tests/policies/twin.h"

namespace {

using namespace support;

// The paper's list, youngest page first. A hand is looked for each time, from the tail; moving a hand beyond a page is
// moving the page to the head.
class NaiveClockPro : public Twin {
 public:
  NaiveClockPro(int m, int least_cold, int most_non_resident)
      : m_(m), least_(least_cold), most_non_resident_(most_non_resident), mc_(least_cold) {}

  Played access(BlockId x, std::uint32_t) override {
    if (contains(x)) {
      find(x)->referenced = true;
      return {Outcome::hit, kNoBlock};
    }
    bool in_test = false;
    if (const auto page = find(x); page != list_.end()) {
      in_test = true;
      list_.erase(page);
      adapt(+1);
    }
    victim_ = kNoBlock;
    const bool room = resident() < m_;
    while (resident() == m_) run_hand_cold();
    const bool hot = in_test || (room && count([](const Page& p) { return p.hot; }) < m_ - mc_);
    list_.push_front({.block = x, .hot = hot, .test = !hot});
    if (hot) run_hand_hot();
    return {Outcome::miss, victim_};
  }
  void forget(BlockId x) override {
    list_.remove_if([x](const Page& page) { return page.block == x && page.resident; });
  }
  bool contains(BlockId x) const override {
    return std::any_of(list_.begin(), list_.end(), [x](const Page& page) { return page.block == x && page.resident; });
  }

 private:
  struct Page {
    BlockId block;
    bool hot = false;
    bool test = false;
    bool resident = true;
    bool referenced = false;
  };
  using List = std::list<Page>;

  List::iterator find(BlockId x) {
    return std::find_if(list_.begin(), list_.end(), [x](const Page& page) { return page.block == x; });
  }
  template <class Is>
  int count(Is is) const {
    return static_cast<int>(std::count_if(list_.begin(), list_.end(), is));
  }
  int resident() const {
    return count([](const Page& page) { return page.resident; });
  }
  template <class Is>
  List::iterator nearest_to_tail(Is is) {
    const auto page = std::find_if(list_.rbegin(), list_.rend(), is);
    return page == list_.rend() ? list_.end() : std::prev(page.base());
  }
  void adapt(int change) { mc_ = std::max(least_, std::min(mc_ + change, std::max(least_, m_ - least_))); }
  void to_head(List::iterator page) { list_.splice(list_.begin(), list_, page); }

  void run_hand_cold() {
    const auto page = nearest_to_tail([](const Page& p) { return p.resident && !p.hot; });
    if (!page->referenced) {
      victim_ = page->block;
      if (page->test) {
        page->resident = false;
      } else {
        list_.erase(page);
      }
      while (count([](const Page& p) { return !p.resident; }) > most_non_resident_) {
        terminate(nearest_to_tail([](const Page& p) { return p.test; }));
      }
      return;
    }
    page->referenced = false;
    to_head(page);
    if (page->test) {
      page->hot = true;
      page->test = false;
      adapt(+1);
      run_hand_hot();
    } else {
      page->test = true;
    }
  }

  void run_hand_hot() {
    while (count([](const Page& p) { return p.hot; }) > m_ - mc_) {
      terminate_behind_hand_hot();
      const auto page = nearest_to_tail([](const Page& p) { return p.hot; });
      if (page->referenced) {
        page->referenced = false;
      } else {
        page->hot = false;
      }
      to_head(page);
      terminate_behind_hand_hot();
    }
  }

  void terminate_behind_hand_hot() {
    auto page = list_.end();
    while (page != list_.begin()) {
      --page;
      if (page->hot) return;
      if (!page->test) continue;
      const auto younger = page == list_.begin() ? list_.end() : std::prev(page);
      terminate(page);
      if (younger == list_.end()) return;
      page = std::next(younger);
    }
  }

  void terminate(List::iterator page) {
    adapt(page->referenced ? +1 : -1);
    if (page->resident) {
      page->test = false;
    } else {
      list_.erase(page);
    }
  }

  int m_, least_, most_non_resident_, mc_;
  List list_;
  BlockId victim_ = kNoBlock;
};

TEST(ClockPro, EqualsTwin) {
  expect_equal_to_twin("clock_pro", [](std::size_t capacity) {
    const int m = static_cast<int>(capacity);
    return std::make_unique<NaiveClockPro>(m, 1, m);
  });
}

TEST(ClockPro, EqualsTwinWithOtherShares) {
  expect_equal_to_twin("clock_pro:cold=0.2,ghost=0.3", [](std::size_t capacity) {
    const int m = static_cast<int>(capacity);
    return std::make_unique<NaiveClockPro>(m, std::max(1, static_cast<int>(0.2 * m)), static_cast<int>(0.3 * m));
  });
  expect_equal_to_twin("clock_pro:cold=0.7,ghost=2", [](std::size_t capacity) {
    const int m = static_cast<int>(capacity);
    return std::make_unique<NaiveClockPro>(m, std::max(1, static_cast<int>(0.7 * m)), 2 * m);
  });
  expect_equal_to_twin("clock_pro:cold=1,ghost=0", [](std::size_t capacity) {
    const int m = static_cast<int>(capacity);
    return std::make_unique<NaiveClockPro>(m, m, 0);
  });
}

TEST(ClockPro, KeepsAWorkingSetThroughALoopThatDoesNotFit) {
  SmallTrace trace;
  trace.footprint = 120;
  for (std::uint32_t i = 0; i < 12'000; ++i) trace.blocks.push_back(i % trace.footprint);
  const auto played = play(*choice("clock_pro").make(100, trace.footprint), trace, 0, trace.blocks.size(), false);
  const auto hits =
      std::count_if(played.begin(), played.end(), [](const auto& p) { return p.outcome == Outcome::hit; });
  EXPECT_GT(hits, 9'000);  // LRU and CLOCK hit nothing
}

TEST(ClockPro, RefusesSharesThatMakeNoSense) {
  for (const char* text : {"clock_pro:cold=1.1", "clock_pro:cold=-0.1", "clock_pro:ghost=-1"}) {
    EXPECT_THROW(choice(text), sim::UsageError) << text;
  }
}

}  // namespace
