#include "traces/formats/block_events.h"

#include <algorithm>
#include <boost/intrusive/set.hpp>
#include <charconv>
#include <deque>
#include <unordered_map>

#include "traces/input.h"

namespace traces {
namespace {

constexpr std::size_t kSample = 32'768;        // events looked at before the levels are decided
constexpr std::size_t kMostWaiting = 262'144;  // requests held back by one that has not completed
constexpr std::int64_t kLongestWait = 60'000'000'000;
constexpr std::uint32_t kEnough = 1000;  // requests without a completion after which none is waited for
constexpr std::size_t kMostDevices = 65'536;
constexpr int kMostLookedAt = 64;     // requests looked at in search of the one that a piece belongs to
constexpr int kMostMerged = 16'384;   // requests in one merged request
constexpr std::size_t kSlots = 1024;  // requests allocated at a time

enum class Trouble : std::size_t {
  no_request,
  no_completion,
  failed,
  no_queue_event,
  not_issued,
  driver_command,
  zone_command,
  write_zeroes,
  no_data,
  flush_and_write,
  disorder,
  late_queue_event
};
constexpr const char* kTroubles[] = {
    "completions without a request",      "requests without a completion",
    "completions with an error",          "issues without a queue event (queued before the trace began, or lost)",
    "requeues without an issue",          "commands of the driver, passed over",
    "zone commands, passed over",         "write-zeroes requests, read as writes",
    "requests without data, passed over", "writes that flush before their data, read as the write alone",
    "events out of order of time",        "queue events, passed over, of streams that began with issues",
};

Op op_of(const BlockEvent& event) {
  if (!event.bytes && event.category & category::kFlush) return Op::flush;
  return event.category & category::kDiscard ? Op::discard : event.category & category::kWrite ? Op::write : Op::read;
}

std::uint8_t flags_of(std::uint32_t bits) {
  return static_cast<std::uint8_t>((bits & category::kFua ? kFua : 0) | (bits & category::kSync ? kSync : 0) |
                                   (bits & category::kMetadata ? kMetadata : 0) |
                                   (bits & category::kReadAhead ? kReadAhead : 0));
}

struct Device;

// A request that waits for its completion, or (hidden) a queue event that waits for its issue.
struct Waiting : boost::intrusive::set_base_hook<boost::intrusive::link_mode<boost::intrusive::normal_link>> {
  Request request;
  Device* device;
  std::uint64_t record, byte;
  std::int64_t data_completed;
  std::uint32_t unissued, uncompleted;  // bytes
  std::uint32_t category;
  std::uint16_t source;
  bool done, hidden, requeued;
  bool ending;  // the data is completed, the flush behind it is not

  std::uint64_t begin() const { return request.offset.bytes; }
  std::uint64_t end() const { return begin() + static_cast<std::uint64_t>(request.length.count); }
};

struct Begin {
  using type = std::uint64_t;
  type operator()(const Waiting& waiting) const { return waiting.begin(); }
};

// Equal keys stay in the order of their insertion.
using Tree = boost::intrusive::multiset<Waiting, boost::intrusive::key_of_value<Begin>>;

struct Device {
  std::uint32_t number = 0;
  Level level = Level::unknown;
  bool has_queue = false, has_issue = false, has_completion = false;
  bool waits = true;           // for completions
  std::uint32_t in_vain = 0;   // requests that waited while the device had no completion at all
  std::uint32_t requeued = 0;  // requests that are to be issued again
  std::uint64_t requests = 0;
  StreamId stream = 0;
  Tree waiting, queued;
  std::deque<Waiting*> flushes;
};

void set_issued(Waiting& waiting, std::int64_t time) {
  waiting.request.issue_delay = sim::Nanoseconds{time} - waiting.request.time.since_origin;
}

// The waiting requests in order of time, in slots that do not move.
class Line {
 public:
  bool empty() const { return head_ == tail_; }
  std::uint64_t size() const { return tail_ - head_; }
  Waiting& front() { return at(head_); }
  Waiting& push() {
    if (tail_ - base_ == slots_.size() * kSlots) {
      slots_.push_back(spare_.empty() ? std::make_unique<Waiting[]>(kSlots) : std::move(spare_.back()));
      if (!spare_.empty()) spare_.pop_back();
    }
    return at(tail_++);
  }
  template <class Visit>
  void for_each(Visit visit) {
    for (std::uint64_t index = head_; index < tail_; ++index) visit(at(index));
  }
  void pop() {
    if (++head_ - base_ == kSlots) {
      spare_.push_back(std::move(slots_.front()));
      slots_.pop_front();
      base_ += kSlots;
    }
  }

