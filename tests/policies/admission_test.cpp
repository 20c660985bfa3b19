// The stages against naive twins, the words of their errors, and stages together with policies.
#include "policies/admission.h"

#include <cmath>
#include <list>
#include <map>
#include <set>

#include "sim/error.h"
#include "tests/policies/play.h"

namespace {

using namespace support;
using policies::Gate;
using policies::parse_stages;
using policies::RequestStages;
using policies::Treatment;
using policies::Treatments;
using policies::Writes;

std::string error_of(std::string_view list) {
  try {
    parse_stages(list);
  } catch (const sim::UsageError& error) { return error.what(); }
  return "no error";
}

// The list

TEST(Stages, EveryOneIsDescribed) {
  std::set<std::string_view> names;
  for (const policies::StageSpec& spec : policies::all_stages()) {
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
    EXPECT_FALSE(spec.idea.empty()) << spec.name;
    std::string text(spec.name);
    for (const auto& parameter : spec.parameters) {
      EXPECT_FALSE(parameter.meaning.empty()) << spec.name;
      const std::string_view value = parameter.value.empty() ? "a+b" : parameter.value;
      text += (text == spec.name ? ":" : ",") + std::string(parameter.name) + "=" + std::string(value);
    }
    const auto stages = parse_stages(text);  // a default that is written out
    ASSERT_EQ(stages.size(), 1u) << text;
    EXPECT_EQ(stages[0].name, spec.name);
    EXPECT_EQ(stages[0].text, text);
  }
}

TEST(Stages, ReadsLists) {
  EXPECT_TRUE(parse_stages("").empty());
  const auto stages =
      parse_stages("n_hit:hits=2,table=1,read_only,sequential:after=1MiB,when=full,only:streams=a:1+b=2");
  ASSERT_EQ(stages.size(), 4u);
  EXPECT_EQ(stages[0].text, "n_hit:hits=2,table=1");
  EXPECT_EQ(stages[0].settings.text("hits"), "2");
  EXPECT_EQ(stages[0].settings.text("trigger"), "0.8");
  EXPECT_EQ(stages[1].text, "read_only");
  EXPECT_EQ(stages[2].text, "sequential:after=1MiB,when=full");
  EXPECT_EQ(stages[2].settings.text("streams"), "128");
  EXPECT_EQ(stages[3].settings.text("streams"), "a:1+b=2");
}

TEST(Stages, ErrorsSayWhatIsRight) {
  const std::string there_are =
      "there are second_hit n_hit probabilistic size sequential read_only write_only only except";
  EXPECT_EQ(error_of("nhit"), "there is no stage 'nhit'; " + there_are + "; did you mean 'n_hit'?");
  EXPECT_EQ(error_of("lru"), "there is no stage 'lru'; " + there_are);
  EXPECT_EQ(error_of("size,"), "an empty stage in 'size,'");
  EXPECT_EQ(error_of("over=4KiB"), "'over=4KiB' is a parameter without a stage before it, as in STAGE:over=4KiB");
  EXPECT_EQ(error_of("size:ovr=1"), "size: there is no parameter 'ovr'; there are over; did you mean 'over'?");
  EXPECT_EQ(error_of("read_only:p=1"), "read_only: 'p=1': this stage has no parameters");
  EXPECT_EQ(error_of("size:over"), "size: 'over' should be PARAMETER=VALUE");
  EXPECT_EQ(error_of("size:over=1,over=2"), "size: parameter 'over' is given twice");
  EXPECT_EQ(error_of("size:over=big"), "size:over=big: 'big' is not a size; write it as in 4KiB, 10GB, 1.5TiB");
  EXPECT_EQ(error_of("sequential:after=0"), "sequential:after=0: after is a size above 0");
  EXPECT_EQ(error_of("sequential:streams=0"), "sequential:streams=0: streams is a whole number, 1 to 1000000, not '0'");
  EXPECT_EQ(error_of("sequential:when=never"), "sequential:when=never: when is always or full, not 'never'");
  EXPECT_EQ(error_of("n_hit:hits=0"), "n_hit:hits=0: hits is a whole number, 1 to 1000, not '0'");
  EXPECT_EQ(error_of("n_hit:hits=2.5"), "n_hit:hits=2.5: hits is a whole number, 1 to 1000, not '2.5'");
  EXPECT_EQ(error_of("n_hit:trigger=80"), "n_hit:trigger=80: trigger is a share, 0 to 1, not '80'");
  EXPECT_EQ(error_of("n_hit:table=-1"), "n_hit:table=-1: table is a number, 0 to 1000000, not '-1'");
  EXPECT_EQ(error_of("second_hit:fpp=0"), "second_hit:fpp=0: fpp is a number, 1e-09 to 0.5, not '0'");
  EXPECT_EQ(error_of("second_hit:window=x"), "second_hit:window=x: window is a number, not 'x'");
  EXPECT_EQ(error_of("probabilistic:p=2"), "probabilistic:p=2: p is a share, 0 to 1, not '2'");
  EXPECT_EQ(error_of("probabilistic:seed=-1"),
            "probabilistic:seed=-1: seed is a whole number, 0 to 4294967295, not '-1'");
  EXPECT_EQ(error_of("only"), "only: streams are names joined by '+', not ''");
  EXPECT_EQ(error_of("except:streams=a++b"), "except:streams=a++b: streams are names joined by '+', not 'a++b'");
  EXPECT_EQ(error_of("except:streams=a+"), "except:streams=a+: streams are names joined by '+', not 'a+'");
}

std::string text_of(const std::vector<policies::Stage>& stages) {
  std::string text;
  for (const auto& stage : stages) text += (text.empty() ? "" : ",") + stage.text;
  return text;
}

// Words that belong in a list, in any order: what is read is read the same again, anything else is a UsageError.
TEST(Stages, NonsenseIsAUsageError) {
  const std::vector<std::string> words = {",",     ",",          ":",          "=",       "+",         "size",
                                          "n_hit", "second_hit", "sequential", "only",    "read_only", "probabilistic",
                                          "over",  "hits",       "after",      "streams", "window",    "when",
                                          "full",  "p",          "4KiB",       "0.5",     "3",         "-1",
                                          "1e99",  "nan",        "\n",         "\xff",    ""};
  Dice dice(1);
  int good = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string list;
    for (std::uint32_t left = 1 + dice.below(10); left > 0; --left)
      list += words[dice.below(static_cast<std::uint32_t>(words.size()))];
    try {
      const std::string once = text_of(parse_stages(list));
      EXPECT_EQ(once, text_of(parse_stages(once)));
      ++good;
    } catch (const sim::UsageError& error) { ASSERT_STRNE(error.what(), "") << list; }
  }
  EXPECT_GT(good, 1000);
}

