// LHD: least hit density.
//
// Beckmann, Chen, Cidon, "LHD: improving cache hit rate by maximizing hit density", NSDI 2018.
//
// A block's hit density is the hits that are to be expected of it for the room and time that it will take until it is
// used or pushed out. It is learned from what happened to blocks of the same class at the same age: a class is a range
// of how long the last two uses took, an age is the accesses since the last use, in coarse steps. From time to time the
// counts of hits and evictions by class and age are scaled by 0.9, and the densities are worked out from them anew. The
// victim is the least dense of some resident blocks drawn by lot, and of the last 8 that came in less dense than
// victims were of late. One in 32 uses makes its block an explorer, as long as these are at most 1% of the cache and
// for the first 50 reconfigurations: those are not pushed out, so that something is learned of old ages.
//
// samples: blocks drawn for an eviction (32); 8 at most before the 51st reconfiguration
// reconfigure: accesses between two of them (1048576)
// ages: steps of age (20000). The 6th and the 26th reconfiguration set their length, by the blocks resident: the power
// of
//     two, at least 2 accesses, that makes 1% of the steps as long as there are blocks. Before, it is 1024 accesses
// seed: of the draws (1)
//
// All blocks have one size and belong to one application, so the paper's classes by application are left out. The
// numbers above and the first densities, (17 + class) / (1 + age), are those of the authors' simulator, which is also
// libCacheSim's LHD; miss ratios lie within those of its seeds. Before the first reconfiguration there is nothing
// learned: a trace shorter than a few of them says little about LHD.
//
// Memory besides: 12 bytes for each of 16 x ages.
#include <algorithm>
#include <array>
#include <limits>

#include "policies/parts/batch.h"
#include "policies/parts/whole_number.h"
#include "sim/random.h"

namespace policies {
namespace {

struct Tuning {
  std::uint32_t samples = 0;
  std::uint32_t reconfigure = 0;
  std::uint32_t ages = 0;
  std::uint32_t seed = 0;
};

constexpr std::uint32_t kClasses = 16;
constexpr float kDecay = 0.9F;

// What is known of blocks by class and age.
class Densities {
 public:
  explicit Densities(std::uint32_t ages) : ages_(ages), hits_(cells()), evictions_(cells()), density_(cells()) {
    for (std::uint32_t group = 0; group < kClasses; ++group) {
      for (std::uint32_t age = 0; age < ages_; ++age) {
        density_[cell(group, age)] = static_cast<float>(1.0 * (17 + group) / (age + 1));
      }
    }
  }

  // The class of blocks whose last two uses took so many steps together: how often that must double to reach all ages.
  std::uint32_t group_of(std::uint32_t steps) const {
    if (steps == 0) return kClasses - 1;
    std::uint32_t doublings = 0;
    for (; steps < ages_ && doublings < kClasses - 1; steps *= 2) ++doublings;
    return doublings;
  }
  std::uint32_t age_of(std::uint32_t accesses) const { return std::min(accesses >> shift_, ages_ - 1); }

  void hit(std::uint32_t group, std::uint32_t age) { hits_[cell(group, age)] += 1; }
  void eviction(std::uint32_t group, std::uint32_t age) { evictions_[cell(group, age)] += 1; }
  // The last age is for all that are older: the first to go.
  float density(std::uint32_t group, std::uint32_t age) const {
    return age == ages_ - 1 ? std::numeric_limits<float>::lowest() : density_[cell(group, age)];
  }

  void reconfigure(std::uint32_t resident, bool set_step) {
    for (float& count : hits_) count *= kDecay;
    for (float& count : evictions_) count *= kDecay;
    resident_sum_ = resident_sum_ * kDecay + static_cast<float>(resident);
    resident_weight_ = resident_weight_ * kDecay + 1;
    if (set_step) adapt_step();
    for (std::uint32_t group = 0; group < kClasses; ++group) model(group);
  }

 private:
  std::size_t cells() const { return std::size_t{kClasses} * ages_; }
  std::size_t cell(std::uint32_t group, std::uint32_t age) const { return std::size_t{group} * ages_ + age; }

  // From old to young: the hits from an age on, over the time that all will stay from then on.
  void model(std::uint32_t group) {
    float hits = hits_[cell(group, ages_ - 1)];
    float events = hits + evictions_[cell(group, ages_ - 1)];
    float lifetime = events;
    for (std::uint32_t age = ages_ - 1; age-- > 0;) {
      const std::size_t at = cell(group, age);
      hits += hits_[at];
      events += hits_[at] + evictions_[at];
      lifetime += events;
      density_[at] = events > 1e-5F ? hits / lifetime : 0;
    }
  }

