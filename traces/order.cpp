#include "traces/order.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace traces {
namespace {

// Holds back the newest `window` requests. Input in order costs one comparison a request; an earlier one is moved back
// to its place, past as many as it is late for.
class SortedReader final : public Reader {
 public:
  SortedReader(std::unique_ptr<Reader> reader, std::size_t window) : reader_(std::move(reader)), window_(window) {}

  bool next(Batch& batch) override {
    batch.clear();
    while (held_.size() - first_ <= window_ && !ended_) {
      if (first_ > window_ + Batch::kTarget) {
        held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(first_));
        first_ = 0;
      }
      if (!reader_->next(source_)) {
        ended_ = true;
        info_ = reader_->info();
        if (backward_) {
          info_->findings.add(
              "requests earlier than one before them (by up to " + sim::format(furthest_) + "; sorted by time)",
              backward_);
        }
      }
      for (const Request& request : source_.requests()) insert(request);
    }
    const std::size_t ready = ended_ ? held_.size() : std::max(first_, held_.size() - std::min(held_.size(), window_));
    while (first_ < ready && !batch.full()) batch.add(held_[first_++]);
    if (!batch.requests().empty()) yielded_ = batch.requests().back().time;
    return !batch.requests().empty();
  }

  const TraceInfo& info() const override { return info_ ? *info_ : reader_->info(); }
  std::optional<std::uint64_t> size_hint() const override { return reader_->size_hint(); }

 private:
  void insert(const Request& request) {
    const sim::Instant latest = first_ < held_.size() ? held_.back().time : yielded_;
    if (request.time >= latest) {
      held_.push_back(request);
      return;
    }
    ++backward_;
    furthest_ = std::max(furthest_, latest - request.time);
    if (request.time < yielded_) {
      throw sim::DataError("request " + std::to_string(backward_) + " of those out of order lies " +
                           sim::format(yielded_ - request.time) +
                           " before one already written: say --sort-window with more than " + std::to_string(window_) +
                           " requests");
    }
    const auto at = std::upper_bound(held_.begin() + static_cast<std::ptrdiff_t>(first_), held_.end(), request.time,
                                     [](sim::Instant t, const Request& r) { return t < r.time; });
    held_.insert(at, request);
  }

  std::unique_ptr<Reader> reader_;
  std::size_t window_;
  Batch source_;
  std::vector<Request> held_;  // from first_ on, in order
  std::size_t first_ = 0;
  bool ended_ = false;
  sim::Instant yielded_{{std::numeric_limits<std::int64_t>::min()}};
  std::uint64_t backward_ = 0;
  sim::Nanoseconds furthest_{0};
  std::optional<TraceInfo> info_;
};

class MergedReader final : public Reader {
 public:
  MergedReader(std::vector<MergeInput> inputs, bool keep_apart) : keep_apart_(keep_apart) {
    for (auto& input : inputs) {
      parts_.emplace_back(std::move(input));
      refill(parts_.back());
    }
    const TraceInfo& first = parts_.front().input.reader->info();
    info_.format = first.format;
    info_.level = first.level;
    info_.clock = first.clock;
    info_.granularity = first.granularity;
    for (const Part& part : parts_) {
      const TraceInfo& info = part.input.reader->info();
      if (info.level != info_.level || info.granularity != info_.granularity) {
        throw sim::DataError(part.input.name + ": was traced at another level or granularity than " +
                             parts_.front().input.name + ": the requests of the two cannot be one trace");
      }
      if (info.clock != Clock::unix_epoch) info_.clock = Clock::relative;
      if (info.format != info_.format) info_.format = "several";
    }
    for (Part& part : parts_) {
      if (info_.clock == Clock::relative && part.at < part.batch.requests().size()) {
        part.input.shift -= part.batch.requests().front().time.since_origin;
      }
    }
  }

  bool next(Batch& batch) override {
    batch.clear();
    while (!batch.full()) {
      Part* earliest = nullptr;
      for (Part& part : parts_) {
        if (part.at < part.batch.requests().size() && (!earliest || part.time() < earliest->time())) earliest = &part;
      }
      if (!earliest) break;
      batch.add(translated(*earliest));
      if (++earliest->at == earliest->batch.requests().size()) refill(*earliest);
    }
    if (batch.requests().empty() && !finished_) finish();
    return !batch.requests().empty();
  }

  const TraceInfo& info() const override { return info_; }

 private:
  struct Part {
    explicit Part(MergeInput in) : input(std::move(in)) {}
    MergeInput input;
    Batch batch;
    std::size_t at = 0;
    std::vector<StreamId> streams;  // of the merged trace, by the input's
    std::vector<ProcessId> processes;
    sim::Instant time() const { return batch.requests()[at].time + input.shift; }
  };

  void refill(Part& part) {
    part.at = 0;
    part.input.reader->next(part.batch);
  }

  Request translated(Part& part) {
    Request request = part.batch.requests()[part.at];
    const TraceInfo& info = part.input.reader->info();
    while (part.streams.size() <= request.stream) {
      const std::string& name = info.streams.names().at(part.streams.size());
      part.streams.push_back(
          static_cast<StreamId>(info_.streams.id(keep_apart_ ? part.input.name + "/" + name : name)));
    }
    while (part.processes.size() <= request.process) {
      part.processes.push_back(info_.processes.id(info.processes.names().at(part.processes.size()), UINT32_MAX));
    }
    request.time = part.time();
    request.stream = part.streams[request.stream];
    request.process = part.processes[request.process];
    return request;
  }

  void finish() {
    finished_ = true;
    info_.lost_events = 0;
    for (const Part& part : parts_) {
      const TraceInfo& info = part.input.reader->info();
      for (const auto& finding : info.findings.all()) info_.findings.add(finding);
      info_.skipped_lines += info.skipped_lines;
      for (LostEvents lost : info.lost) {
        lost.time = lost.time + part.input.shift;
        info_.lost.push_back(lost);
      }
      if (!info.lost_events) info_.lost_events.reset();
      if (info_.lost_events) *info_.lost_events += *info.lost_events;
    }
  }

  std::vector<Part> parts_;
  bool keep_apart_, finished_ = false;
  TraceInfo info_;
};

}  // namespace

std::unique_ptr<Reader> sorted(std::unique_ptr<Reader> reader, std::size_t window) {
  return std::make_unique<SortedReader>(std::move(reader), window);
}

std::unique_ptr<Reader> merged(std::vector<MergeInput> inputs, bool keep_apart) {
  return std::make_unique<MergedReader>(std::move(inputs), keep_apart);
}

}  // namespace traces
