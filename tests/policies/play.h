// Random traces of many shapes, and what policies do with them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "policies/admission.h"
#include "policies/policy.h"
#include "sim/random.h"

namespace support {

using policies::BlockId;
using policies::kNever;
using policies::kNoBlock;
using policies::Outcome;
using policies::Treatment;

// The words of one seed, one after the other.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : seed_(sim::mix(seed)) {}
  std::uint32_t below(std::uint32_t count) {
    return static_cast<std::uint32_t>(sim::random_word(seed_, index_++) % count);
  }
  bool chance(double p) { return sim::to_unit(sim::random_word(seed_, index_++)) < p; }

 private:
  std::uint64_t seed_;
  std::uint64_t index_ = 0;
};

struct SmallTrace {
  std::uint32_t footprint = 1;
  std::uint32_t capacity = 1;
  std::vector<BlockId> blocks;
  std::vector<std::uint32_t> next_use;
  std::vector<std::uint8_t> writes;              // by access; empty: all reads
  std::vector<std::uint64_t> addresses;          // by block; empty: the block's number
  std::vector<std::vector<BlockId>> forgets;     // before each access
  std::vector<policies::Treatments> treatments;  // by access; empty: every access is admitted

  std::string name;  // for messages
};

inline std::vector<std::uint32_t> next_uses(const std::vector<BlockId>& blocks, std::uint32_t footprint) {
  std::vector<std::uint32_t> next(blocks.size()), last(footprint, kNever);
  for (std::size_t i = blocks.size(); i-- > 0;) {
    next[i] = last[blocks[i]];
    last[blocks[i]] = static_cast<std::uint32_t>(i);
  }
  return next;
}

// Runs of adjacent blocks with gaps between; the numbers of the blocks follow the addresses or do not.
inline std::vector<std::uint64_t> small_addresses(Dice& dice, std::uint32_t footprint) {
  std::vector<std::uint64_t> addresses;
  const double run_goes_on = dice.chance(0.5) ? 0.9 : 0.5;
  std::uint64_t address = dice.below(1000);
  for (BlockId block = 0; block < footprint; ++block) {
    addresses.push_back(address);
    address += dice.chance(run_goes_on) ? 1 : 2 + dice.below(100);
  }
  if (dice.chance(0.5)) {
    for (std::uint32_t left = footprint; left > 1; --left) std::swap(addresses[left - 1], addresses[dice.below(left)]);
  }
  return addresses;
}

// Uniform, skewed, loops, scans over a hot set, drifting working sets, and mixtures that change now and then; caches
// from one block to more than the footprint. With `forgets`, now and then a block is discarded.
inline SmallTrace small_trace(std::uint64_t seed, bool forgets) {
  Dice dice(seed);
  SmallTrace trace;
  trace.footprint = 1 + dice.below(dice.chance(0.5) ? 12 : 80);
  trace.capacity = 1 + dice.below(dice.chance(0.9) ? trace.footprint : trace.footprint + 5);
  const std::uint32_t count = 1 + dice.below(dice.chance(0.2) ? 1500 : 300);
  const bool mixed = dice.chance(0.4);
  std::uint32_t shape = dice.below(5);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (mixed && dice.chance(0.02)) shape = dice.below(5);
    BlockId block = dice.below(trace.footprint);
    if (shape == 1) block = std::min({block, dice.below(trace.footprint), dice.below(trace.footprint)});
    if (shape == 2) block = i % std::min(trace.footprint, trace.capacity + 2);
    if (shape == 3) block = dice.chance(0.5) ? dice.below(1 + trace.footprint / 4) : i % trace.footprint;
    if (shape == 4) block = (i / 10 + dice.below(1 + trace.footprint / 3)) % trace.footprint;
    trace.blocks.push_back(block);
    trace.forgets.emplace_back();
    while (forgets && dice.chance(0.08)) trace.forgets.back().push_back(dice.below(trace.footprint));
  }
  trace.next_use = next_uses(trace.blocks, trace.footprint);
  const double write_share = dice.below(5) / 4.0;
  for (std::uint32_t i = 0; i < count; ++i) trace.writes.push_back(dice.chance(write_share));
  trace.addresses = small_addresses(dice, trace.footprint);
  trace.name = "trace " + std::to_string(seed) + ": footprint " + std::to_string(trace.footprint) + ", capacity " +
               std::to_string(trace.capacity) + ", shape " + std::to_string(shape) + (forgets ? ", forgets" : "");
  return trace;
}

