// How curves are shown and stored.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "experiments/command.h"
#include "experiments/curve_compute.h"
#include "experiments/curve_options.h"

namespace experiments {

nlohmann::ordered_json curve_document(const std::vector<Curves>& all, const CurveOptions& options,
                                      const Arguments& arguments);
void print_curves(const Curves& curves, const CurveOptions& options);

}  // namespace experiments
