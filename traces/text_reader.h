// What readers of line formats share: the loop over lines, the place of an error, and --skip-bad.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "traces/input.h"
#include "traces/reader.h"

namespace traces {

// Thrown by the field parsers and by TextReader::parse: what is wrong, and where in the line (null: the whole line).
struct BadField {
  const char* at;
  std::string what;
};

class TextReader : public Reader {
 public:
  bool next(Batch&) final;
  const TraceInfo& info() const final { return info_; }

 protected:
  TextReader(std::unique_ptr<Input> input, const ReadOptions& options, std::string_view format)
      : input_(std::move(input)), skip_bad_(options.skip_bad) { info_.format = format; }

  // Adds what the line says to the batch: no request, one, or several. Throws BadField.
  virtual void parse(std::string_view line, Batch&) = 0;
  // Called once after the last line, for requests that were held back.
  virtual void finish(Batch&) {}

  sim::Place place() const { return input_->place(); }

  std::unique_ptr<Input> input_;
  TraceInfo info_;

 private:
  std::uint64_t skip_bad_;
  bool finished_ = false;
};

// --- Fields of a line. All throw BadField; none copies. ---

// Takes the next field, up to `delimiter` or the end, off the front of `line`; blanks around it are trimmed.
std::string_view take_field(std::string_view& line, char delimiter);
// Takes the next run of non-blanks off the front of `line`; empty at the end.
std::string_view take_word(std::string_view& line);
std::string_view trim(std::string_view);

// A whole number, all of `field`. `what` names it in the error: "offset".
std::uint64_t parse_number(std::string_view field, const char* what);
// The same in base 16, with or without 0x.
std::uint64_t parse_hex(std::string_view field, const char* what);
// A decimal number of units of `unit` (at most a second) each, exactly: "1456095145.133076000" in seconds is 1456095145133076000 ns. More
// digits than a nanosecond are dropped. Negative values are allowed. Throws if it leaves the range of Nanoseconds.
sim::Nanoseconds parse_time(std::string_view field, sim::Nanoseconds unit, const char* what);

}  // namespace traces
