// What the main job costs on 20 million requests over 2 million blocks (see zipf.h): reading, interning, curves.
//
//   build/release/tests/bench [--benchmark_filter=...]
//
// Rates are counters: "text" in bytes of CSV a second, "requests" and "accesses" a second. The last lines run the whole
// program as a user would, and report its peak memory.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "experiments/hit_rate.h"
#include "experiments/sampled_hit_rate.h"
#include "sim/parallel.h"
#include "tests/bench/zipf.h"
#include "traces/blocks.h"
#include "traces/registry.h"
#include "traces/reuse_distance.h"

namespace {

namespace fs = std::filesystem;
using benchmark::Counter;

// The trace in a file of the named format, written once.
std::string trace_file(const std::string& format, const std::string& ending) {
  static const fs::path folder = [] {
    std::string name = (fs::temp_directory_path() / "iocast-bench-XXXXXX").string();
    const fs::path made = ::mkdtemp(name.data());
    std::atexit([] { fs::remove_all(folder); });
    return made;
  }();
  const std::string path = (folder / ("zipf" + ending)).string();
  if (fs::exists(path)) return path;
  bench::ZipfReader reader;
  const auto writer = traces::format_named(format).create(path, {});
  traces::Batch batch;
  while (reader.next(batch)) writer->write(batch.requests(), reader.info());
  traces::Findings notes;
  writer->finish(reader.info(), notes);
  return path;
}

constexpr std::uint32_t kTenth = 150'126;  // of the footprint: a size with reference results

const traces::Trace& zipf_trace() {
  static const traces::Trace trace = [] {
    bench::ZipfReader reader;
    return traces::Trace::load(reader);
  }();
  return trace;
}

traces::Blocks& zipf_blocks() {
  static traces::Blocks blocks(zipf_trace(), sim::Bytes{4096}, traces::Granularity::block);
  return blocks;
}

void read_all(benchmark::State& state, const std::string& path, unsigned threads) {
  std::uint64_t requests = 0;
  traces::ReadOptions options;
  options.threads = threads;
  for (auto _ : state) {
    const auto reader = traces::open_trace(path, "", options);
    traces::Batch batch;
    while (reader->next(batch)) requests += batch.requests().size();
  }
  state.counters["requests"] = Counter(static_cast<double>(requests), Counter::kIsRate);
  state.counters["bytes"] = Counter(static_cast<double>(fs::file_size(path)) * static_cast<double>(state.iterations()),
                                    Counter::kIsRate, Counter::OneK::kIs1000);
}

void read_csv(benchmark::State& state) { read_all(state, trace_file("csv", ".csv"), 1); }
void read_msr(benchmark::State& state) { read_all(state, trace_file("msr", ".msr"), 1); }
void read_native(benchmark::State& state) {
  read_all(state, trace_file("native", ".h5"), static_cast<unsigned>(state.range(0)));
}

void intern(benchmark::State& state) {
  const traces::Trace& trace = zipf_trace();
  for (auto _ : state) {
    const traces::Blocks blocks(trace, sim::Bytes{4096}, traces::Granularity::block);
    benchmark::DoNotOptimize(blocks.footprint());
  }
  state.counters["accesses"] =
      Counter(static_cast<double>(bench::kRequests) * static_cast<double>(state.iterations()), Counter::kIsRate);
}

void curves(benchmark::State& state, const std::string& policies, std::vector<std::uint32_t> capacities,
            bool simulate_lru, unsigned threads) {
  traces::Blocks& blocks = zipf_blocks();
  const auto times = blocks.trace().times();
  const auto windows = experiments::Windows::split(0, times.front(), times.back(), 100);
  const auto choices = policies::parse_choices(policies);
  experiments::HitRates rates;
  for (auto _ : state)
    rates = experiments::hit_rates(blocks, choices, capacities, windows,
                                   {.simulate_lru = simulate_lru, .threads = threads});
  state.counters["accesses"] =
      Counter(static_cast<double>(bench::kRequests) * static_cast<double>(state.iterations()), Counter::kIsRate);
  state.counters["misses"] = static_cast<double>(bench::kRequests - rates.rows[0].hits.sum());
}

std::vector<std::uint32_t> spread(int sizes) {
  std::vector<std::uint32_t> capacities;
  for (int i = 1; i <= sizes; ++i)
    capacities.push_back(static_cast<std::uint32_t>(zipf_blocks().footprint() * std::pow(10.0, -3 + 3.0 * i / sizes)));
  return capacities;
}

void lru_one_pass_20_sizes(benchmark::State& state) { curves(state, "lru", spread(20), false, 1); }
void lru_simulated_3_sizes(benchmark::State& state) { curves(state, "lru", spread(3), true, 1); }

// LRU at 20 sizes from so many samples of 1% of the blocks each, of a trace in memory.
void sampled(benchmark::State& state) {
  const traces::Trace& trace = zipf_trace();
  const auto choices = policies::parse_choices("lru");
  const auto capacities = spread(20);
  const auto windows = experiments::Windows::split(0, trace.times().front(), trace.times().back(), 100);
  for (auto _ : state) {
    experiments::SampledHitRates rates({.rate = 0.01, .replicas = static_cast<unsigned>(state.range(0))},
                                       trace.info().streams.names(), choices, windows, {});
    rates.add(trace);
    benchmark::DoNotOptimize(rates.finish(capacities).rows.size());
  }
  state.counters["accesses"] =
      Counter(static_cast<double>(bench::kRequests) * static_cast<double>(state.iterations()), Counter::kIsRate);
}

// Ten policies at ten sizes, on a tenth of the requests.
void grid(benchmark::State& state) {
  static const traces::Trace trace = [] {
    bench::ZipfReader reader(bench::kRequests / 10, 200'000);
    return traces::Trace::load(reader);
  }();
  static const traces::Blocks blocks(trace, sim::Bytes{4096}, traces::Granularity::block);
  const auto windows = experiments::Windows::split(0, trace.times().front(), trace.times().back(), 100);
  const auto choices = policies::parse_choices("lru,fifo,clock,sieve,arc,s3_fifo,two_queue,lfu,slru,qd_lp_fifo");
  std::vector<std::uint32_t> capacities;
  for (std::uint32_t i = 1; i <= 10; ++i) capacities.push_back(blocks.footprint() / 20 * i);
  const auto threads = static_cast<unsigned>(state.range(0));
  for (auto _ : state) {
    const auto rates =
        experiments::hit_rates(blocks, choices, capacities, windows, {.simulate_lru = true, .threads = threads});
    benchmark::DoNotOptimize(rates.rows.size());
  }
}

// Seconds and peak bytes of `iocast curve` as a process of its own.
void whole_program(benchmark::State& state) {
  const std::string path = trace_file("native", ".h5");
  for (auto _ : state) {
    const pid_t child = ::fork();
    if (child == 0) {
      if (!std::freopen("/dev/null", "w", stdout)) ::_exit(127);
      ::execl(IOCAST_PROGRAM, "iocast", "curve", path.c_str(), "--policy", "lru", "--capacity", "log:20", nullptr);
      ::_exit(127);
    }
    int status = 0;
    struct rusage usage {};
    ::wait4(child, &status, 0, &usage);
    if (status != 0) state.SkipWithError("iocast curve failed");
    const double peak = static_cast<double>(usage.ru_maxrss) * 1024;
    state.counters["peak_bytes"] = peak;
    state.counters["allowed_bytes"] = 40.0 * static_cast<double>(bench::kRequests) + 40.0 * zipf_blocks().footprint();
  }
}

}  // namespace

int main(int argc, char** argv) {
  constexpr auto kUnit = benchmark::kMillisecond;
  benchmark::RegisterBenchmark("read/csv", read_csv)->Unit(kUnit);
  benchmark::RegisterBenchmark("read/msr", read_msr)->Unit(kUnit);
  benchmark::RegisterBenchmark("read/native/threads", read_native)->Arg(1)->Arg(2)->Unit(kUnit)->UseRealTime();
  benchmark::RegisterBenchmark("intern", intern)->Unit(kUnit);
  benchmark::RegisterBenchmark("lru/one_pass_20_sizes", lru_one_pass_20_sizes)->Unit(kUnit);
  benchmark::RegisterBenchmark("lru/simulated_3_sizes", lru_simulated_3_sizes)->Unit(kUnit);
  for (const policies::Spec* spec : policies::all()) {
    benchmark::RegisterBenchmark(fmt::format("simulate/{}", spec->name).c_str(), [spec](benchmark::State& state) {
      curves(state, std::string(spec->name), {kTenth}, true, 1);
    })->Unit(kUnit);
  }
  benchmark::RegisterBenchmark("sampled/lru_20_sizes/replicas", sampled)
      ->Arg(1)
      ->Arg(experiments::kReplicas)
      ->Unit(kUnit);
  benchmark::RegisterBenchmark("grid/threads", grid)->Arg(1)->Arg(2)->Unit(kUnit)->UseRealTime();
  benchmark::RegisterBenchmark("iocast_curve", whole_program)->Unit(kUnit)->UseRealTime()->Iterations(1);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
