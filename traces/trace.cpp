#include "traces/trace.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

namespace traces {
namespace {

// Fills column[i] with its old value at order[i].
template <class T>
void permute(Column<T>& column, const Column<std::uint64_t>& order) {
  if (column.empty()) return;
  Column<T> sorted(column.size());
  for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = column[order[i]];
  column = std::move(sorted);
}

template <class T>
void slice(Column<T>& column, std::size_t from, std::size_t to) {
  if (column.empty()) return;
  if (from) std::memmove(static_cast<void*>(column.data()), column.data() + from, (to - from) * sizeof(T));
  column.resize(to - from);
}

template <class T>
void append_from(Column<T>& to, const Column<T>& from, std::size_t i) {
  if (!from.empty()) to.push_back(from[i]);
}

// An optional value is stored only from the first request that has one; those before it are unknown.
void append_optional(Column<sim::Nanoseconds>& column, sim::Nanoseconds value, std::size_t earlier) {
  if (column.empty()) {
    if (value == kUnknown) return;
    column.resize(earlier);
    std::fill_n(column.data(), earlier, kUnknown);
  }
  column.push_back(value);
}

}  // namespace

void Trace::append(const Request& r, bool details) {
  times_.push_back(r.time.since_origin);
  offsets_.push_back(r.offset);
  lengths_.push_back(static_cast<std::uint32_t>(r.length.count));
  ops_.push_back(r.op);
  streams_.push_back(r.stream);
  if (details) {
    append_optional(latencies_, r.latency, times_.size() - 1);
    append_optional(issue_delays_, r.issue_delay, times_.size() - 1);
  }
}

Trace Trace::load(Reader& reader, const LoadOptions& options) {
  Trace trace;
  if (const auto size = reader.size_hint()) {
    trace.times_.reserve(*size);
    trace.offsets_.reserve(*size);
    trace.lengths_.reserve(*size);
    trace.ops_.reserve(*size);
    trace.streams_.reserve(*size);
  }
  Batch batch;
  sim::Nanoseconds latest{std::numeric_limits<std::int64_t>::min()}, furthest_back{0};
  std::uint64_t backward = 0;
  while (reader.next(batch)) {
    for (const Request& r : batch.requests()) {
      const sim::Nanoseconds time = r.time.since_origin;
      if (time < latest) {
        ++backward;
        furthest_back = std::max(furthest_back, latest - time);
      } else {
        latest = time;
      }
      trace.append(r, options.details);
    }
  }
  TraceInfo info = reader.info();
  if (trace.times_.empty()) throw sim::DataError("no request is in the trace, or none passes the filters");
  if (backward) {
    info.findings.add(
        "requests earlier than one before them (by up to " + sim::format(furthest_back) + "; sorted by time)",
        backward);
    trace.sort();
  }
  trace.info_ = std::make_shared<TraceInfo>(std::move(info));
  trace.start_ = {trace.times_[0]};
  for (std::size_t i = 0; i < trace.size(); ++i) trace.times_[i] -= trace.start_.since_origin;
  if (options.from || options.to) {
    const auto times = trace.times();
    const auto at = [&](std::optional<sim::Nanoseconds> t, std::size_t otherwise) {
      return t ? static_cast<std::size_t>(std::lower_bound(times.begin(), times.end(), *t) - times.begin()) : otherwise;
    };
    trace.keep(at(options.from, 0), at(options.to, trace.size()));
  }
  return trace;
}

void Trace::sort() {
  Column<std::uint64_t> order(size());
  std::iota(order.data(), order.data() + order.size(), std::uint64_t{0});
  std::stable_sort(order.data(), order.data() + order.size(),
                   [&](std::uint64_t a, std::uint64_t b) { return times_[a] < times_[b]; });
  permute(times_, order);
  permute(latencies_, order);
  permute(issue_delays_, order);
  permute(offsets_, order);
  permute(lengths_, order);
  permute(ops_, order);
  permute(streams_, order);
}

void Trace::keep(std::size_t from, std::size_t to) {
  if (from >= to)
    throw sim::DataError("no request lies between --from-time and --to-time; the trace lasts " +
                         sim::format(duration()));
  for (auto* column : {&times_, &latencies_, &issue_delays_}) slice(*column, from, to);
  slice(offsets_, from, to);
  slice(lengths_, from, to);
  slice(ops_, from, to);
  slice(streams_, from, to);
  const sim::Nanoseconds first = times_[0];
  start_ = start_ + first;
  for (std::size_t i = 0; i < size(); ++i) times_[i] -= first;
}

Trace Trace::empty_like(const Trace& like) {
  Trace trace;
  trace.info_ = like.info_;
  trace.start_ = like.start_;
  return trace;
}

void Trace::add(sim::Nanoseconds time, sim::Offset offset, std::uint32_t length, Op op, StreamId stream) {
  times_.push_back(time);
  offsets_.push_back(offset);
  lengths_.push_back(length);
  ops_.push_back(op);
  streams_.push_back(stream);
}

Trace Trace::only(std::span<const std::uint32_t> requests) const {
  Trace part = empty_like(*this);
  for (const std::uint32_t i : requests) {
    part.add(times_[i], offsets_[i], lengths_[i], ops_[i], streams_[i]);
    append_from(part.latencies_, latencies_, i);
    append_from(part.issue_delays_, issue_delays_, i);
  }
  return part;
}

std::vector<std::vector<std::uint32_t>> Trace::requests_by_stream() const {
  if (size() > UINT32_MAX) throw sim::DataError("more than 4 billion requests: take part of the trace");
  std::vector<std::vector<std::uint32_t>> requests(info_->streams.names().size());
  for (std::size_t i = 0; i < size(); ++i) requests[streams_[i]].push_back(static_cast<std::uint32_t>(i));
  return requests;
}

sim::Nanoseconds Trace::duration() const {
  return times_.empty() ? sim::Nanoseconds{0} : times_[size() - 1] - times_[0];
}

bool Pieces::next(Trace& piece) {
  piece = Trace();
  while (piece.size() < requests_ && reader_.next(batch_)) {
    for (const Request& r : batch_.requests()) {
      const sim::Nanoseconds time = r.time.since_origin;
      if (!first_) first_ = latest_ = time;
      if (time < latest_) {
        throw sim::DataError("a request is " + sim::format(latest_ - time) +
                             " earlier than one before it: a trace that is read in pieces has to be in order of time "
                             "(iocast convert sorts it, or allow more --memory)");
      }
      latest_ = time;
      if ((from_ && time - *first_ < *from_) || (to_ && time - *first_ >= *to_)) continue;
      if (!start_) start_ = time;
      piece.append(r, false);
      piece.times_[piece.size() - 1] -= *start_;
    }
  }
  piece.info_ = std::make_shared<TraceInfo>(reader_.info());
  if (start_) piece.start_ = {*start_};
  return piece.size() > 0;
}

}  // namespace traces
