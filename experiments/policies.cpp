// `iocast policies [NAME]`
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "experiments/command.h"
#include "policies/policy.h"

namespace experiments {
namespace {

nlohmann::ordered_json to_json(const policies::Spec& spec) {
  nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
  for (const auto& p : spec.parameters)
    parameters.push_back({{"name", p.name}, {"default", p.value}, {"meaning", p.meaning}});
  return {{"name", spec.name},
          {"idea", spec.idea},
          {"paper", spec.paper},
          {"needs_future", spec.needs_future},
          {"parameters", parameters}};
}

int run(const Arguments& arguments) {
  arguments.need_inputs(0, 1, "policy");
  if (!arguments.inputs.empty()) {
    const policies::Spec& spec = *policies::parse_choices(arguments.inputs[0]).at(0).spec;
    if (arguments.json) {
      print_json(to_json(spec));
      return 0;
    }
    std::cout << fmt::format("{}: {}\n\nPaper: {}\n", spec.name, spec.idea, spec.paper);
    if (spec.needs_future) std::cout << "Needs the future: a bound, not a policy for a real cache.\n";
    for (const auto& p : spec.parameters) std::cout << fmt::format("  {}={:<12} {}\n", p.name, p.value, p.meaning);
    if (!spec.parameters.empty()) {
      std::cout << fmt::format("\nSet as in --policy {}:{}={}\n", spec.name, spec.parameters[0].name,
                               spec.parameters[0].value);
    }
    return 0;
  }
  if (arguments.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const policies::Spec* spec : policies::all()) list.push_back(to_json(*spec));
    print_json({{"command", "policies"}, {"policies", list}});
    return 0;
  }
  for (const policies::Spec* spec : policies::all()) std::cout << fmt::format("{:<10} {}\n", spec->name, spec->idea);
  std::cout << "\n`iocast policies NAME` tells the paper and the parameters.\n";
  return 0;
}

}  // namespace

extern const Command policies_command;
const Command policies_command{
    .name = "policies",
    .arguments = "[NAME]",
    .summary = "list the cache policies, or explain one with its parameters",
    .help = "  iocast policies\n  iocast policies s3_fifo\n",
    .add_options = [](po::options_description&) {},
    .run = run,
};

}  // namespace experiments
