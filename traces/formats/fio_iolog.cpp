// fio's IO logs: what --write_iolog records and --read_iolog replays.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "traces/output.h"
#include "traces/registry.h"
#include "traces/text_reader.h"

namespace traces {
namespace {

constexpr std::string_view kHeader2 = "fio version 2 iolog";
constexpr std::string_view kHeader3 = "fio version 3 iolog";
constexpr sim::Nanoseconds kMicro{1000};

struct Action {
  std::string_view word;
  Op op;
};
constexpr std::array<Action, 5> kActions{
    {{"read", Op::read}, {"write", Op::write}, {"trim", Op::discard}, {"sync", Op::flush}, {"datasync", Op::flush}}};

class FioIologReader final : public TextReader {
 public:
  FioIologReader(std::unique_ptr<Input> input, const ReadOptions& options)
      : TextReader(std::move(input), options, "fio_iolog") {
    info_.level = Level::queue;
    std::string_view line;
    input_->line(line);
    if (line != kHeader2 && line != kHeader3) {
      input_->fail("the first line should be 'fio version 2 iolog' or 'fio version 3 iolog'");
    }
    version_ = line == kHeader2 ? 2 : 3;
  }

 private:
  // A name stands as it is, blanks and all: what is around it is taken off first.
  void parse(std::string_view line, Batch& batch) override {
    const std::string_view whole = line = trim(line);
    if (line.empty()) return;
    if (version_ == 3) now_ = parse_time(take_word(line), kMicro, "time");
    std::string_view rest = line;
    std::string_view last = take_last_word(rest);
    if (last == "add" || last == "open" || last == "close") {
      stream(rest, whole);
      return;
    }
    if (const Action* const action = action_of(last); action && action->op == Op::flush) {
      request(rest, *action, 0, 0, batch, whole);
      return;
    }
    const std::uint64_t last_number = parse_number(last, "length");
    std::string_view before = rest;
    const std::string_view word = take_last_word(before);
    if (version_ == 2 && word == "wait") return wait(last_number, last);
    const std::uint64_t number = parse_number(word, "offset");
    const std::string_view action_word = take_last_word(before);
    if (version_ == 2 && action_word == "wait") return wait(number, word);
    const Action* const action = action_of(action_word);
    if (!action) {
      throw BadField{action_word.data(), "action should be one of read, write, trim, sync, datasync, " +
                                             std::string(version_ == 2 ? "wait, " : "") + "add, open and close, not '" +
                                             std::string(action_word) + "'"};
    }
    request(before, *action, number, last_number, batch, whole);
  }

  static const Action* action_of(std::string_view word) {
    const auto found = std::find_if(kActions.begin(), kActions.end(), [&](const Action& a) { return a.word == word; });
    return found == kActions.end() ? nullptr : found;
  }

  void wait(std::uint64_t microseconds, std::string_view field) {
    std::int64_t time = 0;
    if (__builtin_mul_overflow(microseconds, kMicro.count, &time) ||
        __builtin_add_overflow(now_.count, time, &now_.count)) {
      throw BadField{field.data(),
                     "wait of " + std::to_string(microseconds) + " us is past the range of 64-bit nanoseconds"};
    }
  }

  StreamId stream(std::string_view name, std::string_view line) {
    name = trim(name);
    if (name.empty()) throw BadField{line.data(), "there should be a file name before the action"};
    return static_cast<StreamId>(info_.streams.id(name));
  }

  void request(std::string_view name, const Action& action, std::uint64_t offset, std::uint64_t length, Batch& batch,
               std::string_view line) {
    if (length >> 62) throw BadField{line.data(), "length " + std::to_string(length) + " cannot be right"};
    Request request;
    request.time = {now_};
    request.offset = {offset};
    request.length = {static_cast<std::int64_t>(length)};
    request.op = action.op;
    request.stream = stream(name, line);
    batch.add(request);
  }

  int version_ = 3;
  sim::Nanoseconds now_;
};

Match detect(const Probe& probe) {
  const auto lines = probe.lines(1);
  return !lines.empty() && (lines[0] == kHeader2 || lines[0] == kHeader3) ? Match::certain : Match::no;
}

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions& options) {
  return std::make_unique<FioIologReader>(std::move(input), options);
}

// Version 3, with times from the first request.
class FioIologWriter final : public Writer {
 public:
  explicit FioIologWriter(const std::string& path) : output_(path) { output_.write(std::string(kHeader3) + "\n"); }

