// `iocast policies [NAME]`
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "experiments/command.h"
#include "policies/admission.h"
#include "policies/policy.h"

namespace experiments {
namespace {

using json = nlohmann::ordered_json;

json to_json(std::span<const policies::Parameter> parameters) {
  json list = json::array();
  for (const auto& p : parameters) list.push_back({{"name", p.name}, {"default", p.value}, {"meaning", p.meaning}});
  return list;
}

json to_json(const policies::Spec& spec) {
  return {{"name", spec.name},
          {"idea", spec.idea},
          {"paper", spec.paper},
          {"needs_future", spec.needs_future},
          {"admission", policies::parse_choices(spec.name).at(0).admission()},
          {"parameters", to_json(spec.parameters)}};
}

json to_json(const policies::StageSpec& stage) {
  return {{"name", stage.name}, {"idea", stage.idea}, {"parameters", to_json(stage.parameters)}};
}

void print_parameters(std::string_view option, std::string_view name, std::span<const policies::Parameter> parameters) {
  for (const auto& p : parameters)
    std::cout << fmt::format("  {:<24} {}\n", fmt::format("{}={}", p.name, p.value), p.meaning);
  if (parameters.empty()) return;
  std::cout << fmt::format("\nSet as in {} {}:{}={}\n", option, name, parameters[0].name,
                           parameters[0].value.empty() ? "..." : parameters[0].value);
}

void explain(const policies::Spec& spec) {
  std::cout << fmt::format("{}: {}\n\nPaper: {}\n", spec.name, spec.idea, spec.paper);
  if (spec.needs_future) std::cout << "Needs the future: a bound, not a policy for a real cache.\n";
  const std::string stages = policies::parse_choices(spec.name).at(0).admission();
  if (!stages.empty()) std::cout << "Stands also for --admission " << stages << "\n";
  print_parameters("--policy", spec.name, spec.parameters);
}

void explain(const policies::StageSpec& stage) {
  std::cout << fmt::format("{}: {}\n", stage.name, stage.idea);
  print_parameters("--admission", stage.name, stage.parameters);
}

int explain_named(const std::string& name, bool as_json) {
  for (const policies::StageSpec& stage : policies::all_stages()) {
    if (stage.name != name) continue;
    as_json ? print_json(to_json(stage)) : explain(stage);
    return 0;
  }
  const policies::Spec& spec = *policies::parse_choices(name).at(0).spec;
  as_json ? print_json(to_json(spec)) : explain(spec);
  return 0;
}

int run(const Arguments& arguments) {
  arguments.need_inputs(0, 1, "policy");
  if (!arguments.inputs.empty()) return explain_named(arguments.inputs[0], arguments.json);
  if (arguments.json) {
    json list = json::array(), stages = json::array();
    for (const policies::Spec* spec : policies::all()) list.push_back(to_json(*spec));
    for (const policies::StageSpec& stage : policies::all_stages()) stages.push_back(to_json(stage));
    print_json({{"command", "policies"}, {"policies", list}, {"stages", stages}});
    return 0;
  }
  for (const policies::Spec* spec : policies::all()) std::cout << fmt::format("{:<14}  {}\n", spec->name, spec->idea);
  std::cout << "\nStages of --admission, in front of any policy\n";
  for (const policies::StageSpec& stage : policies::all_stages())
    std::cout << fmt::format("{:<14}  {}\n", stage.name, stage.idea);
  std::cout << "\n`iocast policies NAME` tells the paper and the parameters.\n";
  return 0;
}

}  // namespace

extern const Command policies_command;
const Command policies_command{
    .name = "policies",
    .arguments = "[NAME]",
    .summary = "list the cache policies and admission stages, or explain one with its parameters",
    .help = "  iocast policies\n  iocast policies s3_fifo\n  iocast policies sequential\n",
    .add_options = [](po::options_description&) {},
    .run = run,
};

}  // namespace experiments
