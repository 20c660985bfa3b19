// Traces made up by a test.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/random.h"
#include "traces/trace.h"

namespace support {

// Requests made up by a test.
class MadeReader final : public traces::Reader {
 public:
  explicit MadeReader(std::vector<traces::Request> requests, std::vector<std::string> streams = {"s"})
      : requests_(std::move(requests)) {
    for (const auto& name : streams) info_.streams.id(name);
  }
  bool next(traces::Batch& batch) override {
    batch.clear();
    for (; !batch.full() && at_ < requests_.size(); ++at_) batch.add(requests_[at_]);
    return !batch.requests().empty();
  }
  const traces::TraceInfo& info() const override { return info_; }

 private:
  std::vector<traces::Request> requests_;
  std::size_t at_ = 0;
  traces::TraceInfo info_;
};

inline traces::Trace made(std::vector<traces::Request> requests) {
  MadeReader reader(std::move(requests));
  return traces::Trace::load(reader);
}

inline traces::Request request(std::int64_t time, traces::Op op, std::uint64_t offset, std::int64_t length,
                               traces::StreamId stream = 0) {
  traces::Request r;
  r.time = {{time}};
  r.op = op;
  r.offset = {offset};
  r.length = {length};
  r.stream = stream;
  return r;
}

// Reads, writes and discards of 512 bytes to 40 KiB over 40 blocks.
inline std::vector<traces::Request> random_requests(std::uint64_t seed, std::size_t count, bool discards) {
  std::vector<traces::Request> requests;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t word = sim::random_word(seed, i);
    const traces::Op op = discards && word % 10 == 9 ? traces::Op::discard
                          : word % 10 < 4            ? traces::Op::write
                                                     : traces::Op::read;
    requests.push_back(request(static_cast<std::int64_t>(i) * 1000, op, (word >> 8) % 320 * 512,
                               static_cast<std::int64_t>(1 + (word >> 32) % 80) * 512));
  }
  return requests;
}

}  // namespace support
