#include <list>
#include <map>

#include "policies/admission.h"
#include "sim/error.h"
#include "tests/policies/twin.h"

namespace {

using namespace support;

// 32 lists, youngest in front; those in the first half of a list are hot.
class NaiveOpenCas : public Twin {
 public:
  NaiveOpenCas(std::uint32_t capacity, std::uint32_t footprint) {
    for (std::uint32_t line = 0; line < std::min(capacity, footprint); ++line) ++lists_[line % 32].free;
  }

  Played access(BlockId block, std::uint32_t) override {
    for (List& list : lists_) {
      const auto at = std::find(list.blocks.begin(), list.blocks.end(), block);
      if (at == list.blocks.end()) continue;
      const auto position = static_cast<std::size_t>(std::distance(list.blocks.begin(), at));
      if (position >= list.blocks.size() / 2) list.blocks.splice(list.blocks.begin(), list.blocks, at);
      return {Outcome::hit, kNoBlock};
    }
    BlockId victim = kNoBlock;
    if (std::all_of(lists_.begin(), lists_.end(), [](const List& list) { return list.free == 0; })) {
      List& list = next([](const List& l) { return !l.blocks.empty(); });
      victim = list.blocks.back();
      forget(victim);
    }
    List& list = next([](const List& l) { return l.free > 0; });
    list.blocks.push_front(block);
    --list.free;
    ++turn_;
    return {Outcome::miss, victim};
  }
  void forget(BlockId block) override {
    for (List& list : lists_) list.free += static_cast<int>(list.blocks.remove(block));
  }
  bool contains(BlockId block) const override {
    return std::any_of(lists_.begin(), lists_.end(), [=](const List& list) {
      return std::find(list.blocks.begin(), list.blocks.end(), block) != list.blocks.end();
    });
  }

 private:
  struct List {
    std::list<BlockId> blocks;
    int free = 0;
  };
  template <class Has>
  List& next(Has has) {
    std::size_t index = turn_;
    while (!has(lists_[index % 32])) ++index;
    return lists_[index % 32];
  }

  std::size_t turn_ = 0;
  std::vector<List> lists_{32};
};

TEST(OpenCas, EqualsTwin) {
  expect_equal_to_twin("open_cas", [](const SmallTrace& trace) {
    return std::make_unique<NaiveOpenCas>(trace.capacity, trace.footprint);
  });
}

// Lists of more than two or three lines.
TEST(OpenCas, EqualsTwinInLongLists) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    SmallTrace trace;
    trace.capacity = 100 + dice.below(600);
    trace.footprint = trace.capacity + dice.below(1000);
    for (int i = 0; i < 12'000; ++i)
      trace.blocks.push_back(std::min(dice.below(trace.footprint), dice.below(trace.footprint)));
    trace.next_use = next_uses(trace.blocks, trace.footprint);
    const auto policy = choice("open_cas").make(trace.capacity, trace.footprint);
    NaiveOpenCas twin(trace.capacity, trace.footprint);
    for (std::size_t first = 0; first < trace.blocks.size(); first += 40) {
      const auto played = play(*policy, trace, first, first + 40, false);
      for (std::size_t i = first; i < first + 40; ++i) {
        const Played expected = twin.access(trace.blocks[i], 0);
        ASSERT_EQ(played[i - first].outcome, expected.outcome) << "access " << i;
        ASSERT_EQ(played[i - first].victim, expected.victim) << "access " << i;
      }
      for (std::uint32_t left = seed % 2 == 1 ? dice.below(9) : 0; left > 0; --left) {
        const BlockId block = dice.below(trace.footprint);
        policy->forget(block), twin.forget(block);
      }
    }
  }
}

TEST(OpenCas, BringsItsStages) {
  EXPECT_EQ(choice("open_cas").admission(), "sequential:after=1MiB,when=full,n_hit:hits=3,trigger=0.8");
  EXPECT_EQ(choice("open_cas:hits=1").admission(), "sequential:after=1MiB,when=full");
  EXPECT_EQ(choice("open_cas:sequential=0,hits=5,trigger=0.5").admission(), "n_hit:hits=5,trigger=0.5");
  EXPECT_EQ(choice("open_cas:sequential=0,hits=1").admission(), "");
  EXPECT_EQ(policies::parse_stages(choice("open_cas").admission()).size(), 2u);
}

TEST(OpenCas, RefusesBadValues) {
  const auto error_of = [](const char* text) -> std::string {
    try {
      choice(text);
    } catch (const sim::UsageError& error) { return error.what(); }
    return "";
  };
  EXPECT_EQ(error_of("open_cas:hits=0"),
            "open_cas:hits=0: n_hit:hits=0,trigger=0.8: hits is a whole number, 1 to 1000, not '0'");
  EXPECT_EQ(error_of("open_cas:hits=few"), "open_cas:hits=few: hits is a number, not 'few'");
  EXPECT_EQ(error_of("open_cas:trigger=80"),
            "open_cas:trigger=80: n_hit:hits=3,trigger=80: trigger is a share, 0 to 1, not '80'");
  EXPECT_EQ(error_of("open_cas:sequential=1XB"),
            "open_cas:sequential=1XB: '1XB' is not a size; write it as in 4KiB, 10GB, 1.5TiB");
}

}  // namespace
