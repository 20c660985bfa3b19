// The Zipf trace that speed is measured on: 20 million requests of which request i is for the block of rank r with
// probability proportional to 1/r, r up to 2 million. It is the trace of the public generator whose reference results
// are known (SplitMix64 with seed 42 and the inverse of the cumulative distribution), so that miss counts can be
// compared as well as times.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/random.h"
#include "traces/reader.h"

namespace bench {

inline constexpr std::uint64_t kRequests = 20'000'000;

class ZipfReader final : public traces::Reader {
 public:
  explicit ZipfReader(std::uint64_t requests = kRequests, std::uint64_t objects = 2'000'000) : requests_(requests) {
    double sum = 0;
    for (std::uint64_t rank = 1; rank <= objects; ++rank) cumulative_.push_back(sum += 1.0 / static_cast<double>(rank));
    for (double& c : cumulative_) c /= sum;
    info_.format = "zipf";
    info_.streams.id("zipf");
  }

  bool next(traces::Batch& batch) override {
    batch.clear();
    for (; !batch.full() && next_ < requests_; ++next_) {
      const double u = sim::to_unit(sim::random_word(42, next_));
      const auto rank =
          static_cast<std::uint64_t>(std::upper_bound(cumulative_.begin(), cumulative_.end(), u) - cumulative_.begin());
      traces::Request request;
      request.time = {{static_cast<std::int64_t>(next_ * 50'000)}};       // 20,000 a second
      request.offset = {(rank * 0x9E3779B1u & ((1u << 21) - 1)) * 4096};  // odd, so that no two ranks share a block
      request.length = sim::Bytes{4096};
      request.op = sim::random_word(7, next_) % 10 < 3 ? traces::Op::write : traces::Op::read;
      batch.add(request);
    }
    return !batch.requests().empty();
  }
  const traces::TraceInfo& info() const override { return info_; }
  std::optional<std::uint64_t> size_hint() const override { return requests_; }

 private:
  std::uint64_t requests_, next_ = 0;
  std::vector<double> cumulative_;
  traces::TraceInfo info_;
};

}  // namespace bench
