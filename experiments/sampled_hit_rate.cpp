#include "experiments/sampled_hit_rate.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "sim/parallel.h"

namespace experiments {
namespace {

std::uint64_t rounded(double value) { return static_cast<std::uint64_t>(std::llround(std::max(value, 0.0))); }

// A count of a sample as the whole would have it: what the sample lacks against its share of `whole` counts as hits.
double corrected(std::uint64_t count, std::uint64_t sampled, std::uint64_t whole, double rate) {
  return static_cast<double>(whole) + (static_cast<double>(count) - static_cast<double>(sampled)) / rate;
}

ByOp corrected(const ByOp& counts, const ByOp& sampled, const ByOp& whole, double rate) {
  return {std::min(rounded(corrected(counts.reads, sampled.reads, whole.reads, rate)), whole.reads),
          std::min(rounded(corrected(counts.writes, sampled.writes, whole.writes, rate)), whole.writes)};
}

std::uint64_t scaled(std::uint64_t count, double rate) { return rounded(static_cast<double>(count) / rate); }

// Half of the width of the 95% confidence interval of the mean of `values`, which are of `share` of everything.
double half_interval(std::span<const double> values, double share) {
  const auto n = static_cast<double>(values.size());
  if (values.size() < 2) return 1;
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  for (const double value : values) squares += (value - sum / n) * (value - sum / n);
  const double t = boost::math::quantile(boost::math::students_t(n - 1), 0.975);
  return t * std::sqrt(squares / (n - 1) / n * std::max(1 - share, 0.0));
}

void set_mean_fill_time(HitRate& row, std::span<const HitRates> replicas, std::size_t i) {
  sim::Nanoseconds sum{0};
  for (const HitRates& replica : replicas) {
    if (!replica.rows[i].full) return;
    sum += *replica.rows[i].full;
  }
  row.full = sum / static_cast<std::int64_t>(replicas.size());
}

}  // namespace

SampledHitRates::SampledHitRates(const traces::SampleOptions& sample, std::span<const std::string> streams,
                                 std::span<const policies::Choice> choices, const Windows& windows,
                                 const HitRateOptions& options)
    : sample_(sample),
      choices_(choices.begin(), choices.end()),
      windows_(windows),
      options_(options),
      division_(sample.block, sample.granularity),
      sampler_(sample),
      admissions_(choices, options.writes, options.admission, streams),
      derived_(sample.replicas),
      demand_(windows.count) {
  for (Derived& derived : derived_) derived.verdicts.resize(admissions_.count());
}

void SampledHitRates::add(const traces::Trace& piece) {
  const auto times = piece.times();
  const std::size_t counted =
      std::min<std::uint64_t>(piece.size(), std::max(windows_.warmup_requests, requests_) - requests_);
  for (std::size_t from = 0, to = 0; from < piece.size(); from = to) {
    to = std::min(piece.size(), from + traces::BlockSampler::kRequests);
    if (from < counted) {
      to = std::min(to, counted);
      accesses_ += add_run(piece, from, to).accesses.sum();
    } else {
      const std::uint32_t window = windows_.at(times[from]);
      to = from + windows_.within(window, times.subspan(from, to - from));
      const Demand demand = add_run(piece, from, to);
      accesses_ += demand.accesses.sum();
      demand_[window].add(demand);
    }
  }
  judge(piece);
  requests_ += piece.size();
}

Demand SampledHitRates::add_run(const traces::Trace& piece, std::size_t from, std::size_t to) {
  const bool single = division_.single(piece, from, to);
  sampler_.add(piece, from, to, single);
  return single ? single_block_demand(piece, from, to) : demand_of(piece, division_, from, to);
}

void SampledHitRates::judge(const traces::Trace& piece) {
  const std::vector<Verdicts> judged = admissions_.judge(piece);
  for (std::size_t k = 0; k < derived_.size(); ++k) {
    const auto& origins = sampler_.samples()[k].origins;
    for (std::size_t a = 0; a < judged.size(); ++a) {
      Verdicts& known = derived_[k].verdicts[a];
      if (judged[a].empty()) continue;
      for (std::size_t i = known.size(); i < origins.size(); ++i) known.push_back(judged[a][origins[i] - requests_]);
    }
  }
}

std::uint32_t SampledHitRates::footprint() {
  seal();
  std::uint64_t blocks = 0;
  for (const traces::Blocks& sample : blocks_) blocks += sample.footprint();
  const double estimate = static_cast<double>(blocks) / (sample_.rate * sample_.replicas);
  return static_cast<std::uint32_t>(std::min<double>(std::round(estimate), UINT32_MAX - 1));
}

void SampledHitRates::seal() {
  if (!blocks_.empty()) return;
  for (const auto& sample : sampler_.samples()) blocks_.emplace_back(sample.trace, sample_.block, sample_.granularity);
}

HitRates SampledHitRates::finish(std::span<const std::uint32_t> capacities) {
  seal();
  std::vector<std::uint32_t> scaled_capacities;
  for (const std::uint32_t capacity : capacities)
    scaled_capacities.push_back(std::max<std::uint32_t>(1, static_cast<std::uint32_t>(capacity * sample_.rate + 0.5)));
  std::vector<HitRates> replicas(blocks_.size());
  HitRateOptions options = options_;
  options.progress = nullptr;
  options.threads = std::max(1u, options_.threads / sample_.replicas);
  sim::for_each_index(blocks_.size(), options_.threads, [&](std::size_t k) {
    const Windows windows = windows_.of_parts(sampler_.samples()[k].origins);
    replicas[k] = hit_rates(blocks_[k], choices_, scaled_capacities, windows, options, derived_[k]);
  });

  HitRates result{.windows = windows_, .window_demand = demand_, .demand = {}, .rows = {}};
  for (std::size_t w = 0; w < demand_.size(); ++w) {
    Demand& demand = result.window_demand[w];
    for (const auto figure : {&Demand::cold_misses, &Demand::discard_misses, &Demand::working_set}) {
      for (const HitRates& replica : replicas) demand.*figure += replica.window_demand[w].*figure;
      demand.*figure = scaled(demand.*figure, sample_.rate * sample_.replicas);
    }
    result.demand.add(demand);
  }
  result.demand.working_set = footprint();
  for (std::size_t i = 0; i < replicas[0].rows.size(); ++i) {
    result.rows.push_back(estimate(replicas, i, result));
    result.rows.back().capacity_blocks = capacities[i % capacities.size()];
  }
  return result;
}

HitRate SampledHitRates::estimate(std::span<const HitRates> replicas, std::size_t i, const HitRates& whole) const {
  HitRate row;
  row.policy = replicas[0].rows[i].policy;
  row.stack_distance = replicas[0].rows[i].stack_distance;
  row.sample_rate = sample_.rate;
  row.sampled_capacity_blocks = replicas[0].rows[i].capacity_blocks;

  std::vector<double> ratios;
  Demand demand;
  Counts counts;
  const std::uint64_t accesses = whole.demand.accesses.sum();
  for (const HitRates& replica : replicas) {
    demand.add(replica.demand);
    counts.add(replica.rows[i]);
    ratios.push_back(corrected(replica.rows[i].hits.sum(), replica.demand.accesses.sum(), accesses, sample_.rate) /
                     static_cast<double>(std::max<std::uint64_t>(accesses, 1)));
  }
  const double share = sample_.rate * sample_.replicas;
  row.hit_ratio_ci95 = half_interval(ratios, share);
  static_cast<Counts&>(row) = whole_trace(counts, demand, whole.demand);
  for (std::size_t w = 0; w < whole.window_demand.size(); ++w) {
    Counts sum;
    Demand sampled;
    for (const HitRates& replica : replicas) {
      sum.add(replica.rows[i].windows[w]);
      sampled.add(replica.window_demand[w]);
    }
    row.windows.push_back(whole_trace(sum, sampled, whole.window_demand[w]));
  }
  set_mean_fill_time(row, replicas, i);
  return row;
}

Counts SampledHitRates::whole_trace(const Counts& counts, const Demand& sampled, const Demand& whole) const {
  const double share = sample_.rate * sample_.replicas;
  Counts estimate;
  estimate.hits = corrected(counts.hits, sampled.accesses, whole.accesses, share);
  estimate.hit_bytes = corrected(counts.hit_bytes, sampled.bytes, whole.bytes, share);
  estimate.cache_write_bytes = scaled(counts.cache_write_bytes, share);
  const std::uint64_t read_misses = whole.accesses.reads - estimate.hits.reads;
  estimate.backend_bytes.reads = sample_.granularity == traces::Granularity::block
                                     ? read_misses * static_cast<std::uint64_t>(sample_.block.count)
                                     : whole.bytes.reads - estimate.hit_bytes.reads;
  estimate.backend_requests.writes = whole.write_requests;
  estimate.backend_bytes.writes = whole.bytes.writes;
  if (options_.write_back) {
    estimate.backend_requests.writes = scaled(counts.backend_requests.writes, share);
    estimate.backend_bytes.writes = scaled(counts.backend_bytes.writes, share);
  }
  if (whole.requests == whole.accesses.sum()) {
    estimate.request_hits = estimate.hits.sum();
    estimate.backend_requests.reads = read_misses;
  }
  return estimate;
}

}  // namespace experiments
