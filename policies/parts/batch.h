// Turns the rules for one access into a Policy that plays batches, with the memory of the accesses to come on its way.
#pragma once

#include <utility>

#include "policies/policy.h"

namespace policies {

// `Rules` has, all inline,
//   Outcome access(BlockId, BlockId& victim)   victim is kNoBlock, and stays so unless a block is pushed out
//   void prefetch(BlockId)                     asks for the memory that access() of this block touches first
//   void prefetch_linked(BlockId)              optional: for what can be found only once that memory has come
//   void forget(BlockId)   bool contains(BlockId) const   std::uint32_t resident() const
template <class Rules>
class Batched final : public Policy {
 public:
  template <class... Arguments>
  explicit Batched(Arguments&&... arguments) : rules_(std::forward<Arguments>(arguments)...) {}

  void access(const Accesses& accesses) override {
    accesses.victims.empty() ? play<false>(accesses) : play<true>(accesses);
  }
  void forget(BlockId block) override { rules_.forget(block); }
  bool contains(BlockId block) const override { return rules_.contains(block); }
  std::uint32_t resident() const override { return rules_.resident(); }

 private:
  static constexpr std::size_t kAhead = 16;
  static constexpr std::size_t kLinkedAhead = 8;

  template <bool kVictims>
  void play(const Accesses& accesses) {
    const std::size_t count = accesses.blocks.size();
    const BlockId* const blocks = accesses.blocks.data();
    for (std::size_t i = 0; i < count; ++i) {
      if (i + kAhead < count) rules_.prefetch(blocks[i + kAhead]);
      if constexpr (requires { rules_.prefetch_linked(blocks[i]); }) {
        if (i + kLinkedAhead < count) rules_.prefetch_linked(blocks[i + kLinkedAhead]);
      }
      BlockId victim = kNoBlock;
      accesses.outcomes[i] = rules_.access(blocks[i], victim);
      if constexpr (kVictims) accesses.victims[i] = victim;
    }
  }

  Rules rules_;
};

}  // namespace policies