  void adapt_step() {
    constexpr float kTolerance = 0.01F;
    const float step = resident_sum_ / resident_weight_ / (kTolerance * static_cast<float>(ages_));
    std::uint32_t shift = 1;
    while (shift < 31 && static_cast<float>(1u << shift) < step) ++shift;
    for (std::vector<float>* counts : {&hits_, &evictions_}) {
      for (std::uint32_t group = 0; group < kClasses; ++group) {
        float* const of_group = &(*counts)[cell(group, 0)];
        shift < shift_ ? stretch(of_group, shift_ - shift) : compress(of_group, shift - shift_);
      }
    }
    shift_ = shift;
    resident_sum_ *= 8;  // so that one day's residents do not undo it
    resident_weight_ *= 8;
  }

  void stretch(float* counts, std::uint32_t by) const {
    for (std::uint32_t age = ages_ >> by; age < ages_ - 1; ++age) counts[ages_ - 1] += counts[age];
    for (std::uint32_t age = ages_ - 1; age-- > 0;) counts[age] = counts[age >> by] / static_cast<float>(1u << by);
  }
  void compress(float* counts, std::uint32_t by) const {
    if (by == 0) return;
    const std::uint32_t kept = ages_ >> by;
    for (std::uint32_t age = 0; age < kept; ++age) {
      float sum = counts[age << by];
      for (std::uint32_t i = 1; i < 1u << by; ++i) sum += counts[(age << by) + i];
      counts[age] = sum;
    }
    std::fill(counts + kept, counts + ages_ - 1, 0.0F);
  }

  std::uint32_t ages_;
  std::uint32_t shift_ = 10;
  float resident_sum_ = 0;  // of the reconfigurations, later ones counting more
  float resident_weight_ = 0;
  std::vector<float> hits_;
  std::vector<float> evictions_;
  std::vector<float> density_;
};

class Lhd {
 public:
  Lhd(std::uint32_t capacity, std::uint32_t footprint, const Tuning& tuning)
      : capacity_(capacity),
        tuning_(tuning),
        until_reconfiguration_(tuning.reconfigure),
        explorers_left_(static_cast<std::uint32_t>(0.01 * capacity)),
        densities_(tuning.ages),
        slot_(footprint, kAbsent) {
    tags_.reserve(std::min(capacity, footprint));
    samples_.resize(tuning.samples);
    recent_.fill(kNoBlock);
  }

  Outcome access(BlockId block, BlockId& victim) {
    if (contains(block)) {
      Tag& tag = tags_[slot_[block]];
      const std::uint32_t age = age_of(tag);
      densities_.hit(tag.group, age);
      explorers_left_ += tag.explorer;
      tag.group = densities_.group_of(age + tag.last_age) & 15u;
      tag.last_age = age & 0x7FFFu;
      use(tag);
      tick();
      return Outcome::hit;
    }
    if (resident() == capacity_) victim = evict();
    slot_[block] = resident();
    // As if the use before had been too long ago to count.
    tags_.push_back({.block = block, .group = densities_.group_of(tuning_.ages) & 15u});
    Tag& tag = tags_.back();
    const bool chosen = use(tag);
    if (!chosen && density(tag) < victims_density_) recent_[recent_count_++ % recent_.size()] = block;
    tick();
    return Outcome::miss;
  }

  void prefetch(BlockId block) const { __builtin_prefetch(&slot_[block], 1); }
  void prefetch_linked(BlockId block) const {
    if (contains(block)) __builtin_prefetch(&tags_[slot_[block]], 1);
  }

  void forget(BlockId block) {
    if (contains(block)) remove(block);
  }
  bool contains(BlockId block) const { return slot_[block] != kAbsent; }
  std::uint32_t resident() const { return static_cast<std::uint32_t>(tags_.size()); }

 private:
  static constexpr std::uint32_t kAbsent = UINT32_MAX;
  static constexpr std::uint32_t kEarly = 50;  // reconfigurations with explorers and few samples
  static constexpr std::uint32_t kEarlySamples = 8;

  struct Tag {
    BlockId block = kNoBlock;
    std::uint32_t time = 0;  // of the last use
    std::uint32_t last_age : 15 = 0;
    std::uint32_t group : 4 = 0;
    std::uint32_t explorer : 1 = 0;
  };

