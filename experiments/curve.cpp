// `iocast curve TRACE...`: hit-rate curves, without a clock.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "experiments/command.h"
#include "experiments/hit_rate.h"
#include "experiments/results.h"
#include "experiments/table.h"
#include "experiments/trace_options.h"
#include "sim/error.h"

namespace experiments {
namespace {

using json = nlohmann::ordered_json;
using traces::Granularity;

// One size as asked for, before the footprint is known.
struct CapacityText {
  enum class Kind { bytes, share, blocks, log } kind;
  double value;
};

CapacityText parse_capacity(const std::string& text) {
  const auto number = [&](std::string_view part) {
    char* end = nullptr;
    const std::string copy(part);
    const double value = std::strtod(copy.c_str(), &end);
    if (copy.empty() || *end || !(value > 0))
      throw sim::UsageError(fmt::format("--capacity '{}': write it as 10GiB, 10%, 1000blocks or log:20", text));
    return value;
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

// How much of the trace fills the caches without counting: one of the three.
struct Warmup {
  double share = 0;
  std::uint64_t requests = 0;
  sim::Nanoseconds time{0};
};

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

struct Options {
  std::vector<policies::Choice> choices;
  std::vector<CapacityText> capacities;
  sim::Bytes block{4096};
  std::optional<Granularity> granularity;  // else the trace's natural one
  Warmup warmup;
  bool per_stream = false, simulate_lru = false;
  std::optional<sim::Nanoseconds> backend_seek;
  std::optional<double> backend_rate;  // bytes a second
  unsigned threads = 1;
  bool quiet = false;
};

std::string joined(const std::vector<std::string>& items) {
  std::string list;
  for (const std::string& item : items) list += (list.empty() ? "" : ",") + item;
  return list;
}

// --compat libcachesim: one object a request, and the policies as that simulator has them.
void make_compatible(const std::string& with, Options& options) {
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

Options read_options(const Arguments& arguments) {
  Options options;
  options.threads = arguments.threads;
  options.quiet = arguments.quiet;
  const auto list = [&](const char* name, const char* otherwise) {
    return arguments.has(name) ? joined(arguments.values[name].as<std::vector<std::string>>()) : std::string(otherwise);
  };
  options.choices = policies::parse_choices(list("policy", "lru"));
  for (const std::string& text : split(list("capacity", "log:20"), ','))
    options.capacities.push_back(parse_capacity(text));
  if (arguments.has("block")) options.block = sim::parse_bytes(arguments.text("block"));
  if (options.block.count < 1 || options.block > sim::Bytes{std::int64_t{1} << 40})
    throw sim::UsageError("--block is from 1 byte to 1 TiB");
  if (arguments.has("granularity")) {
    const std::string word = arguments.text("granularity");
    if (word != "block" && word != "request")
      throw sim::UsageError("--granularity is block or request, not '" + word + "'");
    options.granularity = word == "block" ? Granularity::block : Granularity::request;
  }
  if (arguments.has("compat")) make_compatible(arguments.text("compat"), options);
  if (arguments.has("warmup")) options.warmup = parse_warmup(arguments.text("warmup"));
  if (arguments.has("output")) check_results_path(arguments.text("output"));
  options.per_stream = arguments.has("per-stream");
  options.simulate_lru = arguments.has("simulate-lru");
  if (arguments.has("backend-seek")) options.backend_seek = sim::parse_duration(arguments.text("backend-seek"));
  if (arguments.has("backend-rate")) {
    std::string rate = arguments.text("backend-rate");
    if (rate.ends_with("/s")) rate.resize(rate.size() - 2);
    options.backend_rate = static_cast<double>(sim::parse_bytes(rate).count);
    if (*options.backend_rate <= 0) throw sim::UsageError("--backend-rate must be more than nothing");
  }
  return options;
}

// The sizes in blocks for a footprint, in the order asked for, each once.
std::vector<std::uint32_t> capacities_for(const Options& options, std::uint32_t footprint) {
  std::vector<std::uint32_t> sizes;
  std::set<std::uint32_t> seen;
  const auto add = [&](double blocks) {
    const auto size = static_cast<std::uint32_t>(std::clamp(std::floor(blocks), 1.0, 4294967294.0));
    if (seen.insert(size).second) sizes.push_back(size);
  };
  for (const CapacityText& c : options.capacities) {
    switch (c.kind) {
      case CapacityText::Kind::bytes:
        if (c.value < static_cast<double>(options.block.count))
          throw sim::UsageError("--capacity " + sim::format(sim::Bytes{static_cast<std::int64_t>(c.value)}) +
                                " holds no block of " + sim::format(options.block));
        add(c.value / static_cast<double>(options.block.count));
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

std::uint64_t warmup_requests(const Warmup& warmup, const traces::Trace& trace) {
  const auto times = trace.times();
  std::uint64_t requests =
      warmup.requests + static_cast<std::uint64_t>(warmup.share * static_cast<double>(trace.size()));
  if (warmup.time.count)
    requests = static_cast<std::uint64_t>(std::lower_bound(times.begin(), times.end(), warmup.time) - times.begin());
  if (requests >= trace.size()) throw sim::UsageError("--warmup leaves no request to count");
  return requests;
}

// The curves of one trace, or of one of its streams.
struct Curves {
  std::string trace, stream;
  traces::TraceInfo info;
  Granularity granularity = Granularity::block;
  std::uint64_t requests = 0, reads = 0, writes = 0, accesses = 0, warmup = 0;
  std::uint32_t footprint = 0;
  sim::Nanoseconds duration{0}, counted_time{0};
  HitRates rates;
};

Curves compute(const std::string& name, const std::string& stream, const traces::Trace& trace, const Options& options) {
  Curves curves{.trace = name, .stream = stream, .info = trace.info(), .rates = {}};
  curves.granularity = options.granularity.value_or(trace.info().granularity);
  traces::Blocks blocks(trace, options.block, curves.granularity);
  curves.requests = trace.size();
  for (const traces::Op op : trace.ops()) {
    curves.reads += op == traces::Op::read;
    curves.writes += op == traces::Op::write;
  }
  curves.accesses = blocks.accesses().size();
  curves.footprint = blocks.footprint();
  curves.duration = trace.duration();
  if (!curves.footprint)
    throw sim::DataError(name + ": no read or write touches a block" + (stream.empty() ? "" : " of stream " + stream));
  curves.warmup = warmup_requests(options.warmup, trace);
  curves.counted_time = trace.times()[trace.size() - 1] - trace.times()[curves.warmup];
  curves.rates = hit_rates(blocks, options.choices, capacities_for(options, curves.footprint),
                           {.warmup_requests = curves.warmup,
                            .threads = options.threads,
                            .simulate_lru = options.simulate_lru,
                            .progress = progress_bar(options.quiet, stream.empty() ? name : name + " " + stream)});
  return curves;
}

std::optional<double> ratio(std::uint64_t part, std::uint64_t whole) {
  if (!whole) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

// The share of the counted time for which the storage behind is busy with what the cache sends it, if each run of
// blocks costs one seek and then moves at the rate. Over 1: it cannot keep up. Absent when neither was given.
std::optional<double> backend_busy(const Curves& curves, const HitRate& row, const Options& options) {
  if ((!options.backend_seek && !options.backend_rate) || curves.counted_time.count <= 0) return std::nullopt;
  const Demand& demand = curves.rates.demand;
  const auto runs = static_cast<double>(row.backend_reads + demand.write_requests);
  const auto bytes = static_cast<double>(row.backend_read_bytes + demand.bytes.writes);
  const double busy_s = runs * static_cast<double>(options.backend_seek.value_or(sim::Nanoseconds{0}).count) / 1e9 +
                        (options.backend_rate ? bytes / *options.backend_rate : 0);
  return busy_s / (static_cast<double>(curves.counted_time.count) / 1e9);
}

// One row as it is published, in the order and with the names of the result files.
json row_json(const Curves& curves, const HitRate& row, const Options& options) {
  const auto optional = [](std::optional<double> value) { return value ? json(*value) : json(nullptr); };
  const Demand& demand = curves.rates.demand;
  return {{"policy", row.policy},
          {"capacity_bytes",
           static_cast<std::uint64_t>(row.capacity_blocks) * static_cast<std::uint64_t>(options.block.count)},
          {"capacity_blocks", row.capacity_blocks},
          {"accesses", demand.accesses.sum()},
          {"hits", row.hits.sum()},
          {"hit_ratio", optional(ratio(row.hits.sum(), demand.accesses.sum()))},
          {"read_hit_ratio", optional(ratio(row.hits.reads, demand.accesses.reads))},
          {"write_hit_ratio", optional(ratio(row.hits.writes, demand.accesses.writes))},
          {"request_hit_ratio", optional(ratio(row.request_hits, demand.requests))},
          {"byte_hit_ratio", optional(ratio(row.hit_bytes.sum(), demand.bytes.sum()))},
          {"cold_misses", demand.cold_misses},
          {"discard_misses", demand.discard_misses},
          {"backend_reads", row.backend_reads},
          {"backend_writes", demand.write_requests},
          {"backend_bytes", row.backend_read_bytes + demand.bytes.writes},
          {"cache_write_bytes", row.cache_write_bytes},
          {"backend_busy_ratio", optional(backend_busy(curves, row, options))},
          {"trace", curves.trace},
          {"stream", curves.stream},
          {"method", row.stack_distance ? "stack_distance" : "simulated"},
          {"sample_rate", 1.0},
          {"hit_ratio_sampling_ci95", 0.0},
          {"hit_ratio_window_p10", optional(row.window_p10)},
          {"hit_ratio_window_p90", optional(row.window_p90)},
          {"read_accesses", demand.accesses.reads},
          {"read_hits", row.hits.reads},
          {"write_accesses", demand.accesses.writes},
          {"write_hits", row.hits.writes},
          {"requests", demand.requests},
          {"request_hits", row.request_hits},
          {"footprint_blocks", curves.footprint}};
}

json trace_json(const Curves& curves, const Options& options) {
  json list = json::array();
  for (const std::string& warning : warnings(curves.info)) list.push_back(warning);
  return {{"name", curves.trace},
          {"stream", curves.stream},
          {"requests", curves.requests},
          {"reads", curves.reads},
          {"writes", curves.writes},
          {"accesses", curves.accesses},
          {"block_bytes", options.block.count},
          {"footprint_blocks", curves.footprint},
          {"footprint_bytes",
           static_cast<std::uint64_t>(curves.footprint) * static_cast<std::uint64_t>(options.block.count)},
          {"duration_ns", curves.duration.count},
          {"warmup_requests", curves.warmup},
          {"granularity", curves.granularity == Granularity::block ? "block" : "request"},
          {"level", name(curves.info.level)},
          {"format", curves.info.format},
          {"warnings", list}};
}

json document(const std::vector<Curves>& all, const Options& options, const Arguments& arguments) {
  json traces = json::array(), rows = json::array();
  for (const Curves& curves : all) {
    traces.push_back(trace_json(curves, options));
    for (const HitRate& row : curves.rates.rows) rows.push_back(row_json(curves, row, options));
  }
  return {{"command", "curve"},           {"trace", traces.at(0)}, {"traces", traces},
          {"write_handling", "allocate"}, {"rows", rows},          {"provenance", provenance(arguments)}};
}

std::string size_text(const Curves& curves, std::uint32_t blocks, const Options& options) {
  return curves.granularity == Granularity::request ? grouped(blocks) : sim::format(options.block * blocks);
}

void print_detail(const Curves& curves, std::span<const HitRate> rows, const Options& options) {
  const bool objects = curves.granularity == Granularity::request;
  Table table({objects ? "objects" : "capacity", "of footprint", "hit ratio", "reads", "writes", "requests", "bytes",
               "backend reads", "to cache"});
  for (const HitRate& row : rows) {
    const Demand& d = curves.rates.demand;
    const auto share = [](std::uint64_t a, std::uint64_t b) {
      return percent(static_cast<double>(a), static_cast<double>(b));
    };
    table.add({size_text(curves, row.capacity_blocks, options), share(row.capacity_blocks, curves.footprint),
               share(row.hits.sum(), d.accesses.sum()), share(row.hits.reads, d.accesses.reads),
               share(row.hits.writes, d.accesses.writes), share(row.request_hits, d.requests),
               share(row.hit_bytes.sum(), d.bytes.sum()), grouped(row.backend_reads),
               sim::format(sim::Bytes{static_cast<std::int64_t>(row.cache_write_bytes)})});
  }
  std::cout << rows[0].policy << "\n" << table.text();
}

void print_matrix(const Curves& curves, std::size_t sizes, const Options& options) {
  std::vector<std::string> header{curves.granularity == Granularity::request ? "objects" : "capacity", "of footprint"};
  for (const auto& choice : options.choices) header.push_back(choice.text);
  Table table(std::move(header));
  const auto& rows = curves.rates.rows;
  for (std::size_t i = 0; i < sizes; ++i) {
    std::vector<std::string> line{size_text(curves, rows[i].capacity_blocks, options),
                                  percent(rows[i].capacity_blocks, curves.footprint)};
    for (std::size_t c = 0; c < options.choices.size(); ++c) {
      line.push_back(percent(static_cast<double>(rows[c * sizes + i].hits.sum()),
                             static_cast<double>(curves.rates.demand.accesses.sum())));
    }
    table.add(std::move(line));
  }
  std::cout << "hit ratio of block accesses, by policy\n" << table.text();
}

// How much can be hit at all, and the smallest of the sizes at which each policy has nine tenths of that.
void print_conclusion(const Curves& curves, std::size_t sizes, const Options& options) {
  const Demand& d = curves.rates.demand;
  const std::uint64_t possible = d.accesses.sum() - d.cold_misses - d.discard_misses;
  std::cout << fmt::format("\nNo cache can hit more than {}: the rest are first accesses to a block{}.\n",
                           percent(static_cast<double>(possible), static_cast<double>(d.accesses.sum())),
                           d.discard_misses ? ", or first ones after its discard" : "");
  std::string needs;
  for (std::size_t c = 0; c < options.choices.size(); ++c) {
    const HitRate* enough = nullptr;
    for (std::size_t i = 0; i < sizes; ++i) {
      const HitRate& row = curves.rates.rows[c * sizes + i];
      if (10 * row.hits.sum() >= 9 * possible && (!enough || row.capacity_blocks < enough->capacity_blocks))
        enough = &row;
    }
    if (enough)
      needs += fmt::format("{}{} {}", needs.empty() ? "" : ", ", options.choices[c].text,
                           size_text(curves, enough->capacity_blocks, options));
  }
  if (possible && !needs.empty())
    std::cout << "Nine tenths of that, at the smallest of these sizes: " << needs << ".\n";
}

void print_curves(const Curves& curves, const Options& options) {
  const bool objects = curves.granularity == Granularity::request;
  std::cout << fmt::format("{}{}: {}; writes allocate and go through; {}; {}\n", curves.trace,
                           curves.stream.empty() ? "" : " stream " + curves.stream, basis(curves.info),
                           objects ? "one object a request" : sim::format(options.block) + " blocks",
                           curves.warmup ? "warm-up " + grouped(curves.warmup) + " requests, not counted"
                                         : "no warm-up (from an empty cache)");
  std::cout << fmt::format(
      "{} requests ({} reads) over {} make {} accesses to {} {}{}\n\n", grouped(curves.requests),
      percent(static_cast<double>(curves.reads), static_cast<double>(curves.reads + curves.writes)),
      sim::format(curves.duration), grouped(curves.accesses), grouped(curves.footprint), objects ? "objects" : "blocks",
      objects ? "" : " = " + sim::format(options.block * curves.footprint));
  const std::size_t sizes = curves.rates.rows.size() / options.choices.size();
  if (options.choices.size() == 1) {
    print_detail(curves, curves.rates.rows, options);
  } else {
    print_matrix(curves, sizes, options);
  }
  print_conclusion(curves, sizes, options);
  std::cout << "\n";
}

int run(const Arguments& arguments) {
  arguments.need_inputs(1, SIZE_MAX, "trace");
  const Options options = read_options(arguments);
  std::vector<Curves> all;
  std::set<std::string> told;
  for (const TraceSource& source : trace_sources(arguments)) {
    const traces::Trace trace = load_source(source, arguments, false);
    if (options.granularity == Granularity::block && trace.info().granularity == Granularity::request) {
      std::cerr << "iocast: warning: " << source.name
                << ": is a trace of objects: its ids are not addresses, and blocks of them mean little\n";
    }
    if (!arguments.json) {
      for (const std::string& warning : warnings(trace.info()))
        std::cerr << "iocast: warning: " << source.name << ": " << warning << "\n";
    }
    all.push_back(compute(source.name, "", trace, options));
    if (!options.per_stream) continue;
    const auto& names = trace.info().streams.names();
    for (std::size_t s = 0; s < names.size(); ++s) {
      const traces::Trace part = trace.only(static_cast<traces::StreamId>(s));
      const bool touches =
          std::any_of(part.ops().begin(), part.ops().end(), [](traces::Op op) { return op <= traces::Op::write; });
      if (touches) all.push_back(compute(source.name, names[s], part, options));
    }
  }
  const json result = document(all, options, arguments);
  if (arguments.has("output")) write_results(arguments.text("output"), "curve", result);
  if (arguments.json) {
    print_json(result);
  } else {
    for (const Curves& curves : all) print_curves(curves, options);
    if (arguments.has("output")) std::cout << "All figures are in " << arguments.text("output") << "\n";
  }
  return 0;
}

void add_options(po::options_description& options) {
  options.add_options()(
      "policy", texts_value("P,..."),
      "policies, with parameters as in s3_fifo:small=0.1,ghost=0.9 (default: lru; `iocast policies` lists them)")(
      "capacity", texts_value("C,..."),
      "cache sizes: 10GiB, 10% (of the footprint), 1000blocks, log:N (N sizes from 0.1% to 100%); default log:20")(
      "block", text_value("SIZE"), "the unit that the cache holds (default 4KiB)")(
      "granularity", text_value("G"),
      "block: a request touches each block it overlaps; request: it is one object of one block's size (default: what "
      "suits the format)")("per-stream", "also curves for each disk, LUN, volume or VM alone")(
      "warmup", text_value("W"), "requests that fill the cache but do not count: 20%, 2h, 1000requests")(
      "compat", text_value("libcachesim"),
      "count as that simulator does: --granularity request, and its variants of the policies")(
      "simulate-lru", "simulate LRU at each size rather than compute all sizes in one pass (the result is the same)")(
      "backend-seek", text_value("T"),
      "time that the storage behind takes to get to each run of blocks, for backend_busy_ratio: 8ms")(
      "backend-rate", text_value("R"), "and the rate at which it then reads or writes: 150MB/s")(
      "output,o", text_value("FILE"), "write every figure to FILE, .h5 or .json");
  add_trace_options(options);
}

}  // namespace

extern const Command curve;
const Command curve{
    .name = "curve",
    .arguments = "TRACE...",
    .summary = "hit-rate curves: what caches of many sizes and policies would hit",
    .help = R"(  iocast curve trace.h5
  iocast curve trace.h5 --policy lru,arc,s3_fifo,belady --capacity 1GiB,10GiB,10%
  iocast curve vms.csv.zst --per-stream --warmup 20% -o curves.h5

No clock runs: a reference hits if its block is in the cache at its turn. The cache starts empty; --warmup leaves out
the time it takes to fill. Writes allocate and go through: they put their blocks into the cache, and always go on to the
storage behind. A read miss fetches whole blocks; adjacent missed blocks of a request are one backend read. Discards
take their blocks out.
)",
    .add_options = add_options,
    .run = run,
};

}  // namespace experiments
