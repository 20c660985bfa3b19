// The parameter `variant` of policies that libCacheSim has too, but not as their paper describes them.
#pragma once

#include <string>

#include "policies/policy.h"
#include "sim/error.h"

namespace policies {

// Throws UsageError when it is neither of the two.
inline bool is_libcachesim_variant(const Settings& settings) {
  const std::string_view variant = settings.text("variant");
  if (variant != "paper" && variant != "libcachesim") {
    throw sim::UsageError("variant is paper or libcachesim, not '" + std::string(variant) + "'");
  }
  return variant == "libcachesim";
}

}  // namespace policies
