// Results as files: JSON, or HDF5 with one table of the same field names.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "experiments/command.h"

namespace experiments {

// Where a result came from: the command line (without what changes no figure) and the versions.
nlohmann::ordered_json provenance(const Arguments&);

// Throws UsageError unless `path` ends in .h5 or .json: to be asked before the work is done.
void check_results_path(const std::string& path);

// Writes `document` to `path`, whole or not at all: as it is for a name that ends in .json; for .h5 its "rows" as
// columns /COMMAND/FIELD and all the rest as JSON text in the attribute "document". Throws DataError when it cannot be
// written. Equal documents give equal bytes.
void write_results(const std::string& path, const std::string& command, const nlohmann::ordered_json& document);

}  // namespace experiments
