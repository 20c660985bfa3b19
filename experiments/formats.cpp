// `iocast formats [NAME]`
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "experiments/command.h"
#include "traces/registry.h"

namespace experiments {
namespace {

std::string_view directions(const traces::Format& format) {
  if (format.refused) return "refused";
  const bool reads = format.open || format.open_files;
  return reads && format.create ? "read, write" : format.create ? "write" : "read";
}

int run(const Arguments& arguments) {
  arguments.need_inputs(0, 1, "format");
  if (!arguments.inputs.empty()) {
    const traces::Format& format = traces::format_named(arguments.inputs[0]);
    std::cout << fmt::format("{}: {} ({})\n\n{}", format.name, format.summary, directions(format), format.description);
    return 0;
  }
  if (arguments.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const traces::Format* f : traces::formats()) {
      list.push_back({{"name", f->name},
                      {"summary", f->summary},
                      {"reads", !f->refused && (f->open || f->open_files)},
                      {"writes", f->create != nullptr}});
    }
    print_json({{"command", "formats"}, {"formats", list}});
    return 0;
  }
  std::size_t widest = 0;
  for (const traces::Format* format : traces::formats()) widest = std::max(widest, format->name.size());
  for (const traces::Format* format : traces::formats()) {
    std::cout << fmt::format("{:<{}}  {:<11}  {}\n", format->name, widest, directions(*format), format->summary);
  }
  std::cout << "\nInput compressed with gzip, zstd, xz, bzip2 or lz4 is recognised. `iocast formats NAME` tells "
               "columns and units.\n";
  return 0;
}

}  // namespace

extern const Command formats;
const Command formats{
    .name = "formats",
    .arguments = "[NAME]",
    .summary = "list the trace formats that can be read and written, or explain one",
    .help = "  iocast formats\n  iocast formats msr\n",
    .add_options = [](po::options_description&) {},
    .run = run,
};

}  // namespace experiments
