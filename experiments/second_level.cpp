#include "experiments/second_level.h"

#include <algorithm>

#include "sim/error.h"

namespace experiments {
namespace {

using policies::BlockId;
using policies::Outcome;

class Passing {
 public:
  Passing(const traces::Blocks& blocks, const FirstLevel& first) : blocks_(blocks), first_(first) {
    passed_.trace = traces::Trace::empty_like(blocks.trace());
  }

  void segment(const Segment& s, std::span<const Outcome> outcomes, std::span<const BlockId> victims) {
    if (s.discard) discard(s.discard->request);
    for (std::size_t r = s.request, a = 0; r < s.request_end; ++r) {
      const std::uint32_t count = blocks_.count(r);
      if (first_.exclusive) note_places(r, s.access + a, count);
      request(r, outcomes.subspan(a, count), victims.subspan(a, count));
      a += count;
    }
  }
  PassedOn finish() { return std::move(passed_); }

 private:
  struct Place {
    std::uint64_t number;
    traces::StreamId stream;
  };

  void note_places(std::size_t r, std::size_t access, std::uint32_t count) {
    for (std::uint32_t b = 0; b < count; ++b) {
      if (blocks_.accesses()[access + b] != places_.size()) continue;
      places_.push_back({blocks_.division().first(blocks_.trace().offsets()[r]) + b, blocks_.trace().streams()[r]});
    }
  }

  // Passes on what is not served of request `r`, whose blocks begin at `access`.
  void request(std::size_t r, std::span<const Outcome> outcomes, std::span<const BlockId> victims) {
    const bool through = blocks_.trace().ops()[r] == traces::Op::write && first_.writes != policies::Writes::allocate;
    std::size_t run = 0;
    for (std::size_t b = 0; b <= outcomes.size(); ++b) {
      const bool served = b == outcomes.size() || (outcomes[b] == Outcome::hit && !through);
      if (!served) continue;
      if (run < b) add_run(r, run, b);
      run = b + 1;
    }
    if (!first_.exclusive) return;
    for (const BlockId victim : victims) {
      if (victim != policies::kNoBlock) add_fill(r, victim);
    }
  }
  void discard(std::size_t r) {
    const traces::Trace& trace = blocks_.trace();
    add(r, trace.offsets()[r].bytes, trace.lengths()[r], traces::Op::discard, trace.streams()[r], false);
  }

  // Blocks [first, end) of the request: of its first and last block only the part that was asked for.
  void add_run(std::size_t r, std::size_t first, std::size_t end) {
    const traces::Trace& trace = blocks_.trace();
    std::uint64_t from = trace.offsets()[r].bytes;
    std::uint64_t to = from + trace.lengths()[r];
    if (blocks_.granularity() == traces::Granularity::block) {
      const auto size = static_cast<std::uint64_t>(blocks_.block().count);
      const std::uint64_t block = from / size;
      from = std::max(from, (block + first) * size);
      to = std::min(to, (block + end) * size);
    }
    add(r, from, static_cast<std::uint32_t>(to - from), trace.ops()[r], trace.streams()[r], false);
  }

  void add_fill(std::size_t r, BlockId victim) {
    const bool whole = blocks_.granularity() == traces::Granularity::block;
    const auto size = static_cast<std::uint32_t>(blocks_.block().count);
    add(r, places_[victim].number * (whole ? size : 1), whole ? size : 1, traces::Op::write, places_[victim].stream,
        true);
  }

  void add(std::size_t r, std::uint64_t offset, std::uint32_t length, traces::Op op, traces::StreamId stream,
           bool fill) {
    passed_.trace.add(blocks_.trace().times()[r], {offset}, length, op, stream);
    passed_.origins.push_back(r);
    if (first_.exclusive) passed_.fills.push_back(fill);
  }

  const traces::Blocks& blocks_;
  const FirstLevel& first_;
  std::vector<Place> places_;  // by block; noted only when exclusive
  PassedOn passed_;
};

}  // namespace

Derived PassedOn::derived() const {
  Derived derived{.fills = fills};
  if (fills.empty()) return derived;
  Verdicts& verdicts = derived.verdicts.emplace_back();
  for (const std::uint8_t fill : fills) {
    const auto treatment = fill ? policies::Treatment::admit : policies::Treatment::take;
    verdicts.push_back(policies::Treatments(treatment, treatment));
  }
  return derived;
}

PassedOn pass_on(const traces::Blocks& blocks, const FirstLevel& first, const Windows& windows) {
  if (first.exclusive && first.writes != policies::Writes::allocate)
    throw sim::UsageError("an exclusive second level needs --writes allocate");
  Passing passing(blocks, first);
  const HitRates rates =
      observed_hit_rate(blocks, first.choice, first.capacity_blocks, windows, {.writes = first.writes},
                        [&](const Segment& s, std::span<const Outcome> outcomes, std::span<const BlockId> victims) {
                          passing.segment(s, outcomes, victims);
                        });
  PassedOn passed = passing.finish();
  passed.accesses = rates.demand.accesses.sum();
  passed.hits = rates.rows[0].hits.sum();
  return passed;
}

}  // namespace experiments
