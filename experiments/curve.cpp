// `iocast curve TRACE...`: hit-rate curves, without a clock.
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "experiments/command.h"
#include "experiments/curve_compute.h"
#include "experiments/curve_options.h"
#include "experiments/curve_output.h"
#include "experiments/results.h"
#include "experiments/trace_options.h"
#include "sim/error.h"

namespace experiments {
namespace {

using traces::Trace;

void warn(const std::string& trace, const std::string& what) {
  std::cerr << "iocast: warning: " << trace << ": " << what << "\n";
}

Subject in_memory(const std::string& name, const std::string& stream, const Trace& trace) {
  return {name, stream, &trace, [&trace](const Subject::Visit& visit) { visit(trace); }};
}

// One curve a stream that reads or writes.
void add_streams(const std::string& name, const Trace& trace, const CurveOptions& options, std::vector<Curves>& all) {
  const auto requests = trace.requests_by_stream();
  for (std::size_t s = 0; s < requests.size(); ++s) {
    const auto moves_data = [&](std::uint32_t r) { return traces::moves_data(trace.ops()[r]); };
    if (!std::any_of(requests[s].begin(), requests[s].end(), moves_data)) continue;
    const Trace part = trace.only(requests[s]);
    all.push_back(compute(in_memory(name, trace.info().streams.names()[s], part), options));
  }
}

// How much of memory the trace may take before it is read in pieces, where that is possible.
std::uint64_t memory_for(const CurveOptions& options) {
  const bool future = std::any_of(options.choices.begin(), options.choices.end(),
                                  [](const auto& choice) { return choice.spec->needs_future; });
  return future || options.behind || options.per_stream ? UINT64_MAX : options.memory_bytes;
}

std::vector<Curves> curves_of(const TraceSource& source, const Arguments& arguments, const CurveOptions& options) {
  std::vector<Curves> all;
  if (const auto trace = load_within(source, arguments, memory_for(options))) {
    all.push_back(compute(in_memory(source.name, "", *trace), options));
    if (options.per_stream) add_streams(source.name, *trace, options, all);
  } else {
    const auto each = [&](const Subject::Visit& visit) { visit_pieces(source, arguments, visit); };
    all.push_back(compute({source.name, "", nullptr, each}, options));
  }
  if (options.granularity == traces::Granularity::block && all[0].info.granularity == traces::Granularity::request) {
    warn(source.name, "is a trace of objects: its ids are not addresses, and blocks of them mean little");
  }
  if (!arguments.json) {
    for (const std::string& warning : warnings(all[0].info)) warn(source.name, warning);
  }
  return all;
}

int run(const Arguments& arguments) {
  arguments.need_inputs(1, SIZE_MAX, "trace");
  const CurveOptions options = curve_options(arguments);
  std::vector<Curves> all;
  for (const TraceSource& source : trace_sources(arguments)) {
    for (Curves& curves : curves_of(source, arguments, options)) all.push_back(std::move(curves));
  }
  const auto document = curve_document(all, options, arguments);
  if (arguments.has("output")) write_results(arguments.text("output"), "curve", document);
  if (arguments.json) {
    print_json(document);
  } else {
    for (const Curves& curves : all) print_curves(curves, options);
    if (arguments.has("output")) std::cout << "All figures are in " << arguments.text("output") << "\n";
  }
  return 0;
}

}  // namespace

extern const Command curve;
const Command curve{
    .name = "curve",
    .arguments = "TRACE...",
    .summary = "hit-rate curves: what caches of many sizes and policies would hit",
    .help = R"(  iocast curve trace.h5
  iocast curve trace.h5 --policy lru,arc,s3_fifo,belady --capacity 1GiB,10GiB,10% --relative-to lru
  iocast curve vms.csv.zst --per-stream --warmup 20% --backend-seek 8ms --backend-rate 150MB/s -o curves.h5
  iocast curve huge.h5 --policy lru,arc,lirs --sample auto
  iocast curve trace.h5 --writes invalidate --admission sequential:after=1MiB --behind lru:4GiB --window 10m

No clock runs: a reference hits if its block is in the cache at its turn. The cache starts empty; --warmup leaves out
the time it takes to fill. A read miss fetches whole blocks; adjacent missed blocks of a request are one backend read.
Writes go on to the storage behind, but for --write-back. Discards take their blocks out.
)",
    .add_options = add_curve_options,
    .run = run,
};

}  // namespace experiments
