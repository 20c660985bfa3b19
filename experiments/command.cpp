#include "experiments/command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "git_version.h"
#include "sim/error.h"

namespace experiments {

std::string version() { return fmt::format("iocast {} ({})", IOCAST_VERSION, kGitVersion); }

void Arguments::need_inputs(std::size_t least, std::size_t most, std::string_view what) const {
  if (inputs.size() < least) throw sim::UsageError(fmt::format("which {}? Name it after the command", what));
  if (inputs.size() > most) throw sim::UsageError(fmt::format("one {} too many: '{}'", what, inputs[most]));
}

std::vector<std::string> split(std::string_view list, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = list.find(separator);
    parts.emplace_back(list.substr(0, end));
    if (end == std::string_view::npos) return parts;
    list.remove_prefix(end + 1);
  }
}

std::uint64_t whole_number(const std::string& text, const char* option) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw sim::UsageError(fmt::format("{} takes a whole number, not '{}'", option, text));
  }
  return value;
}

std::function<void(double)> progress_bar(bool quiet, std::string label) {
  const char* terminal = std::getenv("TERM");
  if (quiet || !::isatty(STDERR_FILENO) || (terminal && std::string_view(terminal) == "dumb")) return {};
  using Clock = std::chrono::steady_clock;
  struct State {
    Clock::time_point begin = Clock::now(), shown{};
  };
  return [label = std::move(label), state = std::make_shared<State>()](double share) {
    const auto now = Clock::now();
    if (share >= 1) {
      std::fputs("\r\033[K", stderr);
      return;
    }
    if (now - state->shown < std::chrono::milliseconds(150)) return;
    state->shown = now;
    constexpr int kWidth = 30;
    const int full = static_cast<int>(share * kWidth);
    const double elapsed = std::chrono::duration<double>(now - state->begin).count();
    const double left = share > 0 ? elapsed * (1 - share) / share : 0;
    std::fputs(fmt::format("\r{} [{:<{}}] {:3.0f}%  {:.0f} s left \033[K", label,
                           std::string(static_cast<std::size_t>(full), '='), kWidth, 100 * share, left)
                   .c_str(),
               stderr);
  };
}

void print_json(const nlohmann::ordered_json& document) { std::cout << document.dump(2) << "\n"; }

}  // namespace experiments
