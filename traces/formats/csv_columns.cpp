#include "traces/formats/csv_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/error.h"
#include "sim/units.h"
#include "traces/formats/table.h"

namespace traces::table {
namespace {

constexpr std::size_t index_of(Role role) { return static_cast<std::size_t>(role); }
constexpr std::string_view kRoleNames[kRoles] = {"time",    "offset",      "length",  "op",   "stream",
                                                 "latency", "issue_delay", "process", "flags"};
constexpr std::uint64_t kSector = 512;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return result;
}

// --- The names of columns ---

struct UnitName {
  std::string_view name;
  std::string_view time;
  std::uint64_t bytes;
};
constexpr UnitName kUnits[] = {{"s", "s", 0},
                               {"sec", "s", 0},
                               {"seconds", "s", 0},
                               {"ms", "ms", 0},
                               {"msec", "ms", 0},
                               {"milliseconds", "ms", 0},
                               {"us", "us", 0},
                               {"usec", "us", 0},
                               {"microseconds", "us", 0},
                               {"\u00B5s", "us", 0},
                               {"\u03BCs", "us", 0},
                               {"ns", "ns", 0},
                               {"nsec", "ns", 0},
                               {"nanoseconds", "ns", 0},
                               {"100ns", "100ns", 0},
                               {"iso", "iso", 0},
                               {"b", "", 1},
                               {"byte", "", 1},
                               {"bytes", "", 1},
                               {"sector", "", kSector},
                               {"sectors", "", kSector},
                               {"kib", "", 1024},
                               {"kb", "", 1024},
                               {"mib", "", 1 << 20}};

std::optional<Unit> unit_named(std::string_view name) {
  for (const UnitName& unit : kUnits) {
    if (unit.name == name) return Unit{std::string(unit.time), unit.bytes};
  }
  return std::nullopt;
}

struct KnownName {
  std::string_view key;
  Role role;
  std::uint64_t bytes = 0;  // unit that the name itself tells
  bool object = false;
};
constexpr KnownName kKnownNames[] = {{"time", Role::time},
                                     {"timestamp", Role::time},
                                     {"ts", Role::time},
                                     {"timestamps", Role::time},
                                     {"arrival", Role::time},
                                     {"arrivaltime", Role::time},
                                     {"issuetime", Role::time},
                                     {"queuetime", Role::time},
                                     {"starttime", Role::time},
                                     {"inittime", Role::time},
                                     {"optime", Role::time},
                                     {"reqtime", Role::time},
                                     {"requesttime", Role::time},
                                     {"datetime", Role::time},
                                     {"offset", Role::offset, 1},
                                     {"byteoffset", Role::offset, 1},
                                     {"iooffset", Role::offset, 1},
                                     {"startingoffset", Role::offset, 1},
                                     {"address", Role::offset, 1},
                                     {"addr", Role::offset, 1},
                                     {"lba", Role::offset, kSector},
                                     {"lbn", Role::offset, kSector},
                                     {"sector", Role::offset, kSector},
                                     {"startsector", Role::offset, kSector},
                                     {"sectornumber", Role::offset, kSector},
                                     {"blkno", Role::offset, kSector},
                                     {"startlba", Role::offset, kSector},
                                     {"blocknumber", Role::offset},
                                     {"block", Role::offset},
                                     {"objid", Role::offset, 1, true},
                                     {"objectid", Role::offset, 1, true},
                                     {"object", Role::offset, 1, true},
                                     {"obj", Role::offset, 1, true},
                                     {"key", Role::offset, 1, true},
                                     {"length", Role::length, 1},
                                     {"len", Role::length, 1},
                                     {"size", Role::length, 1},
                                     {"bytes", Role::length, 1},
                                     {"nbytes", Role::length, 1},
                                     {"iosize", Role::length, 1},
                                     {"reqsize", Role::length, 1},
                                     {"requestsize", Role::length, 1},
                                     {"transfersize", Role::length, 1},
                                     {"objsize", Role::length, 1},
                                     {"objectsize", Role::length, 1},
                                     {"iolength", Role::length, 1},
                                     {"datalength", Role::length, 1},
                                     {"sectors", Role::length, kSector},
                                     {"nsectors", Role::length, kSector},
                                     {"nrsector", Role::length, kSector},
                                     {"nrsectors", Role::length, kSector},
                                     {"numsectors", Role::length, kSector},
                                     {"sectorcount", Role::length, kSector},
                                     {"op", Role::op},
                                     {"rw", Role::op},
                                     {"type", Role::op},
                                     {"opcode", Role::op},
                                     {"operation", Role::op},
                                     {"iotype", Role::op},
                                     {"optype", Role::op},
                                     {"cmd", Role::op},
                                     {"command", Role::op},
                                     {"rwbs", Role::op},
                                     {"direction", Role::op},
                                     {"dir", Role::op},
                                     {"opname", Role::op},
                                     {"stream", Role::stream},
                                     {"host", Role::stream},
                                     {"hostname", Role::stream},
                                     {"vm", Role::stream},
                                     {"disk", Role::stream},
                                     {"disknumber", Role::stream},
                                     {"disknum", Role::stream},
                                     {"diskid", Role::stream},
                                     {"dev", Role::stream},
                                     {"devid", Role::stream},
                                     {"devno", Role::stream},
                                     {"device", Role::stream},
                                     {"deviceid", Role::stream},
                                     {"devicenumber", Role::stream},
                                     {"deviceno", Role::stream},
                                     {"lun", Role::stream},
                                     {"asu", Role::stream},
                                     {"vol", Role::stream},
                                     {"volume", Role::stream},
                                     {"volumeid", Role::stream},
                                     {"volid", Role::stream},
                                     {"latency", Role::latency},
                                     {"lat", Role::latency},
                                     {"responsetime", Role::latency},
                                     {"response", Role::latency},
                                     {"resptime", Role::latency},
                                     {"rt", Role::latency},
                                     {"elapsed", Role::latency},
                                     {"elapsedtime", Role::latency},
                                     {"duration", Role::latency},
                                     {"iotime", Role::latency},
                                     {"issuedelay", Role::issue_delay},
                                     {"queuedelay", Role::issue_delay},
                                     {"process", Role::process},
                                     {"processname", Role::process},
                                     {"comm", Role::process},
                                     {"pid", Role::process},
                                     {"flags", Role::flags}};

const KnownName* known_name(std::string_view key) {
  const auto found =
      std::find_if(std::begin(kKnownNames), std::end(kKnownNames), [&](const KnownName& k) { return k.key == key; });
  return found == std::end(kKnownNames) ? nullptr : &*found;
}

struct Title {
  std::string key;  // small letters and digits only
  Unit unit;
  std::string base;
};

std::string letters_and_digits(std::string_view name) {
  std::string result;
  std::copy_if(name.begin(), name.end(), std::back_inserter(result),
               [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c); });
  return result;
}