  void write(std::span<const Request> requests, const TraceInfo& info) override {
    for (const Request& request : requests) write(request, info);
  }

  void finish(const TraceInfo&, Findings& notes) override {
    for (const std::string& file : files_) {
      if (!file.empty()) output_.write(fmt::format("{} {} close\n", now_, file));
    }
    output_.commit();
    notes.add("requests of no bytes, which fio does not issue: left out", empty_);
    notes.add("times that are no whole microseconds: rounded down", rounded_);
    notes.add("times before that of the request before: taken as that", late_);
    notes.add("latencies, which the format has no place for", latencies_);
    notes.add("flags, which the format has no place for", flags_);
    notes.add("names with blanks or without characters, which were changed", renamed_);
  }

 private:
  void write(const Request& request, const TraceInfo& info) {
    if (request.length == sim::Bytes{0} && request.op != Op::flush) {
      ++empty_;
      return;
    }
    if (!started_) start_ = request.time, started_ = true;
    const sim::Nanoseconds since = request.time - start_;
    late_ += since / kMicro < now_;
    now_ = std::max(now_, since / kMicro);
    rounded_ += since % kMicro != sim::Nanoseconds{};
    latencies_ += request.latency != kUnknown;
    flags_ += request.flags != 0;
    const std::string& file = file_of(request.stream, info);
    output_.write(fmt::format("{} {} {} {} {}\n", now_, file, kWords[static_cast<std::size_t>(request.op)],
                              request.offset.bytes, request.length.count));
  }

  // Its name in the log, which is made known there at its first use.
  const std::string& file_of(StreamId stream, const TraceInfo& info) {
    if (files_.size() <= stream) files_.resize(std::size_t{stream} + 1);
    std::string& file = files_[stream];
    if (!file.empty()) return file;
    const std::string& name = info.streams.names().at(stream);
    file = name.empty() ? "stream" : name;
    std::replace_if(
        file.begin(), file.end(), [](char c) { return static_cast<unsigned char>(c) <= ' '; }, '_');
    renamed_ += file != name;
    // Two streams must not become one file.
    for (int n = 2; !taken_.insert(file).second; ++n) file = fmt::format("{}_{}", file, n);
    output_.write(fmt::format("{0} {1} add\n{0} {1} open\n", now_, file));
    return file;
  }

  static constexpr std::array<std::string_view, 4> kWords{"read", "write", "trim", "sync"};  // by Op

  Output output_;
  std::vector<std::string> files_;  // by stream; empty: not used yet
  std::unordered_set<std::string> taken_;
  sim::Instant start_;
  std::int64_t now_ = 0;  // in us
  bool started_ = false;
  std::uint64_t empty_ = 0, rounded_ = 0, late_ = 0, latencies_ = 0, flags_ = 0, renamed_ = 0;
};

std::unique_ptr<Writer> create(const std::string& path, const WriteOptions&) {
  return std::make_unique<FioIologWriter>(path);
}

}  // namespace

extern const Format fio_iolog{
    .name = "fio_iolog",
    .summary = "fio IO log, versions 2 and 3",
    .description = R"(The first line is "fio version 2 iolog" or "fio version 3 iolog". Then, version 2:
  FILE add | open | close
  FILE read | write | trim | sync | datasync OFFSET LENGTH
  FILE wait MICROSECONDS
and version 3, which has no wait, the same after a time:
  TIME FILE ACTION [OFFSET LENGTH]
Offsets and lengths are in bytes. Time is in us from the start of the job: fio's manual does not say so, its code does;
logs made by others with times in ns seem to last a thousand times as long. In version 2 time advances by what is
waited, and so stands still between. A file is a stream; its name may hold blanks. A trim is a discard; sync and
datasync are flushes. Requests are as the application made them (level Q).

Written is version 3, by which `fio --read_iolog=FILE` replays a trace, with --replay_redirect=DEVICE if its streams are
no files here. Blanks in a stream's name become "_". fio before 3.31 knows version 2 only.

Source: fio's HOWTO, "Trace file format", and iolog.c.
)",
    .detect = detect,
    .open = open,
    .create = create,
    .extension = ".iolog",
};

}  // namespace traces
