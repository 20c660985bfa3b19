#include "policies/parts/item_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "sim/error.h"
#include "sim/nearest.h"

namespace policies {
namespace {

template <class Range>
std::vector<std::string_view> names_of(const Range& range) {
  std::vector<std::string_view> names;
  for (const auto& each : range) names.push_back(each.name);
  return names;
}

std::size_t index_of(std::string_view name, std::string_view noun, std::span<const Named> known) {
  const std::vector<std::string_view> names = names_of(known);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  throw sim::UsageError(fmt::format("there is no {} '{}'; there are {}{}", noun, name, fmt::join(names, " "),
                                    sim::did_you_mean(name, names)));
}

void add_parameter(Item& item, std::string_view noun, const Named& named, std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const std::vector<std::string_view> names = names_of(named.parameters);
  if (equals == std::string_view::npos || equals + 1 == text.size()) {
    throw sim::UsageError(fmt::format("{}: '{}' should be PARAMETER=VALUE", named.name, text));
  }
  if (names.empty()) {
    throw sim::UsageError(fmt::format("{}: '{}': this {} has no parameters", named.name, text, noun));
  }
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw sim::UsageError(fmt::format("{}: there is no parameter '{}'; there are {}{}", named.name, name,
                                      fmt::join(names, " "), sim::did_you_mean(name, names)));
  }
  if (std::any_of(item.given.begin(), item.given.end(), [name](const auto& known) { return known.first == name; })) {
    throw sim::UsageError(fmt::format("{}: parameter '{}' is given twice", named.name, name));
  }
  item.text += fmt::format("{}{}", item.given.empty() ? ":" : ",", text);
  item.given.emplace_back(name, text.substr(equals + 1));
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

}  // namespace

std::vector<Item> parse_items(std::string_view list, std::string_view noun, std::span<const Named> known) {
  std::vector<Item> items;
  for (std::string_view rest = list;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view text = rest.substr(0, comma);
    const std::size_t colon = text.find(':');
    const std::size_t equals = text.find('=');
    if (text.empty()) throw sim::UsageError(fmt::format("an empty {} in '{}'", noun, list));
    if (equals == std::string_view::npos || colon < equals) {
      Item& item = items.emplace_back();
      item.index = index_of(text.substr(0, colon), noun, known);
      item.text = known[item.index].name;
      if (colon != std::string_view::npos) add_parameter(item, noun, known[item.index], text.substr(colon + 1));
    } else if (items.empty()) {
      throw sim::UsageError(
          fmt::format("'{0}' is a parameter without a {1} before it, as in {2}:{0}", text, noun, upper(noun)));
    } else {
      add_parameter(items.back(), noun, known[items.back().index], text);
    }
    if (comma == std::string_view::npos) return items;
    rest.remove_prefix(comma + 1);
  }
}

Settings settings_of(std::span<const Parameter> parameters,
                     std::span<const std::pair<std::string, std::string>> given) {
  std::vector<std::pair<std::string, std::string>> values(given.begin(), given.end());
  for (const Parameter& parameter : parameters) {
    const bool is_given =
        std::any_of(given.begin(), given.end(), [&](const auto& value) { return value.first == parameter.name; });
    if (!is_given) values.emplace_back(parameter.name, parameter.value);
  }
  return Settings(std::move(values));
}

}  // namespace policies
