#include "experiments/hit_rate.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>

#include "experiments/coverage.h"
#include "experiments/lru_curve.h"
#include "sim/error.h"
#include "sim/parallel.h"

namespace experiments {
namespace {

using policies::BlockId;
using policies::Outcome;
using policies::Treatment;
using policies::Treatments;
using traces::Column;
using traces::Op;

// --- What several caches share: the piece of the trace at hand, and what its accesses may do ---

// Of one admission. Empty: all are admitted; no policy needs the future.
struct Lane {
  Column<Treatments> treatments{};
  Column<std::uint32_t> next_use{};
};

struct Piece {
  const traces::Blocks* blocks = nullptr;
  std::vector<Segment> segments{};
  Column<std::uint8_t> writes{};
  std::vector<std::uint64_t> addresses{};  // of every block so far
  std::vector<Lane> lanes{};               // by admission
  std::span<const std::uint8_t> fills{};   // by request; may be empty
};

// The verdict on a request is one on each of its accesses.
Column<Treatments> treatments(const traces::Blocks& blocks, const Verdicts& verdicts) {
  Column<Treatments> treatments;
  treatments.reserve(blocks.accesses().size());
  for (std::size_t r = 0; r < blocks.trace().size(); ++r) {
    for (std::uint32_t b = blocks.count(r); b > 0; --b)
      treatments.push_back(verdicts.empty() ? Treatments() : verdicts[r]);
  }
  return treatments;
}

// An access that passes by is no use, and none lies beyond one that drops its block.
Column<std::uint32_t> next_uses(const traces::Blocks& blocks, std::span<const Treatments> treatments) {
  if (treatments.empty()) return blocks.next_use();
  return blocks.next_use([&](std::size_t access) {
    const Treatment treatment = treatments[access].filling();
    if (treatment == Treatment::pass) return traces::Use::none;
    return treatment == Treatment::drop ? traces::Use::end : traces::Use::use;
  });
}

Column<std::uint8_t> write_column(const traces::Blocks& blocks) {
  Column<std::uint8_t> writes;
  writes.reserve(blocks.accesses().size());
  for (std::size_t r = 0; r < blocks.trace().size(); ++r) {
    for (std::uint32_t b = blocks.count(r); b > 0; --b) writes.push_back(blocks.trace().ops()[r] == Op::write);
  }
  return writes;
}

// One cache, or several that are computed together.
class Player {
 public:
  virtual ~Player() = default;
  virtual void play(const Piece&) = 0;
  virtual std::vector<HitRate> finish(const Segmenter&) = 0;
};

// --- One policy at one size ---

class Cache final : public Player {
 public:
  Cache(const policies::Choice& choice, std::uint32_t capacity, std::uint32_t footprint, std::size_t lane,
        std::span<const policies::Stage> stages, const Windows& windows, bool write_back, const Observer* observer)
      : lane_(lane),
        gate_(stages, capacity, footprint),
        policy_(choice.make(capacity, footprint)),
        spec_(*choice.spec),
        dirty_(write_back ? footprint : 0),
        observer_(observer) {
    row_.policy = choice.text;
    row_.capacity_blocks = capacity;
    row_.windows.resize(windows.count);
  }

  void play(const Piece& piece) override {
    for (const Segment& s : piece.segments) {
      if (s.discard) forget(*s.discard);
      access(piece, s);
      if (observer_) (*observer_)(s, outcomes_, victims_);
      if (!row_.full) note_full(piece, s);
      if (!dirty_.empty()) write_back(*piece.blocks, s);
      if (!s.counted) continue;
      s.simple ? count_simple(*piece.blocks, s) : count_any(piece, s);
    }
  }

  std::vector<HitRate> finish(const Segmenter& segmenter) override {
    for (std::size_t w = 0; w < row_.windows.size(); ++w) {
      Counts& counts = row_.windows[w];
      if (dirty_.empty()) {
        counts.backend_requests.writes = segmenter.demand()[w].write_requests;
        counts.backend_bytes.writes = segmenter.demand()[w].bytes.writes;
      }
      row_.add(counts);
    }
    return {std::move(row_)};
  }