  std::uint64_t draw() { return sim::random_word(tuning_.seed, draws_++); }
  std::uint32_t age_of(const Tag& tag) const { return densities_.age_of(now_ - tag.time); }
  float density(const Tag& tag) const {
    return densities_.density(tag.group, age_of(tag)) + static_cast<float>(tag.explorer);
  }

  // Whether the lot fell on it to explore.
  bool use(Tag& tag) {
    tag.time = now_;
    const bool chosen = draw() % 32 == 0;
    tag.explorer = chosen && explorers_left_ > 0 && reconfigurations_ < kEarly;
    explorers_left_ -= tag.explorer;
    return chosen;
  }

  void tick() {
    ++now_;
    if (--until_reconfiguration_ > 0) return;
    densities_.reconfigure(resident(), reconfigurations_ == 5 || reconfigurations_ == 25);
    until_reconfiguration_ = tuning_.reconfigure;
    ++reconfigurations_;
  }

  BlockId evict() {
    const std::uint32_t slot = least_dense();
    const BlockId block = tags_[slot].block;
    constexpr float kNew = 1 - kDecay;
    victims_density_ = kDecay * victims_density_ + kNew * density(tags_[slot]);
    densities_.eviction(tags_[slot].group, age_of(tags_[slot]));
    remove(block);
    return block;
  }

  std::uint32_t least_dense() {
    const std::uint32_t count = reconfigurations_ > kEarly ? tuning_.samples : std::min(tuning_.samples, kEarlySamples);
    for (std::uint32_t i = 0; i < count; ++i) {
      samples_[i] = static_cast<std::uint32_t>((draw() >> 32) * resident() >> 32);
      __builtin_prefetch(&tags_[samples_[i]]);
    }
    std::uint32_t victim = 0;
    float least = std::numeric_limits<float>::max();
    const auto consider = [&](std::uint32_t slot) {
      const float candidate = density(tags_[slot]);
      if (candidate < least) least = candidate, victim = slot;
    };
    for (std::uint32_t i = 0; i < count; ++i) consider(samples_[i]);
    for (const BlockId block : recent_) {
      if (block != kNoBlock && contains(block)) consider(slot_[block]);
    }
    return victim;
  }

  // The last one takes its slot.
  void remove(BlockId block) {
    const std::uint32_t slot = slot_[block];
    explorers_left_ += tags_[slot].explorer;
    tags_[slot] = tags_.back();
    slot_[tags_[slot].block] = slot;
    tags_.pop_back();
    slot_[block] = kAbsent;
  }

  std::uint32_t capacity_;
  Tuning tuning_;
  std::uint32_t now_ = 0;
  std::uint32_t reconfigurations_ = 0;
  std::uint32_t until_reconfiguration_;
  std::uint32_t explorers_left_;
  float victims_density_ = 0;  // of late
  std::uint64_t draws_ = 0;
  Densities densities_;
  std::vector<std::uint32_t> slot_;  // in tags_
  std::vector<Tag> tags_;            // of the resident blocks
  std::vector<std::uint32_t> samples_;
  std::array<BlockId, 8> recent_;
  std::uint32_t recent_count_ = 0;
};

constexpr Parameter kParameters[] = {
    {"samples", "blocks drawn for an eviction", "32"},
    {"reconfigure", "accesses after which the densities are worked out anew", "1048576"},
    {"ages", "steps of age", "20000"},
    {"seed", "of the draws", "1"},
};

std::unique_ptr<Policy> make(std::uint32_t capacity, std::uint32_t footprint, const Settings& settings) {
  return std::make_unique<Batched<Lhd>>(capacity, footprint,
                                        Tuning{.samples = whole_number(settings, "samples", 1, 1000),
                                               .reconfigure = whole_number(settings, "reconfigure", 1, UINT32_MAX),
                                               .ages = whole_number(settings, "ages", 2, 32767),
                                               .seed = whole_number(settings, "seed", 0, UINT32_MAX)});
}

}  // namespace

extern const Spec lhd{
    .name = "lhd",
    .idea =
        "of some blocks drawn by lot, the one leaves of which the fewest hits are expected for the time it will stay",
    .paper = "Beckmann, Chen, Cidon, LHD: improving cache hit rate by maximizing hit density, NSDI 2018",
    .parameters = kParameters,
    .make = make,
};

}  // namespace policies
