// Real captures of the block layer with what fio, blkparse and btt said of them, and requests as text to compare.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/support/shared_data.h"
#include "tests/support/trace_files.h"

namespace support {

// One line a request, with times from the first request and names in place of numbers.
inline std::vector<std::string> lines_of(const WholeTrace& trace) {
  std::vector<std::string> lines;
  for (const traces::Request& r : trace.requests) {
    lines.push_back(fmt::format(
        "{} {} {} {}+{} flags {} latency {} delay {} by '{}'", (r.time - trace.requests[0].time).count,
        trace.info.streams.names()[r.stream], traces::kOpNames[static_cast<std::size_t>(r.op)], r.offset.bytes,
        r.length.count, r.flags, r.latency.count, r.issue_delay.count, trace.info.processes.names()[r.process]));
  }
  return lines;
}

inline std::uint64_t finding(const traces::TraceInfo& info, std::string_view part) {
  std::uint64_t count = 0;
  for (const auto& f : info.findings.all()) count += f.what.find(part) != std::string::npos ? f.count : 0;
  return count;
}

inline std::uint64_t bytes_of(const WholeTrace& trace, traces::Op op) {
  std::uint64_t bytes = 0;
  for (const auto& r : trace.requests) bytes += r.op == op ? static_cast<std::uint64_t>(r.length.count) : 0;
  return bytes;
}

inline bool in_order(const WholeTrace& trace) {
  return std::is_sorted(trace.requests.begin(), trace.requests.end(), [](auto& a, auto& b) { return a.time < b.time; });
}

// Reads, writes and trims that fio did, of all its jobs.
inline std::array<std::uint64_t, 3> fio_totals(const std::filesystem::path& json) {
  std::array<std::uint64_t, 3> totals{};
  const auto document = nlohmann::json::parse(slurp(json.string()));
  for (const auto& job : document.at("jobs")) {
    totals[0] += job.at("read").at("total_ios").get<std::uint64_t>();
    totals[1] += job.at("write").at("total_ios").get<std::uint64_t>();
    totals[2] += job.at("trim").at("total_ios").get<std::uint64_t>();
  }
  return totals;
}

// The two numbers behind the last `words` in a summary of blkparse: "Reads Queued:  1000,  4000KiB".
inline std::pair<std::uint64_t, std::uint64_t> blkparse_count(const std::string& summary, const std::string& words) {
  const std::size_t at = summary.rfind(words + ":");
  unsigned long long count = 0, kib = 0;
  if (at != std::string::npos) std::sscanf(summary.c_str() + at + words.size() + 1, " %llu, %lluKiB", &count, &kib);
  return {count, kib};
}

// The average in ns, and of how many, that btt prints for `kind`: "Q2C  0.000042  0.000254100  0.007  1000", where a
// mapped device of the system makes it "Q2Cdm".
inline std::pair<double, std::uint64_t> btt_average(const std::string& report, const std::string& kind) {
  double seconds = 0;
  unsigned long long count = 0;
  const std::size_t at = report.find("\n" + kind);
  if (at != std::string::npos) {
    const char* const numbers = report.c_str() + report.find(' ', at);
    std::sscanf(numbers, " %*s %lf %*s %llu", &seconds, &count);
  }
  return {seconds * 1e9, count};
}

inline bool installed(const std::string& program) {
  return std::system(("command -v " + program + " > /dev/null 2>&1").c_str()) == 0;
}

}  // namespace support