 private:
  void forget(const traces::Blocks::Discard& discard) {
    for (const BlockId id : discard.blocks) {
      policy_->forget(id);
      if (!dirty_.empty()) dirty_[id] = false;
    }
    held_ = policy_->resident();
  }

  void access(const Piece& piece, const Segment& s) {
    const std::size_t count = s.access_end - s.access;
    const auto part = [&](auto column, bool wanted) {
      return column.subspan(wanted ? s.access : 0, wanted ? count : 0);
    };
    outcomes_.resize(count);
    victims_.resize(dirty_.empty() && !observer_ ? 0 : count);
    const Lane& lane = piece.lanes[lane_];
    const bool treated = !lane.treatments.empty();
    policy_->access({.blocks = piece.blocks->accesses().subspan(s.access, count),
                     .next_use = part(lane.next_use.span(), spec_.needs_future),
                     .writes = part(piece.writes.span(), spec_.needs_writes),
                     .addresses = piece.addresses,
                     .outcomes = outcomes_,
                     .victims = victims_,
                     .treatments = part(lane.treatments.span(), treated),
                     .gate = treated ? &gate_ : nullptr});
  }

  // Nothing is pushed out before a cache is full, so that its blocks can be counted from the outcomes.
  void note_full(const Piece& piece, const Segment& s) {
    const auto taken = [&](std::size_t access) {
      const auto& treatments = piece.lanes[lane_].treatments;
      return !treatments.empty() && treatments[access].filling() == Treatment::take;
    };
    for (std::size_t a = s.access; a < s.access_end; ++a) {
      const Outcome outcome = outcomes_[a - s.access];
      held_ += outcome == Outcome::miss;
      held_ -= outcome == Outcome::dropped || (outcome == Outcome::hit && taken(a));
      if (held_ < row_.capacity_blocks) continue;
      row_.full = time_of(*piece.blocks, s, a);
      return;
    }
    held_ = policy_->resident();
  }

  // Which blocks differ from the storage behind, and what that costs it.
  void write_back(const traces::Blocks& blocks, const Segment& s) {
    Counts ignored;
    Counts& counts = s.counted ? row_.windows[s.window] : ignored;
    const auto block = static_cast<std::uint64_t>(blocks.block().count);
    std::size_t a = s.access;
    for (std::size_t r = s.request; r < s.request_end; ++r) {
      const bool write = blocks.trace().ops()[r] == Op::write;
      const std::uint32_t count = blocks.count(r);
      if (!count) continue;
      const Coverage coverage(blocks, r, count);
      for (std::uint32_t b = 0; b < count; ++b, ++a) {
        const Outcome outcome = outcomes_[a - s.access];
        const BlockId id = blocks.accesses()[a];
        const BlockId victim = victims_[a - s.access];
        if (victim != policies::kNoBlock && dirty_[victim]) {
          dirty_[victim] = false;
          ++counts.backend_requests.writes;
          counts.backend_bytes.writes += block;
        }
        if (!write) continue;
        dirty_[id] = outcome == Outcome::hit || outcome == Outcome::miss;
        if (dirty_[id]) continue;
        ++counts.backend_requests.writes;
        counts.backend_bytes.writes += coverage.bytes(b);
      }
    }
  }

  void count_simple(const traces::Blocks& blocks, const Segment& s);
  void count_any(const Piece& piece, const Segment& s);