// Stages of requests

using Request = RequestStages::Request;

RequestStages requests(std::string_view list, Writes writes = Writes::allocate,
                       const std::vector<std::string>& names = {"a", "b", "c"}) {
  return RequestStages(writes, parse_stages(list), names);
}

Treatments both(Treatment treatment) { return {treatment, treatment}; }

constexpr Request kRead{.offset = 0, .length = 4096, .stream = 0, .write = false};
constexpr Request kWrite{.offset = 0, .length = 4096, .stream = 0, .write = true};

TEST(RequestStages, WritesAreHandled) {
  for (const auto& [writes, let_in, turned_away] : {std::tuple(Writes::allocate, Treatment::admit, Treatment::drop),
                                                    std::tuple(Writes::update, Treatment::hit_only, Treatment::drop),
                                                    std::tuple(Writes::invalidate, Treatment::drop, Treatment::drop),
                                                    std::tuple(Writes::bypass, Treatment::pass, Treatment::pass)}) {
    RequestStages open = requests("", writes), closed = requests("size:over=0", writes);
    EXPECT_EQ(open.treat(kRead), both(Treatment::admit));
    EXPECT_EQ(open.treat(kWrite), both(let_in));
    EXPECT_EQ(closed.treat(kRead), both(Treatment::hit_only));
    EXPECT_EQ(closed.treat(kWrite), both(turned_away));
    EXPECT_EQ(open.admit_all(), writes == Writes::allocate);
    EXPECT_FALSE(closed.admit_all());
  }
  EXPECT_TRUE(requests("n_hit,second_hit,probabilistic").admit_all());
}

TEST(RequestStages, LookAtOneRequest) {
  RequestStages size = requests("size:over=64KiB");
  EXPECT_EQ(size.treat({.length = 65536}), both(Treatment::admit));
  EXPECT_EQ(size.treat({.length = 65537}), both(Treatment::hit_only));
  RequestStages smaller = requests("size:over=8KiB,size:over=64KiB");
  EXPECT_EQ(smaller.treat({.length = 8193}), both(Treatment::hit_only));
  RequestStages reads = requests("read_only");
  EXPECT_EQ(reads.treat(kRead), both(Treatment::admit));
  EXPECT_EQ(reads.treat(kWrite), both(Treatment::drop));
  RequestStages writes = requests("write_only");
  EXPECT_EQ(writes.treat(kRead), both(Treatment::hit_only));
  EXPECT_EQ(writes.treat(kWrite), both(Treatment::admit));
}