// "ns" of "time_ns"; empty where there is no such part.
std::string_view last_part(std::string_view name) {
  const std::size_t at = name.find_last_of("_ .-");
  return at == std::string_view::npos || at == 0 ? std::string_view{} : name.substr(at + 1);
}

Title read_title(std::string_view text) {
  Title title;
  std::string name = lower(trim(text));
  if (const std::size_t open = name.rfind('('); open != std::string::npos && open > 0 && name.ends_with(')')) {
    if (const auto unit = unit_named(std::string_view(name).substr(open + 1, name.size() - open - 2)))
      title.unit = *unit;
    name.resize(open);
    while (name.ends_with(' ')) name.pop_back();
  }
  for (const std::string_view base : {"unix", "monotonic", "filetime"}) {
    if (last_part(name) == base) {
      title.base = base;
      name.resize(name.size() - base.size() - 1);
    }
  }
  title.key = letters_and_digits(name);
  const std::string_view part = last_part(name);
  if (const auto unit = unit_named(part); unit && !known_name(title.key)) {
    title.unit = *unit;
    title.key = letters_and_digits(std::string_view(name).substr(0, name.size() - part.size() - 1));
  }
  return title;
}

// --- Settling a plan ---

// Adds what the titles tell by themselves, but for the roles that the map decides.
void add_from_titles(Plan& plan, const std::vector<std::string>& titles, const Map* map) {
  for (std::size_t i = 0; i < titles.size(); ++i) {
    const Title title = read_title(titles[i]);
    const KnownName* known = known_name(title.key);
    if (!known || (map && (map->entries[index_of(known->role)].given))) continue;
    auto& columns = plan.column[index_of(known->role)];
    if (!columns.empty() && known->role != Role::stream) continue;
    columns.push_back(static_cast<int>(i));
    const std::uint64_t bytes = title.unit.bytes ? title.unit.bytes : known->bytes;
    switch (known->role) {
      case Role::time:
        plan.time = title.unit;
        plan.base = title.base;
        break;
      case Role::offset:
        plan.object = known->object;
        plan.offset_unit = bytes ? bytes : kSector;
        if (!bytes) plan.assumed.push_back("assumptions: offsets in sectors of 512 bytes");
        break;
      case Role::length:
        plan.length_unit = bytes;
        break;
      case Role::latency:
        plan.latency = title.unit;
        break;
      case Role::issue_delay:
        plan.issue_delay = title.unit;
        break;
      default:
        break;
    }
  }
}

