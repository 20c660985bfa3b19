#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <sstream>

#include "experiments/command.h"
#include "sim/error.h"
#include "sim/nearest.h"
#include "sim/parallel.h"
#include "traces/output.h"

namespace experiments {

extern const Command convert, curve, describe, formats, policies_command;

namespace {

// In the order of `iocast help`.
constexpr std::array kCommands{&describe, &curve, &convert, &policies_command, &formats};

constexpr int kDone = 0, kFailed = 1, kWrongUsage = 2;

// No guessing of abbreviations: "--size" must not silently mean "--size-limit" once there is one.
constexpr int kStyle = po::command_line_style::unix_style ^ po::command_line_style::allow_guessing;

void print_overview(std::ostream& out) {
  out << "iocast: what would a cache do for this storage? Answers from the storage's own IO.\n\n"
         "  iocast describe trace.h5\n"
         "  iocast curve trace.h5 --policy lru,arc,s3_fifo --capacity 1GiB,10GiB\n\n"
         "Usage: iocast COMMAND [options]\n\nCommands:\n";
  for (const Command* command : kCommands) out << fmt::format("  {:<10} {}\n", command->name, command->summary);
  out << "\n`iocast help COMMAND` explains one; `iocast --version` names this build.\n";
}

po::options_description common_options() {
  po::options_description options("Every command");
  options.add_options()("json", "print one JSON document rather than tables")("quiet", "no progress on standard error")(
      "threads", text_value("N"), "use N threads (default: the cores there are); results do not depend on it")(
      "help,h", "explain this command");
  return options;
}

void print_help(const Command& command) {
  po::options_description own(fmt::format("Options of {}", command.name), 120, 70);
  command.add_options(own);
  std::cout << fmt::format("Usage: iocast {} {}\n\n{}.\n\n{}\n", command.name, command.arguments, command.summary,
                           command.help);
  if (!own.options().empty()) std::cout << own << "\n";
  std::cout << common_options();
}

const Command& command_named(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Command* command : kCommands) {
    if (command->name == name) return *command;
    names.push_back(command->name);
  }
  throw sim::UsageError(
      fmt::format("there is no command '{}'{}; `iocast help` lists them", name, sim::did_you_mean(name, names)));
}

// Options that change nothing in a result are left out, so that equal work is recorded in equal words.
std::string recorded_command_line(const Command& command, const std::vector<std::string>& words) {
  std::string line = fmt::format("iocast {}", command.name);
  constexpr std::string_view kFlags[] = {"--quiet", "--json"};
  constexpr std::string_view kValued[] = {"--threads", "--output", "-o", "--memory"};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::string name = word.substr(0, word.find('='));
    if (std::ranges::find(kFlags, name) != std::end(kFlags)) continue;
    if (std::ranges::find(kValued, name) != std::end(kValued)) {
      if (name == word) ++i;
      continue;
    }
    line += " " + word;
  }
  return line;
}

int run_command(const Command& command, const std::vector<std::string>& words) {
  po::options_description options, hidden;
  command.add_options(options);
  options.add(common_options());
  hidden.add_options()("input", po::value<std::vector<std::string>>());
  hidden.add(options);
  po::positional_options_description positional;
  positional.add("input", -1);
  Arguments arguments;
  po::store(po::command_line_parser(words).options(hidden).positional(positional).style(kStyle).run(),
            arguments.values);
  if (arguments.has("help")) {
    print_help(command);
    return kDone;
  }
  po::notify(arguments.values);
  if (arguments.has("input")) arguments.inputs = arguments.values["input"].as<std::vector<std::string>>();
  arguments.json = arguments.has("json");
  arguments.quiet = arguments.has("quiet");
  arguments.threads = sim::available_threads();
  if (arguments.has("threads")) {
    const std::uint64_t threads = whole_number(arguments.text("threads"), "--threads");
    if (threads < 1 || threads > 1024) throw sim::UsageError("--threads is from 1 to 1024");
    arguments.threads = static_cast<unsigned>(threads);
  }
  arguments.command_line = recorded_command_line(command, words);
  return command.run(arguments);
}

int run(std::vector<std::string> words) {
  if (words.empty()) {
    print_overview(std::cerr);
    return kWrongUsage;
  }
  if (words[0] == "--version" || words[0] == "version") {
    std::cout << version() << "\n";
    return kDone;
  }
  if (words[0] == "help" || words[0] == "--help" || words[0] == "-h") {
    if (words.size() > 1) {
      print_help(command_named(words[1]));
    } else {
      print_overview(std::cout);
    }
    return kDone;
  }
  // `iocast --json describe x` is `iocast describe --json x`.
  const auto first = std::find_if(words.begin(), words.end(), [](const std::string& w) { return !w.starts_with('-'); });
  if (first == words.end())
    throw sim::UsageError(fmt::format("there is no option '{}' without a command; see `iocast help`", words[0]));
  const Command& command = command_named(*first);
  words.erase(first);
  return run_command(command, words);
}

int run_and_report(std::vector<std::string> words) {
  int status = kFailed;
  std::string trouble;
  try {
    const int done = run(std::move(words));
    std::cout.flush();
    if (!std::cout) throw sim::DataError("standard output: cannot write");
    return done;
  } catch (const sim::UsageError& error) {
    status = kWrongUsage, trouble = error.what();
  } catch (const po::error& error) { status = kWrongUsage, trouble = error.what(); } catch (const std::bad_alloc&) {
    trouble = "out of memory; sample the trace (convert --sample) or take part of it";
  } catch (const std::exception& error) { trouble = error.what(); }
  std::cout.flush();
  std::replace(trouble.begin(), trouble.end(), '\n', ' ');
  std::cerr << "iocast: " << trouble << "\n";
  return status;
}

}  // namespace
}  // namespace experiments

int main(int argc, char** argv) {
  traces::remove_temporaries_on_signal();
  return experiments::run_and_report({argv + 1, argv + argc});
}