TEST(RequestStages, KnowStreamsByName) {
  const auto in = [](std::string_view list) {
    RequestStages stages = requests(list);
    std::string names;
    for (std::uint16_t stream = 0; stream < 4; ++stream) {
      if (stages.treat({.length = 1, .stream = stream}) == both(Treatment::admit)) names += "abc?"[stream];
    }
    return names;
  };
  EXPECT_EQ(in("only:streams=a+c"), "ac");
  EXPECT_EQ(in("except:streams=a+c"), "b?");
  EXPECT_EQ(in("only:streams=a+b,except:streams=b"), "a");
  EXPECT_EQ(in("only:streams=a,only:streams=b"), "");
  try {
    requests("only:streams=a+cc");
    ADD_FAILURE();
  } catch (const sim::UsageError& error) {
    EXPECT_STREQ(error.what(), "only:streams=a+cc: the trace has no stream 'cc'; it has a b c; did you mean 'c'?");
  }
}

TEST(RequestStages, OrderDoesNotMatter) {
  RequestStages one = requests("read_only,sequential:after=8KiB"), other = requests("sequential:after=8KiB,read_only");
  Dice dice(1);
  for (int i = 0; i < 1000; ++i) {
    const Request request{.offset = 4096 * dice.below(8), .length = 4096, .stream = 0, .write = dice.chance(0.5)};
    ASSERT_EQ(one.treat(request), other.treat(request));
  }
}

// A run's bytes by where it ended, the latest last.
class NaiveRuns {
 public:
  explicit NaiveRuns(std::size_t most) : most_(most) {}
  std::uint64_t length_with(const Request& request) {
    std::uint64_t bytes = request.length;
    const auto run =
        std::find_if(runs_.rbegin(), runs_.rend(), [&](const auto& r) { return r.first == request.offset; });
    if (run != runs_.rend()) {
      bytes += run->second;
      runs_.erase(std::next(run).base());
    } else if (runs_.size() == most_) {
      runs_.pop_front();
    }
    runs_.emplace_back(request.offset + request.length, bytes);
    return bytes;
  }

 private:
  std::size_t most_;
  std::list<std::pair<std::uint64_t, std::uint64_t>> runs_;
};

TEST(Sequential, EqualsTwin) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Dice dice(seed);
    const std::uint32_t most = 1 + dice.below(dice.chance(0.5) ? 4 : 200);
    const std::uint64_t after = 4096 * (1 + dice.below(20));
    const std::string when = dice.chance(0.5) ? "always" : "full";
    RequestStages stages =
        requests("sequential:after=" + std::to_string(after) + ",streams=" + std::to_string(most) + ",when=" + when);
    std::map<std::uint16_t, NaiveRuns> twin;
    std::vector<Request> last(1 + dice.below(2 * most));
    for (int i = 0; i < 2000; ++i) {
      Request& request = last[dice.below(static_cast<std::uint32_t>(last.size()))];
      request = dice.chance(0.8)
                    ? Request{.offset = request.offset + request.length, .stream = request.stream}
                    : Request{.offset = 4096 * dice.below(50), .stream = static_cast<std::uint16_t>(dice.below(3))};
      request.length = 4096 * dice.below(4);
      request.write = dice.chance(0.5);
      const bool away = twin.try_emplace(request.stream, most).first->second.length_with(request) >= after;
      const Treatment closed = request.write ? Treatment::drop : Treatment::hit_only;
      const Treatment full = away ? closed : Treatment::admit;
      ASSERT_EQ(stages.treat(request), Treatments(when == "full" ? Treatment::admit : full, full))
          << "seed " << seed << ", request " << i;
    }
  }
}

