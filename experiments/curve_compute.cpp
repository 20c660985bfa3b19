#include "experiments/curve_compute.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/sampled_hit_rate.h"
#include "experiments/second_level.h"
#include "experiments/table.h"
#include "sim/error.h"

namespace experiments {
namespace {

using traces::Granularity;
using traces::Op;
using traces::Trace;

// Everything about a subject that needs no block numbers.
Curves summarise(const Subject& subject, const CurveOptions& options, sim::Nanoseconds& begin) {
  Curves curves{.trace = subject.trace, .stream = subject.stream, .info = {}, .rates = {}};
  subject.each([&](const Trace& piece) {
    for (const Op op : piece.ops()) {
      curves.reads += op == Op::read;
      curves.writes += op == Op::write;
    }
    const auto times = piece.times();
    if (curves.requests == 0) begin = times.front();
    if (options.warmup.time.count) {
      curves.warmup +=
          static_cast<std::uint64_t>(std::lower_bound(times.begin(), times.end(), options.warmup.time) - times.begin());
    }
    curves.requests += piece.size();
    curves.duration = times.back();
    curves.info = piece.info();
  });
  curves.duration -= begin;
  curves.granularity = options.granularity.value_or(curves.info.granularity);
  curves.warmup += options.warmup.requests;
  curves.warmup += static_cast<std::uint64_t>(options.warmup.share * static_cast<double>(curves.requests));
  if (curves.warmup && curves.warmup >= curves.requests) throw sim::UsageError("--warmup leaves no request to count");
  return curves;
}

// When request `index` came.
sim::Nanoseconds time_of_request(const Subject& subject, std::uint64_t index) {
  sim::Nanoseconds time{0};
  std::uint64_t before = 0;
  subject.each([&](const Trace& piece) {
    if (index >= before && index - before < piece.size()) time = piece.times()[index - before];
    before += piece.size();
  });
  return time;
}

Windows windows_for(const Subject& subject, const CurveOptions& options, sim::Nanoseconds begin, Curves& curves) {
  constexpr std::uint32_t kWindows = 100;
  const sim::Nanoseconds last = begin + curves.duration;
  if (curves.warmup) begin = time_of_request(subject, curves.warmup);
  curves.counted_time = last - begin;
  return options.window ? Windows::of_width(curves.warmup, begin, last, *options.window)
                        : Windows::split(curves.warmup, begin, last, kWindows);
}

void need_blocks(const Curves& curves) {
  if (curves.footprint) return;
  throw sim::DataError(curves.trace + ": no read or write touches a block" +
                       (curves.stream.empty() ? "" : " of stream " + curves.stream));
}

std::vector<std::uint32_t> capacities(const CurveOptions& options, const Curves& curves) {
  return capacities_for(options.capacities, options.block, curves.footprint);
}

// --- Exact ---

void whole(const Trace& trace, const CurveOptions& options, const Windows& windows, const HitRateOptions& hit_rate,
           Curves& curves) {
  const traces::Blocks blocks(trace, options.block, curves.granularity);
  curves.accesses = blocks.accesses().size();
  curves.footprint = blocks.footprint();
  need_blocks(curves);
  curves.rates = hit_rates(blocks, options.choices, capacities(options, curves), windows, hit_rate);
}

void in_pieces(const Subject& subject, const CurveOptions& options, const Windows& windows,
               const HitRateOptions& hit_rate, Curves& curves) {
  traces::BlockNumbers numbers;
  subject.each([&](const Trace& piece) {
    curves.accesses += traces::Blocks(piece, options.block, curves.granularity, numbers).accesses().size();
  });
  curves.footprint = numbers.size();
  need_blocks(curves);
  traces::BlockNumbers again;
  HitRateStream stream(curves.footprint, curves.info.streams.names(), options.choices, capacities(options, curves),
                       windows, hit_rate);
  std::uint64_t requests = 0;
  subject.each([&](const Trace& piece) {
    stream.play(traces::Blocks(piece, options.block, curves.granularity, again));
    requests += piece.size();
    if (hit_rate.progress) hit_rate.progress(static_cast<double>(requests) / static_cast<double>(curves.requests));
  });
  curves.rates = stream.finish();
}

// --- Behind a first level ---

void second_level(const Trace& trace, const CurveOptions& options, const Windows& windows,
                  const HitRateOptions& hit_rate, Curves& curves) {
  const traces::Blocks blocks(trace, options.block, curves.granularity);
  curves.footprint = blocks.footprint();
  need_blocks(curves);
  const std::uint32_t capacity = capacities_for({&options.behind->capacity, 1}, options.block, curves.footprint).at(0);
  const FirstLevel first{.choice = options.behind->choice,
                         .capacity_blocks = capacity,
                         .writes = hit_rate.writes,
                         .exclusive = options.behind->exclusive};
  const PassedOn passed = pass_on(blocks, first, windows);
  curves.first_level = FirstLevelResult{first.choice.text, capacity, passed.accesses, passed.hits};
  const traces::Blocks behind(passed.trace, options.block, curves.granularity);
  curves.accesses =
      behind.accesses().size() - static_cast<std::size_t>(std::count(passed.fills.begin(), passed.fills.end(), 1));
  if (first.exclusive && (!hit_rate.admission.empty() || std::ranges::any_of(options.choices, [](const auto& choice) {
        return !choice.admission().empty();
      })))
    throw sim::UsageError("--exclusive takes neither --admission nor policies that have stages of their own");
  curves.rates = hit_rates(behind, options.choices, capacities(options, curves), windows.of_parts(passed.origins),
                           hit_rate, passed.derived());
}

// --- Sampled ---

traces::SampleOptions sample_options(const CurveOptions& options, const Curves& curves, double rate,
                                     unsigned replicas) {
  return {.rate = rate,
          .replicas = replicas,
          .salt = options.sample.seed,
          .block = options.block,
          .granularity = curves.granularity};
}

// Of one rate. The capacities are those of the whole trace.
HitRates sampled(const Subject& subject, const CurveOptions& options, const Windows& windows,
                 const HitRateOptions& hit_rate, double rate, Curves& curves) {
  SampledHitRates sample(sample_options(options, curves, rate, kReplicas), curves.info.streams.names(), options.choices,
                         windows, hit_rate);
  subject.each([&](const Trace& piece) { sample.add(piece); });
  curves.footprint = sample.footprint();
  curves.accesses = sample.accesses();
  curves.sample_rate = rate;
  if (curves.footprint == 0) return {};
  return sample.finish(capacities(options, curves));
}

// The rate at which replicas have about so many blocks.
double rate_for(const Subject& subject, const CurveOptions& options, const Curves& curves, double blocks) {
  for (double rate = 0.001;; rate *= 4) {
    traces::BlockSampler sampler(sample_options(options, curves, std::min(rate, 1.0), 1));
    subject.each([&](const Trace& piece) { sampler.add(piece); });
    const std::uint32_t seen =
        traces::Blocks(sampler.samples()[0].trace, options.block, curves.granularity).footprint();
    if (seen >= 500 || rate >= 1) return std::min(1.0, blocks * std::min(rate, 1.0) / std::max(seen, 1u));
  }
}

double widest_interval(const HitRates& rates) {
  double widest = 0;
  for (const HitRate& row : rates.rows) widest = std::max(widest, row.hit_ratio_ci95);
  return widest;
}

double smallest_rate(const CurveOptions& options, const Curves& curves) {
  const auto sizes = capacities(options, curves);
  return static_cast<double>(kSmallestScaledCache) / *std::min_element(sizes.begin(), sizes.end());
}

// False when so large a sample would be needed that nothing is left to save.
bool sample(const Subject& subject, const CurveOptions& options, const Windows& windows, const HitRateOptions& hit_rate,
            Curves& curves) {
  constexpr double kHighest = 0.5 / kReplicas;
  const SampleText& wanted = options.sample;
  double rate = wanted.rate > 0
                    ? wanted.rate
                    : rate_for(subject, options, curves, wanted.blocks ? static_cast<double>(wanted.blocks) : 2000);
  for (;;) {
    if (rate > kHighest) return false;
    curves.rates = sampled(subject, options, windows, hit_rate, rate, curves);
    if (!wanted.error) break;
    const double least = curves.footprint ? smallest_rate(options, curves) : 1;
    const double error = curves.footprint ? widest_interval(curves.rates) : 1;
    if (error <= wanted.error && rate >= least) break;
    rate = std::max(rate * std::clamp(error * error / (wanted.error * wanted.error), 1.5, 10.0), least);
  }
  need_blocks(curves);
  const auto coarse = static_cast<std::size_t>(std::count_if(
                          curves.rates.rows.begin(), curves.rates.rows.end(),
                          [](const HitRate& row) { return row.sampled_capacity_blocks < kSmallestScaledCache; })) /
                      options.choices.size();
  if (coarse) {
    curves.notes.push_back(
        fmt::format("at {} of the sizes the scaled caches have fewer than {} blocks: a higher --sample would say more",
                    coarse, kSmallestScaledCache));
  }
  return true;
}

}  // namespace

Curves compute(const Subject& subject, const CurveOptions& options) {
  sim::Nanoseconds begin{0};
  Curves curves = summarise(subject, options, begin);
  const Windows windows = windows_for(subject, options, begin, curves);
  HitRateOptions hit_rate = options.hit_rate;
  hit_rate.progress =
      progress_bar(options.quiet, subject.stream.empty() ? subject.trace : subject.trace + " " + subject.stream);
  if (options.sample.wanted()) {
    if (sample(subject, options, windows, hit_rate, curves)) return curves;
    curves.sample_rate.reset();
    curves.notes.push_back(
        "the sample would be half of the blocks or more: nothing was sampled, the figures are exact");
  }
  if (options.behind) {
    second_level(*subject.whole, options, windows, hit_rate, curves);
  } else if (subject.whole) {
    whole(*subject.whole, options, windows, hit_rate, curves);
  } else {
    in_pieces(subject, options, windows, hit_rate, curves);
  }
  return curves;
}

}  // namespace experiments
