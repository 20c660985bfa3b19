// Which requests of a trace count: by stream, operation, address, time, and by a hash of the block.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "traces/reader.h"

namespace traces {

struct Filter {
  std::vector<std::string> streams;                                // names; empty: all
  std::uint8_t ops = 0xF;                                          // bit (1 << Op) for each operation that stays
  std::optional<std::pair<std::uint64_t, std::uint64_t>> offsets;  // requests that begin in [first, second) bytes
  std::optional<sim::Nanoseconds> from, to;  // since the first request of the trace, before any other filter
  // Spatial sampling: a block stays if its hash falls into this share of all hashes, so that it stays with all of its
  // references or with none (Waldspurger, Park, Garthwaite, Ahmad, "Efficient MRC construction with SHARDS", FAST
  // 2015). Of a request that spans several blocks, the runs that stay become requests of their own.
  double sample = 1.0;
  sim::Bytes sample_block{4096};
};

// Whether the block numbered `block` of its device stays at this sampling rate. The stream's name, not its number, goes
// into the hash: parts of a trace that are sampled apart agree.
bool sampled(std::string_view stream, std::uint64_t block, double rate);

// A reader that yields what of `reader` passes. For from and to its requests should be in order of time. Throws
// DataError at the end when a stream that was asked for was never seen, with the names that were.
std::unique_ptr<Reader> filtered(std::unique_ptr<Reader> reader, Filter filter);

}  // namespace traces
