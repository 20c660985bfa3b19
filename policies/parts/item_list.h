// The lists of the command line, "NAME,NAME:PARAMETER=VALUE,PARAMETER=VALUE,...": of policies, and of stages of
// admission.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policies/policy.h"

namespace policies {

// What a list may name.
struct Named {
  std::string_view name;
  std::span<const Parameter> parameters{};
};

struct Item {
  std::size_t index = 0;  // of its name, in what the list may name
  std::string text;       // canonical: name, and the parameters given
  std::vector<std::pair<std::string, std::string>> given;
};

// Throws UsageError that lists what there is when a name is unknown. `noun` says what the list is of. The values are
// not looked at, but that they are not empty.
std::vector<Item> parse_items(std::string_view list, std::string_view noun, std::span<const Named> known);

// The parameters given, and the defaults of the others.
Settings settings_of(std::span<const Parameter> parameters, std::span<const std::pair<std::string, std::string>> given);

}  // namespace policies
