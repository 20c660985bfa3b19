#include "experiments/curve_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "experiments/results.h"
#include "experiments/sampled_hit_rate.h"
#include "experiments/table.h"
#include "experiments/trace_options.h"

namespace experiments {
namespace {

using json = nlohmann::ordered_json;
using traces::Granularity;

json optional(std::optional<double> value) { return value ? json(*value) : json(nullptr); }

std::string_view word(policies::Writes writes) {
  switch (writes) {
    case policies::Writes::update:
      return "update";
    case policies::Writes::invalidate:
      return "invalidate";
    case policies::Writes::bypass:
      return "bypass";
    default:
      return "allocate";
  }
}

std::string_view method(const HitRate& row) {
  if (row.sample_rate < 1) return "sampled";
  return row.stack_distance ? "stack_distance" : "simulated";
}

// Samples tell nothing of adjacent blocks, unless no request has any.
bool knows_requests(const Curves& curves) {
  return !curves.sample_rate || curves.rates.demand.requests == curves.rates.demand.accesses.sum();
}

// The share of `time` for which the storage behind is busy with what the cache sends it, if each run of blocks costs
// one seek and then moves at the rate. Over 1: it cannot keep up. Absent when neither was given.
std::optional<double> busy_ratio(const Counts& counts, sim::Nanoseconds time, const Curves& curves,
                                 const CurveOptions& options) {
  if ((!options.backend_seek && !options.backend_rate) || time.count <= 0 || !knows_requests(curves))
    return std::nullopt;
  const auto requests = static_cast<double>(counts.backend_requests.sum());
  const auto bytes = static_cast<double>(counts.backend_bytes.sum());
  const double busy_ns = requests * static_cast<double>(options.backend_seek.value_or(sim::Nanoseconds{0}).count) +
                         (options.backend_rate ? bytes / *options.backend_rate * 1e9 : 0);
  return busy_ns / static_cast<double>(time.count);
}

// That of the busiest window. The last one may be shorter than the others.
std::optional<double> busiest_ratio(const Curves& curves, const HitRate& row, const CurveOptions& options) {
  std::optional<double> busiest;
  for (const Counts& window : row.windows)
    busiest = std::max(busiest, busy_ratio(window, curves.rates.windows.width, curves, options));
  return busiest;
}

std::optional<double> hit_ratio(const Counts& counts, const Demand& demand) {
  return ratio(counts.hits.sum(), demand.accesses.sum());
}

// Lowest and highest tenth of the hit ratio over the windows that have any access.
std::pair<std::optional<double>, std::optional<double>> window_p10_p90(const Curves& curves, const HitRate& row) {
  std::vector<double> ratios;
  for (std::size_t w = 0; w < row.windows.size(); ++w) {
    if (const auto one = hit_ratio(row.windows[w], curves.rates.window_demand[w])) ratios.push_back(*one);
  }
  if (ratios.empty()) return {};
  std::sort(ratios.begin(), ratios.end());
  const auto quantile = [&](double q) {
    return ratios[static_cast<std::size_t>(q * static_cast<double>(ratios.size() - 1) + 0.5)];
  };
  return {quantile(0.1), quantile(0.9)};
}

// Of accesses that a cache could hit at all.
std::uint64_t possible(const Demand& demand) {
  return demand.accesses.sum() - std::min(demand.accesses.sum(), demand.cold_misses + demand.discard_misses);
}

const HitRate* base_row(const Curves& curves, std::size_t row, const CurveOptions& options) {
  if (options.relative_to == SIZE_MAX) return nullptr;
  const std::size_t sizes = curves.rates.rows.size() / options.choices.size();
  return &curves.rates.rows[options.relative_to * sizes + row % sizes];
}

// By what share the misses are fewer than those of the base policy at the same size.
std::optional<double> miss_reduction(const Curves& curves, std::size_t row, const CurveOptions& options) {
  const HitRate* base = base_row(curves, row, options);
  const std::uint64_t accesses = curves.rates.demand.accesses.sum();
  if (!base || base->hits.sum() == accesses) return std::nullopt;
  const auto misses = [&](const HitRate& of) { return static_cast<double>(accesses - of.hits.sum()); };
  return 1 - misses(curves.rates.rows[row]) / misses(*base);
}

// Of the accesses of both levels, those that either serves.
std::optional<double> both_levels(const Curves& curves, const HitRate& row) {
  if (!curves.first_level) return std::nullopt;
  return ratio(curves.first_level->hits + row.hits.sum(),
               curves.first_level->hits + curves.rates.demand.accesses.sum());
}

std::uint64_t bytes_of(const HitRate& row, const CurveOptions& options) {
  return static_cast<std::uint64_t>(row.capacity_blocks) * static_cast<std::uint64_t>(options.block.count);
}

// One row as it is published, in the order and with the names of the result files.
json row_json(const Curves& curves, std::size_t index, const CurveOptions& options) {
  const HitRate& row = curves.rates.rows[index];
  const Demand& demand = curves.rates.demand;
  const auto [p10, p90] = window_p10_p90(curves, row);
  const bool requests = knows_requests(curves);
  return {{"policy", row.policy},
          {"capacity_bytes", bytes_of(row, options)},
          {"capacity_blocks", row.capacity_blocks},
          {"accesses", demand.accesses.sum()},
          {"hits", row.hits.sum()},
          {"hit_ratio", optional(hit_ratio(row, demand))},
          {"read_hit_ratio", optional(ratio(row.hits.reads, demand.accesses.reads))},
          {"write_hit_ratio", optional(ratio(row.hits.writes, demand.accesses.writes))},
          {"request_hit_ratio", optional(requests ? ratio(row.request_hits, demand.requests) : std::nullopt)},
          {"byte_hit_ratio", optional(ratio(row.hit_bytes.sum(), demand.bytes.sum()))},
          {"hit_ratio_without_cold", optional(ratio(row.hits.sum(), possible(demand)))},
          {"cold_misses", demand.cold_misses},
          {"discard_misses", demand.discard_misses},
          {"backend_reads", requests ? json(row.backend_requests.reads) : json(nullptr)},
          {"backend_writes", row.backend_requests.writes},
          {"backend_bytes", row.backend_bytes.sum()},
          {"backend_read_bytes", row.backend_bytes.reads},
          {"backend_write_bytes", row.backend_bytes.writes},
          {"cache_write_bytes", row.cache_write_bytes},
          {"backend_busy_ratio", optional(busy_ratio(row, curves.counted_time, curves, options))},
          {"backend_busy_ratio_busiest_window", optional(busiest_ratio(curves, row, options))},
          {"fill_time_ns", row.full ? json(row.full->count) : json(nullptr)},
          {"trace", curves.trace},
          {"stream", curves.stream},
          {"method", method(row)},
          {"sample_rate", row.sample_rate},
          {"hit_ratio_sampling_ci95", row.hit_ratio_ci95},
          {"sampled_capacity_blocks", row.sampled_capacity_blocks},
          {"hit_ratio_window_p10", optional(p10)},
          {"hit_ratio_window_p90", optional(p90)},
          {"miss_reduction", optional(miss_reduction(curves, index, options))},
          {"hit_ratio_both_levels", optional(both_levels(curves, row))},
          {"read_accesses", demand.accesses.reads},
          {"read_hits", row.hits.reads},
          {"write_accesses", demand.accesses.writes},
          {"write_hits", row.hits.writes},
          {"requests", demand.requests},
          {"request_hits", requests ? json(row.request_hits) : json(nullptr)},
          {"footprint_blocks", curves.footprint}};
}

json window_json(const Curves& curves, const HitRate& row, std::size_t w, const CurveOptions& options) {
  const Windows& windows = curves.rates.windows;
  const Demand& demand = curves.rates.window_demand[w];
  const Counts& counts = row.windows[w];
  return {{"policy", row.policy},
          {"capacity_blocks", row.capacity_blocks},
          {"capacity_bytes", bytes_of(row, options)},
          {"trace", curves.trace},
          {"stream", curves.stream},
          {"start_ns", windows.begin.count + windows.width.count * static_cast<std::int64_t>(w)},
          {"accesses", demand.accesses.sum()},
          {"hits", counts.hits.sum()},
          {"hit_ratio", optional(hit_ratio(counts, demand))},
          {"read_hit_ratio", optional(ratio(counts.hits.reads, demand.accesses.reads))},
          {"write_hit_ratio", optional(ratio(counts.hits.writes, demand.accesses.writes))},
          {"working_set_blocks", demand.working_set},
          {"cold_misses", demand.cold_misses},
          {"backend_reads", knows_requests(curves) ? json(counts.backend_requests.reads) : json(nullptr)},
          {"backend_writes", counts.backend_requests.writes},
          {"backend_bytes", counts.backend_bytes.sum()},
          {"backend_busy_ratio", optional(busy_ratio(counts, windows.width, curves, options))}};
}

std::string size_text(const Curves& curves, std::uint32_t blocks, const CurveOptions& options) {
  return curves.granularity == Granularity::request ? grouped(blocks) : sim::format(options.block * blocks);
}

std::string first_level_text(const Curves& curves, const CurveOptions& options) {
  return curves.first_level->policy + " " + size_text(curves, curves.first_level->capacity_blocks, options);
}

json trace_json(const Curves& curves, const CurveOptions& options) {
  json list = json::array(), notes = json::array();
  for (const std::string& warning : warnings(curves.info)) list.push_back(warning);
  for (const std::string& note : curves.notes) notes.push_back(note);
  json trace = {{"name", curves.trace},
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
                {"warnings", list},
                {"notes", notes}};
  if (curves.first_level) {
    trace["first_level"] = {{"cache", first_level_text(curves, options)},
                            {"accesses", curves.first_level->accesses},
                            {"hits", curves.first_level->hits},
                            {"exclusive", options.behind->exclusive}};
  }
  return trace;
}

// "12.3% +-0.4" of a sample.
std::string hit_text(const Curves& curves, const HitRate& row) {
  std::string text = percent(row.hits.sum(), curves.rates.demand.accesses.sum());
  if (row.sample_rate < 1) text += fmt::format(" ±{:.1f}", 100 * row.hit_ratio_ci95);
  return text;
}

std::string busy_text(std::optional<double> ratio) { return ratio ? fmt::format("{:.0f}%", 100 * *ratio) : "-"; }

void print_detail(const Curves& curves, const CurveOptions& options) {
  const bool objects = curves.granularity == Granularity::request;
  const bool busy = options.backend_seek || options.backend_rate;
  const bool requests = knows_requests(curves);
  std::vector<std::string> header{objects ? "objects" : "capacity",
                                  "of footprint",
                                  "hit ratio",
                                  "reads",
                                  "writes",
                                  "requests",
                                  "bytes",
                                  "backend reads",
                                  "to cache"};
  if (busy) header.insert(header.end(), {"backend busy", "busiest"});
  Table table(std::move(header));
  for (const HitRate& row : curves.rates.rows) {
    const Demand& d = curves.rates.demand;
    std::vector<std::string> line{size_text(curves, row.capacity_blocks, options),
                                  percent(row.capacity_blocks, curves.footprint),
                                  hit_text(curves, row),
                                  percent(row.hits.reads, d.accesses.reads),
                                  percent(row.hits.writes, d.accesses.writes),
                                  requests ? percent(row.request_hits, d.requests) : "-",
                                  percent(row.hit_bytes.sum(), d.bytes.sum()),
                                  requests ? grouped(row.backend_requests.reads) : "-",
                                  sim::format(sim::Bytes{static_cast<std::int64_t>(row.cache_write_bytes)})};
    if (busy) {
      line.push_back(busy_text(busy_ratio(row, curves.counted_time, curves, options)));
      line.push_back(busy_text(busiest_ratio(curves, row, options)));
    }
    table.add(std::move(line));
  }
  std::cout << curves.rates.rows[0].policy << "\n" << table.text();
}

// One line a size, one column a policy.
template <class Cell>
void print_matrix(const std::string& title, const Curves& curves, const CurveOptions& options, Cell cell) {
  const std::size_t sizes = curves.rates.rows.size() / options.choices.size();
  std::vector<std::string> header{curves.granularity == Granularity::request ? "objects" : "capacity", "of footprint"};
  for (const auto& choice : options.choices) header.push_back(choice.text);
  Table table(std::move(header));
  const auto& rows = curves.rates.rows;
  for (std::size_t i = 0; i < sizes; ++i) {
    std::vector<std::string> line{size_text(curves, rows[i].capacity_blocks, options),
                                  percent(rows[i].capacity_blocks, curves.footprint)};
    for (std::size_t c = 0; c < options.choices.size(); ++c) line.push_back(cell(c * sizes + i));
    table.add(std::move(line));
  }
  std::cout << title << "\n" << table.text();
}

// By intervals, at the largest size.
void print_windows(const Curves& curves, const CurveOptions& options) {
  const std::size_t sizes = curves.rates.rows.size() / options.choices.size();
  std::size_t largest = 0;
  for (std::size_t i = 1; i < sizes; ++i) {
    if (curves.rates.rows[i].capacity_blocks > curves.rates.rows[largest].capacity_blocks) largest = i;
  }
  const Windows& windows = curves.rates.windows;
  std::vector<std::string> header{"from", "accesses", "working set"};
  for (const auto& choice : options.choices) header.push_back(choice.text);
  Table table(std::move(header));
  for (std::uint32_t w = 0; w < windows.count; ++w) {
    const Demand& demand = curves.rates.window_demand[w];
    std::vector<std::string> line{
        sim::format(windows.begin + windows.width * w), grouped(demand.accesses.sum()),
        size_text(curves, static_cast<std::uint32_t>(std::min<std::uint64_t>(demand.working_set, UINT32_MAX)),
                  options)};
    for (std::size_t c = 0; c < options.choices.size(); ++c)
      line.push_back(percent(curves.rates.rows[c * sizes + largest].windows[w].hits.sum(), demand.accesses.sum()));
    table.add(std::move(line));
  }
  std::cout << fmt::format("\nhit ratio by intervals of {}, at {}\n", sim::format(windows.width),
                           size_text(curves, curves.rates.rows[largest].capacity_blocks, options))
            << table.text();
}

// How much can be hit at all, and the smallest of the sizes at which each policy has nine tenths of that.
void print_conclusion(const Curves& curves, const CurveOptions& options) {
  const Demand& d = curves.rates.demand;
  const std::size_t sizes = curves.rates.rows.size() / options.choices.size();
  std::cout << fmt::format("\nNo cache can hit more than {}: the rest are first accesses to a block{}.\n",
                           percent(possible(d), d.accesses.sum()),
                           d.discard_misses ? ", or first ones after its discard" : "");
  std::string needs;
  for (std::size_t c = 0; c < options.choices.size(); ++c) {
    const HitRate* enough = nullptr;
    for (std::size_t i = 0; i < sizes; ++i) {
      const HitRate& row = curves.rates.rows[c * sizes + i];
      if (10 * row.hits.sum() >= 9 * possible(d) && (!enough || row.capacity_blocks < enough->capacity_blocks))
        enough = &row;
    }
    if (enough)
      needs += fmt::format("{}{} {}", needs.empty() ? "" : ", ", options.choices[c].text,
                           size_text(curves, enough->capacity_blocks, options));
  }
  if (possible(d) && !needs.empty())
    std::cout << "Nine tenths of that, at the smallest of these sizes: " << needs << ".\n";
}

// What the figures rest on.
std::string basis_text(const Curves& curves, const CurveOptions& options) {
  std::string text = basis(curves.info);
  const HitRateOptions& hit_rate = options.hit_rate;
  if (hit_rate.writes == policies::Writes::allocate) {
    text += hit_rate.write_back ? "; writes allocate and stay until pushed out" : "; writes allocate and go through";
  } else if (hit_rate.writes == policies::Writes::update) {
    text += "; writes update and go through";
  } else if (hit_rate.writes == policies::Writes::invalidate) {
    text += "; writes invalidate and go around";
  } else {
    text += "; writes bypass";
  }
  for (const policies::Stage& stage : hit_rate.admission) text += "; admission " + stage.text;
  text += curves.granularity == Granularity::request ? "; one object a request"
                                                     : fmt::format("; {} blocks", sim::format(options.block));
  text += curves.warmup ? "; warm-up " + grouped(curves.warmup) + " requests, not counted"
                        : "; no warm-up (from an empty cache)";
  if (curves.sample_rate) text += fmt::format("; {} samples of {:.3g} of the blocks", kReplicas, *curves.sample_rate);
  return text;
}

}  // namespace

nlohmann::ordered_json curve_document(const std::vector<Curves>& all, const CurveOptions& options,
                                      const Arguments& arguments) {
  json traces = json::array(), rows = json::array(), windows = json::array();
  for (const Curves& curves : all) {
    traces.push_back(trace_json(curves, options));
    for (std::size_t i = 0; i < curves.rates.rows.size(); ++i) {
      const HitRate& row = curves.rates.rows[i];
      rows.push_back(row_json(curves, i, options));
      for (std::size_t w = 0; options.window && w < row.windows.size(); ++w)
        windows.push_back(window_json(curves, row, w, options));
    }
  }
  std::vector<std::string> stages;
  for (const policies::Stage& stage : options.hit_rate.admission) stages.push_back(stage.text);
  json document = {{"command", "curve"},
                   {"trace", traces.at(0)},
                   {"traces", traces},
                   {"write_handling", word(options.hit_rate.writes)},
                   {"write_back", options.hit_rate.write_back},
                   {"admission", stages}};
  if (options.relative_to != SIZE_MAX) document["relative_to"] = options.choices[options.relative_to].text;
  document["rows"] = rows;
  if (options.window) {
    document["window_ns"] = options.window->count;
    document["windows"] = windows;
  }
  document["provenance"] = provenance(arguments);
  return document;
}

void print_curves(const Curves& curves, const CurveOptions& options) {
  const bool objects = curves.granularity == Granularity::request;
  std::cout << fmt::format("{}{}: {}\n", curves.trace, curves.stream.empty() ? "" : " stream " + curves.stream,
                           basis_text(curves, options));
  std::cout << fmt::format("{} requests ({} reads) over {} make {} accesses to {} {}{}\n", grouped(curves.requests),
                           percent(curves.reads, curves.reads + curves.writes), sim::format(curves.duration),
                           grouped(curves.accesses), grouped(curves.footprint), objects ? "objects" : "blocks",
                           objects ? "" : " = " + sim::format(options.block * curves.footprint));
  if (curves.first_level) {
    std::cout << fmt::format(
        "behind {}, which serves {} of its accesses{}; the ratios are of those that it passes on\n",
        first_level_text(curves, options), percent(curves.first_level->hits, curves.first_level->accesses),
        options.behind->exclusive ? ", exclusive" : "");
  }
  for (const std::string& note : curves.notes) std::cout << "note: " << note << "\n";
  std::cout << "\n";
  if (options.choices.size() == 1) {
    print_detail(curves, options);
  } else {
    print_matrix("hit ratio of block accesses, by policy", curves, options,
                 [&](std::size_t row) { return hit_text(curves, curves.rates.rows[row]); });
  }
  if (options.relative_to != SIZE_MAX) {
    std::cout << "\n";
    print_matrix("fewer misses than " + options.choices[options.relative_to].text, curves, options,
                 [&](std::size_t row) {
                   const auto reduction = miss_reduction(curves, row, options);
                   return reduction ? fmt::format("{:.1f}%", 100 * *reduction) : "-";
                 });
  }
  if (curves.first_level) {
    std::cout << "\n";
    print_matrix("hit ratio of both levels together", curves, options, [&](std::size_t row) {
      const auto both = both_levels(curves, curves.rates.rows[row]);
      return both ? fmt::format("{:.1f}%", 100 * *both) : "-";
    });
  }
  if (options.window) print_windows(curves, options);
  print_conclusion(curves, options);
  std::cout << "\n";
}

}  // namespace experiments
