// What a cache passes on to another one behind it.
#pragma once

#include <cstdint>
#include <vector>

#include "experiments/hit_rate.h"
#include "policies/policy.h"
#include "traces/blocks.h"

namespace experiments {

struct FirstLevel {
  policies::Choice choice;
  std::uint32_t capacity_blocks = 1;
  policies::Writes writes = policies::Writes::allocate;
  // The cache behind holds what the first level has pushed out, and gives it back when it is asked for. It is asked for
  // all of a request's blocks before it gets those that the request pushes out.
  bool exclusive = false;
};

// The second level's trace. Each run of adjacent blocks of a request that the first level does not serve is a request:
// misses, and, unless writes allocate (write-back), all writes. Discards pass through.
struct PassedOn {
  traces::Trace trace;
  std::vector<std::uint8_t> fills;  // by request, exclusive only: 1 for a block pushed out, which nobody has asked for
  std::vector<std::uint64_t> origins;    // the request of the whole trace that each is a part of
  std::uint64_t accesses = 0, hits = 0;  // of the first level, past the warm-up

  // Behind an exclusive first level lookups take what they hit, and fills come in.
  Derived derived() const;
};

// `windows` are those of the whole trace.
PassedOn pass_on(const traces::Blocks& blocks, const FirstLevel& first, const Windows& windows);

}  // namespace experiments
