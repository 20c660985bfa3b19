#include "experiments/curve_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "experiments/results.h"
#include "experiments/trace_options.h"
#include "sim/error.h"

namespace experiments {
namespace {

using traces::Granularity;

double positive_number(std::string_view text, const std::string& complaint) {
  char* end = nullptr;
  const std::string copy(text);
  const double value = std::strtod(copy.c_str(), &end);
  if (copy.empty() || *end || !(value > 0) || !std::isfinite(value)) throw sim::UsageError(complaint);
  return value;
}

Warmup parse_warmup(const std::string& text) {
  if (text.ends_with("requests"))
    return {.requests = whole_number(text.substr(0, text.size() - 8), "--warmup Nrequests")};
  if (!text.ends_with('%')) return {.time = sim::parse_duration(text)};
  char* end = nullptr;
  const double percent = std::strtod(text.c_str(), &end);
  if (*end != '%' || end == text.c_str() || !(percent >= 0 && percent < 100))
    throw sim::UsageError("--warmup '" + text + "': a share is from 0% to below 100%");
  return {.share = percent / 100};
}

// A share of everything, as 0.01 or 1%.
double parse_share(const std::string& text, const std::string& complaint) {
  const bool percent = text.ends_with('%');
  const double value = positive_number(percent ? std::string_view(text).substr(0, text.size() - 1) : text, complaint);
  const double share = percent ? value / 100 : value;
  if (share > 1) throw sim::UsageError(complaint);
  return share;
}

SampleText parse_sample(const std::string& text) {
  const std::string complaint =
      "--sample '" + text + "': write a share (0.01, 1%), 8000blocks, auto, or auto:0.5% for the error wanted";
  if (text == "auto") return {.error = 0.005};
  if (text.starts_with("auto:")) return {.error = parse_share(text.substr(5), complaint)};
  if (text.ends_with("blocks")) return {.blocks = whole_number(text.substr(0, text.size() - 6), "--sample Nblocks")};
  return {.rate = parse_share(text, complaint)};
}

policies::Writes parse_writes(const std::string& word) {
  constexpr std::pair<std::string_view, policies::Writes> kWords[] = {{"allocate", policies::Writes::allocate},
                                                                      {"update", policies::Writes::update},
                                                                      {"invalidate", policies::Writes::invalidate},
                                                                      {"bypass", policies::Writes::bypass}};
  for (const auto& [name, writes] : kWords) {
    if (word == name) return writes;
  }
  throw sim::UsageError("--writes is allocate, update, invalidate or bypass, not '" + word + "'");
}

// POLICY:SIZE; the size is what follows the last colon.
BehindText parse_behind(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0)
    throw sim::UsageError("--behind '" + text + "': write POLICY:SIZE, as in lru:4GiB");
  const CapacityText capacity = parse_capacity(text.substr(colon + 1));
  if (capacity.kind == CapacityText::Kind::log) throw sim::UsageError("--behind takes one size, not log:N");
  const auto choices = policies::parse_choices(text.substr(0, colon));
  if (choices.size() != 1) throw sim::UsageError("--behind takes one policy");
  return {choices[0], capacity};
}

std::string joined(const std::vector<std::string>& items) {
  std::string list;
  for (const std::string& item : items) list += (list.empty() ? "" : ",") + item;
  return list;
}

// --compat libcachesim: one object a request, and the policies as that simulator has them.
void make_compatible(const std::string& with, CurveOptions& options) {
  if (with != "libcachesim") throw sim::UsageError("--compat knows libcachesim, not '" + with + "'");
  options.granularity = Granularity::request;
  for (policies::Choice& choice : options.choices) {
    const auto& parameters = choice.spec->parameters;
    const bool varies =
        std::any_of(parameters.begin(), parameters.end(), [](const auto& p) { return p.name == "variant"; });
    const bool given =
        std::any_of(choice.given.begin(), choice.given.end(), [](const auto& g) { return g.first == "variant"; });
    if (!varies || given) continue;
    const bool bare = choice.given.empty();
    choice = policies::parse_choices(choice.text + (bare ? ":" : ",") + "variant=libcachesim").at(0);
  }
}

// The index of the policy that the others are compared with, which is added if it is not among them.
std::size_t base_policy(const std::string& text, std::vector<policies::Choice>& choices) {
  const auto asked = policies::parse_choices(text);
  if (asked.size() != 1) throw sim::UsageError("--relative-to takes one policy");
  const auto same = [&](const policies::Choice& choice) { return choice.text == asked[0].text; };
  const auto at = std::find_if(choices.begin(), choices.end(), same);
  if (at != choices.end()) return static_cast<std::size_t>(at - choices.begin());
  choices.push_back(asked[0]);
  return choices.size() - 1;
}

void read_backend(const Arguments& arguments, CurveOptions& options) {
  if (arguments.has("backend-seek")) options.backend_seek = sim::parse_duration(arguments.text("backend-seek"));
  if (!arguments.has("backend-rate")) return;
  std::string rate = arguments.text("backend-rate");
  if (rate.ends_with("/s")) rate.resize(rate.size() - 2);
  options.backend_rate = static_cast<double>(sim::parse_bytes(rate).count);
  if (*options.backend_rate <= 0) throw sim::UsageError("--backend-rate must be more than nothing");
}

void read_block(const Arguments& arguments, CurveOptions& options) {
  if (arguments.has("block")) options.block = sim::parse_bytes(arguments.text("block"));
  if (options.block.count < 1 || options.block > sim::Bytes{std::int64_t{1} << 31})
    throw sim::UsageError("--block is from 1 byte to 2 GiB");
  if (!arguments.has("granularity")) return;
  const std::string word = arguments.text("granularity");
  if (word != "block" && word != "request")
    throw sim::UsageError("--granularity is block or request, not '" + word + "'");
  options.granularity = word == "block" ? Granularity::block : Granularity::request;
}

std::uint64_t physical_memory() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
}

