#include <list>

#include "sim/error.h"
#include "tests/policies/twin.h"

namespace {

using namespace support;

// A probationary FIFO, a main CLOCK with two bits and a FIFO of ghosts, all with the youngest first. A block that joins
// the main queue makes room there first.
class NaiveQdLpFifo : public Twin {
 public:
  NaiveQdLpFifo(std::size_t capacity, std::size_t main, std::size_t ghosts, bool libcachesim)
      : capacity_(capacity), main_room_(main), ghost_room_(ghosts), libcachesim_(libcachesim) {}

  Played access(BlockId block, std::uint32_t) override {
    if (libcachesim_ && capacity_ < main_room_ + 2) return {Outcome::rejected, kNoBlock};
    for (List* list : {&probation_, &main_}) {
      for (Page& page : *list) {
        if (page.block != block) continue;
        page.uses = std::min(page.uses + 1, 3);
        return {Outcome::hit, kNoBlock};
      }
    }
    const bool regretted = std::erase(ghosts_, block) > 0;
    // One place in the main queue is the returning block's.
    const std::size_t room = main_room_ - (regretted && main_room_ > 0 && !libcachesim_);
    BlockId victim = kNoBlock;
    while (probation_.size() + main_.size() == capacity_) {
      if (probation_.empty() || main_.size() > room) {
        victim = out_of_main();
      } else if (probation_.back().uses == 0) {
        victim = probation_.back().block;
        probation_.pop_back();
        ghosts_.push_front(victim);
        if (ghosts_.size() > ghost_room_) ghosts_.pop_back();
      } else {
        const BlockId promoted = probation_.back().block;
        probation_.pop_back();
        if (!main_.empty() && main_.size() == room) victim = out_of_main();
        main_.push_front({promoted, 0});
      }
    }
    if (libcachesim_ && regretted && main_.size() == main_room_) {
      const BlockId second = out_of_main();
      if (victim == kNoBlock) victim = second;
    }
    (regretted ? main_ : probation_).push_front({block, 0});
    return {Outcome::miss, victim};
  }
  void forget(BlockId block) override {
    for (List* list : {&probation_, &main_}) {
      list->remove_if([block](const Page& page) { return page.block == block; });
    }
  }
  bool contains(BlockId block) const override {
    const auto is = [block](const Page& page) { return page.block == block; };
    return std::any_of(probation_.begin(), probation_.end(), is) || std::any_of(main_.begin(), main_.end(), is);
  }

 private:
  struct Page {
    BlockId block;
    int uses;
  };
  using List = std::list<Page>;

  BlockId out_of_main() {
    while (main_.back().uses > 0) {
      --main_.back().uses;
      main_.splice(main_.begin(), main_, std::prev(main_.end()));
    }
    const BlockId victim = main_.back().block;
    main_.pop_back();
    return victim;
  }

  std::size_t capacity_, main_room_, ghost_room_;
  bool libcachesim_;
  List probation_, main_;
  std::list<BlockId> ghosts_;
};

std::size_t share(double of, std::size_t capacity) {
  return static_cast<std::size_t>(of * static_cast<double>(capacity));
}

void expect_equal(const char* text, double small, double ghost, bool libcachesim = false) {
  expect_equal_to_twin(text, [=](std::size_t capacity) {
    return std::make_unique<NaiveQdLpFifo>(capacity, capacity - std::max<std::size_t>(1, share(small, capacity)),
                                           share(ghost, capacity), libcachesim);
  });
}

TEST(QdLpFifo, EqualsTwin) { expect_equal("qd_lp_fifo", 0.1, 0.9); }

TEST(QdLpFifo, EqualsTwinWithOtherShares) {
  expect_equal("qd_lp_fifo:small=0.5,ghost=2", 0.5, 2);
  expect_equal("qd_lp_fifo:small=0.3,ghost=0", 0.3, 0);
  expect_equal("qd_lp_fifo:small=0", 0, 0.9);
  expect_equal("qd_lp_fifo:small=1,ghost=1", 1, 1);
}

TEST(QdLpFifo, LibcachesimVariantEqualsTwin) {
  expect_equal("qd_lp_fifo:variant=libcachesim", 0.1, 0.9, true);
  expect_equal("qd_lp_fifo:variant=libcachesim,small=0.3,ghost=3", 0.3, 3, true);
}

TEST(QdLpFifo, RefusesSharesThatMakeNoSense) {
  for (const char* text :
       {"qd_lp_fifo:small=1.1", "qd_lp_fifo:small=-0.1", "qd_lp_fifo:ghost=-1", "qd_lp_fifo:variant=other"}) {
    EXPECT_THROW(choice(text), sim::UsageError) << text;
  }
}

}  // namespace
