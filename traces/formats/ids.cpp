// One object id a line, of any characters.
#include <algorithm>
#include <limits>

#include "traces/registry.h"
#include "traces/text_reader.h"

namespace traces {
namespace {

constexpr std::uint64_t kFirstWord = std::uint64_t{1} << 63;

// A number below 2^63, written in the one usual way: "7", but not "07", which as an id is another.
bool is_plain_number(std::string_view id) {
  constexpr std::string_view kLimit = "9223372036854775808";
  if (id.empty() || id.find_first_not_of("0123456789") != std::string_view::npos) return false;
  if (id.front() == '0' && id.size() > 1) return false;
  return id.size() < kLimit.size() || (id.size() == kLimit.size() && id < kLimit);
}

class IdsReader final : public TextReader {
 public:
  IdsReader(std::unique_ptr<Input> input, const ReadOptions& options) : TextReader(std::move(input), options, "ids") {
    info_.granularity = Granularity::request;
    info_.streams.id("ids");
  }

 private:
  void parse(std::string_view line, Batch& batch) override {
    const std::string_view id = trim(line);
    if (id.empty()) return;
    if (const auto blank = id.find_first_of(" \t"); blank != std::string_view::npos) {
      throw BadField{id.data() + blank, "a line should be one id, without blanks"};
    }
    Request request;
    request.time = {{static_cast<std::int64_t>(count_++)}};
    request.offset = {is_plain_number(id) ? parse_number(id, "id") : kFirstWord + words_.id(id, kMostWords)};
    request.length = sim::Bytes{1};
    batch.add(request);
  }

  static constexpr std::size_t kMostWords = std::numeric_limits<std::uint32_t>::max();
  NameTable words_;
  std::uint64_t count_ = 0;
};

// Lines of one word each, of which one at least is no number: files of only numbers and "*" are LIRS traces. Commas
// and the like are rather the delimiters of a table or the marks of a configuration file.
Match detect(const Probe& probe) {
  bool words = false;
  for (std::string_view line : probe.lines(100)) {
    line = trim(line);
    const auto unlikely = [](char c) {
      return static_cast<unsigned char>(c) <= ' ' || c == 0x7F ||
             std::string_view(",;\"=[]{}<>").find(c) != std::string_view::npos;
    };
    if (std::any_of(line.begin(), line.end(), unlikely)) return Match::no;
    words |= !line.empty() && line != "*" && line.find_first_not_of("0123456789") != std::string_view::npos;
  }
  return words ? Match::name_only : Match::no;
}

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions& options) {
  return std::make_unique<IdsReader>(std::move(input), options);
}

}  // namespace

extern const Format ids{
    .name = "ids",
    .summary = "one object id a line, of any characters without blanks",
    .description =
        R"(One id a line; empty lines are passed over. There are no times, sizes or operations: every request is a
read of one unit, and its time is its index in nanoseconds. An object format: --granularity defaults to request.

A decimal number below 2^63 without leading zeros is kept as it is. Every other word is numbered from 2^63 on, in order
of first appearance, so that no word meets a number. Memory grows with the different words.

A file of only decimal numbers is recognised as lirs, which reads the same ids but passes over lines of "*"; to read
"*" as an id, say --format ids.

Source: the "txt" traces of cache simulators such as libCacheSim.
)",
    .detect = detect,
    .open = open,
};

}  // namespace traces
