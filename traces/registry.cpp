#include "traces/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace traces {

// One line a format and list, in the order of `iocast formats`; the definitions are in formats/NAME.cpp.
extern const Format native;
extern const Format blktrace;
extern const Format blkparse;
extern const Format ftrace;
extern const Format perf_script;
extern const Format biosnoop;
extern const Format fio_iolog;
extern const Format msr;
extern const Format spc;
extern const Format systor;
extern const Format fiu;
extern const Format alibaba;
extern const Format tencent;
extern const Format tectonic;
extern const Format disksim;
extern const Format mqsim;
extern const Format hpl_srt;
extern const Format xperf;
extern const Format wpa;
extern const Format vscsi;
extern const Format vscsistats;
extern const Format csv;
extern const Format oracle_general;
extern const Format lcs;
extern const Format lirs;
extern const Format ids;
extern const Format etl;
extern const Format trace_cmd;
extern const Format parquet;

namespace {

constexpr std::array kFormats{
    &native,
    &blktrace,
    &blkparse,
    &ftrace,
    &perf_script,
    &biosnoop,
    &fio_iolog,
    &msr,
    &spc,
    &systor,
    &fiu,
    &alibaba,
    &tencent,
    &tectonic,
    &disksim,
    &mqsim,
    &hpl_srt,
    &xperf,
    &wpa,
    &vscsi,
    &vscsistats,
    &csv,
    &oracle_general,
    &lcs,
    &lirs,
    &ids,
    &etl,
    &trace_cmd,
    &parquet,
};

constexpr std::size_t kProbeBytes = 64 << 10;

const Format& recognise(const Probe& probe) {
  const Format* best = nullptr;
  const Format* rival = nullptr;
  Match match = Match::no;
  for (const Format* format : kFormats) {
    if (!format->detect) continue;
    const Match m = format->detect(probe);
    if (m > match) {
      best = format, rival = nullptr, match = m;
    } else if (m == match && m != Match::no) {
      rival = format;
    }
  }
  if (!best) {
    throw sim::DataError(
        fmt::format("{}: is in no format that iocast recognises; say --format F (`iocast formats` lists them), or "
                    "--map for a table with columns of its own",
                    probe.path));
  }
  if (rival) {
    throw sim::DataError(
        fmt::format("{}: could be {} or {}; say which with --format", probe.path, best->name, rival->name));
  }
  return *best;
}

// "disk.blktrace.0", also compressed.
bool is_per_cpu_name(std::string_view name) {
  const std::size_t at = name.rfind(".blktrace.");
  if (at == std::string_view::npos) return false;
  std::string_view rest = name.substr(at + 10);
  const std::size_t digits = rest.find_first_not_of("0123456789");
  if (digits == 0 || rest.empty()) return false;
  rest = digits == std::string_view::npos ? "" : rest.substr(digits);
  return rest.empty() || rest == ".gz" || rest == ".zst" || rest == ".xz" || rest == ".bz2" || rest == ".lz4";
}

// The files of a per-CPU set that `path` stands for: those in the folder, or those named PATH.blktrace.N. Sorted.
std::vector<std::string> per_cpu_set(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const bool folder = fs::is_directory(path, ignored);
  if (!folder && fs::exists(path, ignored)) return {};
  const fs::path where = folder ? fs::path(path) : fs::path(path).parent_path();
  const std::string prefix = folder ? "" : fs::path(path).filename().string() + ".blktrace.";
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(where.empty() ? fs::path(".") : where, ignored)) {
    const std::string name = entry.path().filename().string();
    // A CPU that saw nothing leaves an empty file, which is part of the set but holds nothing.
    if (name.starts_with(prefix) && is_per_cpu_name(name) && entry.file_size(ignored) > 0) {
      files.push_back((where.empty() ? fs::path(name) : where / name).string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<std::string_view> Probe::lines(std::size_t count) const {
  std::vector<std::string_view> lines;
  std::string_view rest = head;
  while (lines.size() < count && !rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos && !whole) break;
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return lines;
}

std::span<const Format* const> formats() { return kFormats; }

const Format& format_named(std::string_view name) {
  for (const Format* format : kFormats) {
    if (format->name == name) return *format;
  }
  std::vector<std::string_view> names;
  for (const Format* format : kFormats) names.push_back(format->name);
  throw sim::UsageError(fmt::format("there is no format '{}'; there are {}", name, fmt::join(names, " ")));
}

const Format& format_for_output(std::string_view path) {
  std::vector<std::string> endings;
  for (const Format* format : kFormats) {
    if (!format->create || format->extension.empty()) continue;
    if (path.ends_with(format->extension)) return *format;
    if (!format->other_extension.empty() && path.ends_with(format->other_extension)) return *format;
    endings.push_back(fmt::format("{} ({})", format->extension, format->name));
  }
  throw sim::UsageError(
      fmt::format("{}: cannot tell the format to write from this name; say --to F, or end it in one of {}", path,
                  fmt::join(endings, ", ")));
}

std::unique_ptr<Reader> open_trace(const std::string& path, std::string_view format_name, const ReadOptions& options) {
  if (const auto files = per_cpu_set(path); path != "-" && !files.empty()) {
    return format_named(format_name.empty() ? "blktrace" : format_name).open_files(files, options);
  }
  auto input = std::make_unique<Input>(path);
  const Format* format = nullptr;
  if (!format_name.empty()) {
    format = &format_named(format_name);
  } else if (!options.map.empty()) {
    format = &format_named("csv");
  } else {
    const std::string_view head = input->peek(kProbeBytes);
    format = &recognise({.path = path, .head = head.substr(0, kProbeBytes), .whole = head.size() < kProbeBytes});
  }
  if (format->open) return format->open(std::move(input), options);
  if (!format->open_files)
    throw sim::UsageError(fmt::format("{}: format {} can be written but not read", path, format->name));
  if (path == "-")
    throw sim::DataError(fmt::format("standard input: the {} format needs a file that can be sought in", format->name));
  if (input->compressed())
    throw sim::DataError(
        fmt::format("{}: decompress it first: the {} format needs a file that can be sought in", path, format->name));
  input.reset();
  return format->open_files({path}, options);
}

}  // namespace traces
