// Tables with columns of the user's own, and a table of our own that holds everything in a Request.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

#include "traces/formats/csv_columns.h"
#include "traces/formats/scsi.h"
#include "traces/formats/table.h"
#include "traces/output.h"

namespace traces {
namespace {

using namespace table;

sim::Nanoseconds duration_of(std::string_view unit) {
  return unit == "ms" ? 1_ms : unit == "us" ? 1_us : unit == "ns" ? 1_ns : unit == "100ns" ? kFiletimeUnit : 1_s;
}

std::vector<std::string> split_titles(std::string_view line, char delimiter) {
  const auto fields = delimiter == ' ' ? words(line) : split_quoted(line, delimiter);
  std::vector<std::string> titles;
  for (const std::string_view field : fields) titles.emplace_back(trim(field));
  return titles;
}

std::string_view without_comment_mark(std::string_view line) {
  return line.starts_with('#') ? trim(line.substr(1)) : line;
}

std::string without_doubled_quotes(std::string_view field) {
  std::string result;
  for (std::size_t i = 0; i < field.size(); ++i) {
    result += field[i];
    if (field[i] == '"') ++i;
  }
  return result;
}

bool is_missing(std::string_view field) {
  return field.empty() || field == "-" || field == "NA" || field == "NaN" || field == "nan" || field == "null";
}

std::optional<Action> usual_action(std::string_view word) {
  static constexpr std::pair<std::string_view, Action> kWords[] = {
      {"r", Action::read},       {"read", Action::read},     {"reads", Action::read},  {"rd", Action::read},
      {"get", Action::read},     {"w", Action::write},       {"write", Action::write}, {"writes", Action::write},
      {"wr", Action::write},     {"put", Action::write},     {"d", Action::discard},   {"discard", Action::discard},
      {"trim", Action::discard}, {"unmap", Action::discard}, {"f", Action::flush},     {"flush", Action::flush},
      {"sync", Action::flush},   {"fsync", Action::flush}};
  std::string small(word);
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  for (const auto& [text, action] : kWords) {
    if (text == small) return action;
  }
  // Two hexadecimal digits: one alone is some format's own code, and which one only its user can tell.
  std::string_view digits = small;
  if (digits.starts_with("0x")) digits.remove_prefix(2);
  if (digits.size() != 2 || digits.find_first_not_of("0123456789abcdef") != std::string_view::npos) return std::nullopt;
  const auto op = op_of_scsi(parse_hex(digits, "operation"));
  return op ? std::optional(static_cast<Action>(*op)) : std::nullopt;
}

// "2024-02-29T12:00:00.5Z" or with a blank in the middle.
sim::Nanoseconds parse_iso(std::string_view field) {
  const auto bad = [&]() { bad_field(field, "time", "should be a date and time such as 2024-02-29 12:00:00.5"); };
  std::string_view text = field;
  if (text.ends_with('Z')) text.remove_suffix(1);
  if (text.size() < 19 || text[4] != '-' || text[7] != '-' || text[13] != ':' || text[16] != ':') bad();
  const auto number = [&](std::size_t at, std::size_t size) {
    return static_cast<int>(parse_number(text.substr(at, size), "time"));
  };
  using namespace std::chrono;
  const year_month_day date{year{number(0, 4)}, month(static_cast<unsigned>(number(5, 2))),
                            day(static_cast<unsigned>(number(8, 2)))};
  if (!date.ok() || date.year() < year{1700} || date.year() > year{2200} || number(11, 2) > 23 || number(14, 2) > 59)
    bad();
  const sim::Nanoseconds seconds = parse_time(text.substr(17), 1_s, "time");
  if (seconds.count < 0 || seconds.count >= 61'000'000'000) bad();
  return seconds + 60'000'000'000_ns * (number(11, 2) * 60 + number(14, 2)) +
         86'400'000'000'000_ns * sys_days{date}.time_since_epoch().count();
}

class CsvReader final : public TextReader {
 public:
  CsvReader(std::unique_ptr<Input> input, const ReadOptions& options)
      : TextReader(std::move(input), options, "csv"), map_(parse_map(options.map)) {
    plain_ = map_.decimal == '.' && map_.thousands == 0;
  }

 private:
  void parse(std::string_view line, Batch& batch) override {
    if (!planned_) {
      if (input_->line_number() == 1) line = without_byte_order_mark(line);
      if (trim(line).empty() || make_plan(line)) return;
    }
    if (line.empty() || line.front() == '#') return;
    split_row(line);
    row(batch);
  }

  void finish(Batch&) override {
    if (!planned_) cannot_plan();
  }

  // True if the line is a header or a comment, and so not a row.
  bool make_plan(std::string_view line) {
    const std::string_view text = without_comment_mark(line);
    delimiter_ = map_.delimiter ? map_.delimiter : guess_delimiter(text, map_.decimal);
    std::vector<std::string> titles;
    try {
      titles = split_titles(text, delimiter_);
    } catch (const BadField& bad) { sim::fail(place(), bad.what); }
    const bool header = map_.header.value_or(looks_like_header(titles));
    if (!header && line.front() == '#') return true;
    if (header && !map_.names_columns()) {
      const auto plan = plan_for_header(titles);
      if (!plan) cannot_plan();
      set_plan(*plan);
    } else if (map_.names_columns()) {
      set_plan(plan_for_map(map_, header ? titles : std::vector<std::string>{}, titles.size()));
    } else {
      cannot_plan();
    }
    return header;
  }

  [[noreturn]] void cannot_plan() const {
    sim::fail(place(),
              "no header line that tells the columns; name them with --map, as in "
              "--map time=1:us,offset=2:512,length=3,op=4 (`iocast formats csv` tells all)");
  }

  bool looks_like_header(const std::vector<std::string>& titles) const {
    return map_names_one_of(map_, titles) || plan_for_header(titles).has_value();
  }

  void set_plan(const Plan& plan) {
    plan_ = plan;
    planned_ = true;
    cells_.resize(plan.needed);
    for (const Role role : {Role::time, Role::offset, Role::length, Role::latency, Role::issue_delay, Role::flags}) {
      // Where 1.234 is a whole number, digits before a mark are not all of it.
      if (plan.has(role)) cells_[plan.at(role)].is_number = plain_;
    }
    info_.level = plan.level;
    info_.granularity = plan.object ? Granularity::request : Granularity::block;
    if (plan.offset_unit > 1) info_.sector = {static_cast<std::int64_t>(plan.offset_unit)};
    for (const std::string& what : plan.assumed) info_.findings.add(what, place());
  }

  // One pass over the line: numbers are read where they are found, and what is not the plain digits of one is left to
  // those who know what may be there.
  void split_row(std::string_view line) {
    for (Cell& cell : cells_) {
      const char* const begin = line.data();
      cell.is_whole = false;
      if (delimiter_ == ' ') {
        cell.text = take_word(line);
      } else if (cell.is_number && try_take_number(line, delimiter_, cell.value)) {
        const auto taken = static_cast<std::size_t>(line.data() - begin);
        cell.text = {begin, taken - (begin[taken - 1] == delimiter_ ? 1 : 0)};
        cell.is_whole = true;
      } else if (!line.empty() && line.front() == '"') {
        cell.text = take_quoted_field(line, delimiter_);
        if (cell.text.find('"') != std::string_view::npos)
          cell.text = cell.unquoted = without_doubled_quotes(cell.text);
      } else {
        cell.text = take_field(line, delimiter_);
      }
    }
  }

  void row(Batch& batch) {
    if (!settled_) settle();
    Request request;
    const std::string_view operation = plan_.has(Role::op) ? field(Role::op) : std::string_view("r");
    const Action action = action_of(operation);
    if (action == Action::pass_over) {
      info_.findings.add("requests passed over for their operation, as the map says", place());
      return;
    }
    request.op = static_cast<Op>(action);
    if (plan_.has(Role::latency)) request.latency = latency(cell(Role::latency), latency_unit_, "latency");
    if (plan_.has(Role::issue_delay)) {
      request.issue_delay = latency(cell(Role::issue_delay), issue_delay_unit_, "issue delay");
    }
    request.time = time(request.latency);
    set_extent(request);
    request.stream = stream();
    if (plan_.has(Role::process)) request.process = process();
    if (plan_.has(Role::flags)) request.flags = flags(cell(Role::flags));
    batch.add(request);
  }

  struct Cell {
    std::string_view text;
    std::uint64_t value = 0;
    bool is_number = false;  // of a column of numbers
    bool is_whole = false;   // the text is the digits of `value`
    std::string unquoted;    // what the text refers to where quotes were doubled in it
  };
  const Cell& cell(Role role) const { return cells_[plan_.at(role)]; }
  std::string_view field(Role role) const { return cell(role).text; }

  // --- Operations ---

  Action action_of(std::string_view word) {
    // Traces use two words for most requests.
    for (const auto& [text, action] : last_words_) {
      if (text == word && !text.empty()) return action;
    }
    const Action action = look_up(word);
    last_words_[next_word_] = {std::string(word), action};
    next_word_ ^= 1;
    return action;
  }

  Action look_up(std::string_view word) const {
    for (const auto& [text, action] : map_.words) {
      if (text == word) return action;
    }
    if (const auto usual = usual_action(word)) return *usual;
    bad_field(word, "operation", "should be a word that is known, or that the map has (read=R|0,write=W|1,skip=...)");
  }

  // --- Numbers ---

  // The number with a decimal point and no thousands marks; valid until the next call.
  std::string_view plain(std::string_view text) {
    if (plain_) return text;
    number_.clear();
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool no_break_space = map_.thousands == ' ' && text.substr(i, 2) == "\u00A0";
      if (no_break_space) {
        ++i;
      } else if (text[i] != map_.thousands || map_.thousands == 0) {
        number_ += text[i] == map_.decimal ? '.' : text[i];
      }
    }
    return number_;
  }

  // Runs parse on the plain text; what is wrong with it is told at the field.
  template <class Parse>
  auto in_place(std::string_view text, const Parse& parse) {
    try {
      return parse(plain(text));
    } catch (BadField& bad) {
      bad.at = text.data();
      throw;
    }
  }

  std::uint64_t number(const Cell& cell, const char* what) {
    if (cell.is_whole) [[likely]]
      return cell.value;
    return in_place(cell.text, [&](std::string_view digits) {
      if (digits.size() > 2 && digits[0] == '0' && (digits[1] | 0x20) == 'x') return parse_hex(digits, what);
      if (digits.ends_with(".0")) digits.remove_suffix(2);
      return parse_number(digits, what);
    });
  }

  sim::Nanoseconds duration(const Cell& cell, sim::Nanoseconds unit, const char* what, std::int64_t origin) {
    std::int64_t count = 0;
    if (cell.is_whole && !__builtin_sub_overflow(cell.value, origin, &count) &&
        !__builtin_mul_overflow(count, unit.count, &count)) {
      return {count};
    }
    return in_place(cell.text, [&](std::string_view digits) {
      if (has_exponent(digits)) return scientific_time(digits, unit, what, origin);
      return parse_time(digits, unit, what, origin);
    });
  }

  static bool has_exponent(std::string_view digits) {
    const std::size_t size = digits.size();
    return (size >= 4 && (digits[size - 4] | 0x20) == 'e') || (size >= 3 && (digits[size - 3] | 0x20) == 'e');
  }

  // "1.5e-05", which statistics programs write for small times.
  sim::Nanoseconds scientific_time(std::string_view digits, sim::Nanoseconds unit, const char* what,
                                   std::int64_t origin) const {
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const double nanoseconds = (value - static_cast<double>(origin)) * static_cast<double>(unit.count);
    if (error != std::errc{} || end != digits.data() + digits.size() || !(std::abs(nanoseconds) < 9.2e18)) {
      bad_field(digits, what, "should be a time");
    }
    return {std::llround(nanoseconds)};
  }

  sim::Nanoseconds latency(const Cell& cell, sim::Nanoseconds unit, const char* what) {
    if (!cell.is_whole && is_missing(cell.text)) return kUnknown;
    const sim::Nanoseconds value = duration(cell, unit, what, 0);
    if (value.count < 0) bad_field(cell.text, what, "should not be negative");
    return value;
  }

  std::uint8_t flags(const Cell& cell) {
    if (!cell.is_whole && is_missing(cell.text)) return 0;
    const std::uint64_t flags = number(cell, "flags");
    if (flags > 0xff) bad_field(cell.text, "flags", "should be below 256");
    return static_cast<std::uint8_t>(flags);
  }

  sim::Instant time(sim::Nanoseconds latency) {
    if (!plan_.has(Role::time)) return {{rows_without_time_++}};
    const Cell& stamp_cell = cell(Role::time);
    const sim::Nanoseconds stamp = is_iso_ ? parse_iso(stamp_cell.text) : duration(stamp_cell, unit_, "time", origin_);
    if (!map_.completion) return {stamp};
    if (latency != kUnknown) return issue_time(stamp, latency, stamp_cell.text);
    info_.findings.add("completion times without a latency, taken for times of issue", place());
    return {stamp};
  }

  // --- What the first row settles: units and the clock, where neither the header nor the map told ---

  void settle() {
    settled_ = true;
    std::string unit = plan_.time.time;
    if (plan_.has(Role::time)) {
      if (unit.empty() && plan_.base == "filetime") {
        unit = "100ns";
      } else if (unit.empty()) {
        unit = likely_unit(field(Role::time));
        info_.findings.add("assumptions: times in " + name_of(unit), place());
      }
      is_iso_ = unit == "iso";
      unit_ = duration_of(unit);
      if (!plan_.base.empty() || is_iso_) {
        set_base(is_iso_ ? "unix" : plan_.base);
      } else {
        guess_base();
      }
    }
    latency_unit_ = settle_latency(Role::latency, plan_.latency.time, unit, "latencies");
    issue_delay_unit_ = settle_latency(Role::issue_delay, plan_.issue_delay.time, unit, "issue delays");
  }

  sim::Nanoseconds settle_latency(Role role, const std::string& unit, const std::string& of_times, const char* what) {
    if (plan_.has(role) && unit.empty()) {
      info_.findings.add(fmt::format("assumptions: {} in {}", what, of_times == "iso" ? "seconds" : name_of(of_times)),
                         place());
    }
    return duration_of(unit.empty() ? of_times : unit);
  }

  static std::string name_of(const std::string& unit) {
    return unit == "iso" ? "ISO 8601" : unit == "s" || unit.empty() ? "seconds" : unit;
  }

  void set_base(std::string_view base) {
    if (base == "filetime") {
      const std::int64_t filetimes = unit_ / kFiletimeUnit;  // in one unit
      if (filetimes < 1) throw sim::UsageError("--map: times since 1601 in ns do not fit into 64 bits");
      origin_ = kFiletimeOfUnixEpoch / filetimes;
    }
    if (base == "unix" || base == "filetime") info_.clock = Clock::unix_epoch;
    if (base == "monotonic") info_.clock = Clock::monotonic;
  }

  // Seconds, unless so many seconds are past what any clock shows.
  std::string likely_unit(std::string_view text) {
    if (text.size() > 10 && text[4] == '-' && text[7] == '-') return "iso";
    const std::string_view digits = plain(text);
    const std::size_t whole = std::min(digits.find('.'), digits.size());
    if (is_whole(digits.substr(0, whole))) {
      if (whole == 12 || whole == 13) return "ms";
      if (whole == 15 || whole == 16) return "us";
      if (whole == 18 && digits[0] == '1') return "100ns";
      if (whole == 18 || whole == 19) return "ns";
    }
    return "s";
  }

  void guess_base() {
    constexpr std::int64_t k2000 = 946'684'800'000'000'000, k2100 = 4'102'444'800'000'000'000;
    const auto is_of_this_century = [&](std::int64_t origin) {
      try {
        const std::int64_t time = duration(cell(Role::time), unit_, "time", origin).count;
        return k2000 <= time && time < k2100;
      } catch (const BadField&) {  // as a row it will be told of
        return false;
      }
    };
    if (is_of_this_century(0)) {
      info_.findings.add("assumptions: times since 1970 (Unix)", place());
      set_base("unix");
    } else if (unit_ == kFiletimeUnit && is_of_this_century(kFiletimeOfUnixEpoch)) {
      info_.findings.add("assumptions: times since 1601 (Windows)", place());
      set_base("filetime");
    }
  }

  void set_extent(Request& request) {
    const Cell& offset = cell(Role::offset);
    if (request.op == Op::flush && is_missing(offset.text)) return;
    request.offset = to_offset(number(offset, "offset"), plan_.offset_unit, offset.text, "offset");
    if (plan_.fixed_length) {
      request.length = {static_cast<std::int64_t>(plan_.fixed_length)};
    } else if (const Cell& length = cell(Role::length); request.op != Op::flush || !is_missing(length.text)) {
      request.length = to_length(number(length, "length"), plan_.length_unit, length.text, "length");
    }
  }

  // --- Names ---

  StreamId stream() {
    const auto& columns = plan_.column[static_cast<std::size_t>(Role::stream)];
    if (columns.empty()) return stream_id(info_, "csv", cells_[0].text);
    const std::string_view first = cells_[static_cast<std::size_t>(columns[0])].text;
    const std::string_view name = columns.size() == 1 ? first : joined(columns);
    return streams_.id(name, [&] { return stream_id(info_, name, first); });
  }

  ProcessId process() {
    const auto& columns = plan_.column[static_cast<std::size_t>(Role::process)];
    return process_id(info_, columns.size() == 1 ? cells_[static_cast<std::size_t>(columns[0])].text : joined(columns),
                      *input_);
  }

  std::string_view joined(const std::vector<int>& columns) {
    name_.clear();
    for (const int column : columns) {
      if (column != columns.front()) name_ += '_';
      name_ += cells_[static_cast<std::size_t>(column)].text;
    }
    return name_;
  }

  Map map_;
  Plan plan_;
  bool planned_ = false;
  char delimiter_ = ',';
  bool plain_ = true;  // numbers are as parse_time takes them
  bool settled_ = false;
  bool is_iso_ = false;
  sim::Nanoseconds unit_{1}, latency_unit_{1}, issue_delay_unit_{1};
  std::int64_t origin_ = 0;
  std::int64_t rows_without_time_ = 0;
  std::array<std::pair<std::string, Action>, 2> last_words_;
  unsigned next_word_ = 0;
  std::vector<Cell> cells_;
  std::string number_, name_;
  RecentStreams streams_;
};

// --- Writing ---

class CsvWriter final : public Writer {
 public:
  explicit CsvWriter(const std::string& path) : output_(path) {}