  std::size_t lane_;  // of each piece
  policies::Gate gate_;
  std::unique_ptr<policies::Policy> policy_;
  const policies::Spec& spec_;
  std::vector<bool> dirty_;   // empty without write-back
  const Observer* observer_;  // or null
  std::uint32_t held_ = 0;    // while not yet full
  std::vector<Outcome> outcomes_;
  std::vector<BlockId> victims_;
  HitRate row_;
};

// The loops have no branches and few sums, so that they are vectorised: the rest follows from the segment's own sums.
void Cache::count_simple(const traces::Blocks& blocks, const Segment& s) {
  const std::size_t count = outcomes_.size();
  const Outcome* const outcomes = outcomes_.data();
  const Op* const ops = blocks.trace().ops().data() + s.request;
  const std::uint32_t* const lengths = blocks.trace().lengths().data() + s.request;
  static_assert(static_cast<int>(Op::read) == 0 && static_cast<int>(Op::write) == 1);
  std::uint32_t hits = 0, write_hits = 0, turned_away = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool hit = outcomes[i] == Outcome::hit;
    hits += hit;
    write_hits += hit & static_cast<std::uint8_t>(ops[i]);
    turned_away += outcomes[i] > Outcome::hit;
  }
  std::uint64_t hit_bytes = 0, write_hit_bytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t bytes = outcomes[i] == Outcome::hit ? lengths[i] : 0;
    hit_bytes += bytes;
    write_hit_bytes += ops[i] == Op::write ? bytes : 0;
  }
  const bool whole = blocks.granularity() == traces::Granularity::block;
  const auto block = static_cast<std::uint64_t>(blocks.block().count);
  const std::uint64_t read_misses = s.accesses.reads - (hits - write_hits);
  const std::uint64_t fetched = whole ? read_misses * block : s.bytes.reads - (hit_bytes - write_hit_bytes);
  std::uint64_t not_kept = 0;
  for (std::size_t i = 0; turned_away && i < count; ++i) {
    if (outcomes[i] > Outcome::hit) not_kept += whole && ops[i] == Op::read ? block : lengths[i];
  }
  Counts& counts = row_.windows[s.window];
  counts.hits.add({hits - write_hits, write_hits});
  counts.hit_bytes.add({hit_bytes - write_hit_bytes, write_hit_bytes});
  counts.request_hits += hits;
  counts.backend_requests.reads += read_misses;
  counts.backend_bytes.reads += fetched;
  counts.cache_write_bytes += fetched + s.bytes.writes - not_kept;
}

void Cache::count_any(const Piece& piece, const Segment& s) {
  const traces::Blocks& blocks = *piece.blocks;
  const bool whole = blocks.granularity() == traces::Granularity::block;
  const auto block = static_cast<std::uint64_t>(blocks.block().count);
  Counts counts;
  const Outcome* outcome = outcomes_.data();
  for (std::size_t r = s.request; r < s.request_end; ++r) {
    const std::uint32_t count = blocks.count(r);
    if (!count) continue;
    if (!piece.fills.empty() && piece.fills[r]) {
      counts.cache_write_bytes += *outcome++ == Outcome::miss ? block : 0;
      continue;
    }
    const Coverage coverage(blocks, r, count);
    const bool write = blocks.trace().ops()[r] == Op::write;
    bool all = true, missed_before = false;
    for (std::uint32_t b = 0; b < count; ++b, ++outcome) {
      const bool hit = *outcome == Outcome::hit;
      const std::uint64_t bytes = coverage.bytes(b);
      const std::uint64_t fetched = hit || write ? 0 : whole ? block : bytes;
      if (hit) {
        ++(write ? counts.hits.writes : counts.hits.reads);
        (write ? counts.hit_bytes.writes : counts.hit_bytes.reads) += bytes;
      }
      counts.backend_requests.reads += !hit && !write && !missed_before;
      counts.backend_bytes.reads += fetched;
      if (*outcome <= Outcome::hit) counts.cache_write_bytes += write ? bytes : fetched;
      all &= hit;
      missed_before = !hit;
    }
    counts.request_hits += all;
  }
  row_.windows[s.window].add(counts);
}

// --- LRU at all sizes ---

class LruPlayer final : public Player {
 public:
  LruPlayer(std::string name, LruCurve curve) : name_(std::move(name)), curve_(std::move(curve)) {}
  void play(const Piece& piece) override { curve_.play(*piece.blocks, piece.segments); }
  std::vector<HitRate> finish(const Segmenter& segmenter) override {
    auto rows = curve_.rows(segmenter.demand());
    for (HitRate& row : rows) {
      row.policy = name_;
      row.full = segmenter.fill_time(row.capacity_blocks);
    }
    return rows;
  }

 private:
  std::string name_;
  LruCurve curve_;
};