// Gives the trace treatments of every kind that policy.h allows.
inline void treat(SmallTrace& trace, std::uint64_t seed) {
  static constexpr Treatment kAll[] = {Treatment::admit, Treatment::hit_only, Treatment::take, Treatment::drop,
                                       Treatment::pass};
  Dice dice(seed + 2'000'000);
  const double admitted = dice.below(4) / 4.0;
  trace.treatments.clear();
  for (std::size_t i = 0; i < trace.blocks.size(); ++i) {
    const std::uint32_t filling = dice.chance(admitted) ? 0 : dice.below(5);
    const std::uint32_t full = filling + dice.below(5 - filling);
    const bool same = kAll[filling] == Treatment::drop || dice.chance(0.7);
    trace.treatments.emplace_back(kAll[filling], kAll[same ? filling : full]);
  }
  std::vector<std::uint32_t> next(trace.footprint, kNever);
  for (std::size_t i = trace.blocks.size(); i-- > 0;) {
    const Treatment filling = trace.treatments[i].filling();
    trace.next_use[i] = next[trace.blocks[i]];
    if (filling == Treatment::pass) continue;
    next[trace.blocks[i]] = filling == Treatment::drop ? kNever : static_cast<std::uint32_t>(i);
  }
}

struct Played {
  Outcome outcome;
  BlockId victim;
  bool operator==(const Played&) const = default;
};

// The addresses of the blocks up to the largest that the first accesses need: a policy is told no more.
inline std::vector<std::uint64_t> addresses_before(const SmallTrace& trace, std::size_t end) {
  std::size_t blocks = 0;
  for (std::size_t i = 0; i < end; ++i) blocks = std::max<std::size_t>(blocks, trace.blocks[i] + 1);
  std::vector<std::uint64_t> addresses = trace.addresses;
  for (BlockId block = 0; addresses.size() < blocks; ++block) addresses.push_back(block);
  addresses.resize(blocks);
  return addresses;
}

// Gives accesses `first` up to `end` to the policy in one call. Writes and addresses are given to every policy: those
// that do not want them do not look. With a gate, the trace's treatments are in force.
inline std::vector<Played> play(policies::Policy& policy, const SmallTrace& trace, std::size_t first, std::size_t end,
                                bool needs_future, bool victims = true, policies::Gate* gate = nullptr) {
  const std::size_t count = end - first;
  std::vector<std::uint8_t> writes(count);
  if (!trace.writes.empty())
    std::copy_n(trace.writes.begin() + static_cast<std::ptrdiff_t>(first), count, writes.begin());
  const std::vector<std::uint64_t> addresses = addresses_before(trace, end);
  std::vector<Outcome> outcome(count);
  std::vector<BlockId> victim(victims ? count : 0);
  policy.access({.blocks = std::span(trace.blocks).subspan(first, count),
                 .next_use = std::span(trace.next_use).subspan(first, needs_future ? count : 0),
                 .writes = writes,
                 .addresses = addresses,
                 .outcomes = outcome,
                 .victims = victim,
                 .treatments = std::span(trace.treatments).subspan(first, gate ? count : 0),
                 .gate = gate});
  std::vector<Played> played;
  for (std::size_t i = 0; i < count; ++i) played.push_back({outcome[i], victims ? victim[i] : kNoBlock});
  return played;
}

inline policies::Choice choice(std::string_view text) { return policies::parse_choices(text).at(0); }

}  // namespace support
