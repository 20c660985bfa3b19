#include "traces/sample.h"

#include <algorithm>
#include <cmath>

#include "sim/cpu.h"

namespace traces {
namespace {

IOCAST_FOR_EACH_CPU void hash_all(std::span<const std::uint64_t> seeds, const std::uint64_t* blocks,
                                  std::uint64_t* hashes) {
  for (std::size_t i = 0; i < seeds.size(); ++i) hashes[i] = block_hash(seeds[i], blocks[i]);
}

}  // namespace

std::uint64_t stream_hash(std::string_view name) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const unsigned char c : name) hash = (hash ^ c) * 0x100000001B3u;
  return hash;
}

BlockSampler::BlockSampler(const SampleOptions& options)
    : options_(options),
      division_(options.block, options.granularity),
      slice_(options.rate >= 1 ? UINT64_MAX : static_cast<std::uint64_t>(std::ldexp(options.rate, 64))),
      last_(UINT64_MAX / slice_ <= options.replicas ? UINT64_MAX : slice_ * options.replicas - 1),
      samples_(options.replicas) {}

void BlockSampler::add(const Trace& piece) {
  for (std::size_t from = 0, to = 0; from < piece.size(); from = to) {
    to = std::min(piece.size(), from + kRequests);
    add(piece, from, to, division_.single(piece, from, to));
  }
}

void BlockSampler::add(const Trace& piece, std::size_t from, std::size_t to, bool single) {
  for (Sample& sample : samples_) sample.trace.continue_with(piece);
  const auto& names = piece.info().streams.names();
  while (seeds_.size() < names.size()) seeds_.push_back(stream_hash(names[seeds_.size()]) ^ sim::mix(options_.salt));
  single ? add_single(piece, from, to) : add_any(piece, from, to);
  requests_ += to - from;
}

void BlockSampler::add_single(const Trace& piece, std::size_t from, std::size_t to) {
  constexpr std::size_t kRun = 256;
  std::uint64_t blocks[kRun], seeds[kRun], hashes[kRun];
  std::uint32_t kept[kRun];
  for (std::size_t start = from; start < to; start += kRun) {
    const std::size_t n = std::min(kRun, to - start);
    for (std::size_t i = 0; i < n; ++i) blocks[i] = division_.first(piece.offsets()[start + i]);
    for (std::size_t i = 0; i < n; ++i) seeds[i] = seeds_[piece.streams()[start + i]];
    hash_all({seeds, n}, blocks, hashes);
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) {
      kept[count] = static_cast<std::uint32_t>(i);
      count += hashes[i] <= last_;
    }
    for (std::size_t k = 0; k < count; ++k) __builtin_prefetch(&piece.times()[start + kept[k]]);  // the rest is at hand
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t r = start + kept[k];
      keep(piece, r, requests_ + (r - from), blocks[kept[k]], hashes[kept[k]]);
    }
  }
}

void BlockSampler::add_any(const Trace& piece, std::size_t from, std::size_t to) {
  for (std::size_t r = from; r < to; ++r) {
    const Op op = piece.ops()[r];
    const std::uint64_t origin = requests_ + (r - from);
    if (op == Op::discard) {
      for (Sample& sample : samples_) {
        sample.trace.add(piece.times()[r], piece.offsets()[r], piece.lengths()[r], op, piece.streams()[r]);
        sample.origins.push_back(origin);
      }
    } else if (op != Op::flush) {
      const std::uint64_t first = division_.first(piece.offsets()[r]);
      const std::uint64_t end = first + division_.count(piece.offsets()[r], piece.lengths()[r]);
      for (std::uint64_t block = first; block != end; ++block) {
        const std::uint64_t hash = block_hash(seeds_[piece.streams()[r]], block);
        if (hash <= last_) [[unlikely]]
          keep(piece, r, origin, block, hash);
      }
    }
  }
}

void BlockSampler::keep(const Trace& piece, std::size_t r, std::uint64_t origin, std::uint64_t block,
                        std::uint64_t hash) {
  Sample& sample = samples_[std::min<std::uint64_t>(hash / slice_, samples_.size() - 1)];
  std::uint64_t from = piece.offsets()[r].bytes;
  std::uint64_t length = piece.lengths()[r];
  if (options_.granularity == Granularity::block) {
    const auto size = static_cast<std::uint64_t>(options_.block.count);
    const std::uint64_t end = std::min(from + length, (block + 1) * size);
    from = std::max(from, block * size);
    length = end - from;
  }
  sample.trace.add(piece.times()[r], {from}, static_cast<std::uint32_t>(length), piece.ops()[r], piece.streams()[r]);
  sample.origins.push_back(origin);
}

}  // namespace traces
