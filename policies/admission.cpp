#include "policies/admission.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "policies/parts/item_list.h"
#include "policies/parts/whole_number.h"
#include "sim/error.h"
#include "sim/nearest.h"
#include "sim/random.h"

namespace policies {

class MissStage {
 public:
  virtual ~MissStage() = default;
  virtual bool admits(BlockId, std::uint32_t resident) = 0;
};

namespace {

// Values

double number_from(const Settings& settings, std::string_view name, double lowest, double highest) {
  const double value = settings.number(name);
  if (value >= lowest && value <= highest) return value;
  throw sim::UsageError(fmt::format("{} is a number, {} to {}, not '{}'", name, lowest, highest, settings.text(name)));
}

std::uint64_t size_from(const Settings& settings, std::string_view name) {
  return static_cast<std::uint64_t>(sim::parse_bytes(settings.text(name)).count);
}

// A multiple of the capacity, in blocks; no more than there are.
std::uint32_t times(double factor, std::uint32_t capacity, std::uint32_t footprint) {
  return static_cast<std::uint32_t>(std::clamp(factor * capacity, 1.0, std::max(1.0, static_cast<double>(footprint))));
}

// Stages of misses

// Two Bloom filters, one beside the other in memory. When the one that is filled has its share of blocks, the other is
// cleared and filled instead.
class SecondHit final : public MissStage {
 public:
  SecondHit(std::uint32_t capacity, std::uint32_t footprint, const Settings& settings)
      : most_(times(number_from(settings, "window", 0, kMostCapacities) / 2, capacity, footprint)) {
    // Either of the two may be wrong.
    const double rate = number_from(settings, "fpp", 1e-9, 0.5) / 2;
    hashes_ = static_cast<std::uint64_t>(std::lround(-std::log2(rate)));
    // Solves (1 - exp(-hashes * most / bits)) ^ hashes = rate.
    const double hashes = static_cast<double>(hashes_);
    const double bits = -hashes * most_ / std::log1p(-std::pow(rate, 1 / hashes));
    words_.resize(static_cast<std::size_t>(std::ceil(bits / 64)));
  }

  bool admits(BlockId block, std::uint32_t) override {
    const bool young = contains(block, filling_);
    const bool found = young || contains(block, 1 - filling_);
    if (!young) insert(block);
    return found;
  }

  static constexpr double kMostCapacities = 1e6;

 private:
  struct Pair {
    std::uint64_t word[2] = {0, 0};
  };

  // The word from the upper half of a hash, the bit from the bits below it.
  Pair& pair(std::uint64_t hash) { return words_[(hash >> 32) * words_.size() >> 32]; }
  static std::uint64_t bit(std::uint64_t hash) { return std::uint64_t{1} << (hash >> 26 & 63); }

  bool contains(BlockId block, int which) {
    for (std::uint64_t i = 0; i < hashes_; ++i) {
      const std::uint64_t hash = sim::random_word(i, block);
      if (!(pair(hash).word[which] & bit(hash))) return false;
    }
    return true;
  }

  void insert(BlockId block) {
    if (count_ == most_) {
      filling_ = 1 - filling_;
      count_ = 0;
      for (Pair& pair : words_) pair.word[filling_] = 0;
    }
    for (std::uint64_t i = 0; i < hashes_; ++i) {
      const std::uint64_t hash = sim::random_word(i, block);
      pair(hash).word[filling_] |= bit(hash);
    }
    ++count_;
  }

  std::uint32_t most_;  // blocks in a filter
  std::uint32_t count_ = 0;
  std::uint64_t hashes_;
  int filling_ = 0;
  std::vector<Pair> words_;
};

class NHit final : public MissStage {
 public:
  NHit(std::uint32_t capacity, std::uint32_t footprint, const Settings& settings)
      : hits_(whole_number(settings, "hits", 1, 1000)),
        // Rounded up, but not because a product of decimal fractions is a little too large.
        trigger_(std::ceil(settings.fraction("trigger") * capacity - 1e-6)),
        room_(times(number_from(settings, "table", 0, 1e6), capacity, footprint)),
        counted_(room_, kNoBlock),
        misses_(footprint) {}

  bool admits(BlockId block, std::uint32_t resident) override {
    if (resident < trigger_) return true;
    if (misses_[block] == kNotCounted) count(block);
    if (++misses_[block] < kFirst + hits_) return false;
    misses_[block] = kFirst;
    return true;
  }

 private:
  // Misses counted, from kFirst.
  static constexpr std::uint16_t kNotCounted = 0;
  static constexpr std::uint16_t kFirst = 1;

