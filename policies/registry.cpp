#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "policies/policy.h"
#include "sim/error.h"
#include "sim/nearest.h"

namespace policies {

// One line a policy, in the order of `iocast policies`; the definitions are in NAME.cpp.
extern const Spec lru;
extern const Spec fifo;
extern const Spec clock;
extern const Spec sieve;
extern const Spec arc;
extern const Spec s3_fifo;
extern const Spec larc;
extern const Spec linux_two_list;
extern const Spec zfs_arc;
extern const Spec belady;

namespace {

constexpr std::array kPolicies{
    &lru, &fifo, &clock, &sieve, &arc, &s3_fifo, &larc, &linux_two_list, &zfs_arc, &belady,
};

const Spec& spec_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Spec* spec : kPolicies) {
    if (spec->name == name) return *spec;
    names.push_back(spec->name);
  }
  throw sim::UsageError(
      fmt::format("there is no policy '{}'; there are {}{}", name, fmt::join(names, " "), sim::did_you_mean(name, names)));
}

void add_parameter(Choice& choice, std::string_view item) {
  const std::size_t equals = item.find('=');
  const std::string_view name = item.substr(0, equals);
  std::vector<std::string_view> names;
  for (const Parameter& parameter : choice.spec->parameters) names.push_back(parameter.name);
  if (equals == std::string_view::npos || equals + 1 == item.size()) {
    throw sim::UsageError(fmt::format("{}: '{}' should be PARAMETER=VALUE", choice.spec->name, item));
  }
  if (names.empty()) {
    throw sim::UsageError(fmt::format("{}: '{}': this policy has no parameters", choice.spec->name, item));
  }
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw sim::UsageError(fmt::format("{}: there is no parameter '{}'; there are {}{}", choice.spec->name, name,
                                      fmt::join(names, " "), sim::did_you_mean(name, names)));
  }
  if (std::any_of(choice.given.begin(), choice.given.end(),
                  [name](const auto& known) { return known.first == name; })) {
    throw sim::UsageError(fmt::format("{}: parameter '{}' is given twice", choice.spec->name, name));
  }
  choice.text += fmt::format("{}{}", choice.given.empty() ? ":" : ",", item);
  choice.given.emplace_back(name, item.substr(equals + 1));
}

Settings settings(const Choice& choice) {
  auto values = choice.given;
  for (const Parameter& parameter : choice.spec->parameters) {
    const bool given =
        std::any_of(values.begin(), values.end(), [&](const auto& value) { return value.first == parameter.name; });
    if (!given) values.emplace_back(parameter.name, parameter.value);
  }
  return Settings(std::move(values));
}

}  // namespace

std::string_view Settings::text(std::string_view name) const {
  for (const auto& [key, value] : values_) {
    if (key == name) return value;
  }
  throw std::logic_error(fmt::format("the policy does not declare its parameter '{}'", name));
}

double Settings::number(std::string_view name) const {
  const std::string_view value = text(name);
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{} || end != value.data() + value.size() || !std::isfinite(number)) {
    throw sim::UsageError(fmt::format("{} is a number, not '{}'", name, value));
  }
  return number;
}

double Settings::fraction(std::string_view name) const {
  const double value = number(name);
  if (value < 0 || value > 1) throw sim::UsageError(fmt::format("{} is a share, 0 to 1, not '{}'", name, text(name)));
  return value;
}

std::span<const Spec* const> all() { return kPolicies; }

std::unique_ptr<Policy> Choice::make(std::uint32_t capacity, std::uint32_t footprint) const {
  try {
    return spec->make(capacity, footprint, settings(*this));
  } catch (const sim::UsageError& error) { throw sim::UsageError(fmt::format("{}: {}", text, error.what())); }
}

std::vector<Choice> parse_choices(std::string_view list) {
  std::vector<Choice> choices;
  for (std::string_view rest = list;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const std::size_t colon = item.find(':');
    if (item.empty()) throw sim::UsageError(fmt::format("an empty policy in '{}'", list));
    if (colon != std::string_view::npos || item.find('=') == std::string_view::npos) {
      Choice& choice = choices.emplace_back();
      choice.spec = &spec_named(item.substr(0, colon));
      choice.text = choice.spec->name;
      if (colon != std::string_view::npos) add_parameter(choice, item.substr(colon + 1));
    } else if (choices.empty()) {
      throw sim::UsageError(fmt::format("'{}' is a parameter without a policy before it, as in POLICY:{}", item, item));
    } else {
      add_parameter(choices.back(), item);
    }
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  // What a value may be is known to the policy alone: a throw-away instance finds a bad one before a trace is read.
  for (const Choice& choice : choices) choice.make(1, 1);
  return choices;
}

}  // namespace policies