// bcache's numbers: a stream of requests of 128 KiB goes around the cache from its 32nd on, among 127 others.
TEST(Sequential, FindsStreamsAmongOthers) {
  RequestStages stages = requests("sequential");
  Dice dice(1);
  for (std::uint64_t i = 0; i < 100; ++i) {
    const auto treatment = stages.treat({.offset = i << 17, .length = 1 << 17});
    EXPECT_EQ(treatment, both(i < 31 ? Treatment::admit : Treatment::hit_only)) << i;
    for (int other = 0; other < 127; ++other) stages.treat({.offset = std::uint64_t{1} << 40 | dice.below(1u << 31)});
  }
  EXPECT_EQ(stages.treat({.offset = 1, .length = 4 << 20}), both(Treatment::hit_only));  // long enough by itself
}

// Stages of misses

class NaiveStage {
 public:
  virtual ~NaiveStage() = default;
  virtual bool admits(BlockId, std::uint32_t resident) = 0;
};

class NaiveSecondHit : public NaiveStage {
 public:
  explicit NaiveSecondHit(std::size_t half) : half_(half) {}
  bool admits(BlockId block, std::uint32_t) override {
    const bool found = young_.contains(block) || old_.contains(block);
    if (young_.contains(block)) return true;
    if (young_.size() == half_) old_ = std::exchange(young_, {});
    young_.insert(block);
    return found;
  }

 private:
  std::size_t half_;
  std::set<BlockId> young_, old_;
};

class NaiveNHit : public NaiveStage {
 public:
  NaiveNHit(std::uint32_t hits, std::uint32_t trigger, std::size_t table)
      : hits_(hits), trigger_(trigger), table_(table) {}
  bool admits(BlockId block, std::uint32_t resident) override {
    if (resident < trigger_) return true;
    if (!misses_.contains(block)) {
      if (order_.size() == table_) {
        misses_.erase(order_.front());
        order_.pop_front();
      }
      order_.push_back(block);
    }
    if (++misses_[block] < hits_) return false;
    misses_[block] = 0;
    return true;
  }

 private:
  std::uint32_t hits_, trigger_;
  std::size_t table_;
  std::list<BlockId> order_;
  std::map<BlockId, std::uint32_t> misses_;
};

// A list of stages, and its twins for a capacity.
struct Pair {
  std::string list;
  std::vector<std::unique_ptr<NaiveStage>> (*twins)(std::uint32_t capacity);
};

template <class... Stages>
std::vector<std::unique_ptr<NaiveStage>> all_of(Stages... stages) {
  std::vector<std::unique_ptr<NaiveStage>> all;
  (all.push_back(std::make_unique<Stages>(std::move(stages))), ...);
  return all;
}

std::uint32_t at_least_one(std::uint32_t count) { return std::max(count, 1u); }

const std::vector<Pair> kPairs = {
    {"second_hit:fpp=1e-9", [](std::uint32_t c) { return all_of(NaiveSecondHit(at_least_one(c / 2))); }},
    {"second_hit:window=4,fpp=1e-9", [](std::uint32_t c) { return all_of(NaiveSecondHit(2 * c)); }},
    {"n_hit", [](std::uint32_t c) { return all_of(NaiveNHit(3, (c * 4 + 4) / 5, 2 * c)); }},
    {"n_hit:hits=2,trigger=0,table=0.5", [](std::uint32_t c) { return all_of(NaiveNHit(2, 0, at_least_one(c / 2))); }},
    {"n_hit:hits=1,trigger=0", [](std::uint32_t c) { return all_of(NaiveNHit(1, 0, 2 * c)); }},
    {"n_hit:hits=5,trigger=1,table=100", [](std::uint32_t c) { return all_of(NaiveNHit(5, c, 100 * c)); }},
    {"second_hit:window=2,fpp=1e-9,n_hit:hits=2,trigger=0.5",
     [](std::uint32_t c) { return all_of(NaiveSecondHit(c), NaiveNHit(2, (c + 1) / 2, 2 * c)); }},
    {"n_hit:hits=2,trigger=0.5,second_hit:window=2,fpp=1e-9",
     [](std::uint32_t c) { return all_of(NaiveNHit(2, (c + 1) / 2, 2 * c), NaiveSecondHit(c)); }},
};

bool all_admit(const std::vector<std::unique_ptr<NaiveStage>>& stages, BlockId block, std::uint32_t resident) {
  return std::all_of(stages.begin(), stages.end(), [&](const auto& s) { return s->admits(block, resident); });
}

