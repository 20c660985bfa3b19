// Spatial sampling: a block stays if its hash falls into some share of all hashes, so that it stays with all of its
// references or with none (Waldspurger, Park, Garthwaite, Ahmad, "Efficient MRC construction with SHARDS", FAST 2015).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/random.h"
#include "traces/blocks.h"
#include "traces/trace.h"

namespace traces {

// FNV-1a. The stream's name, not its number, goes into a block's hash: parts of a trace that are sampled apart agree.
std::uint64_t stream_hash(std::string_view name);

// Uniform over 64 bits. Another `seed` (a stream's hash, mixed with a salt) makes an independent sample.
inline std::uint64_t block_hash(std::uint64_t seed, std::uint64_t block) { return sim::mix(block ^ seed); }

struct SampleOptions {
  double rate = 0.01;     // of all blocks, in each replica
  unsigned replicas = 1;  // samples that share no block; rate x replicas is at most 1
  std::uint64_t salt = 0;
  sim::Bytes block{4096};
  Granularity granularity = Granularity::block;
};

// Takes samples of a trace: each reference to a sampled block becomes a request of its own, for its part of the block.
// Discards stay whole, and flushes go. Cost: one hash a reference, vectorised where the CPU can.
class BlockSampler {
 public:
  struct Sample {
    Trace trace;
    std::vector<std::uint64_t> origins;  // the request of the whole trace that each request is a part of
  };

  explicit BlockSampler(const SampleOptions& options);
  // Takes its samples of the trace's next piece.
  void add(const Trace& piece);
  // The same of its requests [from, to), for callers that know Division::single() of them. Nothing may be left out.
  void add(const Trace& piece, std::size_t from, std::size_t to, bool single);
  static constexpr std::size_t kRequests = 4096;  // to add in one go: so many columns stay in the CPU's cache
  const std::vector<Sample>& samples() const { return samples_; }  // one each replica, of all pieces so far

 private:
  void add_single(const Trace& piece, std::size_t from, std::size_t to);
  void add_any(const Trace& piece, std::size_t from, std::size_t to);
  void keep(const Trace& piece, std::size_t request, std::uint64_t origin, std::uint64_t block, std::uint64_t hash);

  SampleOptions options_;
  Division division_;
  std::uint64_t slice_;               // hashes that a replica has
  std::uint64_t last_;                // the largest hash that any has
  std::vector<std::uint64_t> seeds_;  // by stream
  std::uint64_t requests_ = 0;        // so far
  std::vector<Sample> samples_;
};

}  // namespace traces