 private:
  Waiting& at(std::uint64_t index) { return slots_[(index - base_) / kSlots][(index - base_) % kSlots]; }

  std::deque<std::unique_ptr<Waiting[]>> slots_;
  std::vector<std::unique_ptr<Waiting[]>> spare_;
  std::uint64_t base_ = 0, head_ = 0, tail_ = 0;  // of the first slot, the oldest request, the next request
};

}  // namespace

std::string device_name(std::uint32_t device) {
  return std::to_string(device >> 20) + ',' + std::to_string(device & 0xfffff);
}

void EventOrder::merge() {
  const auto earlier = [](const BlockEvent& a, const BlockEvent& b) { return a.time < b.time; };
  if (!incoming_sorted_) std::stable_sort(incoming_.begin(), incoming_.end(), earlier);
  if (head_ > sorted_.size() / 2) {
    sorted_.erase(sorted_.begin(), sorted_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }
  const auto middle = static_cast<std::ptrdiff_t>(sorted_.size());
  const auto begin = static_cast<std::ptrdiff_t>(head_);
  sorted_.insert(sorted_.end(), incoming_.begin(), incoming_.end());
  if (middle > begin && !incoming_.empty() &&
      earlier(incoming_.front(), sorted_[static_cast<std::size_t>(middle) - 1])) {
    const auto from = std::upper_bound(sorted_.begin() + begin, sorted_.begin() + middle, incoming_.front(), earlier);
    std::inplace_merge(from, sorted_.begin() + middle, sorted_.end(), earlier);
  }
  incoming_.clear();
  incoming_sorted_ = true;
}

void EventOrder::close() {
  merge();
  closed_ = true;
}

class RequestBuilder::Pairing {
 public:
  Pairing(TraceInfo& info, const ReadOptions& options, std::vector<std::string> sources, bool by_line)
      : info_(info), wanted_(options.level), sources_(std::move(sources)), by_line_(by_line) {
    names_.id("");
  }

  NameTable& names() { return names_; }
  bool set_wall_clock(std::int64_t offset);
  void add(const BlockEvent&);
  void finish();
  void release(Batch& batch, bool whole);

 private:
  struct Tally {
    std::uint64_t count = 0, record = 0, byte = 0;
    std::uint16_t source = 0;
  };

  Device& device(std::uint32_t number);
  void decide();
  void handle(const BlockEvent&);
  void queue(Device&, const BlockEvent&);
  void issue(Device&, const BlockEvent&);
  void issue_queued(Device&, const BlockEvent&);
  void complete(Device&, const BlockEvent&);
  void complete_data(Waiting&, const BlockEvent&, std::uint64_t piece);
  void complete_empty(Device&, const BlockEvent&);
  void requeue(Device&, const BlockEvent&);
  bool is_request(Device&, const BlockEvent&);
  Waiting& push(Device&, const BlockEvent&);
  Waiting* push_request(Device&, const BlockEvent&);
  void end(Waiting&, std::int64_t time);
  void unlink(Waiting&);
  void let_go(Waiting&);
  ProcessId process(std::uint32_t name);
  // The device has no events of the level that was asked for.
  bool is_left_out(const Device& its) const {
    return wanted_ != Level::unknown && !(wanted_ == Level::queue ? its.has_queue : its.has_issue);
  }
  template <class Eligible>
  Waiting* find(Tree&, Op, std::uint64_t at, Eligible);
  template <class Eligible, class Apply>
  bool cover(Tree&, const BlockEvent&, Eligible, Apply);
  template <class At>
  void count(Trouble, const At&);
  void report_levels();

  TraceInfo& info_;
  const Level wanted_;
  const std::vector<std::string> sources_;
  const bool by_line_;
  NameTable names_;
  std::vector<ProcessId> processes_;  // by index into names_, plus one; 0: not used yet
  std::deque<Device> devices_;
  std::unordered_map<std::uint32_t, Device*> by_number_;
  Device* last_device_ = nullptr;
  std::vector<BlockEvent> sample_;
  bool sampling_ = true, finished_ = false, released_ = false;
  std::int64_t now_ = INT64_MIN;
  std::int64_t wall_clock_ = 0;
  Line line_;
  Tally tallies_[std::size(kTroubles)];
};

RequestBuilder::RequestBuilder(TraceInfo& info, const ReadOptions& options, std::vector<std::string> sources,
                               bool by_line)
    : pairing_(std::make_unique<Pairing>(info, options, std::move(sources), by_line)) {}
RequestBuilder::~RequestBuilder() = default;
NameTable& RequestBuilder::process_names() { return pairing_->names(); }
bool RequestBuilder::set_wall_clock(std::int64_t offset) { return pairing_->set_wall_clock(offset); }
void RequestBuilder::add(const BlockEvent& event) { pairing_->add(event); }
void RequestBuilder::finish() { pairing_->finish(); }
void RequestBuilder::release(Batch& batch, bool whole) { pairing_->release(batch, whole); }

bool RequestBuilder::Pairing::set_wall_clock(std::int64_t offset) {
  if (released_) return false;
  wall_clock_ = offset;
  info_.clock = Clock::unix_epoch;
  return true;
}

template <class At>
void RequestBuilder::Pairing::count(Trouble trouble, const At& at) {
  Tally& tally = tallies_[static_cast<std::size_t>(trouble)];
  if (!tally.count++) tally.record = at.record, tally.byte = at.byte, tally.source = at.source;
}

Device& RequestBuilder::Pairing::device(std::uint32_t number) {
  if (last_device_ && last_device_->number == number) return *last_device_;
  Device*& found = by_number_[number];
  if (!found) {
    if (devices_.size() >= kMostDevices) throw sim::DataError(sources_[0] + ": more than 65536 devices");
    found = &devices_.emplace_back();
    found->number = number;
  }
  return *(last_device_ = found);
}

void RequestBuilder::Pairing::add(const BlockEvent& event) {
  if (!sampling_) return handle(event);
  Device& its = device(event.device);
  if (!(event.category & (category::kDriver | category::kZone))) {
    its.has_queue |= event.action == BlockAction::queue;
    its.has_issue |= event.action == BlockAction::issue;
    its.has_completion |= event.action == BlockAction::complete;
    its.in_vain += event.action == BlockAction::queue || event.action == BlockAction::issue;
  }
  sample_.push_back(event);
  if (sample_.size() >= kSample) decide();
}

void RequestBuilder::Pairing::decide() {
  sampling_ = false;
  for (Device& each : devices_) {
    each.level = wanted_ != Level::unknown ? wanted_
                 : each.has_queue          ? Level::queue
                 : each.has_issue          ? Level::issue
                                           : Level::unknown;
    each.waits = each.has_completion || each.in_vain < kEnough;
    each.in_vain = 0;
    // Of a trace of both kinds, the level is the one that is seen first on the way down.
    const bool is_read = each.level == Level::queue ? each.has_queue : each.has_issue;
    if (is_read && info_.level != Level::queue) info_.level = each.level;
  }
  for (const BlockEvent& event : sample_) handle(event);
  sample_ = {};
}

void RequestBuilder::Pairing::handle(const BlockEvent& event) {
  if (event.time < now_) count(Trouble::disorder, event);
  now_ = std::max(now_, event.time);
  Device& its = device(event.device);
  if (its.level == Level::unknown) {
    its.level = wanted_ != Level::unknown            ? wanted_
                : event.action == BlockAction::queue ? Level::queue
                : event.action == BlockAction::issue ? Level::issue
                                                     : Level::unknown;
  }
  switch (event.action) {
    case BlockAction::queue:
      return queue(its, event);
    case BlockAction::issue:
      return issue(its, event);
    case BlockAction::complete:
      return complete(its, event);
    case BlockAction::requeue:
      return requeue(its, event);
    case BlockAction::process_name:
      return;
  }
}

// Whether an event at the device's level is one of the requests that caches see.
bool RequestBuilder::Pairing::is_request(Device& its, const BlockEvent& event) {
  if (event.category & category::kDriver) return count(Trouble::driver_command, event), false;
  if (event.category & category::kZone) return count(Trouble::zone_command, event), false;
  if (!event.bytes && !(event.category & category::kFlush)) return count(Trouble::no_data, event), false;
  if (event.category & category::kWriteZeroes) count(Trouble::write_zeroes, event);
  if (event.bytes && event.category & category::kFlush) count(Trouble::flush_and_write, event);
  if (!its.requests++) its.stream = static_cast<StreamId>(info_.streams.id(device_name(its.number)));
  return true;
}

ProcessId RequestBuilder::Pairing::process(std::uint32_t name) {
  if (processes_.size() <= name) processes_.resize(names_.names().size());
  if (!processes_[name]) processes_[name] = info_.processes.id(names_.names()[name], std::size_t{1} << 31) + 1;
  return processes_[name] - 1;
}

Waiting& RequestBuilder::Pairing::push(Device& its, const BlockEvent& event) {
  Waiting& added = line_.push();
  added.request = {.time = {{event.time}},
                   .offset = {event.bytes ? event.sector * 512 : 0},
                   .length = {event.bytes},
                   .stream = its.stream,
                   .op = op_of(event),
                   .flags = flags_of(event.category)};
  added.device = &its;
  added.record = event.record, added.byte = event.byte, added.source = event.source;
  added.unissued = added.uncompleted = event.bytes;
  added.category = event.category;
  added.done = added.hidden = added.requeued = added.ending = false;
  return added;
}

Waiting* RequestBuilder::Pairing::push_request(Device& its, const BlockEvent& event) {
  if (!is_request(its, event)) return nullptr;
  Waiting& added = push(its, event);
  added.request.process = process(event.process);
  if (!its.waits) {
    added.done = true;
  } else if (event.bytes) {
    its.waiting.insert(added);
  } else {
    its.flushes.push_back(&added);
  }
  return &added;
}

void RequestBuilder::Pairing::queue(Device& its, const BlockEvent& event) {
  its.has_queue = true;
  if (its.level == Level::queue) {
    push_request(its, event);
  } else if (wanted_ == Level::unknown) {
    count(Trouble::late_queue_event, event);
  } else if (its.has_issue && event.bytes) {
    Waiting& added = push(its, event);
    added.hidden = true;
    added.request.process = event.process;
    its.queued.insert(added);
  }
}

// The first request of its kind that covers the byte `at` and is eligible.
template <class Eligible>
Waiting* RequestBuilder::Pairing::find(Tree& tree, Op op, std::uint64_t at, Eligible eligible) {
  auto next = tree.lower_bound(at);
  int looked_at = 0;
  for (auto same = next; same != tree.end() && same->begin() == at && looked_at < kMostLookedAt; ++same, ++looked_at) {
    if (same->request.op == op && eligible(*same)) return &*same;
  }
  for (looked_at = 0; next != tree.begin() && looked_at < kMostLookedAt; ++looked_at) {
    --next;
    if (next->end() > at && next->request.op == op && eligible(*next)) return &*next;
  }
  return nullptr;
}

// Calls apply(waiting, bytes) for one request for each part of the event's range: several where they were merged, part
// of one where it was split. False when there was none. `apply` may take its request out of the tree.
template <class Eligible, class Apply>
bool RequestBuilder::Pairing::cover(Tree& tree, const BlockEvent& event, Eligible eligible, Apply apply) {
  const Op op = op_of(event);
  std::uint64_t at = event.sector * 512;
  const std::uint64_t end = at + event.bytes;
  bool any = false;
  for (int parts = 0; at < end && parts < kMostMerged; ++parts) {
    if (Waiting* found = find(tree, op, at, eligible)) {
      const std::uint64_t piece = std::min(end, found->end()) - at;
      at += piece;
      any = true;
      apply(*found, piece);
    } else {
      const auto next = tree.upper_bound(at);
      if (next == tree.end()) break;
      at = next->begin();
    }
  }
  return any;
}

void RequestBuilder::Pairing::issue(Device& its, const BlockEvent& event) {
  its.has_issue = true;
  if (its.level == Level::issue) {
    issue_queued(its, event);
  } else if (event.category & (category::kDriver | category::kZone)) {
    if (event.category & category::kDriver) count(Trouble::driver_command, event);
  } else if (event.bytes) {
    const bool any = cover(
        its.waiting, event, [](const Waiting& w) { return w.unissued > 0; },
        [&](Waiting& w, std::uint64_t piece) {
          w.unissued -= static_cast<std::uint32_t>(std::min<std::uint64_t>(piece, w.unissued));
          if (w.request.issue_delay < sim::Nanoseconds{0}) set_issued(w, event.time);
        });
    if (!any && its.waits && !is_left_out(its)) count(Trouble::no_queue_event, event);
  } else if (event.category & category::kWrite) {
    // The flush machinery issues "FN" of its own accord; only other writers of this format issue the request itself.
    for (Waiting* flush : its.flushes) {
      if (flush->request.issue_delay >= sim::Nanoseconds{0}) continue;
      set_issued(*flush, event.time);
      break;
    }
  }
}

// An issue at the issue level, which learns from the queue events in its range when it was queued, and by whom.
void RequestBuilder::Pairing::issue_queued(Device& its, const BlockEvent& event) {
  Waiting* const added = push_request(its, event);
  if (!added || !event.bytes) return;
  sim::Instant queued{{INT64_MAX}};
  if (!its.queued.empty()) {
    cover(
        its.queued, event, [](const Waiting& w) { return w.unissued > 0; },
        [&](Waiting& w, std::uint64_t piece) {
          w.unissued -= static_cast<std::uint32_t>(std::min<std::uint64_t>(piece, w.unissued));
          if (w.request.time < queued) added->request.process = process(w.request.process);
          queued = std::min(queued, w.request.time);
          if (!w.unissued) unlink(w);
        });
  }
  if (its.requeued) {
    cover(
        its.waiting, event, [](const Waiting& w) { return w.requeued; },
        [&](Waiting& w, std::uint64_t) {
          if (w.request.issue_delay >= sim::Nanoseconds{0}) queued = w.request.time - w.request.issue_delay;
          added->request.process = w.request.process;
          w.hidden = true;
          unlink(w);
        });
  }
  if (queued <= added->request.time) added->request.issue_delay = added->request.time - queued;
}

void RequestBuilder::Pairing::requeue(Device& its, const BlockEvent& event) {
  if (event.category & (category::kDriver | category::kZone) || !event.bytes || !its.waits) return;
  const bool by_issue = its.level == Level::issue;
  const bool any = cover(
      its.waiting, event,
      [&](const Waiting& w) {
        return by_issue ? !w.requeued : w.unissued < static_cast<std::uint64_t>(w.request.length.count);
      },
      [&](Waiting& w, std::uint64_t piece) {
        if (by_issue) {
          w.requeued = true;
          ++its.requeued;  // the later issue takes this one's place
          return;
        }
        w.unissued = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(w.unissued + piece, static_cast<std::uint64_t>(w.request.length.count)));
        w.request.issue_delay = kUnknown;
      });
  if (!any) count(Trouble::not_issued, event);
}

void RequestBuilder::Pairing::complete(Device& its, const BlockEvent& event) {
  if (event.category & (category::kDriver | category::kZone)) return;
  its.has_completion = its.waits = true;
  if (is_left_out(its)) return;
  if (event.failed) count(Trouble::failed, event);
  if (!event.bytes) return complete_empty(its, event);
  const bool any = cover(
      its.waiting, event, [](const Waiting& w) { return w.uncompleted > 0; },
      [&](Waiting& w, std::uint64_t piece) { complete_data(w, event, piece); });
  if (!any) count(Trouble::no_request, event);
}

void RequestBuilder::Pairing::complete_data(Waiting& waiting, const BlockEvent& event, std::uint64_t piece) {
  waiting.uncompleted -= static_cast<std::uint32_t>(std::min<std::uint64_t>(piece, waiting.uncompleted));
  if (waiting.uncompleted) return;
  // The flush machinery takes the flush and FUA bits off a write that it carries out as flush, write, flush, and
  // completes the whole once more, with no bytes.
  const std::uint32_t taken_off = waiting.category & ~event.category & (category::kFlush | category::kFua);
  if (waiting.device->level == Level::queue && taken_off && waiting.request.op == Op::write) {
    waiting.ending = true;
    waiting.data_completed = event.time;
  } else {
    end(waiting, event.time);
  }
}

void RequestBuilder::Pairing::complete_empty(Device& its, const BlockEvent& event) {
  const bool write = event.category & category::kWrite;
  if (its.level == Level::issue) {
    if (!(event.category & category::kFlush)) return;  // the second completion of a write with a flush
    if (its.flushes.empty()) return count(Trouble::no_request, event);
    return end(*its.flushes.front(), event.time);
  }
  const std::uint64_t at = event.sector < kMaxSector ? event.sector * 512 : 0;
  Waiting* const ending =
      write ? find(its.waiting, Op::write, at, [&](const Waiting& w) { return w.ending && w.begin() == at; }) : nullptr;
  if (ending) return end(*ending, event.time);
  // A flush is queued as an empty write; "FN" is what the flush machinery sends to the device on its behalf.
  const bool queued_as_write = !its.flushes.empty() && its.flushes.front()->category & category::kWrite;
  if (!its.flushes.empty() && queued_as_write == write) return end(*its.flushes.front(), event.time);
  if (write) count(Trouble::no_request, event);
}

void RequestBuilder::Pairing::end(Waiting& waiting, std::int64_t time) {
  const std::int64_t latency = time - waiting.request.time.since_origin.count;
  if (latency >= 0) waiting.request.latency = {latency};
  unlink(waiting);
}

// Takes a request out of what waits; it stays in the line until its turn.
void RequestBuilder::Pairing::unlink(Waiting& waiting) {
  waiting.done = true;
  Device& its = *waiting.device;
  if (waiting.requeued) --its.requeued;
  if (waiting.request.op == Op::flush) {
    its.flushes.pop_front();  // they end, and are let go, in order
  } else {
    Tree& tree = waiting.hidden && !waiting.requeued ? its.queued : its.waiting;
    tree.erase(tree.iterator_to(waiting));
  }
}

void RequestBuilder::Pairing::let_go(Waiting& waiting) {
  if (waiting.ending) return end(waiting, waiting.data_completed);
  Device& its = *waiting.device;
  if (!waiting.hidden && its.has_completion) count(Trouble::no_completion, waiting);
  if (!waiting.hidden && !its.has_completion && ++its.in_vain >= kEnough) its.waits = false;
  unlink(waiting);
}

void RequestBuilder::Pairing::release(Batch& batch, bool whole) {
  while (!line_.empty() && (whole || !batch.full())) {
    Waiting& first = line_.front();
    if (!first.done) {
      const std::int64_t waited = now_ - first.request.time.since_origin.count;
      if (!finished_ && line_.size() <= kMostWaiting && waited <= kLongestWait) return;
      let_go(first);
    }
    if (!first.hidden) {
      first.request.time = first.request.time + sim::Nanoseconds{wall_clock_};
      batch.add(first.request);
      released_ = true;
    }
    line_.pop();
  }
}

void RequestBuilder::Pairing::finish() {
  if (sampling_) decide();
  finished_ = true;
  line_.for_each([&](Waiting& waiting) {
    if (!waiting.done) let_go(waiting);
  });
  report_levels();
  for (std::size_t i = 0; i < std::size(kTroubles); ++i) {
    const Tally& tally = tallies_[i];
    if (!tally.count) continue;
    sim::Place place{.file = sources_[tally.source]};
    if (by_line_) {
      place.line = tally.record;
    } else {
      place.record = tally.record, place.byte = tally.byte;
    }
    info_.findings.add(kTroubles[i], place, tally.count);
  }
  for (LostEvents& lost : info_.lost) lost.time = lost.time + sim::Nanoseconds{wall_clock_};
}

void RequestBuilder::Pairing::report_levels() {
  std::uint64_t queue = 0, issue = 0, lacking = 0, without_completion = 0;
  for (const Device& each : devices_) {
    if (each.requests) {
      ++(each.level == Level::queue ? queue : issue);
      without_completion += !each.has_completion;
    }
    lacking += wanted_ == Level::queue ? !each.has_queue && each.has_issue : each.has_queue && !each.has_issue;
  }
  info_.level = queue ? Level::queue : issue ? Level::issue : wanted_;
  if (wanted_ != Level::unknown && lacking) {
    const char* const events = wanted_ == Level::queue ? "queue (Q)" : "issue (D)";
    if (!queue && !issue) {
      throw sim::DataError(sources_[0] + ": has no " + events + " events: read it with --level " +
                           (wanted_ == Level::queue ? "D" : "Q"));
    }
    info_.findings.add(std::string("streams without ") + events + " events, left out", lacking);
  }
  if (queue && issue) {
    info_.findings.add(
        "streams of issues (D) beside streams of queue events (Q), which may be the same requests further down", issue);
  }
  if (without_completion) info_.findings.add("streams without completions, so without latencies", without_completion);
}

namespace {

// The sum of the numbers behind each `word` of the text.
std::optional<std::uint64_t> sum_behind(std::string_view text, std::string_view word) {
  std::optional<std::uint64_t> sum;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const char* const digits = text.data() + at + word.size();
    std::uint64_t count = 0;
    if (std::from_chars(digits, text.data() + text.size(), count).ec == std::errc{}) sum = sum.value_or(0) + count;
  }
  return sum;
}

}  // namespace

std::optional<std::uint64_t> lost_events_told_by(std::string_view log) {
  // blktrace prints the count a CPU without what was dropped, then the total; "You have N dropped events" repeats it.
  if (const auto dropped = sum_behind(log, "(dropped ")) return dropped;
  const auto overwritten = sum_behind(log, "overrun: "), dropped = sum_behind(log, "dropped events: ");
  return overwritten || dropped ? std::optional(overwritten.value_or(0) + dropped.value_or(0)) : std::nullopt;
}

std::optional<std::uint64_t> lost_events_in_log(const ReadOptions& options) {
  if (options.loss_log.empty()) return std::nullopt;
  Input input(options.loss_log);
  const auto lost = lost_events_told_by(input.peek(1 << 20));
  if (!lost) {
    throw sim::DataError(options.loss_log +
                         ": says nothing of lost events: it should be what blktrace printed at its end ('Total: N "
                         "events (dropped M)') or ftrace's per_cpu/cpuN/stats ('overrun: N', 'dropped events: N')");
  }
  return lost;
}

}  // namespace traces