  void write(std::span<const Request> requests, const TraceInfo& info) override {
    buffer_.clear();
    if (header_.empty()) write_header(info);
    for (const Request& request : requests) row(request, info);
    output_.write({buffer_.data(), buffer_.size()});
  }

  void finish(const TraceInfo& info, Findings& notes) override {
    buffer_.clear();
    if (header_.empty()) write_header(info);
    output_.write({buffer_.data(), buffer_.size()});
    if (header_ != header_for(info)) notes.add("headers that lack the level or clock, which became known only later");
    if (changed_names_) notes.add("line ends in names, which are written as blanks", changed_names_);
    output_.commit();
  }

 private:
  static std::string header_for(const TraceInfo& info) {
    const bool object = info.granularity == Granularity::request;
    return fmt::format("{},{}\n", own_time_column(info.level, info.clock), object ? kOwnObjectColumns : kOwnColumns);
  }

  void write_header(const TraceInfo& info) {
    header_ = header_for(info);
    buffer_.append(header_);
  }

  void row(const Request& request, const TraceInfo& info) {
    number(request.time.since_origin.count);
    buffer_.push_back(',');
    buffer_.append(name(streams_, info.streams, request.stream));
    buffer_.push_back(',');
    buffer_.append(kOpNames[static_cast<std::size_t>(request.op)]);
    buffer_.push_back(',');
    number(request.offset.bytes);
    buffer_.push_back(',');
    number(request.length.count);
    buffer_.push_back(',');
    if (request.latency != kUnknown) number(request.latency.count);
    buffer_.push_back(',');
    if (request.issue_delay != kUnknown) number(request.issue_delay.count);
    buffer_.push_back(',');
    number(int{request.flags});
    buffer_.push_back(',');
    buffer_.append(name(processes_, info.processes, request.process));
    buffer_.push_back('\n');
  }

