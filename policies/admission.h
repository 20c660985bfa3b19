// Which misses are let into a cache: stages in front of any policy, each of which may turn a miss away. A miss comes in
// only if every stage lets it.
//
// Some stages look at the request (its size, where it follows on another one, its operation, its stream): their verdict
// does not depend on the cache, and is given once for all policies and sizes, by RequestStages. Each of them sees every
// request, so their order does not matter. The others look at the misses of one cache (how often a block has been
// missed, chance): they are a Gate, one for each cache. Each of them sees, and learns from, the misses that no stage of
// requests and no stage before it has turned away.
//
//   stage          parameters (default)       a miss comes in
//   second_hit     window (1), fpp (0.01)     if its block was missed before, among the last `window` x capacity blocks
//                                             missed: two Bloom filters take the blocks of half of the window each, by
//                                             turns, so that between half and all of it is remembered. A block that is
//                                             not remembered is let in with a probability of at most `fpp`
//   n_hit          hits (3), trigger (0.8),   if it is its block's `hits`th miss since the block last came in, among
//   the
//                  table (2)                  last `table` x capacity blocks counted (the first to be counted is
//                                             forgotten first); always, and without being counted, until the cache has
//                                             been filled to `trigger` (Open CAS's nhit promotion)
//   probabilistic  p (0.5), seed (1)          with probability p
//   size           over (64KiB)               if its request is not longer
//   sequential     after (4MiB), streams      if its request does not bring a run of adjacent requests (each begins
//                  (128), when (always|full)  where the one before ended) to `after` bytes or more; of each disk, the
//                                             last `streams` ends of runs are remembered, reads and writes alike
//                                             (bcache's and, nearly, Open CAS's sequential bypass). full: only once the
//                                             cache is full
//   read_only                                 if it is a read
//   write_only                                if it is a write
//   only           streams (A+B+...)          if it belongs to one of the named streams
//   except         streams (A+B+...)          if it belongs to none of them
//
// A read that is turned away may still hit. A write that a stage of requests turns away goes around the cache, which
// drops what it holds of its blocks. (A write that a Gate turns away is a miss: there is nothing to drop.)
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policies/policy.h"
#include "sim/units.h"

namespace policies {

// What an access may do while the cache fills, and once it is full.
class Treatments {
 public:
  Treatments() = default;
  Treatments(Treatment filling, Treatment full)
      : code_(static_cast<std::uint8_t>(static_cast<unsigned>(filling) | static_cast<unsigned>(full) << 4)) {}
  Treatment filling() const { return static_cast<Treatment>(code_ & 15); }
  Treatment full() const { return static_cast<Treatment>(code_ >> 4); }
  bool operator==(const Treatments&) const = default;

 private:
  std::uint8_t code_ = 0;
};

// What a write does to the cache.
enum class Writes : std::uint8_t {
  allocate,    // as a read does: write-back, or write-through with write-allocate
  update,      // hits what is there, brings nothing in: write-through
  invalidate,  // drops what is there: read-only and write-around caches
  bypass       // nothing: the cache never learns of it
};

// One stage as asked for: "sequential:after=1MiB".
struct Stage {
  std::string text;  // canonical
  std::string_view name;
  Settings settings;
};

// Name, meaning and parameters of each stage, for listings.
struct StageSpec {
  std::string_view name, idea;
  std::span<const Parameter> parameters{};
};
std::span<const StageSpec> all_stages();

// Parses a comma-separated list, which may be empty, as parse_choices does. Throws UsageError that lists what there is.
std::vector<Stage> parse_stages(std::string_view list);

// What the stages of requests, and the write handling, let the accesses of each request do. Requests are given in
// order.
class RequestStages {
 public:
  struct Request {
    std::uint64_t offset = 0, length = 0;  // bytes
    std::uint16_t stream = 0;
    bool write = false;
  };
  // The stages of misses among the list are passed over. `stream_names` by number, for `only` and `except`; throws
  // UsageError when a name is not among them.
  RequestStages(Writes, std::span<const Stage>, std::span<const std::string> stream_names);
  ~RequestStages();

  Treatments treat(const Request&);
  // Whether every access of every request is admitted.
  bool admit_all() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class MissStage;

// The stages of misses, in front of one cache.
class Gate {
 public:
  // The stages of requests among the list are passed over.
  Gate(std::span<const Stage>, std::uint32_t capacity, std::uint32_t footprint);
  ~Gate();

  Treatment now(Treatments treatments, std::uint32_t resident) const {
    return resident < capacity_ ? treatments.filling() : treatments.full();
  }
  // Asked once for each miss that may come in, in order; the stages learn from it.
  bool admits(BlockId block, std::uint32_t resident) { return stages_.empty() || every_stage_admits(block, resident); }
  // Whether admits() is always true.
  bool open() const { return stages_.empty(); }

 private:
  bool every_stage_admits(BlockId, std::uint32_t resident);

  std::uint32_t capacity_;
  std::vector<std::unique_ptr<MissStage>> stages_;
};

}  // namespace policies
