// Randomness without state: a value is a hash of what it is for. The same (seed, component, request, purpose) gives
// the same value on every machine, in any order and on any number of threads.
#pragma once

#include <cstdint>

namespace sim {

// The finaliser of SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014):
// a bijection of 64-bit words in which every input bit affects every output bit.
constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// Word `index` of the SplitMix64 sequence that starts from `seed`.
constexpr std::uint64_t random_word(std::uint64_t seed, std::uint64_t index) {
  return mix(seed + (index + 1) * 0x9E3779B97F4A7C15u);
}

// Uniform in [0, 1), from the upper 53 bits.
constexpr double to_unit(std::uint64_t word) { return static_cast<double>(word >> 11) * 0x1p-53; }

}  // namespace sim
