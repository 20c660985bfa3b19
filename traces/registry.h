// Every trace format that iocast knows: the word on the command line, how to recognise it, and its reader and writer.
// A format is one file in formats/ without a header, which defines one `Format`, and one line in registry.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traces/input.h"
#include "traces/reader.h"
#include "traces/writer.h"

namespace traces {

// The beginning of a file, decompressed, for recognising what it is.
struct Probe {
  std::string_view path;  // as the user gave it
  std::string_view head;  // up to 64 KiB
  bool whole = false;     // head is the whole file

  // The first complete lines without their line ends, at most `count`.
  std::vector<std::string_view> lines(std::size_t count) const;
};

// How sure a format is that a file is its own. The surest wins.
enum class Match : int {
  no = 0,
  name_only = 10,  // nothing in the content tells it from others, but the file's name does
  shape = 50,      // every line looked at has the right number and kind of fields
  likely = 80,     // fields that hardly anything else has
  header = 90,     // a header line of column names that a generic table may have
  certain = 100    // a magic number or a header line
};

struct Format {
  std::string_view name;         // "msr": the word on the command line and the file in formats/
  std::string_view summary;      // one line: "MSR Cambridge (SNIA 388) CSV"
  std::string_view description;  // columns with units, quirks, how streams are named, and the source for all of it
  Match (*detect)(const Probe&) = nullptr;
  // Null when the format is only written. Throws DataError.
  std::unique_ptr<Reader> (*open)(std::unique_ptr<Input>, const ReadOptions&) = nullptr;
  // For formats that need a file rather than a stream, or several files: given every path that makes up the trace.
  std::unique_ptr<Reader> (*open_files)(const std::vector<std::string>& paths, const ReadOptions&) = nullptr;
  // Null when the format is only read. `path` may be "-" where `streams_out`.
  std::unique_ptr<Writer> (*create)(const std::string& path, const WriteOptions&) = nullptr;
  bool refused = false;          // recognised only to say what to do instead: `open` throws
  bool streams_out = true;       // can be written to standard output
  std::string_view extension{};  // file names that end so are written in this format: ".csv"; empty: none
  std::string_view other_extension{};  // another such ending
};

std::span<const Format* const> formats();
// Throws UsageError that lists the names there are.
const Format& format_named(std::string_view name);
// The writable format that the output's name ends in. Throws UsageError when none does.
const Format& format_for_output(std::string_view path);

// Opens a trace: a file, "-", the common NAME of a per-CPU set `NAME.blktrace.N`, or a folder of such. `format` empty:
// recognised from the content, then the name. Throws DataError, UsageError.
std::unique_ptr<Reader> open_trace(const std::string& path, std::string_view format, const ReadOptions&);

}  // namespace traces
