// A parameter that is a whole number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "policies/policy.h"
#include "sim/error.h"

namespace policies {

// Throws UsageError unless it is from `least` to `most`.
inline std::uint32_t whole_number(const Settings& settings, std::string_view name, std::uint32_t least,
                                  std::uint32_t most) {
  const double number = settings.number(name);
  const auto whole = static_cast<std::uint32_t>(std::clamp<double>(number, least, most));
  if (whole == number) return whole;
  throw sim::UsageError(std::string(name) + " is a whole number, " + std::to_string(least) + " to " +
                        std::to_string(most) + ", not '" + std::string(settings.text(name)) + "'");
}

}  // namespace policies