  template <class Integer>
  void number(Integer value) {
    const fmt::format_int text(value);
    buffer_.append(text.data(), text.data() + text.size());
  }

  // A name as a field: quoted where it holds a comma or quotes, or blanks at an end.
  const std::string& name(std::vector<std::string>& fields, const NameTable& names, std::size_t id) {
    while (fields.size() <= id) {
      const std::string& name = names.names()[fields.size()];
      const bool quoted = name.find_first_of(",\"\r\n") != std::string::npos || name != trim(name);
      std::string text = quoted ? "\"" : "";
      for (const char c : name) {
        if (c == '"') text += '"';
        const bool ends_line = c == '\n' || c == '\r';
        changed_names_ += ends_line;
        text += ends_line ? ' ' : c;
      }
      if (quoted) text += '"';
      fields.push_back(std::move(text));
    }
    return fields[id];
  }

  Output output_;
  std::string header_;
  fmt::memory_buffer buffer_;
  std::vector<std::string> streams_, processes_;  // as fields, by id
  std::uint64_t changed_names_ = 0;
};

bool is_row_of(const Plan& plan, std::string_view line, char delimiter) {
  const auto fields = split_titles(line, delimiter);
  if (fields.size() < plan.needed) return false;
  std::string_view offset = fields[plan.at(Role::offset)];
  if (offset.starts_with("0x")) offset.remove_prefix(2);
  return !offset.empty() && offset.find_first_not_of("0123456789abcdefABCDEF.") == std::string_view::npos;
}

// A header with known names, and a row that fits it: a sentence can name columns too.
Match detect(const Probe& probe) {
  std::optional<Plan> plan;
  char delimiter = ',';
  try {
    for (const std::string_view line : probe.lines(20)) {
      if (plan && !line.empty() && !line.starts_with('#')) {
        if (!is_row_of(*plan, line, delimiter)) return Match::no;
        return plan->has(Role::time) && plan->has(Role::op) ? Match::header : Match::shape;
      }
      if (plan) continue;
      const std::string_view text = without_comment_mark(without_byte_order_mark(line));
      delimiter = guess_delimiter(text, '.');
      plan = plan_for_header(split_titles(text, delimiter));
      if (plan && plan->own) return Match::certain;
      if (!plan && !line.starts_with('#')) return Match::no;
    }
  } catch (const BadField&) {  // a quote that does not end
  }
  return Match::no;
}

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions& options) {
  return std::make_unique<CsvReader>(std::move(input), options);
}

std::unique_ptr<Writer> create(const std::string& path, const WriteOptions&) {
  return std::make_unique<CsvWriter>(path);
}

}  // namespace

