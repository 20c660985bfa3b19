// Readers that put requests into order of time: within one trace, and of several traces into one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "traces/reader.h"

namespace traces {

// Of requests: what tracers that buffer by CPU need, and 5 MB.
inline constexpr std::size_t kSortWindow = 100'000;

// Yields the requests of `reader` sorted by time within a moving window of `window` requests; those of equal time keep
// their order. How many came out of order, and by how much, becomes a finding. A request that is earlier than one
// already yielded (further out of place than the window) throws DataError that names --sort-window.
std::unique_ptr<Reader> sorted(std::unique_ptr<Reader> reader, std::size_t window);

struct MergeInput {
  std::unique_ptr<Reader> reader;  // in order of time
  std::string name;                // for findings and, with keep_apart, for its streams
  sim::Nanoseconds shift{0};       // added to its times (--clock-offset)
};

// Yields the requests of all inputs by time. Where every input is on one absolute clock the times are kept; otherwise
// each input begins at zero. Streams of one name are one stream, unless `keep_apart` puts the input's name before each:
// "NAME/STREAM". Inputs at different levels or granularities are a DataError.
std::unique_ptr<Reader> merged(std::vector<MergeInput> inputs, bool keep_apart);

}  // namespace traces
