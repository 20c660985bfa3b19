#include "experiments/lru_curve.h"

#include <algorithm>
#include <bit>

#include "experiments/coverage.h"

namespace experiments {
namespace {

std::vector<std::uint32_t> ascending(std::span<const std::uint32_t> capacities) {
  std::vector<std::uint32_t> sizes(capacities.begin(), capacities.end());
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

// The smallest distance of a bucket of SizeIndex.
std::uint64_t lowest(std::uint32_t bucket) {
  return bucket < 16 ? bucket : std::uint64_t{bucket % 8 + 8} << (bucket / 8 - 1);
}

}  // namespace

SizeIndex::SizeIndex(std::vector<std::uint32_t> sizes) : sizes_(std::move(sizes)) {
  constexpr std::uint32_t kBuckets = 256;
  std::uint32_t index = 0;
  for (std::uint32_t bucket = 0; bucket < kBuckets; ++bucket) {
    while (index < sizes_.size() && sizes_[index] < lowest(bucket)) ++index;
    start_.push_back(index);
  }
}

LruCurve::LruCurve(std::uint32_t footprint, std::span<const std::uint32_t> capacities, std::uint32_t windows)
    : capacities_(capacities.begin(), capacities.end()),
      index_(ascending(capacities)),
      reuse_(footprint),
      at_(windows, std::vector<At>(index_.sizes().size() + 1)) {}

void LruCurve::play(const traces::Blocks& blocks, std::span<const Segment> segments) {
  whole_blocks_ = blocks.granularity() == traces::Granularity::block;
  block_bytes_ = static_cast<std::uint64_t>(blocks.block().count);
  for (const Segment& s : segments) {
    if (s.discard) {
      for (const traces::BlockId id : s.discard->blocks) reuse_.forget(id);
    }
    distances_.resize(s.access_end - s.access);
    reuse_.access(blocks.accesses().subspan(s.access, distances_.size()), distances_);
    if (s.counted) count(blocks, s, at_[s.window]);
  }
}

void LruCurve::count(const traces::Blocks& blocks, const Segment& s, std::vector<At>& by_size) const {
  std::size_t next = 0;
  for (std::size_t r = s.request; r < s.request_end; ++r) {
    const std::uint32_t count = s.simple ? 1 : blocks.count(r);
    if (!count) continue;
    const Coverage coverage(blocks, r, count);
    const bool write = blocks.trace().ops()[r] == traces::Op::write;
    std::uint32_t largest = 0, before = 0;
    for (std::uint32_t b = 0; b < count; ++b) {
      const std::uint32_t size = index_(distances_[next++]);
      const std::uint64_t bytes = coverage.bytes(b);
      At& at = by_size[size];
      if (write) {
        ++at.hits.writes;
        at.hit_bytes.writes += bytes;
      } else {
        ++at.hits.reads;
        at.hit_bytes.reads += bytes;
        // A run of misses begins here at the sizes below this block's that hit the block before it (for the first
        // block: at all below).
        if (before < size) ++by_size[before].runs_begin, ++at.runs_end;
      }
      largest = std::max(largest, size);
      before = size;
    }
    ++by_size[largest].request_hits;
  }
}

std::vector<HitRate> LruCurve::rows(std::span<const Demand> demand) const {
  const auto& sizes = index_.sizes();
  std::vector<HitRate> by_size(sizes.size());
  for (std::size_t w = 0; w < at_.size(); ++w) {
    Counts sum;
    std::uint64_t runs = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const At& at = at_[w][i];
      sum.hits.add(at.hits);
      sum.hit_bytes.add(at.hit_bytes);
      sum.request_hits += at.request_hits;
      runs += at.runs_begin;
      runs -= at.runs_end;
      Counts counts = sum;
      counts.backend_requests = {runs, demand[w].write_requests};
      counts.backend_bytes = {whole_blocks_ ? (demand[w].accesses.reads - sum.hits.reads) * block_bytes_
                                            : demand[w].bytes.reads - sum.hit_bytes.reads,
                              demand[w].bytes.writes};
      counts.cache_write_bytes = counts.backend_bytes.sum();
      by_size[i].windows.push_back(counts);
      by_size[i].add(counts);
    }
  }
  std::vector<HitRate> rows;
  for (const std::uint32_t capacity : capacities_) {
    const auto at = std::lower_bound(sizes.begin(), sizes.end(), capacity) - sizes.begin();
    rows.push_back(by_size[static_cast<std::size_t>(at)]);
    rows.back().capacity_blocks = capacity;
    rows.back().stack_distance = true;
  }
  return rows;
}

}  // namespace experiments
