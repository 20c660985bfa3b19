#include "traces/sample.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/support/made_trace.h"
#include "traces/blocks.h"

namespace {

using support::made;
using support::random_requests;
using traces::BlockSampler;
using traces::Granularity;
using traces::Op;

std::set<std::uint64_t> blocks_of(const traces::Trace& trace) {
  std::set<std::uint64_t> blocks;
  for (std::size_t r = 0; r < trace.size(); ++r) {
    if (moves_data(trace.ops()[r])) blocks.insert(trace.offsets()[r].bytes / 4096);
  }
  return blocks;
}

TEST(BlockSampler, AllReplicasTogetherHaveEveryReferenceOnce) {
  const auto requests = random_requests(1, 2000, false);
  const auto trace = made(requests);
  BlockSampler sampler({.rate = 0.25, .replicas = 4, .salt = 9});
  sampler.add(trace);
  std::map<std::uint64_t, std::uint64_t> bytes;  // by request
  std::set<std::uint64_t> seen;
  std::size_t references = 0;
  for (const auto& sample : sampler.samples()) {
    for (const std::uint64_t block : blocks_of(sample.trace))
      EXPECT_TRUE(seen.insert(block).second) << "in two samples";
    for (std::size_t i = 0; i < sample.trace.size(); ++i) {
      const std::uint64_t origin = sample.origins[i];
      EXPECT_EQ(sample.trace.times()[i], trace.times()[origin]);
      EXPECT_EQ(sample.trace.ops()[i], trace.ops()[origin]);
      bytes[origin] += sample.trace.lengths()[i];
    }
    references += sample.trace.size();
  }
  const traces::Blocks blocks(trace, sim::Bytes{4096}, Granularity::block);
  EXPECT_EQ(references, blocks.accesses().size());
  EXPECT_EQ(seen.size(), blocks.footprint());
  for (std::size_t r = 0; r < trace.size(); ++r) EXPECT_EQ(bytes[r], trace.lengths()[r]) << "request " << r;
}

TEST(BlockSampler, TakesItsShareOfTheBlocks) {
  std::vector<traces::Request> requests;
  for (std::uint64_t block = 0; block < 100'000; ++block)
    requests.push_back(support::request(static_cast<std::int64_t>(block), Op::read, block * 4096, 4096));
  const auto trace = made(requests);
  std::set<std::uint64_t> first;
  for (const std::uint64_t salt : {1, 2}) {
    BlockSampler sampler({.rate = 0.01, .replicas = 3, .salt = salt});
    sampler.add(trace);
    for (const auto& sample : sampler.samples()) EXPECT_NEAR(static_cast<double>(sample.trace.size()), 1000, 130);
    const auto blocks = blocks_of(sampler.samples()[0].trace);
    std::size_t common = 0;
    for (const std::uint64_t block : blocks) common += first.contains(block);
    EXPECT_LT(common, 40u) << "samples of different salts are independent";
    first = blocks;
  }
}

TEST(BlockSampler, PiecesGiveWhatTheWholeGives) {
  const auto requests = random_requests(4, 900, true);
  const auto trace = made(requests);
  BlockSampler whole({.rate = 0.2, .replicas = 2}), pieces({.rate = 0.2, .replicas = 2});
  whole.add(trace);
  support::MadeReader reader(requests);
  traces::Pieces cut(reader, 100, std::nullopt, std::nullopt);
  traces::Trace piece;
  while (cut.next(piece)) pieces.add(piece);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(pieces.samples()[k].origins, whole.samples()[k].origins);
    ASSERT_EQ(pieces.samples()[k].trace.size(), whole.samples()[k].trace.size());
    for (std::size_t i = 0; i < whole.samples()[k].trace.size(); ++i) {
      EXPECT_EQ(pieces.samples()[k].trace.offsets()[i], whole.samples()[k].trace.offsets()[i]);
      EXPECT_EQ(pieces.samples()[k].trace.times()[i], whole.samples()[k].trace.times()[i]);
    }
  }
}

TEST(BlockSampler, KeepsDiscardsWhole) {
  const auto trace = made({support::request(0, Op::read, 0, 4096), support::request(1, Op::discard, 0, 1 << 20)});
  BlockSampler sampler({.rate = 1e-6, .replicas = 2});
  sampler.add(trace);
  for (const auto& sample : sampler.samples()) {
    ASSERT_EQ(sample.trace.size(), 1u);
    EXPECT_EQ(sample.trace.ops()[0], Op::discard);
    EXPECT_EQ(sample.trace.lengths()[0], 1u << 20);
  }
}

}  // namespace