void complete(Plan& plan, std::uint64_t fixed_length) {
  plan.fixed_length = fixed_length;
  if (!plan.has(Role::length) && !fixed_length) {
    plan.fixed_length = plan.object ? 1 : plan.offset_unit > 1 ? plan.offset_unit : kSector;
    if (!plan.object)
      plan.assumed.push_back(
          fmt::format("assumptions: no column of lengths, all requests of {} bytes", plan.fixed_length));
  }
  if (!plan.has(Role::time)) plan.assumed.push_back("assumptions: no column of times, all requests 1 ns apart");
  if (!plan.has(Role::op)) plan.assumed.push_back("assumptions: no column of operations, all requests are reads");
  for (const auto& columns : plan.column) {
    for (const int column : columns) plan.needed = std::max(plan.needed, static_cast<std::size_t>(column) + 1);
  }
}

bool matches(const std::string& title, const std::string& wanted) {
  return title == wanted || lower(trim(title)) == lower(wanted);
}

int find_column(const Map::Entry& entry, std::size_t which, const std::vector<std::string>& titles,
                std::size_t columns) {
  const std::string& wanted = entry.columns[which];
  for (std::size_t i = 0; i < titles.size(); ++i) {
    if (matches(titles[i], wanted)) return static_cast<int>(i);
  }
  if (is_whole(wanted) && !entry.quoted[which]) {
    const std::uint64_t number = wanted.size() < 6 ? std::stoul(wanted) : 0;
    if (number >= 1 && number <= columns) return static_cast<int>(number) - 1;
    throw sim::UsageError(
        fmt::format("--map: column {} should be 1 to {}, the columns that the table has", wanted, columns));
  }
  if (titles.empty())
    throw sim::UsageError(
        fmt::format("--map: column '{}' should be a number, from 1: the table has no header", wanted));
  throw sim::UsageError(fmt::format("--map: there is no column '{}'; there are {}", wanted, fmt::join(titles, ", ")));
}

// --- The text of a map ---

struct Piece {
  std::string text;
  bool quoted = false;
};

// Cut at `mark` outside double quotes, which are taken off.
std::vector<Piece> cut(std::string_view text, char mark) {
  std::vector<Piece> pieces(1);
  bool in_quotes = false;
  for (const char c : text) {
    if (c == '"') {
      in_quotes = !in_quotes;
      pieces.back().quoted = true;
    } else if (c == mark && !in_quotes) {
      pieces.emplace_back();
    } else {
      pieces.back().text += c;
    }
  }
  if (in_quotes) throw sim::UsageError(fmt::format("--map: a quote does not end in {}", text));
  return pieces;
}

// The same, with the quotes kept for a later cut.
std::vector<std::string> cut_quoted(std::string_view text, char mark) {
  std::vector<std::string> pieces(1);
  bool in_quotes = false;
  for (const char c : text) {
    in_quotes ^= c == '"';
    if (c == mark && !in_quotes) {
      pieces.emplace_back();
    } else {
      pieces.back() += c;
    }
  }
  if (in_quotes) throw sim::UsageError(fmt::format("--map: a quote does not end in {}", text));
  return pieces;
}

std::uint64_t parse_unit_bytes(std::string_view text) {
  if (text == "block") throw sim::UsageError("--map: a block should have its size in bytes, as in offset=lba:4096");
  std::int64_t bytes = 0;
  try {
    bytes = sim::parse_bytes(text).count;
  } catch (const sim::UsageError&) {}
  if (bytes <= 0)
    throw sim::UsageError(
        fmt::format("--map: unit '{}' should be byte, sector, or a size in bytes such as 4096 or 4KiB", text));
  return static_cast<std::uint64_t>(bytes);
}

