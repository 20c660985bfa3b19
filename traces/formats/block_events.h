// Requests out of the events of the Linux block layer, however they were recorded: blktrace's records, blkparse's
// text, ftrace or perf. A request is queued (Q), perhaps merged with its neighbours, issued to the device (D) and
// completed (C); each is an event with a device, a place and a length, but nothing else ties them together.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/info.h"
#include "traces/reader.h"

namespace traces {

enum class BlockAction : std::uint8_t {
  queue,        // Q
  issue,        // D
  complete,     // C
  requeue,      // R
  process_name  // not of the block layer: what blktrace notes between its records
};

// Bits of BlockEvent::category, numbered as the kernel numbers them (include/uapi/linux/blktrace_api.h).
namespace category {
inline constexpr std::uint32_t kWrite = 1 << 1;
inline constexpr std::uint32_t kFlush = 1 << 2;  // a flush, or a flush before the data (PREFLUSH)
inline constexpr std::uint32_t kSync = 1 << 3;
inline constexpr std::uint32_t kDriver = 1 << 9;  // "PC": a command of the driver's own, passed through
inline constexpr std::uint32_t kNote = 1 << 10;
inline constexpr std::uint32_t kReadAhead = 1 << 11;
inline constexpr std::uint32_t kMetadata = 1 << 12;
inline constexpr std::uint32_t kDiscard = 1 << 13;  // also secure erase
inline constexpr std::uint32_t kFua = 1u << 15;
inline constexpr std::uint32_t kZone = 0x3fu << 16;  // append, reset, reset all, finish, open, close
inline constexpr std::uint32_t kWriteZeroes = 1u << 22;
}  // namespace category

struct BlockEvent {
  std::int64_t time = 0;     // ns on the source's clock
  std::uint64_t sector = 0;  // of 512 bytes; of a process_name the index of the name
  std::uint64_t record = 0;  // line or record, for findings
  std::uint64_t byte = 0;
  std::uint32_t bytes = 0;
  std::uint32_t device = 0;   // major << 20 | minor
  std::uint32_t process = 0;  // an index into RequestBuilder::process_names(); in blktrace's files first a process id
  std::uint32_t category = 0;
  std::uint16_t source = 0;  // which of the files
  BlockAction action = BlockAction::queue;
  bool failed = false;
};
static_assert(sizeof(BlockEvent) == 56);

inline constexpr std::uint64_t kMaxSector = std::uint64_t{1} << 54;  // 8 EiB: no device is larger
inline constexpr std::int64_t kMaxTime = std::int64_t{1} << 62;      // 146 years
constexpr std::uint32_t device_number(std::uint64_t major, std::uint64_t minor) {
  return static_cast<std::uint32_t>(major << 20 | minor);
}
std::string device_name(std::uint32_t device);  // "254,16"

// Puts events in order of time that are nearly so, as several CPUs' buffers written one after another are: each is
// held until one `window` later was seen, or until `most` wait.
class EventOrder {
 public:
  EventOrder(sim::Nanoseconds window, std::size_t most) : window_(window.count), most_(most) {}
  void push(const BlockEvent& event) {
    if (!incoming_.empty() && event.time < incoming_.back().time) incoming_sorted_ = false;
    incoming_.push_back(event);
    if (incoming_.size() >= kChunk) merge();
  }
  void close();  // nothing more will be pushed
  // The next event in order, to be taken by pop(); null: push more first, or, once closed, the end.
  const BlockEvent* front() const {
    if (head_ == sorted_.size()) return nullptr;
    const BlockEvent& event = sorted_[head_];
    return closed_ || event.time <= sorted_.back().time - window_ || sorted_.size() - head_ > most_ ? &event : nullptr;
  }
  void pop() { ++head_; }

 private:
  static constexpr std::size_t kChunk = 4096;
  void merge();

  std::int64_t window_;
  std::size_t most_;
  std::vector<BlockEvent> sorted_, incoming_;
  std::size_t head_ = 0;
  bool incoming_sorted_ = true;
  bool closed_ = false;
};

// One event after another in, requests out in order of time. Which of the events count as requests is decided for each
// device after a look at the first events: the queue events where it has any, else the issues. Requests wait for their
// completion, but not for ever: past 60 s or 262144 later requests their latency stays unknown.
class RequestBuilder {
 public:
  // `info` outlives this and is filled in. `sources` name the files for the places of findings; `by_line`: their
  // places are lines rather than records.
  RequestBuilder(TraceInfo& info, const ReadOptions& options, std::vector<std::string> sources, bool by_line);
  RequestBuilder(const RequestBuilder&) = delete;
  RequestBuilder& operator=(const RequestBuilder&) = delete;
  ~RequestBuilder();

  // Names for BlockEvent::process; entry 0 is unknown. Only those of requests appear in TraceInfo::processes.
  NameTable& process_names();
  // To be added to all times, which makes them Clock::unix_epoch. False: too late, since requests were handed out.
  bool set_wall_clock(std::int64_t offset);

  // Events in order of time; not the notes.
  void add(const BlockEvent&);
  // No more events. Throws DataError when the level that was asked for is not in the trace.
  void finish();
  // Moves the requests that are ready into the batch until it is full; all of them with `whole`.
  void release(Batch& batch, bool whole = false);

 private:
  class Pairing;
  std::unique_ptr<Pairing> pairing_;
};

// How many events were lost, as told by what blktrace printed ("Total: N events (dropped M)") or by ftrace's
// per_cpu/cpuN/stats ("overrun: N", "dropped events: N"); absent when the text says nothing of it.
std::optional<std::uint64_t> lost_events_told_by(std::string_view log);
// The same for the file that --loss-log names; absent when it names none. Throws DataError when it says nothing of it.
std::optional<std::uint64_t> lost_events_in_log(const ReadOptions& options);

}  // namespace traces
