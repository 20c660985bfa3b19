// A cache that lets nothing in: what a policy of another program is when it has no room for a single new block.
#pragma once

#include "policies/policy.h"

namespace policies {

class Closed {
 public:
  Outcome access(BlockId, BlockId&) { return Outcome::rejected; }
  void prefetch(BlockId) const {}
  void forget(BlockId) {}
  bool contains(BlockId) const { return false; }
  std::uint32_t resident() const { return 0; }
};

}  // namespace policies