// --- All of them ---

// What is to be computed, piece by piece or at once.
class Plan {
 public:
  Plan(std::uint32_t footprint, std::span<const std::string> streams, std::span<const policies::Choice> choices,
       std::span<const std::uint32_t> capacities, const Windows& windows, const HitRateOptions& options)
      : footprint_(footprint),
        choices_(choices.begin(), choices.end()),
        capacities_(capacities.begin(), capacities.end()),
        windows_(windows),
        options_(options),
        admissions_(choices, options.writes, options.admission, streams),
        segmenter_(windows, footprint, {.capacities = capacities_, .working_sets = options.working_sets}) {
    if (options.write_back && options.writes != policies::Writes::allocate)
      throw sim::UsageError("write-back needs --writes allocate: a write that the cache does not keep goes through");
    const std::uint64_t cells = std::uint64_t{windows.count} * choices.size() * capacities.size();
    if (cells > 20'000'000) {
      throw sim::UsageError(
          fmt::format("{} windows of {} curves at {} sizes are {} figures; at most 20 million are kept", windows.count,
                      choices.size(), capacities.size(), cells));
    }
  }

  // What is played from begin to end by one thread, and where its rows go.
  struct Job {
    std::size_t choice, first_row;
    bool lru_curve;
  };
  std::vector<Job> jobs() const {
    std::vector<Job> jobs;
    for (std::size_t c = 0; c < choices_.size(); ++c) {
      const std::size_t first = c * capacities_.size();
      const bool curve = choices_[c].spec->name == "lru" && !options_.simulate_lru && !options_.write_back &&
                         !treated(admissions_.of_choice(c));
      if (curve) jobs.push_back({c, first, true});
      for (std::size_t i = 0; !curve && i < capacities_.size(); ++i) jobs.push_back({c, first + i, false});
    }
    return jobs;
  }
  std::unique_ptr<Player> player(const Job& job, const Observer* observer = nullptr) const {
    const policies::Choice& choice = choices_[job.choice];
    const std::size_t lane = admissions_.of_choice(job.choice);
    if (job.lru_curve)
      return std::make_unique<LruPlayer>(choice.text, LruCurve(footprint_, capacities_, windows_.count));
    return std::make_unique<Cache>(choice, capacities_[job.first_row % capacities_.size()], footprint_, lane,
                                   admissions_.stages(lane), windows_, options_.write_back, observer);
  }
  void keep(const Job& job, Player& player) {
    std::ranges::move(player.finish(segmenter_), rows_.begin() + static_cast<std::ptrdiff_t>(job.first_row));
  }

  const Piece& prepare(const traces::Blocks& blocks, const Derived& derived = {}) {
    std::vector<Verdicts> own;
    if (derived.verdicts.empty()) own = admissions_.judge(blocks.trace());
    const std::vector<Verdicts>& verdicts = derived.verdicts.empty() ? own : derived.verdicts;
    piece_.blocks = &blocks;
    piece_.fills = derived.fills;
    piece_.segments = segmenter_.cut(blocks, derived.fills);
    piece_.lanes = std::vector<Lane>(admissions_.count());
    if (any(&policies::Spec::needs_writes)) piece_.writes = write_column(blocks);
    if (any(&policies::Spec::needs_addresses)) blocks.append_addresses(piece_.addresses);
    for (std::size_t a = 0; a < piece_.lanes.size(); ++a) {
      if (!admissions_.open(a) || !verdicts[a].empty()) piece_.lanes[a].treatments = treatments(blocks, verdicts[a]);
    }
    for (std::size_t c = 0; c < choices_.size(); ++c) {
      Lane& lane = piece_.lanes[admissions_.of_choice(c)];
      if (choices_[c].spec->needs_future && lane.next_use.empty()) lane.next_use = next_uses(blocks, lane.treatments);
    }
    return piece_;
  }

  HitRates finish() {
    HitRates result{.windows = windows_, .window_demand = segmenter_.demand(), .demand = {}, .rows = std::move(rows_)};
    for (const Demand& demand : result.window_demand) result.demand.add(demand);
    result.demand.working_set = footprint_;
    return result;
  }