// A list so long that it wraps many times.
TEST(Gate, EqualsTwins) {
  for (const Pair& pair : kPairs) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      Dice dice(seed);
      const std::uint32_t footprint = 1 + dice.below(200), capacity = 1 + dice.below(footprint + 5);
      Gate gate(parse_stages(pair.list), capacity, footprint);
      ASSERT_FALSE(gate.open());
      const auto twins = pair.twins(capacity);
      for (int i = 0; i < 3000; ++i) {
        const BlockId block = std::min(dice.below(footprint), dice.below(footprint));
        const std::uint32_t resident = dice.below(std::min(capacity, footprint) + 1);
        ASSERT_EQ(gate.admits(block, resident), all_admit(twins, block, resident))
            << pair.list << ", seed " << seed << ", miss " << i;
      }
    }
  }
}

TEST(Gate, IsOpenWithoutStagesOfMisses) {
  Gate gate(parse_stages("size,sequential,read_only,write_only"), 5, 10);
  EXPECT_TRUE(gate.open());
  EXPECT_TRUE(gate.admits(3, 5));
  EXPECT_EQ(gate.now({Treatment::admit, Treatment::drop}, 4), Treatment::admit);
  EXPECT_EQ(gate.now({Treatment::admit, Treatment::drop}, 5), Treatment::drop);
}

TEST(Gate, HoldsAnyCapacity) {
  for (const std::uint32_t capacity : {1u, 10u, 11u, 1'000'000u, kNoBlock - 1}) {
    Gate gate(parse_stages("second_hit:window=1000,n_hit:table=1000,trigger=0,hits=2"), capacity, 10);
    for (int round = 0; round < 3; ++round) {
      for (BlockId block = 0; block < 10; ++block) EXPECT_EQ(gate.admits(block, 0), round == 2) << capacity;
    }
  }
}

// Blocks that were never missed before, and yet come in.
TEST(SecondHit, RateOfFalsePositivesIsWhatItSays) {
  for (const double rate : {0.5, 0.1, 0.01, 0.001}) {
    const std::uint32_t capacity = 20'000, footprint = 2'000'000;
    Gate gate(parse_stages("second_hit:fpp=" + std::to_string(rate)), capacity, footprint);
    std::uint32_t admitted = 0, worst = 0, here = 0;
    const std::uint32_t kStep = 10'000;
    for (BlockId block = 0; block < footprint; ++block) {
      here += gate.admits(block, 0);
      if (block % kStep == kStep - 1) {
        admitted += here;
        worst = std::max(worst, std::exchange(here, 0));
      }
    }
    EXPECT_LT(admitted, rate * footprint);
    EXPECT_GT(admitted, rate * footprint * 0.4);
    EXPECT_LT(worst, rate * kStep + 4 * std::sqrt(rate * kStep));
    RecordProperty(std::to_string(rate), std::to_string(admitted / static_cast<double>(footprint)));
  }
}

// Half of the window is sure to be remembered: here 249 blocks, each missed twice.
TEST(SecondHit, ForgetsNothingInHalfOfItsWindow) {
  Gate gate(parse_stages("second_hit"), 1000, 1'000'000);
  for (BlockId block = 0; block < 249; ++block) gate.admits(block, 0);
  for (BlockId block = 249; block < 1'000'000; ++block) {
    gate.admits(block, 0);
    ASSERT_TRUE(gate.admits(block - 249, 0)) << block;
  }
}

