// The options that every command which reads a trace has, and the way from file names to a reader.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/command.h"
#include "traces/filter.h"
#include "traces/trace.h"

namespace experiments {

void add_trace_options(po::options_description&);

// A trace to work on: one input, or several merged into one.
struct TraceSource {
  std::string name;  // how rows and messages call it
  std::vector<std::string> paths;
};

// One source for each input, or one of all with --merge.
std::vector<TraceSource> trace_sources(const Arguments&);

// Opens and merges as the options say, without order or filters.
std::unique_ptr<traces::Reader> open_source(const TraceSource&, const Arguments&);
traces::Filter filter_of(const Arguments&);

// The whole trace, sorted and filtered. `details`: see LoadOptions.
traces::Trace load_source(const TraceSource&, const Arguments&, bool details);

// The same, without details; absent when its columns would take more than `bytes` in memory and it can be visited in
// pieces instead: one trace whose format tells its length beforehand and keeps it in order (native).
std::optional<traces::Trace> load_within(const TraceSource&, const Arguments&, std::uint64_t bytes);
// The same requests in pieces, filtered. Throws DataError when they are not in order of time.
void visit_pieces(const TraceSource&, const Arguments&, const std::function<void(const traces::Trace&)>& visit);

// What a result rests on, for the first line of human output: format, level, and what was skipped, lost or merged.
std::string basis(const traces::TraceInfo&);
// Everything that looked wrong, a sentence each.
std::vector<std::string> warnings(const traces::TraceInfo&);

}  // namespace experiments
