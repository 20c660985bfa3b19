// The subcommands of iocast: one .cpp each, named as on the command line, and one line each in main.cpp.
#pragma once

#include <boost/program_options.hpp>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace experiments {

namespace po = boost::program_options;

// What a command is given: its options, positional arguments and the options that every command has.
struct Arguments {
  po::variables_map values;
  std::vector<std::string> inputs;  // positional
  std::string command_line;         // as given, without the options that change no result (--threads, --quiet, outputs)
  bool json = false, quiet = false;
  unsigned threads = 1;

  bool has(const char* option) const { return values.count(option) != 0; }
  std::string text(const char* option) const { return has(option) ? values[option].as<std::string>() : std::string(); }
  // Throws UsageError when there are fewer or more inputs.
  void need_inputs(std::size_t least, std::size_t most, std::string_view what) const;
};

struct Command {
  std::string_view name;
  std::string_view arguments;  // "TRACE..."
  std::string_view summary;    // one line
  std::string_view help;       // an example first, then what a user in a hurry must know
  void (*add_options)(po::options_description&);
  int (*run)(const Arguments&);  // returns the exit status
};

// "iocast 0.1.0 (3f2a...)".
std::string version();

// An option with a text as its value; `placeholder` stands for it in the help.
inline po::typed_value<std::string>* text_value(const char* placeholder) {
  return po::value<std::string>()->value_name(placeholder);
}
inline po::typed_value<std::vector<std::string>>* texts_value(const char* placeholder) {
  return po::value<std::vector<std::string>>()->value_name(placeholder)->composing();
}
std::vector<std::string> split(std::string_view list, char separator);
// Whole numbers for options; UsageError names the option.
std::uint64_t whole_number(const std::string& text, const char* option);

// A bar with the share done and the time left, on standard error if that is a terminal and `quiet` is false; else
// nothing. Cheap to call often.
std::function<void(double)> progress_bar(bool quiet, std::string label);

// Prints one JSON document to standard output.
void print_json(const nlohmann::ordered_json&);

}  // namespace experiments