  void count(BlockId block) {
    BlockId& place = counted_[next_];
    if (place != kNoBlock) misses_[place] = kNotCounted;
    place = block;
    misses_[block] = kFirst;
    next_ = next_ + 1 == room_ ? 0 : next_ + 1;
  }

  std::uint32_t hits_;
  double trigger_;
  std::uint32_t room_;
  std::uint32_t next_ = 0;
  std::vector<BlockId> counted_;
  std::vector<std::uint16_t> misses_;
};

class Probabilistic final : public MissStage {
 public:
  Probabilistic(std::uint32_t, std::uint32_t, const Settings& settings)
      : probability_(settings.fraction("p")), seed_(whole_number(settings, "seed", 0, UINT32_MAX)) {}

  bool admits(BlockId, std::uint32_t) override {
    return sim::to_unit(sim::random_word(sim::mix(seed_), misses_++)) < probability_;
  }

 private:
  double probability_;
  std::uint64_t seed_;
  std::uint64_t misses_ = 0;
};

// Stages of requests

struct SequentialRule {
  std::uint64_t after = 0;    // bytes
  std::uint32_t streams = 0;  // ends remembered
  bool only_full = false;
};

// Which of the trace's streams may come in.
struct StreamRule {
  bool only = false;  // these, or all but these
  std::vector<std::string> names;
};

// All that the stages of requests ask for.
struct RequestRules {
  std::uint64_t longest = UINT64_MAX;
  bool reads = true;
  bool writes = true;
  std::vector<SequentialRule> sequential;
  std::vector<StreamRule> streams;
};

void add_size(RequestRules& rules, const Settings& settings) {
  rules.longest = std::min(rules.longest, size_from(settings, "over"));
}

void add_sequential(RequestRules& rules, const Settings& settings) {
  const std::string_view when = settings.text("when");
  if (when != "always" && when != "full") {
    throw sim::UsageError(fmt::format("when is always or full, not '{}'", when));
  }
  const std::uint64_t after = size_from(settings, "after");
  if (after == 0) throw sim::UsageError("after is a size above 0");
  rules.sequential.push_back(
      {.after = after, .streams = whole_number(settings, "streams", 1, 1'000'000), .only_full = when == "full"});
}

void add_streams(RequestRules& rules, const Settings& settings, bool only) {
  StreamRule rule{.only = only, .names = {}};
  for (std::string_view rest = settings.text("streams");;) {
    const std::size_t plus = rest.find('+');
    if (plus == 0 || rest.empty()) {
      throw sim::UsageError(fmt::format("streams are names joined by '+', not '{}'", settings.text("streams")));
    }
    rule.names.emplace_back(rest.substr(0, plus));
    if (plus == std::string_view::npos) break;
    rest.remove_prefix(plus + 1);
  }
  rules.streams.push_back(std::move(rule));
}

// Runs of adjacent requests to one disk: where each ended, the one that was continued least recently forgotten first.
class Runs {
 public:
  explicit Runs(std::uint32_t most)
      : most_(most),
        buckets_(std::bit_ceil(std::uint64_t{most} * 2), kNone),
        shift_(64 - std::countr_zero(buckets_.size())) {
    runs_.reserve(most);
  }

  // The bytes of the run that a request continues, or begins, with it.
  std::uint64_t length_with(std::uint64_t offset, std::uint64_t length) {
    std::uint32_t run = find(offset);
    std::uint64_t bytes = length;
    if (run != kNone) {
      bytes += runs_[run].bytes;
      leave(run);
    } else if (runs_.size() < most_) {
      run = static_cast<std::uint32_t>(runs_.size());
      runs_.emplace_back();
    } else {
      run = oldest_;
      leave(run);
    }
    runs_[run].bytes = bytes;
    join(run, offset + length);
    return bytes;
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct Run {
    std::uint64_t end = 0;
    std::uint64_t bytes = 0;
    std::uint32_t older = kNone;
    std::uint32_t newer = kNone;
    std::uint32_t next = kNone;  // in the bucket
  };

  // Multiplicative hashing by the golden ratio (Knuth).
  std::uint32_t& bucket(std::uint64_t end) { return buckets_[end * 0x9E3779B97F4A7C15u >> shift_]; }

  std::uint32_t find(std::uint64_t end) {
    std::uint32_t run = bucket(end);
    while (run != kNone && runs_[run].end != end) run = runs_[run].next;
    return run;
  }

  void join(std::uint32_t index, std::uint64_t end) {
    Run& run = runs_[index];
    std::uint32_t& first = bucket(end);
    run.end = end;
    run.next = first;
    first = index;
    run.older = newest_;
    run.newer = kNone;
    (newest_ == kNone ? oldest_ : runs_[newest_].newer) = index;
    newest_ = index;
  }

  void leave(std::uint32_t index) {
    const Run& run = runs_[index];
    std::uint32_t* link = &bucket(run.end);
    while (*link != index) link = &runs_[*link].next;
    *link = run.next;
    (run.older == kNone ? oldest_ : runs_[run.older].newer) = run.newer;
    (run.newer == kNone ? newest_ : runs_[run.newer].older) = run.older;
  }

  std::uint32_t most_;
  std::vector<std::uint32_t> buckets_;
  int shift_;
  std::vector<Run> runs_;
  std::uint32_t oldest_ = kNone;
  std::uint32_t newest_ = kNone;
};

class Sequential {
 public:
  explicit Sequential(const SequentialRule& rule) : rule_(rule) {}

