// Time and size as types, so that a duration is not an instant and bytes are not sectors: mixing them does not
// compile. Every value is 64 bits and free at run time.
//
// Text forms, used wherever a person writes or reads one (command line, TOML, tables):
//   sizes      4096  4KiB  10GB  1.5TiB     K, M, G, T, P: binary with "i" (KiB = 1024), decimal without (kB = 1000)
//   durations  80us  5ms  2h  1.5s           ns, us, ms, s, m (or min), h, d; no unit is an error
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace sim {

// A signed count of one unit. Adds and compares with its own kind only; scales by plain integers.
template <class Tag>
struct Quantity {
  std::int64_t count = 0;

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity operator-() const { return {-count}; }
  constexpr Quantity& operator+=(Quantity other) {
    count += other.count;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    count -= other.count;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return {a.count + b.count}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return {a.count - b.count}; }
  friend constexpr Quantity operator*(Quantity a, std::int64_t factor) { return {a.count * factor}; }
  friend constexpr Quantity operator*(std::int64_t factor, Quantity a) { return {a.count * factor}; }
  friend constexpr Quantity operator/(Quantity a, std::int64_t divisor) { return {a.count / divisor}; }
  friend constexpr std::int64_t operator/(Quantity a, Quantity b) { return a.count / b.count; }
  friend constexpr Quantity operator%(Quantity a, Quantity b) { return {a.count % b.count}; }
};

using Nanoseconds = Quantity<struct NanosecondsTag>;
using Bytes = Quantity<struct BytesTag>;
using Sectors = Quantity<struct SectorsTag>;  // of 512 bytes, as the Linux block layer counts them

// A moment on some clock; which one is said where it is used.
struct Instant {
  Nanoseconds since_origin;

  constexpr auto operator<=>(const Instant&) const = default;
  friend constexpr Instant operator+(Instant a, Nanoseconds d) { return {a.since_origin + d}; }
  friend constexpr Instant operator-(Instant a, Nanoseconds d) { return {a.since_origin - d}; }
  friend constexpr Nanoseconds operator-(Instant a, Instant b) { return a.since_origin - b.since_origin; }
};

// A byte address on one device. Unsigned, since object traces use all 64 bits for their ids.
struct Offset {
  std::uint64_t bytes = 0;

  constexpr auto operator<=>(const Offset&) const = default;
  friend constexpr Offset operator+(Offset a, Bytes d) { return {a.bytes + static_cast<std::uint64_t>(d.count)}; }
  friend constexpr Bytes operator-(Offset a, Offset b) { return {static_cast<std::int64_t>(a.bytes - b.bytes)}; }
};

inline constexpr Bytes kSectorBytes{512};
constexpr Bytes to_bytes(Sectors sectors) { return kSectorBytes * sectors.count; }
constexpr Sectors to_sectors(Bytes bytes) {
  return {(bytes.count + kSectorBytes.count - 1) / kSectorBytes.count};
}  // rounds up

namespace literals {
constexpr Nanoseconds operator""_ns(unsigned long long n) { return {static_cast<std::int64_t>(n)}; }
constexpr Nanoseconds operator""_us(unsigned long long n) { return {static_cast<std::int64_t>(n) * 1'000}; }
constexpr Nanoseconds operator""_ms(unsigned long long n) { return {static_cast<std::int64_t>(n) * 1'000'000}; }
constexpr Nanoseconds operator""_s(unsigned long long n) { return {static_cast<std::int64_t>(n) * 1'000'000'000}; }
constexpr Bytes operator""_B(unsigned long long n) { return {static_cast<std::int64_t>(n)}; }
constexpr Bytes operator""_KiB(unsigned long long n) { return {static_cast<std::int64_t>(n) << 10}; }
constexpr Bytes operator""_MiB(unsigned long long n) { return {static_cast<std::int64_t>(n) << 20}; }
constexpr Bytes operator""_GiB(unsigned long long n) { return {static_cast<std::int64_t>(n) << 30}; }
}  // namespace literals

// Both throw UsageError, naming the text and the forms that would be right. A size is rounded down to whole bytes.
Bytes parse_bytes(std::string_view text);
Nanoseconds parse_duration(std::string_view text);

// Three significant digits with the unit that suits: "3.81 GiB", "250 us", "2.3 h".
std::string format(Bytes);
std::string format(Nanoseconds);

}  // namespace sim
