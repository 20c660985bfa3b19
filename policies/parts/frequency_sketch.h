// How often each block was seen lately, roughly, in little memory: TinyLFU's sketch. A count-min sketch of 4-bit
// counters with conservative update, behind a doorkeeper (a Bloom filter that takes in a block's first sighting, so
// that blocks seen once use no counter). After `sample` sightings all counters are halved and the doorkeeper is
// emptied.
//
// Einziger, Friedman, Manes, "TinyLFU: a highly efficient cache admission policy", ACM TOS 13(4), 2017.
//
// What is kept of one block is in one bucket, half a cache line: two of the 64 bits of its doorkeeper, and a counter in
// each of three rows of 16. An estimate is never too low, but for the ageing and for counters full at 15; it is too
// high when a block shares all of its counters with busier ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "policies/policy.h"
#include "sim/random.h"

namespace policies {

class FrequencySketch {
 public:
  // A bucket for each kBlocksPerBucket of the `blocks` that matter: 8 bytes a block.
  FrequencySketch(std::uint32_t blocks, std::uint64_t sample)
      : sample_(sample),
        bucket_count_(blocks / kBlocksPerBucket + 1),
        buckets_(std::make_unique<Bucket[]>(bucket_count_)) {}

  void add(BlockId block) {
    if (++added_ >= sample_) [[unlikely]]
      age();
    const std::uint64_t hash = hash_of(block);
    Bucket& bucket = buckets_[index(hash)];
    const std::uint64_t door = door_of(hash);
    const bool open = (bucket.door & door) == door;
    bucket.door |= door;
    const std::uint64_t least = bucket.least(hash);
    const std::uint64_t one = open & (least < kFull);
    for (unsigned row = 0; row < kRows; ++row) {
      bucket.rows[row] += (bucket.count(row, hash) == least ? one : 0) << shift(row, hash);
    }
  }

  unsigned estimate(BlockId block) const {
    const std::uint64_t hash = hash_of(block);
    const Bucket& bucket = buckets_[index(hash)];
    const std::uint64_t door = door_of(hash);
    return static_cast<unsigned>(bucket.least(hash)) + ((bucket.door & door) == door);
  }

  void prefetch(BlockId block) const { __builtin_prefetch(&buckets_[index(hash_of(block))], 1); }

 private:
  static constexpr std::uint32_t kBlocksPerBucket = 4;
  static constexpr unsigned kRows = 3;
  static constexpr std::uint64_t kFull = 15;

  // The upper half of a hash chooses the bucket; of the lower half, 6 bits each choose bits of the doorkeeper, and 4
  // each the counter in a row.
  static std::uint64_t hash_of(BlockId block) { return sim::mix(block + std::uint64_t{1}); }
  static std::uint64_t door_of(std::uint64_t hash) {
    return std::uint64_t{1} << (hash & 63) | std::uint64_t{1} << (hash >> 6 & 63);
  }
  static unsigned shift(unsigned row, std::uint64_t hash) {
    return static_cast<unsigned>(hash >> (12 + 4 * row) & 15) * 4;
  }

  struct alignas(32) Bucket {
    std::uint64_t door = 0;
    std::uint64_t rows[kRows] = {};

    std::uint64_t count(unsigned row, std::uint64_t hash) const { return rows[row] >> shift(row, hash) & kFull; }
    std::uint64_t least(std::uint64_t hash) const { return std::min({count(0, hash), count(1, hash), count(2, hash)}); }
  };

  std::size_t index(std::uint64_t hash) const { return (hash >> 32) * bucket_count_ >> 32; }

  [[gnu::noinline]] void age() {
    constexpr std::uint64_t kLower3BitsOfEach = 0x7777777777777777;
    added_ /= 2;
    for (std::size_t i = 0; i < bucket_count_; ++i) {
      buckets_[i].door = 0;
      for (std::uint64_t& row : buckets_[i].rows) row = row >> 1 & kLower3BitsOfEach;
    }
  }

  std::uint64_t sample_;
  std::uint64_t added_ = 0;
  std::size_t bucket_count_;
  std::unique_ptr<Bucket[]> buckets_;
};

}  // namespace policies
