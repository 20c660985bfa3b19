// Plays the same references to one policy several times over, for instructions.py to count instructions.
//
//   instructions POLICY ROUNDS
//
// 200,000 references to 50,000 blocks, block k with a probability that falls as 1/k; capacity 10%. What is in the
// process besides playing does not depend on ROUNDS.
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <vector>

#include "policies/policy.h"
#include "sim/random.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  constexpr std::uint32_t kFootprint = 50'000, kReferences = 200'000, kBatch = 2000;
  std::vector<policies::BlockId> blocks;
  for (std::uint64_t i = 0; i < kReferences; ++i) {
    const double rank = std::exp(sim::to_unit(sim::random_word(42, i)) * std::log(kFootprint));
    blocks.push_back(static_cast<policies::BlockId>(static_cast<std::uint64_t>(rank) * 7919 % kFootprint));
  }
  const auto policy = policies::parse_choices(argv[1]).at(0).make(kFootprint / 10, kFootprint);
  std::vector<policies::Outcome> outcomes(kBatch);
  std::uint64_t hits = 0;
  for (int round = 0; round < std::atoi(argv[2]); ++round) {
    for (std::uint32_t first = 0; first < kReferences; first += kBatch)
      policy->access({.blocks = std::span(blocks).subspan(first, kBatch), .next_use = {}, .outcomes = outcomes});
    hits += outcomes[0] == policies::Outcome::hit;
  }
  std::cout << hits << "\n";
}
