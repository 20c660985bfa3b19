// Which column of a delimited table means what: from the names in its header, and from what the user says (--map).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "traces/info.h"

namespace traces::table {

enum class Role : std::uint8_t { time, offset, length, op, stream, latency, issue_delay, process, flags };
inline constexpr std::size_t kRoles = 9;

// What a row's operation word makes of it; the first four are Op.
enum class Action : std::uint8_t { read, write, discard, flush, pass_over };

// The header of a table that iocast wrote, but for the time column's name.
inline constexpr std::string_view kOwnColumns =
    "stream,op,offset_bytes,length_bytes,latency_ns,issue_delay_ns,flags,process";
inline constexpr std::string_view kOwnObjectColumns =
    "stream,op,object,length_bytes,latency_ns,issue_delay_ns,flags,process";
// "time_ns_unix"; "queue_time_ns" at level Q with a relative clock.
std::string own_time_column(Level, Clock);

// Text of a number's unit, "us" or "sector" or "4096"; empty: not said.
struct Unit {
  std::string time;         // s ms us ns 100ns iso
  std::uint64_t bytes = 0;  // 0: not said
};

// --map, taken apart. Throws UsageError.
struct Map {
  struct Entry {
    std::vector<std::string> columns;  // names or 1-based numbers; several are joined
    std::vector<bool> quoted;          // quoted ones are names even if they look like numbers
    Unit unit;
    std::string base;     // of a time: unix filetime relative monotonic
    bool object = false;  // an offset that is an object's id
    bool given = false;
    bool none = false;  // "none": the column that would be guessed is not to be used
  };
  Entry entries[kRoles];
  std::uint64_t fixed_length = 0;  // length=fixed:4096
  char delimiter = 0;              // ' ' for runs of blanks; 0: by the first line
  std::optional<bool> header;
  char decimal = '.';
  char thousands = 0;       // ' ' also stands for UTF-8's no-break space
  bool completion = false;  // times are of completion
  std::vector<std::pair<std::string, Action>> words;

  bool names_columns() const;
};
Map parse_map(std::string_view text);

// Where the columns are and in which units.
struct Plan {
  std::vector<int> column[kRoles];  // from 0; several for stream and process
  std::size_t needed = 0;           // columns to split a row into
  Unit time, latency, issue_delay;
  std::string base;  // empty: to be seen at the first row
  std::uint64_t offset_unit = 1, length_unit = 1, fixed_length = 0;
  bool object = false;  // the offset is an object's id
  bool own = false;     // iocast's own header
  Level level = Level::unknown;
  std::vector<std::string> assumed;  // what neither the header nor the map says

  bool has(Role role) const { return !column[static_cast<std::size_t>(role)].empty(); }
  std::size_t at(Role role) const { return static_cast<std::size_t>(column[static_cast<std::size_t>(role)].front()); }
};

// The delimiter that a line seems to have: the commonest of comma, semicolon, tab and bar outside quotes, else blanks.
char guess_delimiter(std::string_view line, char decimal);

// The plan for a header whose names are known well enough to need no map: an offset, and a time, length or operation.
std::optional<Plan> plan_for_header(const std::vector<std::string>& titles);

// The plan for a map, together with what the header (empty: there is none) tells about what the map leaves out. Throws
// UsageError when the map names a column that the header lacks.
Plan plan_for_map(const Map& map, const std::vector<std::string>& titles, std::size_t columns);

// Whether one of the map's names is among the titles, so that the line they are from is a header.
bool map_names_one_of(const Map& map, const std::vector<std::string>& titles);

}  // namespace traces::table
