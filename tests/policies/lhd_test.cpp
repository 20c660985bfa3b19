#include <cmath>
#include <deque>
#include <limits>
#include <map>

#include "sim/error.h"
#include "sim/random.h"
#include "tests/policies/twin.h"

namespace {

using namespace support;

// Section 4 of the paper with maps, and the authors' numbers. Sums are in the policy's order: they are floats.
class NaiveLhd : public Twin {
 public:
  struct Options {
    std::size_t samples = 32;
    int reconfigure = 1 << 20;
    int ages = 20000;
    std::uint64_t seed = 1;
  };

  NaiveLhd(std::size_t capacity, const Options& options)
      : capacity_(capacity), options_(options), budget_(static_cast<int>(0.01 * static_cast<double>(capacity))) {}

  Played access(BlockId x, std::uint32_t) override {
    const auto known = find(x);
    const bool hit = known != objects_.end();
    BlockId victim = kNoBlock;
    if (hit) {
      const int age = age_of(*known);
      hits_[group_of(*known)][age] += 1;
      if (known->explorer) ++budget_;
      known->last_last_hit_age = known->last_hit_age;
      known->last_hit_age = age;
    } else {
      if (objects_.size() == capacity_) victim = evict();
      objects_.push_back({.block = x, .last_hit_age = 0, .last_last_hit_age = options_.ages});
    }
    Object& object = *find(x);
    object.time = now_;
    const bool explore = draw() % 32 == 0;
    object.explorer = explore && budget_ > 0 && reconfigurations_ < 50;
    if (object.explorer) --budget_;
    if (!hit && !explore && density(object) < average_victim_) {
      admitted_[oldest_admitted_] = x;
      oldest_admitted_ = (oldest_admitted_ + 1) % 8;
    }
    if (++now_ % options_.reconfigure == 0) reconfigure();
    return {hit ? Outcome::hit : Outcome::miss, victim};
  }
  void forget(BlockId x) override {
    const auto known = find(x);
    if (known == objects_.end()) return;
    if (known->explorer) ++budget_;
    *known = objects_.back();
    objects_.pop_back();
  }
  bool contains(BlockId x) const override {
    return std::any_of(objects_.begin(), objects_.end(), [x](const Object& object) { return object.block == x; });
  }

 private:
  struct Object {
    BlockId block;
    int last_hit_age, last_last_hit_age;
    int time = 0;
    bool explorer = false;
  };
  using Histogram = std::map<int, float>;  // by age

  std::vector<Object>::iterator find(BlockId x) {
    return std::find_if(objects_.begin(), objects_.end(), [x](const Object& object) { return object.block == x; });
  }
  std::uint64_t draw() { return sim::random_word(options_.seed, draws_++); }
  int age_of(const Object& object) const { return std::min((now_ - object.time) / step_, options_.ages - 1); }
  int group_of(const Object& object) const {
    const double age = object.last_hit_age + object.last_last_hit_age;
    if (age == 0) return 15;
    return std::clamp(static_cast<int>(std::ceil(std::log2(options_.ages / age))), 0, 15);
  }

  float density(const Object& object) {
    const int age = age_of(object);
    if (age == options_.ages - 1) { return std::numeric_limits<float>::lowest() + static_cast<float>(object.explorer); }
    const int group = group_of(object);
    const float learned =
        reconfigurations_ > 0 ? densities_[group][age] : static_cast<float>((17.0 + group) / (age + 1));
    return learned + static_cast<float>(object.explorer);
  }

  BlockId evict() {
    std::vector<BlockId> candidates;
    const std::size_t count = reconfigurations_ > 50 ? options_.samples : std::min<std::size_t>(options_.samples, 8);
    while (candidates.size() < count) candidates.push_back(objects_[(draw() >> 32) * objects_.size() >> 32].block);
    for (const BlockId x : admitted_) {
      if (x != kNoBlock && contains(x)) candidates.push_back(x);
    }
    BlockId victim = candidates[0];
    for (const BlockId x : candidates) {
      if (density(*find(x)) < density(*find(victim))) victim = x;
    }
    const Object& object = *find(victim);
    average_victim_ = 0.9F * average_victim_ + (1 - 0.9F) * density(object);
    evictions_[group_of(object)][age_of(object)] += 1;
    forget(victim);
    return victim;
  }

