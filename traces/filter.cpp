#include "traces/filter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "traces/sample.h"

namespace traces {
namespace {

bool stays(std::uint64_t stream, std::uint64_t block, double rate) {
  return sim::to_unit(block_hash(stream, block)) < rate;
}

class FilteredReader final : public Reader {
 public:
  FilteredReader(std::unique_ptr<Reader> reader, Filter filter)
      : reader_(std::move(reader)), filter_(std::move(filter)) {}

  bool next(Batch& batch) override {
    batch.clear();
    while (batch.requests().empty()) {
      if (!reader_->next(source_)) {
        check_streams();
        return false;
      }
      for (const Request& request : source_.requests()) {
        if (!start_) start_ = request.time;
        if (passes(request)) filter_.sample < 1.0 ? add_sampled(request, batch) : batch.add(request);
      }
    }
    return true;
  }

  const TraceInfo& info() const override { return reader_->info(); }
  std::optional<std::uint64_t> size_hint() const override { return reader_->size_hint(); }

 private:
  bool passes(const Request& r) {
    if (!(filter_.ops >> static_cast<int>(r.op) & 1)) return false;
    if (filter_.offsets && (r.offset.bytes < filter_.offsets->first || r.offset.bytes >= filter_.offsets->second))
      return false;
    const sim::Nanoseconds since = r.time - *start_;
    if ((filter_.from && since < *filter_.from) || (filter_.to && since >= *filter_.to)) return false;
    return filter_.streams.empty() || stream(r.stream).wanted;
  }

  void add_sampled(const Request& r, Batch& batch) {
    const auto block = static_cast<std::uint64_t>(filter_.sample_block.count);
    const std::uint64_t hash = stream(r.stream).hash;
    const std::uint64_t begin = r.offset.bytes;
    if (info().granularity == Granularity::request || r.length.count == 0) {
      if (r.op == Op::flush ||
          stays(hash, info().granularity == Granularity::request ? begin : begin / block, filter_.sample))
        batch.add(r);
      return;
    }
    const std::uint64_t end = begin + static_cast<std::uint64_t>(r.length.count);
    std::uint64_t run = end;  // where the run that stays began; `end` when there is none
    for (std::uint64_t b = begin / block; b * block < end; ++b) {
      const std::uint64_t from = std::max(begin, b * block);
      const bool in_sample = stays(hash, b, filter_.sample);
      if (in_sample && run == end) run = from;
      if (!in_sample && run != end) add_part(r, run, from, batch), run = end;
    }
    if (run != end) add_part(r, run, end, batch);
  }

  static void add_part(Request r, std::uint64_t from, std::uint64_t to, Batch& batch) {
    r.offset.bytes = from;
    r.length.count = static_cast<std::int64_t>(to - from);
    batch.add(r);
  }

  struct Stream {
    bool wanted;
    std::uint64_t hash;
  };
  const Stream& stream(StreamId id) {
    const auto& names = info().streams.names();
    while (streams_.size() <= id) {
      const std::string& name = names.at(streams_.size());
      const bool wanted = std::find(filter_.streams.begin(), filter_.streams.end(), name) != filter_.streams.end();
      streams_.push_back({wanted, stream_hash(name)});
    }
    return streams_[id];
  }

  void check_streams() const {
    const auto& names = info().streams.names();
    for (const std::string& wanted : filter_.streams) {
      if (std::find(names.begin(), names.end(), wanted) == names.end()) {
        throw sim::DataError(
            fmt::format("there is no stream '{}' in the trace; there are {}", wanted, fmt::join(names, ", ")));
      }
    }
  }

  std::unique_ptr<Reader> reader_;
  Filter filter_;
  Batch source_;
  std::optional<sim::Instant> start_;
  std::vector<Stream> streams_;
};

}  // namespace

bool sampled(std::string_view stream, std::uint64_t block, double rate) {
  return stays(stream_hash(stream), block, rate);
}

std::unique_ptr<Reader> filtered(std::unique_ptr<Reader> reader, Filter filter) {
  return std::make_unique<FilteredReader>(std::move(reader), std::move(filter));
}

}  // namespace traces
