#include "traces/sample.h"

#include <algorithm>
#include <cmath>

namespace traces {

std::uint64_t stream_hash(std::string_view name) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const unsigned char c : name) hash = (hash ^ c) * 0x100000001B3u;
  return hash;
}

BlockSampler::BlockSampler(const SampleOptions& options)
    : options_(options),
      slice_(options.rate >= 1 ? UINT64_MAX : static_cast<std::uint64_t>(std::ldexp(options.rate, 64))),
      last_(UINT64_MAX / slice_ <= options.replicas ? UINT64_MAX : slice_ * options.replicas - 1) {}

void BlockSampler::add(const Trace& piece) {
  samples_.resize(options_.replicas);
  for (Sample& sample : samples_) sample.trace.continue_with(piece);
  std::vector<std::uint64_t> seeds;
  for (const std::string& name : piece.info().streams.names())
    seeds.push_back(stream_hash(name) ^ sim::mix(options_.salt));
  const Division division(options_.block, options_.granularity);
  constexpr std::size_t kChunk = 4096;
  for (std::size_t from = 0, to = 0; from < piece.size(); from = to) {
    to = std::min(piece.size(), from + kChunk);
    division.single(piece, from, to) ? add_single(piece, division, seeds, from, to)
                                     : add_any(piece, division, seeds, from, to);
  }
  requests_ += piece.size();
}

void BlockSampler::add_single(const Trace& piece, const Division& division, std::span<const std::uint64_t> seeds,
                              std::size_t from, std::size_t to) {
  const auto take = [&, offsets = piece.offsets().data(), streams = piece.streams().data(), last = last_](auto number) {
    for (std::size_t r = from; r < to; ++r) {
      const std::uint64_t block = number(offsets[r]);
      const std::uint64_t hash = block_hash(seeds[streams[r]], block);
      if (hash <= last) [[unlikely]]
        keep(piece, r, block, hash);
    }
  };
  if (const auto shift = division.shift()) {
    take([shift = *shift](sim::Offset offset) { return offset.bytes >> shift; });
  } else {
    take([&](sim::Offset offset) { return division.first(offset); });
  }
}

void BlockSampler::add_any(const Trace& piece, const Division& division, std::span<const std::uint64_t> seeds,
                           std::size_t from, std::size_t to) {
  for (std::size_t r = from; r < to; ++r) {
    const Op op = piece.ops()[r];
    if (op == Op::discard) {
      for (Sample& sample : samples_) {
        sample.trace.add(piece.times()[r], piece.offsets()[r], piece.lengths()[r], op, piece.streams()[r]);
        sample.origins.push_back(requests_ + r);
      }
    } else if (op != Op::flush) {
      const std::uint64_t first = division.first(piece.offsets()[r]);
      const std::uint64_t end = first + division.count(piece.offsets()[r], piece.lengths()[r]);
      for (std::uint64_t block = first; block != end; ++block) {
        const std::uint64_t hash = block_hash(seeds[piece.streams()[r]], block);
        if (hash <= last_) [[unlikely]]
          keep(piece, r, block, hash);
      }
    }
  }
}

void BlockSampler::keep(const Trace& piece, std::size_t r, std::uint64_t block, std::uint64_t hash) {
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
  sample.origins.push_back(requests_ + r);
}

}  // namespace traces
