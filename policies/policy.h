// A replacement policy: which block leaves when a new one needs room and, for some, whether the new one comes in at
// all. It knows block ids and nothing else: no bytes, no time, no dirtiness, no statistics. Whoever calls it counts.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace policies {

// Blocks are numbered 0 .. footprint - 1, so a policy keeps what it knows of a block in a plain array.
using BlockId = std::uint32_t;
inline constexpr BlockId kNoBlock = UINT32_MAX;
// As a next use: never again.
inline constexpr std::uint32_t kNever = UINT32_MAX;

enum class Outcome : std::uint8_t {
  miss = 0,  // was absent, is kept now
  hit = 1,
  rejected = 2,  // was absent, or not looked for, and stays as it was
  dropped = 3    // was there, and has been forgotten without being used
};

// What an access may do, when it may not do everything.
enum class Treatment : std::uint8_t {
  admit = 0,     // hit; or miss, and come in if the policy likes
  hit_only = 1,  // hit; or be rejected
  pass = 2,      // be rejected, unseen by the policy
  drop = 3,      // the block is forgotten: dropped, or rejected when it was not there
  take = 4       // hit, and then the block is forgotten; or be rejected: the lookups of an exclusive second level
};

class Gate;        // admission.h
class Treatments;  // admission.h

// References in order. The spans are as long as `blocks`, or empty where the text says so.
struct Accesses {
  std::span<const BlockId> blocks;
  std::span<const std::uint32_t> next_use;     // position of the next access to the same block, or kNever; the first
                                               // access that a policy is given, in whatever call, is at position 0.
                                               // Empty unless the policy's Spec says needs_future
  std::span<const std::uint8_t> writes{};      // 1 for a write, 0 for a read; empty unless the Spec says needs_writes
  std::span<const std::uint64_t> addresses{};  // by block id, of every block so far: blocks that are neighbours on
                                               // their device differ by 1. Empty unless the Spec says needs_addresses
  std::span<Outcome> outcomes;                 // filled by the policy
  std::span<BlockId> victims{};  // filled with the block pushed out by each access, or kNoBlock; may be empty
  // What each access may do, and who decides which misses come in: both, or neither and every access is admitted.
  std::span<const Treatments> treatments{};
  Gate* gate = nullptr;
};

class Policy {
 public:
  virtual ~Policy() = default;

  // Plays the references one after the other. On a miss the policy may keep the block, and then pushes out at most one
  // victim, only if it is full. How a sequence is cut into calls does not change the outcomes. With treatments, a
  // next use is the next access that may hit while the cache fills, with no drop before it; a full cache lets an access
  // do no more than one that fills, and drops what that one drops. (A variant=libcachesim is for comparing miss counts:
  // where that program breaks a rule, it does so too, and its comment says how.)
  virtual void access(const Accesses&) = 0;
  // The block's content is gone (discarded). It is as if it had never been there; an absent block is ignored, and
  // history of it (a ghost entry) may stay.
  virtual void forget(BlockId) = 0;
  virtual bool contains(BlockId) const = 0;
  virtual std::uint32_t resident() const = 0;  // blocks held, at most the capacity unless unbounded
};

// One parameter of a policy: its name on the command line, what it means, and the default (the paper's).
struct Parameter {
  std::string_view name;
  std::string_view meaning;
  std::string_view value;
};

// The parameters in force for one instance: each one of the Spec, given or default.
class Settings {
 public:
  explicit Settings(std::vector<std::pair<std::string, std::string>> values) : values_(std::move(values)) {}
  std::string_view text(std::string_view name) const;
  double number(std::string_view name) const;    // throws UsageError unless a finite number
  double fraction(std::string_view name) const;  // throws UsageError unless in 0 .. 1

 private:
  std::vector<std::pair<std::string, std::string>> values_;
};

struct Spec {
  std::string_view name;   // the word on the command line and the file's name
  std::string_view idea;   // one line
  std::string_view paper;  // author, title, venue, year
  std::span<const Parameter> parameters{};
  bool needs_future = false;     // wants Accesses::next_use
  bool needs_writes = false;     // wants Accesses::writes
  bool needs_addresses = false;  // wants Accesses::addresses
  bool unbounded = false;        // holds more blocks than its capacity, and never pushes one out
  // The admission stages that the product's name stands for besides its replacement, as --admission takes them (may be
  // empty); null for none.
  std::string (*admission)(const Settings&) = nullptr;
  // `capacity` >= 1 in blocks; ids are below `footprint`. Memory is allocated here, not in access() (but for
  // what grows with the length of the sequence, which only the next uses tell).
  std::unique_ptr<Policy> (*make)(std::uint32_t capacity, std::uint32_t footprint, const Settings&) = nullptr;
};

// Every policy there is, by name.
std::span<const Spec* const> all();

// A policy as asked for: "s3_fifo:small=0.1,ghost=0.9".
struct Choice {
  const Spec* spec = nullptr;
  std::string text;  // canonical: name, and the parameters given
  std::vector<std::pair<std::string, std::string>> given;
  std::unique_ptr<Policy> make(std::uint32_t capacity, std::uint32_t footprint) const;
  std::string admission() const;  // the stages that the name stands for; may be empty
};

// Parses a comma-separated list; an item with '=' and no ':' continues the parameters of the item before it. Throws
// UsageError that lists the policies, or the policy's parameters, when a name is unknown.
std::vector<Choice> parse_choices(std::string_view list);

}  // namespace policies
