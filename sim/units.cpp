#include "sim/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "sim/error.h"

namespace sim {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array kSizeUnits{
    Unit{"", 1},         Unit{"B", 1},        Unit{"K", 0x1p10},   Unit{"KiB", 0x1p10}, Unit{"M", 0x1p20},
    Unit{"MiB", 0x1p20}, Unit{"G", 0x1p30},   Unit{"GiB", 0x1p30}, Unit{"T", 0x1p40},   Unit{"TiB", 0x1p40},
    Unit{"P", 0x1p50},   Unit{"PiB", 0x1p50}, Unit{"k", 0x1p10},   Unit{"m", 0x1p20},   Unit{"g", 0x1p30},
    Unit{"t", 0x1p40},   Unit{"kB", 1e3},     Unit{"KB", 1e3},     Unit{"MB", 1e6},     Unit{"GB", 1e9},
    Unit{"TB", 1e12},    Unit{"PB", 1e15},
};

constexpr std::array kTimeUnits{
    Unit{"ns", 1},   Unit{"us", 1e3},   Unit{"ms", 1e6},   Unit{"s", 1e9},
    Unit{"m", 60e9}, Unit{"min", 60e9}, Unit{"h", 3600e9}, Unit{"d", 86400e9},
};

template <std::size_t N>
std::int64_t parse(std::string_view text, const std::array<Unit, N>& units, const char* kind, const char* examples) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  if (error == std::errc{} && std::isfinite(value) && value >= 0) {
    for (const Unit& u : units) {
      if (u.name == unit && value * u.factor < 0x1p63) return static_cast<std::int64_t>(value * u.factor);
    }
  }
  throw UsageError(fmt::format("'{}' is not a {}; write it as in {}", text, kind, examples));
}

std::string scaled(double value, double step, std::initializer_list<const char*> units) {
  auto unit = units.begin();
  while (std::abs(value) >= step && unit + 1 != units.end()) value /= step, ++unit;
  const int decimals = value == std::floor(value) || std::abs(value) >= 100 ? 0 : std::abs(value) >= 10 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, decimals, *unit);
}

}  // namespace

Bytes parse_bytes(std::string_view text) { return {parse(text, kSizeUnits, "size", "4KiB, 10GB, 1.5TiB")}; }

Nanoseconds parse_duration(std::string_view text) { return {parse(text, kTimeUnits, "duration", "80us, 5ms, 2h")}; }

std::string format(Bytes bytes) {
  return scaled(static_cast<double>(bytes.count), 1024, {"B", "KiB", "MiB", "GiB", "TiB", "PiB"});
}

std::string format(Nanoseconds time) {
  const double ns = static_cast<double>(time.count);
  if (std::abs(ns) < 60e9) return scaled(ns, 1000, {"ns", "us", "ms", "s"});
  if (std::abs(ns) < 3600e9) return fmt::format("{:.1f} min", ns / 60e9);
  if (std::abs(ns) < 48 * 3600e9) return fmt::format("{:.1f} h", ns / 3600e9);
  if (std::abs(ns) < 730 * 86400e9) return fmt::format("{:.1f} d", ns / 86400e9);
  return fmt::format("{:.1f} years", ns / (365.25 * 86400e9));
}

}  // namespace sim
