#include "traces/info.h"

#include <algorithm>

namespace traces {

std::string_view name(Level level) { return level == Level::queue ? "Q" : level == Level::issue ? "D" : "unknown"; }

std::string_view name(Clock clock) {
  return clock == Clock::unix_epoch ? "unix" : clock == Clock::monotonic ? "monotonic" : "relative";
}

Level level_from_name(std::string_view text) {
  return text == "Q" ? Level::queue : text == "D" ? Level::issue : Level::unknown;
}

Clock clock_from_name(std::string_view text) {
  return text == "unix" ? Clock::unix_epoch : text == "monotonic" ? Clock::monotonic : Clock::relative;
}

std::uint32_t NameTable::id(std::string_view name, std::size_t max_size) {
  // Requests come in runs of one stream: the last answer is usually the next.
  if (last_ < names_.size() && names_[last_] == name) return last_;
  if (const auto found = ids_.find(name); found != ids_.end()) return last_ = found->second;
  if (names_.size() >= max_size) {
    throw sim::DataError("more than " + std::to_string(max_size) + " different names, the last '" + std::string(name) +
                         "': is this column really a stream or process?");
  }
  last_ = static_cast<std::uint32_t>(names_.size());
  names_.emplace_back(name);
  ids_.emplace(name, last_);
  return last_;
}

void Findings::add(std::string_view what, const sim::Place& place, std::uint64_t count) {
  if (count == 0) return;
  const auto same = std::find_if(findings_.begin(), findings_.end(), [&](const Finding& f) { return f.what == what; });
  if (same != findings_.end()) {
    same->count += count;
  } else {
    findings_.push_back({std::string(what), count, place.file.empty() ? "" : place.text()});
  }
}

void Findings::add(const Finding& finding) {
  add(finding.what, finding.count);
  const auto same =
      std::find_if(findings_.begin(), findings_.end(), [&](const Finding& f) { return f.what == finding.what; });
  if (same->first.empty()) same->first = finding.first;
}

}  // namespace traces
