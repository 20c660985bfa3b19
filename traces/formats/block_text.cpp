#include "traces/formats/block_text.h"

#include <algorithm>
#include <charconv>

namespace traces {
namespace {

constexpr sim::Nanoseconds kOrderWindow{1'000'000'000};
constexpr std::size_t kMostHeld = 1 << 19;

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "FWFSM": F for a flush before, what it does, then F for FUA, A read-ahead, S sync, M metadata (blk_fill_rwbs in the
// kernel's kernel/trace/blktrace.c). "N" is a command of the driver's own, but "FN" a flush.
std::uint32_t parse_rwbs(std::string_view field) {
  const auto bad = [&] {
    return BadField{field.data(),
                    "kind of request should be letters like R, WS or FWFSM, not '" + std::string(field) + "'"};
  };
  std::string_view rest = field;
  const auto take = [&](char letter) { return rest.starts_with(letter) ? (rest.remove_prefix(1), true) : false; };
  std::uint32_t bits = take('F') ? category::kFlush : 0;
  if (take('W')) {
    bits |= category::kWrite | (take('Z') ? category::kWriteZeroes : 0);
  } else if (take('D')) {
    bits |= category::kDiscard;
    take('E');
  } else if (take('E')) {
    bits |= category::kDiscard;
  } else if (take('Z')) {
    bits |= category::kZone;
    if (rest.empty()) throw bad();
    if (take('R')) {
      take('A');
    } else {
      rest.remove_prefix(1);
    }
  } else if (take('N')) {
    if (!bits) bits |= category::kDriver;
  } else if (!take('R') && !take('F') && !bits) {
    throw bad();
  }
  for (const char letter : rest) {
    switch (letter) {
      case 'F':
        bits |= category::kFua;
        break;
      case 'A':
        bits |= category::kReadAhead;
        break;
      case 'S':
        bits |= category::kSync;
        break;
      case 'M':
        bits |= category::kMetadata;
        break;
      case 'B':  // barrier, in old kernels
      case 'U':  // atomic
        break;
      default:
        throw bad();
    }
  }
  return bits;
}

// "520 + 8" or "520" off the front, with nothing where there is neither.
void take_range(std::string_view& text, BlockEvent& event) {
  text = trim(text);
  if (text.empty() || text.front() == '[') return;
  const std::string_view sector = take_word(text);
  event.sector = parse_number(sector, "sector");
  text = trim(text);
  if (!text.starts_with('+')) return;
  text.remove_prefix(1);
  const std::string_view count = take_word(text);
  const std::uint64_t sectors = parse_number(count, "number of sectors");
  if (sectors > UINT32_MAX / 512) throw BadField{count.data(), "number of sectors is past 4 GiB"};
  if (sectors && event.sector >= kMaxSector) throw BadField{sector.data(), "sector is past any device's end"};
  event.bytes = static_cast<std::uint32_t>(sectors * 512);
}

// What the last brackets hold: the process, or of a completion or requeue the error.
void take_brackets(std::string_view text, NameTable& process_names, BlockEvent& event) {
  const std::size_t begin = text.find('['), end = text.rfind(']');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) {
    throw BadField{text.data(), "the line should end in [process] or [error]: is it cut short?"};
  }
  std::string_view inside = text.substr(begin + 1, end - begin - 1);
  if (event.action == BlockAction::queue || event.action == BlockAction::issue) {
    if (inside == "(null)") inside = {};
    event.process = process_names.id(inside, std::size_t{1} << 31);
  } else {
    event.failed = trim(inside) != "0";
  }
}

bool action_of_tracepoint(std::string_view name, BlockAction& action) {
  if (name == "block_rq_issue") {
    action = BlockAction::issue;
  } else if (name == "block_rq_complete" || name == "block_bio_complete") {
    action = BlockAction::complete;
  } else if (name == "block_bio_queue") {
    action = BlockAction::queue;
  } else if (name == "block_rq_requeue") {
    action = BlockAction::requeue;
  } else {
    return false;
  }
  return true;
}

}  // namespace

BlockTextReader::BlockTextReader(std::unique_ptr<Input> input, const ReadOptions& options, std::string_view format,
                                 Clock clock)
    : TextReader(std::move(input), options, format),
      order_(kOrderWindow, kMostHeld),
      builder_(info_, options, {input_->path()}, true),
      loss_log_(lost_events_in_log(options)) {
  info_.clock = clock;
}

void BlockTextReader::lose(std::uint64_t count) { lost_before_next_ += count; }

void BlockTextReader::parse(std::string_view line, Batch& batch) {
  BlockEvent event;
  event.record = input_->line_number();
  if (!parse_event(line, event)) return;
  if (event.time <= -kMaxTime || event.time >= kMaxTime) throw BadField{line.data(), "time is past any clock's range"};
  if (lost_before_next_) {
    info_.lost.push_back({.time = {{event.time}}, .count = lost_before_next_});
    lost_in_all_ = lost_in_all_.value_or(0) + lost_before_next_;
    lost_before_next_ = 0;
  }
  order_.push(event);
  hand_on(batch, false);
}

void BlockTextReader::hand_on(Batch& batch, bool whole) {
  while (const BlockEvent* event = order_.front()) {
    builder_.add(*event);
    order_.pop();
  }
  if (whole) builder_.finish();
  builder_.release(batch, whole);
}

void BlockTextReader::finish(Batch& batch) {
  if (lost_before_next_) lost_in_all_ = lost_in_all_.value_or(0) + lost_before_next_;
  order_.close();
  hand_on(batch, true);
  info_.lost_events = loss_log_ ? loss_log_ : lost_in_all_;
}

bool is_device(std::string_view word) {
  const std::size_t comma = word.find(',');
  return comma != std::string_view::npos && all_digits(word.substr(0, comma)) && all_digits(word.substr(comma + 1));
}

std::uint32_t parse_device(std::string_view word) {
  if (!is_device(word)) throw BadField{word.data(), "device should be MAJOR,MINOR, not '" + std::string(word) + "'"};
  const std::size_t comma = word.find(',');
  const std::uint64_t major = parse_number(word.substr(0, comma), "major number");
  const std::uint64_t minor = parse_number(word.substr(comma + 1), "minor number");
  if (major >= 1 << 12 || minor >= 1 << 20) {
    throw BadField{word.data(), "there is no device '" + std::string(word) +
                                    "': Linux has majors below 4096 and minors below 1048576"};
  }
  return device_number(major, minor);
}

bool is_decimal(std::string_view word) {
  const std::size_t point = word.find('.');
  return point != std::string_view::npos && all_digits(word.substr(0, point)) && all_digits(word.substr(point + 1));
}

bool parse_blk_event(std::string_view text, NameTable& process_names, BlockEvent& event) {
  const std::string_view action = take_word(text);
  if (action == "Q") {
    event.action = BlockAction::queue;
  } else if (action == "D") {
    event.action = BlockAction::issue;
  } else if (action == "C") {
    event.action = BlockAction::complete;
  } else if (action == "R") {
    event.action = BlockAction::requeue;
  } else {
    constexpr std::string_view kOthers[] = {"A", "B", "F", "G", "I", "M", "P", "S", "T", "U", "UT", "X", "m"};
    if (std::find(std::begin(kOthers), std::end(kOthers), action) != std::end(kOthers)) return false;
    throw BadField{action.data(),
                   "action should be a letter that blkparse(1) lists, not '" + std::string(action) + "'"};
  }
  event.category = parse_rwbs(take_word(text));
  text = trim(text);
  // A driver's command has its bytes in place of its sector, then the command: "36 (12 01 00 ..) [comm]".
  const std::size_t command = text.find_first_not_of("0123456789 ");
  if (command != std::string_view::npos && text[command] == '(') {
    event.category |= category::kDriver;
    return true;
  }
  take_range(text, event);
  take_brackets(text, process_names, event);
  return true;
}

bool parse_tracepoint(std::string_view name, std::string_view text, NameTable& process_names, BlockEvent& event) {
  if (!action_of_tracepoint(name, event.action)) return false;
  event.device = parse_device(take_word(text));
  event.category = parse_rwbs(take_word(text));
  if (name == "block_rq_issue") parse_number(take_word(text), "number of bytes");
  text = trim(text);
  if (text.starts_with('(')) {
    const std::size_t end = text.find(')');
    if (end == std::string_view::npos) throw BadField{text.data(), "a command without its ')'"};
    if (end > 1) event.category |= category::kDriver;
    text.remove_prefix(end + 1);
  }
  take_range(text, event);
  take_brackets(text, process_names, event);
  return true;
}

}  // namespace traces