TEST(Probabilistic, RateAndSeed) {
  const auto verdicts = [](const std::string& list) {
    Gate gate(parse_stages(list), 10, 100);
    std::vector<bool> all;
    for (BlockId i = 0; i < 100'000; ++i) all.push_back(gate.admits(i % 100, 10));
    return all;
  };
  const auto all = verdicts("probabilistic:p=0.2");
  EXPECT_NEAR(static_cast<double>(std::count(all.begin(), all.end(), true)), 20'000, 4 * 127);
  EXPECT_EQ(all, verdicts("probabilistic:p=0.2"));
  EXPECT_NE(all, verdicts("probabilistic:p=0.2,seed=2"));
  const auto none = verdicts("probabilistic:p=0"), every = verdicts("probabilistic:p=1");
  EXPECT_EQ(std::count(none.begin(), none.end(), true), 0);
  EXPECT_EQ(std::count(every.begin(), every.end(), true), 100'000);
}

// Stages and policies together

Treatments random_treatments(Dice& dice, bool tame) {
  const auto one = [&] {
    return dice.chance(tame ? 0.9 : 0.5) ? Treatment::admit : static_cast<Treatment>(dice.below(5));
  };
  const Treatment filling = one();
  return {filling, dice.chance(0.7) ? filling : one()};
}

// An LRU whose misses are let in, or not, by naive twins of the stages.
class GatedLru {
 public:
  GatedLru(std::uint32_t capacity, std::vector<std::unique_ptr<NaiveStage>> stages)
      : capacity_(capacity), stages_(std::move(stages)) {}

  Played access(BlockId block, Treatments treatments) {
    const Treatment treatment = blocks_.size() < capacity_ ? treatments.filling() : treatments.full();
    const bool present = contains(block);
    if (treatment == Treatment::pass) return {Outcome::rejected, kNoBlock};
    if (treatment == Treatment::drop) {
      blocks_.remove(block);
      return {present ? Outcome::dropped : Outcome::rejected, kNoBlock};
    }
    if (!present && treatment != Treatment::admit) return {Outcome::rejected, kNoBlock};
    if (!present && !all_admit(stages_, block, static_cast<std::uint32_t>(blocks_.size())))
      return {Outcome::rejected, kNoBlock};
    BlockId victim = kNoBlock;
    blocks_.remove(block);
    if (blocks_.size() == capacity_) {
      victim = blocks_.back();
      blocks_.pop_back();
    }
    if (treatment != Treatment::take) blocks_.push_front(block);
    return {present ? Outcome::hit : Outcome::miss, victim};
  }
  void forget(BlockId block) { blocks_.remove(block); }
  bool contains(BlockId block) const { return std::find(blocks_.begin(), blocks_.end(), block) != blocks_.end(); }

 private:
  std::size_t capacity_;
  std::vector<std::unique_ptr<NaiveStage>> stages_;
  std::list<BlockId> blocks_;
};

// Accesses `first` up to `end`, in one call.
std::vector<Played> play_treated(policies::Policy& policy, const SmallTrace& trace,
                                 std::span<const Treatments> treatments, Gate& gate, std::size_t first,
                                 std::size_t end) {
  const std::size_t count = end - first;
  std::vector<Outcome> outcomes(count);
  std::vector<BlockId> victims(count);
  policy.access({.blocks = std::span(trace.blocks).subspan(first, count),
                 .next_use = std::span(trace.next_use).subspan(first, count),
                 .writes = std::span(trace.writes).subspan(first, count),
                 .addresses = trace.addresses,
                 .outcomes = outcomes,
                 .victims = victims,
                 .treatments = treatments.subspan(first, count),
                 .gate = &gate});
  std::vector<Played> played;
  for (std::size_t i = 0; i < count; ++i) played.push_back({outcomes[i], victims[i]});
  return played;
}

TEST(Admission, LruBehindAGateEqualsTwins) {
  const policies::Choice lru = choice("lru");
  for (const Pair& pair : kPairs) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      const SmallTrace trace = small_trace(seed, seed % 2 == 1);
      SCOPED_TRACE(pair.list + ", " + trace.name);
      Dice dice(seed);
      std::vector<Treatments> treatments;
      for (std::size_t i = 0; i < trace.blocks.size(); ++i) treatments.push_back(random_treatments(dice, seed % 4 < 2));
      const auto policy = lru.make(trace.capacity, trace.footprint);
      Gate gate(parse_stages(pair.list), trace.capacity, trace.footprint);
      GatedLru twin(trace.capacity, pair.twins(trace.capacity));
      for (std::size_t first = 0; first < trace.blocks.size();) {
        for (const BlockId block : trace.forgets[first]) policy->forget(block), twin.forget(block);
        std::size_t end = first + 1;
        const std::size_t longest = first + 1 + dice.below(40);
        while (end < longest && end < trace.blocks.size() && trace.forgets[end].empty()) ++end;
        const auto played = play_treated(*policy, trace, treatments, gate, first, end);
        for (std::size_t i = first; i < end; ++i) {
          const Played expected = twin.access(trace.blocks[i], treatments[i]);
          ASSERT_EQ(played[i - first].outcome, expected.outcome) << "access " << i;
          ASSERT_EQ(played[i - first].victim, expected.victim) << "access " << i;
        }
        first = end;
      }
    }
  }
}

// The stages of a product can be parsed, and stand for themselves.
TEST(Admission, ProductsBringTheirStages) {
  for (const policies::Spec* spec : policies::all()) {
    const std::string stages = choice(spec->name).admission();
    EXPECT_EQ(stages.empty(), parse_stages(stages).empty()) << spec->name;
    EXPECT_TRUE(spec->admission || stages.empty()) << spec->name;
  }
}

}  // namespace