  bool turns_away(const RequestStages::Request& request) {
    if (request.stream >= disks_.size()) disks_.resize(request.stream + std::size_t{1});
    std::optional<Runs>& runs = disks_[request.stream];
    if (!runs) runs.emplace(rule_.streams);
    return runs->length_with(request.offset, request.length) >= rule_.after;
  }
  bool only_full() const { return rule_.only_full; }

 private:
  SequentialRule rule_;
  std::vector<std::optional<Runs>> disks_;
};

// The table of stages

struct Entry {
  StageSpec spec;
  // One of the two.
  std::unique_ptr<MissStage> (*make)(std::uint32_t capacity, std::uint32_t footprint, const Settings&) = nullptr;
  void (*add)(RequestRules&, const Settings&) = nullptr;
};

template <class Stage>
std::unique_ptr<MissStage> made(std::uint32_t capacity, std::uint32_t footprint, const Settings& settings) {
  return std::make_unique<Stage>(capacity, footprint, settings);
}

constexpr Parameter kSecondHit[] = {
    {"window", "misses remembered, as a multiple of the capacity", "1"},
    {"fpp", "share of blocks never missed that are taken for missed", "0.01"},
};
constexpr Parameter kNHit[] = {
    {"hits", "misses of a block until it comes in, 1 to 1000", "3"},
    {"trigger", "share of the capacity until which everything comes in", "0.8"},
    {"table", "blocks whose misses are counted, as a multiple of the capacity", "2"},
};
constexpr Parameter kProbabilistic[] = {
    {"p", "probability that a miss comes in", "0.5"},
    {"seed", "of the random numbers", "1"},
};
constexpr Parameter kSize[] = {{"over", "longest request that comes in", "64KiB"}};
constexpr Parameter kSequential[] = {
    {"after", "length of a run of adjacent requests that goes around the cache", "4MiB"},
    {"streams", "ends of requests that are remembered, of each disk", "128"},
    {"when", "always, or full: only once the cache is full", "always"},
};
constexpr Parameter kStreams[] = {{"streams", "names of streams of the trace, joined by '+'", ""}};

const Entry kEntries[] = {
    {{"second_hit", "a miss comes in if its block was missed before, not too long ago", kSecondHit}, made<SecondHit>},
    {{"n_hit", "a miss comes in if it is its block's third", kNHit}, made<NHit>},
    {{"probabilistic", "a miss comes in by chance", kProbabilistic}, made<Probabilistic>},
    {{"size", "long requests go around the cache", kSize}, nullptr, add_size},
    {{"sequential", "runs of adjacent requests go around the cache", kSequential}, nullptr, add_sequential},
    {{"read_only", "writes go around the cache", {}},
     nullptr,
     [](RequestRules& rules, const Settings&) { rules.writes = false; }},
    {{"write_only", "misses of reads stay out", {}},
     nullptr,
     [](RequestRules& rules, const Settings&) { rules.reads = false; }},
    {{"only", "streams that are not named go around the cache", kStreams},
     nullptr,
     [](RequestRules& rules, const Settings& settings) { add_streams(rules, settings, true); }},
    {{"except", "streams that are named go around the cache", kStreams},
     nullptr,
     [](RequestRules& rules, const Settings& settings) { add_streams(rules, settings, false); }},
};

const Entry& entry_of(const Stage& stage) {
  return *std::find_if(std::begin(kEntries), std::end(kEntries),
                       [&](const Entry& entry) { return entry.spec.name == stage.name; });
}

// A bad value is found before a trace is read.
void check(const Entry& entry, const Stage& stage) {
  try {
    if (entry.make) entry.make(1, 1, stage.settings);
    RequestRules rules;
    if (entry.add) entry.add(rules, stage.settings);
  } catch (const sim::UsageError& error) { throw sim::UsageError(fmt::format("{}: {}", stage.text, error.what())); }
}

}  // namespace

std::span<const StageSpec> all_stages() {
  static const std::vector<StageSpec> specs = [] {
    std::vector<StageSpec> all;
    for (const Entry& entry : kEntries) all.push_back(entry.spec);
    return all;
  }();
  return specs;
}

std::vector<Stage> parse_stages(std::string_view list) {
  std::vector<Stage> stages;
  if (list.empty()) return stages;
  std::vector<Named> known;
  for (const StageSpec& spec : all_stages()) known.push_back({spec.name, spec.parameters});
  for (const Item& item : parse_items(list, "stage", known)) {
    const Entry& entry = kEntries[item.index];
    stages.push_back({item.text, entry.spec.name, settings_of(entry.spec.parameters, item.given)});
    check(entry, stages.back());
  }
  return stages;
}

struct RequestStages::State {
  bool admit_all = true;
  std::uint64_t longest = UINT64_MAX;
  bool away[2] = {false, false};  // by: is a write
  // By: is a write, is turned away.
  Treatment treatments[2][2] = {{Treatment::admit, Treatment::hit_only}, {Treatment::admit, Treatment::drop}};
  std::vector<std::uint8_t> stream_away = std::vector<std::uint8_t>(std::size_t{UINT16_MAX} + 1);
  std::vector<Sequential> sequential;

