#include "experiments/results.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "sim/error.h"
#include "traces/hdf5.h"
#include "traces/output.h"

namespace experiments {
namespace {

using json = nlohmann::ordered_json;

// One column of the rows: text if any value is, real if any value is or is missing (as NaN), else whole numbers.
void write_column(traces::hdf5::Group& group, const std::string& field, const json& rows) {
  bool text = false, real = false;
  for (const json& row : rows) {
    text |= row.at(field).is_string();
    real |= row.at(field).is_number_float() || row.at(field).is_null();
  }
  if (text) {
    std::vector<std::string> values;
    for (const json& row : rows) values.push_back(row.at(field).get<std::string>());
    group.write(field, values);
  } else if (real) {
    std::vector<double> values;
    for (const json& row : rows)
      values.push_back(row.at(field).is_null() ? std::numeric_limits<double>::quiet_NaN()
                                               : row.at(field).get<double>());
    group.write(field, values);
  } else {
    std::vector<std::uint64_t> values;
    for (const json& row : rows) values.push_back(row.at(field).get<std::uint64_t>());
    group.write(field, values);
  }
}

void write_table(traces::hdf5::File& file, const std::string& name, const json& rows) {
  auto group = file.root().make(name);
  if (rows.empty()) return;
  for (const auto& [field, value] : rows.at(0).items()) write_column(group, field, rows);
}

void write_hdf5(const std::string& path, const std::string& command, const json& document) {
  traces::TemporaryFile file(path);
  auto hdf5 = traces::hdf5::File::create(file.temporary(), path);
  {
    json rest = document;
    rest.erase("rows");
    rest.erase("windows");
    hdf5.root().set("format_version", std::int64_t{1});
    hdf5.root().set("document", rest.dump());
    for (const auto& [key, value] : document.at("provenance").items()) hdf5.root().set(key, value.get<std::string>());
    write_table(hdf5, command, document.at("rows"));
    if (document.contains("windows")) write_table(hdf5, command + "_windows", document.at("windows"));
  }
  hdf5.close();
  file.commit();
}

}  // namespace

json provenance(const Arguments& arguments) {
  return {{"command_line", arguments.command_line}, {"tool_version", version()}};
}

void check_results_path(const std::string& path) {
  if (!path.ends_with(".json") && !path.ends_with(".h5")) {
    throw sim::UsageError(path + ": results are written to names that end in .h5 or .json");
  }
}

void write_results(const std::string& path, const std::string& command, const json& document) {
  if (path.ends_with(".json")) {
    traces::Output output(path);
    output.write(document.dump(2) + "\n");
    output.commit();
  } else {
    write_hdf5(path, command, document);
  }
}

}  // namespace experiments
