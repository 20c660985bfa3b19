#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "policies/admission.h"
#include "policies/parts/item_list.h"
#include "policies/policy.h"
#include "sim/error.h"

namespace policies {

// One line a policy, in the order of `iocast policies`; the definitions are in NAME.cpp.
extern const Spec lru;
extern const Spec fifo;
extern const Spec clock;
extern const Spec gclock;
extern const Spec sieve;
extern const Spec arc;
extern const Spec car;
extern const Spec s3_fifo;
extern const Spec qd_lp_fifo;
extern const Spec two_queue;
extern const Spec lirs;
extern const Spec clock_pro;
extern const Spec larc;
extern const Spec linux_two_list;
extern const Spec zfs_arc;
extern const Spec slru;
extern const Spec lru_k;
extern const Spec mq;
extern const Spec lfu;
extern const Spec lfu_da;
extern const Spec w_tiny_lfu;
extern const Spec lecar;
extern const Spec cacheus;
extern const Spec lhd;
extern const Spec bcache_lru;
extern const Spec open_cas;
extern const Spec smq;
extern const Spec random;
extern const Spec infinite;
extern const Spec belady;
extern const Spec belady_bypass;

namespace {

constexpr std::array kPolicies{
    &lru,       &fifo,     &clock,      &gclock,        &sieve,          &arc,     &car,        &s3_fifo,  &qd_lp_fifo,
    &two_queue, &lirs,     &clock_pro,  &larc,          &linux_two_list, &zfs_arc, &slru,       &lru_k,    &mq,
    &lfu,       &lfu_da,   &w_tiny_lfu, &lecar,         &cacheus,        &lhd,     &bcache_lru, &open_cas, &smq,
    &random,    &infinite, &belady,     &belady_bypass,
};

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
    return spec->make(capacity, footprint, settings_of(spec->parameters, given));
  } catch (const sim::UsageError& error) { throw sim::UsageError(fmt::format("{}: {}", text, error.what())); }
}

std::string Choice::admission() const {
  if (!spec->admission) return "";
  try {
    std::string stages = spec->admission(settings_of(spec->parameters, given));
    parse_stages(stages);
    return stages;
  } catch (const sim::UsageError& error) { throw sim::UsageError(fmt::format("{}: {}", text, error.what())); }
}

std::vector<Choice> parse_choices(std::string_view list) {
  std::vector<Named> known;
  for (const Spec* spec : kPolicies) known.push_back({spec->name, spec->parameters});
  std::vector<Choice> choices;
  for (Item& item : parse_items(list, "policy", known)) {
    choices.push_back({kPolicies[item.index], std::move(item.text), std::move(item.given)});
  }
  // What a value may be is known to the policy alone: a throw-away instance finds a bad one before a trace is read.
  for (const Choice& choice : choices) choice.make(1, 1), choice.admission();
  return choices;
}

}  // namespace policies