extern const Format csv{
    .name = "csv",
    .summary = "a table with columns of your own (--map), and iocast's own CSV",
    .description = R"text(Any table with a request a line. A table

    ts,vol,disk,rw,lba,size,rt
    1690000000000000,7,2,R,2048,8,0.35

is read with

    --map time=ts:us,stream=vol+disk,op=rw,offset=lba:512,length=size:512,latency=rt:ms

The map is a list of KEY=VALUE, separated by commas. A column is its name in the header (in any case) or its number,
from 1; in double quotes it is a name whatever it holds. KEY=none leaves a column unused that would be guessed.

  time=COLUMN[:UNIT][:BASE]   UNIT is s ms us ns 100ns, or iso for 2024-02-29 12:00:00.5 (taken as UTC). BASE is unix,
                              filetime (since 1601; UNIT is then 100ns unless said otherwise) or relative
  offset=COLUMN[:UNIT]        UNIT is byte, sector (512 bytes), the size of a block (4096, 4KiB), or object: an id, to
                              be counted one unit a request
  length=COLUMN[:UNIT]        the same; or length=fixed:4KiB
  op=COLUMN                   words below
  stream=COLUMN[+COLUMN]...   joined with _; without it there is one stream, "csv"
  latency=COLUMN[:UNIT]       empty, -, NA, nan and null are unknown
  issue_delay=COLUMN[:UNIT]   from queueing to issue
  process=COLUMN[+COLUMN]...
  flags=COLUMN                a sum of 1 FUA, 2 sync, 4 metadata, 8 read-ahead
  stamp=issue|completion      what time means; a completion is brought to its issue by the latency
  read=WORD|WORD...           more words for an operation; also write, discard, flush, and skip to pass rows over
  delimiter=auto|comma|semicolon|tab|bar|blank    blank: any run of blanks and tabs
  header=auto|yes|no
  decimal=point|comma
  thousands=none|point|comma|blank|apostrophe

Operation words that are known, in any case: r read rd get, w write wr put, d discard trim unmap, f flush sync fsync,
and two-digit SCSI operation codes (28 2a 88 8a a8 aa 42 35 ..., also with 0x). Numbers with 0x are hexadecimal. Fields
may be in double quotes. Lines that begin with # are passed over.

What the map leaves out is guessed from the names in the header; with enough known names no map is needed, as for
`version,time,op,size,lbn`. Known are time timestamp ts, offset lba lbn sector block, obj_id, length len size bytes
sectors, op rw type cmd, disk dev device lun volume vol host stream, latency lat response_time rt, process comm pid and
the like; a name can carry its unit, as in time_ns, latency_us, offset_bytes, "Init Time (s)". Without a unit lba, lbn,
sector and block count sectors of 512 bytes, offsets and lengths bytes, and times are seconds unless that many seconds
are past what a clock shows. Each such assumption is told in the findings.

Written files have the header

    time_ns,stream,op,offset_bytes,length_bytes,latency_ns,issue_delay_ns,flags,process

and are read back as they were. The first name also tells the clock (time_ns_unix, time_ns_monotonic) and the level
(queue_time_ns, issue_time_ns); for traces of objects, object stands in place of offset_bytes. Unknown latencies are
empty.
)text",
    .detect = detect,
    .open = open,
    .create = create,
    .extension = ".csv",
};

}  // namespace traces
