#include <list>

#include "policies/parts/frequency_sketch.h"
#include "sim/error.h"
#include "tests/policies/twin.h"

namespace {

using namespace support;

// The paper's figure and text with lists; the sketch is the policy's own, which has tests of its own.
class NaiveWTinyLfu : public Twin {
 public:
  struct Sizes {
    double window = 0.01;
    double protect = 0.8;
    double sample = 10;
    bool climb = false;
  };

  NaiveWTinyLfu(std::size_t capacity, const Sizes& sizes)
      : c_(capacity),
        window_size_(std::max<std::size_t>(1, static_cast<std::size_t>(sizes.window * static_cast<double>(capacity)))),
        protected_size_(static_cast<std::size_t>(sizes.protect * static_cast<double>(capacity - window_size_))),
        climb_(sizes.climb),
        sketch_(static_cast<std::uint32_t>(capacity),
                static_cast<std::uint64_t>(sizes.sample * static_cast<double>(capacity))) {}

  Played access(BlockId x, std::uint32_t) override {
    if (climb_) maybe_climb();
    sketch_.add(x);
    if (take(window_, x)) {
      window_.push_front(x);
    } else if (take(protected_, x) || take(probation_, x)) {
      protected_.push_front(x);
      demote();
    } else {
      return {Outcome::miss, insert(x)};
    }
    ++hits_;
    return {Outcome::hit, kNoBlock};
  }
  void forget(BlockId x) override { take(window_, x), take(probation_, x), take(protected_, x); }
  bool contains(BlockId x) const override { return has(window_, x) || has(probation_, x) || has(protected_, x); }

 private:
  using List = std::list<BlockId>;  // youngest first
  static bool has(const List& list, BlockId x) { return std::find(list.begin(), list.end(), x) != list.end(); }
  static bool take(List& list, BlockId x) {
    const bool there = has(list, x);
    list.remove(x);
    return there;
  }
  static BlockId take_oldest(List& list) {
    const BlockId x = list.back();
    list.pop_back();
    return x;
  }
  std::size_t in_main() const { return probation_.size() + protected_.size(); }
  void demote() {
    while (protected_.size() > protected_size_) probation_.push_front(take_oldest(protected_));
  }

  BlockId insert(BlockId x) {
    window_.push_front(x);
    if (window_.size() <= window_size_) return kNoBlock;
    const BlockId candidate = take_oldest(window_);
    if (in_main() < c_ - window_size_) {
      probation_.push_front(candidate);
      return kNoBlock;
    }
    if (in_main() == 0) return candidate;
    List& from = probation_.empty() ? protected_ : probation_;
    if (sketch_.estimate(candidate) <= sketch_.estimate(from.back())) return candidate;
    const BlockId victim = take_oldest(from);
    probation_.push_front(candidate);
    return victim;
  }

  void maybe_climb() {
    if (++accesses_ % (10 * c_) != 0) return;
    if (hits_ < hits_before_) up_ = !up_;
    hits_before_ = hits_;
    hits_ = 0;
    for (std::size_t step = 0; step < std::max<std::size_t>(1, c_ / 16); ++step) {
      if (up_ && protected_size_ > 0) {
        --protected_size_, ++window_size_;
      } else if (!up_ && window_size_ > 1) {
        --window_size_, ++protected_size_;
      }
    }
    demote();
    while (in_main() > c_ - window_size_) window_.push_front(take_oldest(probation_.empty() ? protected_ : probation_));
    while (window_.size() > window_size_) probation_.push_front(take_oldest(window_));
  }

  std::size_t c_, window_size_, protected_size_;
  bool climb_;
  bool up_ = true;
  std::size_t accesses_ = 0, hits_ = 0, hits_before_ = 0;
  policies::FrequencySketch sketch_;
  List window_, probation_, protected_;
};

class WTinyLfu : public testing::Test {
 protected:
  static void expect_equal(std::string_view text, const NaiveWTinyLfu::Sizes& sizes) {
    expect_equal_to_twin(text,
                         [sizes](std::size_t capacity) { return std::make_unique<NaiveWTinyLfu>(capacity, sizes); });
  }
};

TEST_F(WTinyLfu, EqualsTwin) { expect_equal("w_tiny_lfu", {}); }
TEST_F(WTinyLfu, EqualsTwinWithOtherParameters) {
  expect_equal("w_tiny_lfu:window=0.3", {.window = 0.3});
  expect_equal("w_tiny_lfu:window=0.1,protected=0,sample=3", {.window = 0.1, .protect = 0, .sample = 3});
  expect_equal("w_tiny_lfu:protected=1", {.protect = 1});
}
TEST_F(WTinyLfu, EqualsTwinWhenItClimbs) {
  expect_equal("w_tiny_lfu:climb=yes", {.climb = true});
  expect_equal("w_tiny_lfu:climb=yes,window=0.5", {.window = 0.5, .climb = true});
}

// A block seen twice is worth more than a loop of blocks seen once.
TEST_F(WTinyLfu, AScanDoesNotWashOutWhatIsUsed) {
  SmallTrace trace;
  trace.footprint = 10'000;
  for (BlockId round = 0; round < 5; ++round) {
    for (BlockId block = 0; block < 80; ++block) trace.blocks.push_back(block);
  }
  const std::size_t before = trace.blocks.size();
  for (BlockId block = 1000; block < 1500; ++block) trace.blocks.push_back(block);
  for (BlockId block = 0; block < 80; ++block) trace.blocks.push_back(block);
  const auto played = play(*choice("w_tiny_lfu").make(100, trace.footprint), trace, 0, trace.blocks.size(), false);
  const auto hits = std::count_if(played.begin() + static_cast<std::ptrdiff_t>(before), played.end(),
                                  [](const Played& p) { return p.outcome == Outcome::hit; });
  EXPECT_GE(hits, 78);
}

TEST_F(WTinyLfu, RefusesBadValues) {
  for (const char* text : {"w_tiny_lfu:climb=up", "w_tiny_lfu:window=1.5", "w_tiny_lfu:protected=-1",
                           "w_tiny_lfu:sample=0", "w_tiny_lfu:window=x"}) {
    EXPECT_THROW(choice(text), sim::UsageError) << text;
  }
}

}  // namespace