 private:
  bool treated(std::size_t admission) const {
    return !admissions_.open(admission) || (!piece_.lanes.empty() && !piece_.lanes[admission].treatments.empty());
  }
  bool any(bool policies::Spec::*needs) const {
    return std::any_of(choices_.begin(), choices_.end(), [&](const auto& choice) { return choice.spec->*needs; });
  }

  std::uint32_t footprint_;
  std::vector<policies::Choice> choices_;
  std::vector<std::uint32_t> capacities_;
  Windows windows_;
  HitRateOptions options_;
  Admissions admissions_;
  Segmenter segmenter_;
  Piece piece_;
  std::vector<HitRate> rows_ = std::vector<HitRate>(choices_.size() * capacities_.size());
};

}  // namespace

void Counts::add(const Counts& more) {
  hits.add(more.hits);
  hit_bytes.add(more.hit_bytes);
  request_hits += more.request_hits;
  backend_requests.add(more.backend_requests);
  backend_bytes.add(more.backend_bytes);
  cache_write_bytes += more.cache_write_bytes;
}

HitRates hit_rates(const traces::Blocks& blocks, std::span<const policies::Choice> choices,
                   std::span<const std::uint32_t> capacities, const Windows& windows, const HitRateOptions& options,
                   const Derived& derived) {
  Plan plan(blocks.footprint(), blocks.trace().info().streams.names(), choices, capacities, windows, options);
  const Piece& piece = plan.prepare(blocks, derived);
  const auto jobs = plan.jobs();
  std::mutex mutex;
  std::size_t done = 0;
  sim::for_each_index(jobs.size(), options.threads, [&](std::size_t j) {
    const auto player = plan.player(jobs[j]);
    player->play(piece);
    plan.keep(jobs[j], *player);
    if (!options.progress) return;
    const std::scoped_lock lock(mutex);
    options.progress(static_cast<double>(++done) / static_cast<double>(jobs.size()));
  });
  return plan.finish();
}

HitRates observed_hit_rate(const traces::Blocks& blocks, const policies::Choice& choice, std::uint32_t capacity,
                           const Windows& windows, const HitRateOptions& options, const Observer& observer) {
  HitRateOptions simulated = options;
  simulated.simulate_lru = true;
  Plan plan(blocks.footprint(), blocks.trace().info().streams.names(), {&choice, 1}, {&capacity, 1}, windows,
            simulated);
  const Piece& piece = plan.prepare(blocks);
  const Plan::Job job = plan.jobs().at(0);
  const auto player = plan.player(job, &observer);
  player->play(piece);
  plan.keep(job, *player);
  return plan.finish();
}

struct HitRateStream::State {
  Plan plan;
  unsigned threads;
  std::vector<Plan::Job> jobs = plan.jobs();
  std::vector<std::unique_ptr<Player>> players{};
};

HitRateStream::HitRateStream(std::uint32_t footprint, std::span<const std::string> streams,
                             std::span<const policies::Choice> choices, std::span<const std::uint32_t> capacities,
                             const Windows& windows, const HitRateOptions& options)
    : state_(new State{Plan(footprint, streams, choices, capacities, windows, options), options.threads}) {
  if (std::any_of(choices.begin(), choices.end(), [](const auto& choice) { return choice.spec->needs_future; }))
    throw std::logic_error("a policy that knows the future cannot play a trace in pieces");
  for (const Plan::Job& job : state_->jobs) state_->players.push_back(state_->plan.player(job));
}

HitRateStream::~HitRateStream() = default;

void HitRateStream::play(const traces::Blocks& blocks) {
  const Piece& piece = state_->plan.prepare(blocks);
  sim::for_each_index(state_->players.size(), state_->threads, [&](std::size_t j) { state_->players[j]->play(piece); });
}

HitRates HitRateStream::finish() {
  for (std::size_t j = 0; j < state_->jobs.size(); ++j) state_->plan.keep(state_->jobs[j], *state_->players[j]);
  return state_->plan.finish();
}

}  // namespace experiments