void set_unit(Map::Entry& entry, Role role, const std::string& text) {
  const bool is_size = role == Role::offset || role == Role::length;
  const bool is_time = role == Role::time || role == Role::latency || role == Role::issue_delay;
  const auto unit = unit_named(lower(text));
  if (role == Role::offset && text == "object") {
    entry.object = true;
    entry.unit.bytes = 1;
  } else if (is_size) {
    entry.unit.bytes = unit && unit->bytes ? unit->bytes : parse_unit_bytes(text);
  } else if (is_time && unit && !unit->time.empty()) {
    entry.unit.time = unit->time;
  } else if (role == Role::time &&
             (text == "unix" || text == "filetime" || text == "relative" || text == "monotonic")) {
    entry.base = text;
  } else if (is_time) {
    throw sim::UsageError(fmt::format("--map: '{}' should be a unit (s ms us ns 100ns{}", text,
                                      role == Role::time ? " iso) or a base (unix filetime relative)" : ")"));
  } else {
    throw sim::UsageError(fmt::format("--map: {} takes no unit, such as '{}'", kRoleNames[index_of(role)], text));
  }
}

void set_entry(Map& map, Role role, const std::string& value) {
  Map::Entry& entry = map.entries[index_of(role)];
  const auto parts = cut_quoted(value, ':');
  entry.given = true;
  if (parts[0] == "none" && parts.size() == 1) {
    entry.none = true;
    return;
  }
  if (role == Role::length && parts[0] == "fixed") {
    if (parts.size() != 2) throw sim::UsageError("--map: length=fixed should name the length, as in length=fixed:4KiB");
    map.fixed_length = parse_unit_bytes(parts[1]);
    return;
  }
  for (const Piece& column : cut(parts[0], '+')) {
    if (column.text.empty())
      throw sim::UsageError(fmt::format("--map: {} should name a column", kRoleNames[index_of(role)]));
    entry.columns.push_back(column.text);
    entry.quoted.push_back(column.quoted);
  }
  if (entry.columns.size() > 1 && role != Role::stream && role != Role::process) {
    throw sim::UsageError(fmt::format("--map: {} should be one column; only stream and process can be joined with +",
                                      kRoleNames[index_of(role)]));
  }
  for (std::size_t i = 1; i < parts.size(); ++i) set_unit(entry, role, parts[i]);
}

struct Choice {
  std::string_view name;
  char value;
};

template <std::size_t N>
char choose(std::string_view key, std::string_view text, const Choice (&choices)[N]) {
  std::vector<std::string_view> names;
  for (const Choice& choice : choices) {
    if (choice.name == text) return choice.value;
    names.push_back(choice.name);
  }
  throw sim::UsageError(fmt::format("--map: {} should be one of {}, not '{}'", key, fmt::join(names, " "), text));
}

bool set_setting(Map& map, std::string_view key, const std::string& value) {
  if (key == "delimiter") {
    map.delimiter = choose(
        key, value,
        {{"auto", 0}, {"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"bar", '|'}, {"pipe", '|'}, {"blank", ' '}});
  } else if (key == "header") {
    const char choice = choose(key, value, {{"auto", 'a'}, {"yes", 'y'}, {"no", 'n'}});
    if (choice != 'a') map.header = choice == 'y';
  } else if (key == "decimal") {
    map.decimal = choose(key, value, {{"point", '.'}, {"comma", ','}});
  } else if (key == "thousands") {
    map.thousands =
        choose(key, value, {{"none", 0}, {"point", '.'}, {"comma", ','}, {"blank", ' '}, {"apostrophe", '\''}});
  } else if (key == "stamp") {
    map.completion = choose(key, value, {{"issue", 'i'}, {"completion", 'c'}}) == 'c';
  } else {
    return false;
  }
  return true;
}

bool add_words(Map& map, std::string_view key, const std::string& value) {
  constexpr std::pair<std::string_view, Action> kActions[] = {{"read", Action::read},
                                                              {"write", Action::write},
                                                              {"discard", Action::discard},
                                                              {"flush", Action::flush},
                                                              {"skip", Action::pass_over}};
  for (const auto& [name, action] : kActions) {
    if (key != name) continue;
    for (const Piece& word : cut(value, '|')) map.words.emplace_back(word.text, action);
    return true;
  }
  return false;
}

}  // namespace

std::string own_time_column(Level level, Clock clock) {
  return fmt::format("{}time_ns{}",
                     level == Level::queue   ? "queue_"
                     : level == Level::issue ? "issue_"
                                             : "",
                     clock == Clock::unix_epoch  ? "_unix"
                     : clock == Clock::monotonic ? "_monotonic"
                                                 : "");
}

bool Map::names_columns() const {
  return std::any_of(std::begin(entries), std::end(entries), [](const Entry& e) { return e.given && !e.none; });
}

Map parse_map(std::string_view text) {
  Map map;
  if (text.empty()) return map;
  for (const std::string& item : cut_quoted(text, ',')) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == item.size()) {
      throw sim::UsageError(fmt::format("--map: '{}' should be KEY=VALUE, such as time=ts:us", item));
    }
    const std::string key = item.substr(0, equals);
    const std::string value = item.substr(equals + 1);
    const auto role = std::find(std::begin(kRoleNames), std::end(kRoleNames), key);
    if (role != std::end(kRoleNames)) {
      set_entry(map, static_cast<Role>(role - std::begin(kRoleNames)), value);
    } else if (!set_setting(map, key, value) && !add_words(map, key, value)) {
      throw sim::UsageError(
          fmt::format("--map: there is no '{}'; there are {}, delimiter, header, decimal, thousands, stamp, read, "
                      "write, discard, flush and skip",
                      key, fmt::join(kRoleNames, ", ")));
    }
  }
  return map;
}

