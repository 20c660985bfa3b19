// Turns the rules for one access into a Policy that plays batches, with the memory of the accesses to come on its way.
#pragma once

#include <utility>

#include "policies/admission.h"
#include "policies/policy.h"

namespace policies {

// `Rules` has, all inline,
//   Outcome access(BlockId, BlockId& victim)   victim is kNoBlock, and stays so unless a block is pushed out; with a
//                                              third argument `bool write` if the Spec says needs_writes
//   void prefetch(BlockId)                     asks for the memory that access() of this block touches first
//   void prefetch_linked(BlockId)              optional: for what can be found only once that memory has come
//   void forget(BlockId)   bool contains(BlockId) const   std::uint32_t resident() const
//   void use_addresses(std::span<const std::uint64_t>)   if the Spec says needs_addresses: called before each batch
template <class Rules>
class Batched final : public Policy {
 public:
  template <class... Arguments>
  explicit Batched(Arguments&&... arguments) : rules_(std::forward<Arguments>(arguments)...) {}

  void access(const Accesses& accesses) override {
    if constexpr (requires { rules_.use_addresses(accesses.addresses); }) rules_.use_addresses(accesses.addresses);
    if (accesses.treatments.empty()) {
      accesses.victims.empty() ? play<false, false>(accesses) : play<true, false>(accesses);
    } else {
      accesses.victims.empty() ? play<false, true>(accesses) : play<true, true>(accesses);
    }
  }
  void forget(BlockId block) override { rules_.forget(block); }
  bool contains(BlockId block) const override { return rules_.contains(block); }
  std::uint32_t resident() const override { return rules_.resident(); }

 private:
  static constexpr std::size_t kAhead = 16;
  static constexpr std::size_t kLinkedAhead = 8;

  template <bool kVictims, bool kTreated>
  void play(const Accesses& accesses) {
    const std::size_t count = accesses.blocks.size();
    const BlockId* const blocks = accesses.blocks.data();
    for (std::size_t i = 0; i < count; ++i) {
      if (i + kAhead < count) rules_.prefetch(blocks[i + kAhead]);
      if constexpr (requires { rules_.prefetch_linked(blocks[i]); }) {
        if (i + kLinkedAhead < count) rules_.prefetch_linked(blocks[i + kLinkedAhead]);
      }
      BlockId victim = kNoBlock;
      accesses.outcomes[i] = kTreated ? treat(accesses, i, victim) : access(accesses, i, victim);
      if constexpr (kVictims) accesses.victims[i] = victim;
    }
  }

  Outcome access(const Accesses& accesses, std::size_t i, BlockId& victim) {
    if constexpr (requires { rules_.access(accesses.blocks[i], victim, true); }) {
      return rules_.access(accesses.blocks[i], victim, accesses.writes[i] != 0);
    } else {
      return rules_.access(accesses.blocks[i], victim);
    }
  }

  Outcome treat(const Accesses& accesses, std::size_t i, BlockId& victim) {
    const BlockId block = accesses.blocks[i];
    const Treatment treatment = accesses.gate->now(accesses.treatments[i], rules_.resident());
    if (treatment == Treatment::pass) return Outcome::rejected;
    const bool present = rules_.contains(block);
    if (treatment == Treatment::drop) {
      rules_.forget(block);
      return present ? Outcome::dropped : Outcome::rejected;
    }
    if (!present && (treatment != Treatment::admit || !accesses.gate->admits(block, rules_.resident())))
      return Outcome::rejected;
    const Outcome outcome = access(accesses, i, victim);
    if (treatment == Treatment::take) rules_.forget(block);
    return outcome;
  }

  Rules rules_;
};

}  // namespace policies