  void handle(Writes);
  void add(const RequestRules&, std::span<const std::string> stream_names);
  void add(const StreamRule&, std::span<const std::string> stream_names);
};

void RequestStages::State::handle(Writes writes) {
  static constexpr Treatment kWrites[] = {Treatment::admit, Treatment::hit_only, Treatment::drop, Treatment::pass};
  treatments[1][0] = kWrites[static_cast<std::size_t>(writes)];
  if (writes == Writes::bypass) treatments[1][1] = Treatment::pass;
  if (writes != Writes::allocate) admit_all = false;
}

void RequestStages::State::add(const RequestRules& rules, std::span<const std::string> stream_names) {
  admit_all = false;
  longest = std::min(longest, rules.longest);
  away[0] |= !rules.reads;
  away[1] |= !rules.writes;
  for (const SequentialRule& rule : rules.sequential) sequential.emplace_back(rule);
  for (const StreamRule& rule : rules.streams) add(rule, stream_names);
}

void RequestStages::State::add(const StreamRule& rule, std::span<const std::string> stream_names) {
  std::vector<std::uint8_t> named(stream_away.size());
  for (const std::string& name : rule.names) {
    const auto found = std::find(stream_names.begin(), stream_names.end(), name);
    if (found == stream_names.end()) {
      const std::vector<std::string_view> names(stream_names.begin(), stream_names.end());
      throw sim::UsageError(fmt::format("the trace has no stream '{}'; it has {}{}", name, fmt::join(names, " "),
                                        sim::did_you_mean(name, names)));
    }
    named[static_cast<std::size_t>(found - stream_names.begin())] = 1;
  }
  for (std::size_t i = 0; i < named.size(); ++i) stream_away[i] |= (named[i] != 0) != rule.only;
}

RequestStages::RequestStages(Writes writes, std::span<const Stage> stages, std::span<const std::string> stream_names)
    : state_(std::make_unique<State>()) {
  state_->handle(writes);
  for (const Stage& stage : stages) {
    const auto add = entry_of(stage).add;
    if (!add) continue;
    RequestRules rules;
    add(rules, stage.settings);
    try {
      state_->add(rules, stream_names);
    } catch (const sim::UsageError& error) { throw sim::UsageError(fmt::format("{}: {}", stage.text, error.what())); }
  }
}

RequestStages::~RequestStages() = default;

Treatments RequestStages::treat(const Request& request) {
  State& state = *state_;
  bool away = state.away[request.write] | (request.length > state.longest) | (state.stream_away[request.stream] != 0);
  bool away_full = away;
  for (Sequential& stage : state.sequential) {
    const bool turned_away = stage.turns_away(request);
    away_full |= turned_away;
    away |= turned_away && !stage.only_full();
  }
  const auto& treatments = state.treatments[request.write];
  return {treatments[away], treatments[away_full]};
}

bool RequestStages::admit_all() const { return state_->admit_all; }

Gate::Gate(std::span<const Stage> stages, std::uint32_t capacity, std::uint32_t footprint) : capacity_(capacity) {
  for (const Stage& stage : stages) {
    if (const auto make = entry_of(stage).make) stages_.push_back(make(capacity, footprint, stage.settings));
  }
}

Gate::~Gate() = default;

bool Gate::every_stage_admits(BlockId block, std::uint32_t resident) {
  return std::all_of(stages_.begin(), stages_.end(), [=](const auto& stage) { return stage->admits(block, resident); });
}

}  // namespace policies
