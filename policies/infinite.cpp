// A cache that never pushes a block out, whatever its capacity: its misses are the compulsory ones, which no policy
// avoids.
//
// Hill, "Aspects of cache memory and instruction buffer performance", PhD thesis, Berkeley, 1987, has the name
// (compulsory misses, beside those of capacity and conflict).
//
// No parameters. The one policy that holds more blocks than the capacity.
#include "policies/parts/batch.h"

namespace policies {
namespace {

class Infinite {
 public:
  explicit Infinite(std::uint32_t footprint) : present_(footprint) {}

  Outcome access(BlockId block, BlockId&) {
    if (present_[block]) return Outcome::hit;
    present_[block] = 1;
    ++resident_;
    return Outcome::miss;
  }

  void prefetch(BlockId block) const { __builtin_prefetch(&present_[block], 1); }

  void forget(BlockId block) {
    resident_ -= present_[block];
    present_[block] = 0;
  }
  bool contains(BlockId block) const { return present_[block]; }
  std::uint32_t resident() const { return resident_; }

 private:
  std::vector<std::uint8_t> present_;
  std::uint32_t resident_ = 0;
};

}  // namespace

extern const Spec infinite{
    .name = "infinite",
    .idea = "no block leaves, whatever the capacity: what remains are the compulsory misses",
    .paper = "Hill, Aspects of cache memory and instruction buffer performance, PhD thesis, Berkeley, 1987",
    .unbounded = true,
    .make = [](std::uint32_t, std::uint32_t footprint, const Settings&) -> std::unique_ptr<Policy> {
      return std::make_unique<Batched<Infinite>>(footprint);
    },
};

}  // namespace policies