void check_combinations(const Arguments& arguments, const CurveOptions& options) {
  if (arguments.has("exclusive") && !options.behind) throw sim::UsageError("--exclusive goes with --behind");
  if (options.behind && options.sample.wanted()) throw sim::UsageError("--behind does not go with --sample");
  if (options.behind && options.behind->exclusive && options.hit_rate.writes != policies::Writes::allocate)
    throw sim::UsageError("--exclusive needs --writes allocate");
  if (options.hit_rate.write_back && options.hit_rate.writes != policies::Writes::allocate)
    throw sim::UsageError("--write-back needs --writes allocate: a write that the cache does not keep goes through");
  const bool follows_victims = options.hit_rate.write_back || (options.behind && options.behind->exclusive);
  const auto compares_counts = [](const policies::Choice& choice) {
    return choice.text.find("variant=libcachesim") != std::string::npos;
  };
  if (follows_victims && std::any_of(options.choices.begin(), options.choices.end(), compares_counts))
    throw sim::UsageError(
        "variant=libcachesim is for comparing hit counts: it may push out blocks without saying which, which "
        "--write-back and --exclusive need to know");
  if (arguments.has("seed") && !options.sample.wanted()) throw sim::UsageError("--seed goes with --sample");
}

}  // namespace

CapacityText parse_capacity(const std::string& text) {
  const auto number = [&](std::string_view part) {
    return positive_number(part, fmt::format("--capacity '{}': write it as 10GiB, 10%, 1000blocks or log:20", text));
  };
  if (text.starts_with("log:")) {
    const double points = number(std::string_view(text).substr(4));
    if (points != std::floor(points) || points > 10'000)
      throw sim::UsageError(fmt::format("--capacity '{}': log:N takes a whole number up to 10000", text));
    return {CapacityText::Kind::log, points};
  }
  if (text.ends_with('%'))
    return {CapacityText::Kind::share, number(std::string_view(text).substr(0, text.size() - 1)) / 100};
  if (text.ends_with("blocks"))
    return {CapacityText::Kind::blocks, std::floor(number(std::string_view(text).substr(0, text.size() - 6)))};
  const auto bytes = static_cast<double>(sim::parse_bytes(text).count);
  if (bytes <= 0) throw sim::UsageError("--capacity 0 holds nothing");
  return {CapacityText::Kind::bytes, bytes};
}

std::vector<std::uint32_t> capacities_for(std::span<const CapacityText> capacities, sim::Bytes block,
                                          std::uint32_t footprint) {
  std::vector<std::uint32_t> sizes;
  std::set<std::uint32_t> seen;
  const auto add = [&](double blocks) {
    const auto size = static_cast<std::uint32_t>(std::clamp(std::floor(blocks), 1.0, 4294967294.0));
    if (seen.insert(size).second) sizes.push_back(size);
  };
  for (const CapacityText& c : capacities) {
    switch (c.kind) {
      case CapacityText::Kind::bytes:
        if (c.value < static_cast<double>(block.count))
          throw sim::UsageError("--capacity " + sim::format(sim::Bytes{static_cast<std::int64_t>(c.value)}) +
                                " holds no block of " + sim::format(block));
        add(c.value / static_cast<double>(block.count));
        break;
      case CapacityText::Kind::share:
        add(c.value * footprint * (1 + 1e-12));
        break;  // 0.1 * 10 is to be 1
      case CapacityText::Kind::blocks:
        add(c.value);
        break;
      case CapacityText::Kind::log:
        // From a thousandth of the footprint to all of it.
        for (int i = 1; i <= static_cast<int>(c.value); ++i) {
          add(c.value < 2 ? footprint : footprint * std::pow(10.0, -3 + 3 * (i - 1) / (c.value - 1)) * (1 + 1e-12));
        }
    }
  }
  return sizes;
}

CurveOptions curve_options(const Arguments& arguments) {
  CurveOptions options;
  options.quiet = arguments.quiet;
  const auto list = [&](const char* name, const char* otherwise) {
    return arguments.has(name) ? joined(arguments.values[name].as<std::vector<std::string>>()) : std::string(otherwise);
  };
  options.choices = policies::parse_choices(list("policy", "lru"));
  for (const std::string& text : split(list("capacity", "log:20"), ','))
    options.capacities.push_back(parse_capacity(text));
  read_block(arguments, options);
  if (arguments.has("compat")) make_compatible(arguments.text("compat"), options);
  if (arguments.has("relative-to")) options.relative_to = base_policy(arguments.text("relative-to"), options.choices);
  if (arguments.has("warmup")) options.warmup = parse_warmup(arguments.text("warmup"));
  if (arguments.has("window")) {
    options.window = sim::parse_duration(arguments.text("window"));
    if (options.window->count <= 0) throw sim::UsageError("--window must be longer than nothing");
  }
  if (arguments.has("sample")) options.sample = parse_sample(arguments.text("sample"));
  if (arguments.has("seed")) options.sample.seed = whole_number(arguments.text("seed"), "--seed");
  if (arguments.has("behind")) options.behind = parse_behind(arguments.text("behind"));
  if (options.behind) options.behind->exclusive = arguments.has("exclusive");
  if (arguments.has("output")) check_results_path(arguments.text("output"));
  options.per_stream = arguments.has("per-stream");
  options.memory_bytes = arguments.has("memory")
                             ? static_cast<std::uint64_t>(sim::parse_bytes(arguments.text("memory")).count)
                             : physical_memory() / 2;
  read_backend(arguments, options);
  HitRateOptions& hit_rate = options.hit_rate;
  hit_rate.threads = arguments.threads;
  if (arguments.has("writes")) hit_rate.writes = parse_writes(arguments.text("writes"));
  hit_rate.write_back = arguments.has("write-back");
  if (arguments.has("admission")) hit_rate.admission = policies::parse_stages(list("admission", ""));
  hit_rate.simulate_lru = arguments.has("simulate-lru");
  hit_rate.working_sets = options.window.has_value();
  check_combinations(arguments, options);
  return options;
}

// clang-format off
void add_curve_options(po::options_description& options) {
  options.add_options()
      ("policy", texts_value("P,..."),
       "policies, with parameters as in s3_fifo:small=0.1,ghost=0.9 (default: lru; `iocast policies` lists them)")
      ("capacity", texts_value("C,..."),
       "cache sizes: 10GiB, 10% (of the footprint), 1000blocks, log:N (N sizes from 0.1% to 100%); default log:20")
      ("block", text_value("SIZE"), "the unit that the cache holds (default 4KiB)")
      ("granularity", text_value("G"),
       "block: a request touches each block it overlaps; request: it is one object of one block's size (default: what "
       "suits the format)")
      ("writes", text_value("W"),
       "what a write does to the cache: allocate as a read does (default), update what is there, invalidate it, or "
       "bypass: nothing at all")
      ("write-back", "writes stay in the cache until their block is pushed out, rather than go through")
      ("admission", texts_value("STAGE,..."),
       "which misses come in: size:over=64KiB, sequential:after=4MiB, second_hit, ... (`iocast policies` lists them)")
      ("behind", text_value("P:C"), "the caches see what a first one of this policy and size misses: lru:4GiB")
      ("exclusive", "with --behind: the caches hold what the first one pushes out")
      ("relative-to", text_value("P"), "also by how much each policy has fewer misses than this one")
      ("per-stream", "also curves for each disk, LUN, volume or VM alone")
      ("warmup", text_value("W"), "requests that fill the cache but do not count: 20%, 2h, 1000requests")
      ("window", text_value("T"), "also every figure by intervals of this length, with working sets: 5m")
      ("sample", text_value("R"),
       "estimate from a sample of the blocks: a rate (0.01), a number of blocks (8000blocks), auto, or auto:0.5% for "
       "the error wanted")
      ("seed", text_value("N"), "with --sample: another seed takes another sample (default 1)")
      ("compat", text_value("libcachesim"),
       "count as that simulator does: --granularity request, and its variants of the policies")
      ("simulate-lru", "simulate LRU at each size rather than compute all sizes in one pass (the result is the same)")
      ("backend-seek", text_value("T"),
       "time that the storage behind takes to get to each run of blocks, for backend_busy_ratio: 8ms")
      ("backend-rate", text_value("R"), "and the rate at which it then reads or writes: 150MB/s")
      ("memory", text_value("SIZE"),
       "a native trace that needs more is read in pieces, twice (default: half of what the machine has)")
      ("output,o", text_value("FILE"), "write every figure to FILE, .h5 or .json");
  add_trace_options(options);
}
// clang-format on

}  // namespace experiments