char guess_delimiter(std::string_view line, char decimal) {
  char best = ' ';
  std::size_t most = 0;
  for (const char delimiter : {',', ';', '\t', '|'}) {
    if (delimiter == decimal) continue;
    bool in_quotes = false;
    std::size_t count = 0;
    for (const char c : line) {
      in_quotes ^= c == '"';
      count += c == delimiter && !in_quotes;
    }
    if (count > most) most = count, best = delimiter;
  }
  return best;
}

std::optional<Plan> plan_for_header(const std::vector<std::string>& titles) {
  Plan plan;
  add_from_titles(plan, titles, nullptr);
  if (!plan.has(Role::offset) || !(plan.has(Role::time) || plan.has(Role::length) || plan.has(Role::op))) {
    return std::nullopt;
  }
  const std::string rest = titles.size() > 1 ? fmt::format("{}", fmt::join(titles.begin() + 1, titles.end(), ",")) : "";
  if (rest == kOwnColumns || rest == kOwnObjectColumns) {
    for (const Level level : {Level::unknown, Level::queue, Level::issue}) {
      for (const Clock clock : {Clock::relative, Clock::monotonic, Clock::unix_epoch}) {
        if (titles[0] != own_time_column(level, clock)) continue;
        plan.own = true;
        plan.level = level;
        if (plan.base.empty()) plan.base = "relative";
      }
    }
  }
  complete(plan, 0);
  return plan;
}

Plan plan_for_map(const Map& map, const std::vector<std::string>& titles, std::size_t columns) {
  Plan plan;
  add_from_titles(plan, titles, &map);
  for (std::size_t role = 0; role < kRoles; ++role) {
    const Map::Entry& entry = map.entries[role];
    for (std::size_t i = 0; i < entry.columns.size(); ++i) {
      plan.column[role].push_back(find_column(entry, i, titles, columns));
    }
    if (entry.columns.empty()) continue;
    // A unit that the map leaves out may be in the column's name.
    const std::size_t first = static_cast<std::size_t>(plan.column[role].front());
    const Title title = first < titles.size() ? read_title(titles[first]) : Title{};
    const KnownName* known = known_name(title.key);
    const std::uint64_t bytes = entry.unit.bytes                                                  ? entry.unit.bytes
                                : title.unit.bytes                                                ? title.unit.bytes
                                : known && known->role == static_cast<Role>(role) && known->bytes ? known->bytes
                                                                                                  : 1;
    const Unit time = entry.unit.time.empty() ? title.unit : entry.unit;
    switch (static_cast<Role>(role)) {
      case Role::time:
        plan.time = time;
        plan.base = entry.base.empty() ? title.base : entry.base;
        break;
      case Role::offset:
        plan.offset_unit = bytes;
        plan.object = entry.object || (known && known->object && !entry.unit.bytes);
        break;
      case Role::length:
        plan.length_unit = bytes;
        break;
      case Role::latency:
        plan.latency = time;
        break;
      case Role::issue_delay:
        plan.issue_delay = time;
        break;
      default:
        break;
    }
  }
  if (!plan.has(Role::offset))
    throw sim::UsageError("--map: it should name the column of offsets, as in offset=lba:512");
  complete(plan, map.fixed_length);
  return plan;
}

bool map_names_one_of(const Map& map, const std::vector<std::string>& titles) {
  for (const Map::Entry& entry : map.entries) {
    for (std::size_t i = 0; i < entry.columns.size(); ++i) {
      if (is_whole(entry.columns[i]) && !entry.quoted[i]) continue;
      for (const std::string& title : titles) {
        if (matches(title, entry.columns[i])) return true;
      }
    }
  }
  return false;
}

}  // namespace traces::table