  void reconfigure() {
    for (auto* histograms : {&hits_, &evictions_}) {
      for (auto& [group, histogram] : *histograms) {
        for (auto& [age, count] : histogram) count *= 0.9F;
      }
    }
    objects_sum_ = objects_sum_ * 0.9F + static_cast<float>(objects_.size());
    objects_weight_ = objects_weight_ * 0.9F + 1;
    if (reconfigurations_ == 5 || reconfigurations_ == 25) change_step();
    ++reconfigurations_;
    densities_.clear();
    for (int group = 0; group < 16; ++group) {
      float hits = hits_[group][options_.ages - 1];
      float events = hits + evictions_[group][options_.ages - 1];
      float lifetime = events;
      for (int age = options_.ages - 2; age >= 0; --age) {
        hits += hits_[group][age];
        events += hits_[group][age] + evictions_[group][age];
        lifetime += events;
        densities_[group][age] = events > 1e-5F ? hits / lifetime : 0;
      }
    }
  }

  void change_step() {
    const float optimal = objects_sum_ / objects_weight_ / (0.01F * static_cast<float>(options_.ages));
    int step = 2;
    while (static_cast<float>(step) < optimal) step *= 2;
    for (auto* histograms : {&hits_, &evictions_}) {
      for (auto& [group, histogram] : *histograms) histogram = rescaled(histogram, step);
    }
    step_ = step;
    objects_sum_ *= 8;
    objects_weight_ *= 8;
  }

  Histogram rescaled(Histogram& old, int step) const {
    const int last = options_.ages - 1;
    Histogram fresh;
    fresh[last] = old[last];
    if (step < step_) {
      const int finer = step_ / step;
      for (int age = options_.ages / finer; age < last; ++age) fresh[last] += old[age];
      for (int age = 0; age < last; ++age) fresh[age] = old[age / finer] / static_cast<float>(finer);
    } else {
      const int coarser = step / step_;
      for (int age = 0; age < options_.ages / coarser * coarser; ++age) fresh[age / coarser] += old[age];
      if (coarser == 1) fresh = old;
    }
    return fresh;
  }

  std::size_t capacity_;
  Options options_;
  int now_ = 0, step_ = 1024, reconfigurations_ = 0, budget_;
  std::uint64_t draws_ = 0;
  float average_victim_ = 0, objects_sum_ = 0, objects_weight_ = 0;
  std::vector<Object> objects_;
  std::vector<BlockId> admitted_ = std::vector<BlockId>(8, kNoBlock);
  std::size_t oldest_admitted_ = 0;
  std::map<int, Histogram> hits_, evictions_, densities_;
};

void expect_equal(std::string_view text, const NaiveLhd::Options& options) {
  expect_equal_to_twin(text, [options](std::size_t capacity) { return std::make_unique<NaiveLhd>(capacity, options); });
}

TEST(Lhd, EqualsTwinBeforeItLearns) { expect_equal("lhd", {}); }

TEST(Lhd, EqualsTwinThatLearns) {
  expect_equal("lhd:ages=12,reconfigure=15,seed=3", {.reconfigure = 15, .ages = 12, .seed = 3});
  expect_equal("lhd:ages=4,reconfigure=10", {.reconfigure = 10, .ages = 4});
  expect_equal("lhd:ages=70,reconfigure=40,samples=3", {.samples = 3, .reconfigure = 40, .ages = 70});
}

// Half of the accesses go round a loop that is larger than the cache, the others to a few blocks: the loop is to be let
// go. What LRU cannot learn.
TEST(Lhd, LearnsThatALoopIsNotWorthKeeping) {
  SmallTrace trace;
  trace.footprint = 2000;
  Dice dice(5);
  for (BlockId i = 0; i < 60'000; ++i) { trace.blocks.push_back(i % 2 == 0 ? dice.below(400) : 400 + i / 2 % 1600); }
  const auto hits = [&trace](std::string_view text) {
    const auto played = play(*choice(text).make(500, trace.footprint), trace, 0, trace.blocks.size(), false, false);
    return std::count_if(played.begin() + 30'000, played.end(),
                         [](const Played& p) { return p.outcome == Outcome::hit; });
  };
  EXPECT_GT(hits("lhd:reconfigure=500,ages=2000"), hits("lru") + 3000);
}

TEST(Lhd, RefusesBadValues) {
  for (const char* text : {"lhd:samples=0", "lhd:reconfigure=0", "lhd:ages=1", "lhd:ages=40000", "lhd:samples=1.5"}) {
    EXPECT_THROW(choice(text), sim::UsageError) << text;
  }
}

}  // namespace
