// Parquet is recognised only to say what to do with it.
#include "traces/registry.h"

namespace traces {
namespace {

Match detect(const Probe& probe) { return probe.head.starts_with("PAR1") ? Match::certain : Match::no; }

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions&) {
  throw sim::DataError(input->path() +
                       ": is Parquet, which iocast does not read: convert it to CSV first, for example by DuckDB's "
                       "COPY (FROM 'FILE') TO 'FILE.csv', and name the columns with --map");
}

}  // namespace

extern const Format parquet{
    .name = "parquet",
    .summary = "recognised, but not read: convert it to CSV first",
    .description =
        R"(Apache Parquet tables begin with "PAR1". They are not read; DuckDB or pandas turn them into CSV, whose
columns --map names.
)",
    .detect = detect,
    .open = open,
    .refused = true,
};

}  // namespace traces
