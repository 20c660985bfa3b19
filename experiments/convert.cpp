// `iocast convert IN... -o OUT`
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "experiments/command.h"
#include "experiments/table.h"
#include "experiments/trace_options.h"
#include "sim/error.h"
#include "traces/order.h"
#include "traces/registry.h"

namespace experiments {
namespace {

// Where converted requests go: one file, or one a stream.
class Destination {
 public:
  Destination(std::string path, const traces::Format& format, traces::WriteOptions options, bool split)
      : path_(std::move(path)), format_(format), options_(std::move(options)), split_(split) {
    if (!split_) writers_.emplace(0, format_.create(path_, options_));
  }

  void write(const traces::Batch& batch, const traces::TraceInfo& info) {
    written_ += batch.requests().size();
    if (!split_) {
      writers_.at(0)->write(batch.requests(), info);
      return;
    }
    std::map<traces::StreamId, std::vector<traces::Request>> parts;
    for (const traces::Request& request : batch.requests()) parts[request.stream].push_back(request);
    for (const auto& [stream, requests] : parts) writer(stream, info).write(requests, info);
  }

  void finish(const traces::TraceInfo& info, traces::Findings& notes) {
    for (auto& [stream, writer] : writers_) writer->finish(info, notes);
  }

  std::uint64_t written() const { return written_; }
  std::size_t files() const { return writers_.size(); }

 private:
  traces::Writer& writer(traces::StreamId stream, const traces::TraceInfo& info) {
    auto& writer = writers_[stream];
    if (!writer) {
      constexpr std::size_t kMaxFiles = 500;
      if (writers_.size() > kMaxFiles)
        throw sim::DataError(fmt::format("more than {} streams: take some at a time with --stream", kMaxFiles));
      writer = format_.create(path_of(info.streams.names().at(stream)), options_);
    }
    return *writer;
  }

  // "out.h5" for stream "hm_0" becomes "out-hm_0.h5".
  std::string path_of(std::string stream) const {
    std::replace_if(
        stream.begin(), stream.end(), [](char c) { return c == '/' || c == ' '; }, '_');
    const std::size_t slash = path_.rfind('/');
    const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
    const std::string_view ending =
        path_.ends_with(format_.extension)
            ? format_.extension
            : std::string_view(path_).substr(std::min(path_.find('.', name + 1), path_.size()));
    return path_.substr(0, path_.size() - ending.size()) + "-" + stream + std::string(ending);
  }

  std::string path_;
  const traces::Format& format_;
  traces::WriteOptions options_;
  bool split_;
  std::map<traces::StreamId, std::unique_ptr<traces::Writer>> writers_;
  std::uint64_t written_ = 0;
};

const traces::Format& output_format(const Arguments& arguments, const std::string& path) {
  if (!arguments.has("to")) {
    if (path == "-") throw sim::UsageError("--to F is needed to write to standard output");
    return traces::format_for_output(path);
  }
  const traces::Format& format = traces::format_named(arguments.text("to"));
  if (!format.create) throw sim::UsageError(fmt::format("the {} format can be read but not written", format.name));
  return format;
}

void add_output_options(po::options_description& options) {
  // clang-format off
  options.add_options()
      ("output,o", text_value("OUT"), "the file to write; - is standard output")
      ("to", text_value("F"), "its format (default: from its name: .h5 is native)")
      ("from", text_value("F"), "the format of the inputs, as --format")
      ("split", text_value("stream"), "a file for each stream: OUT-STREAM")
      ("sample", text_value("R"), "keep the share R of all blocks, chosen by a hash of the block: 0.01, 1%")
      ("block", text_value("SIZE"), "the block that --sample keeps or not (default 4KiB)")
      ("sort-window", text_value("N"), "requests held back to put them in order of time (default 100000)")
      ("compress", text_value("C"), "of native files: deflate (any reader of HDF5 opens it) or lz4 (faster, needs its plug-in)");
  // clang-format on
}

double parse_rate(std::string text) {
  const bool share = text.ends_with('%');
  if (share) text.pop_back();
  char* end = nullptr;
  const double rate = std::strtod(text.c_str(), &end) / (share ? 100 : 1);
  if (text.empty() || *end || !(rate > 0 && rate <= 1))
    throw sim::UsageError("--sample is a share from above 0 to 1, such as 0.01 or 1%");
  return rate;
}

std::unique_ptr<traces::Reader> open(const Arguments& arguments, const TraceSource& source) {
  traces::Filter filter = filter_of(arguments);
  if (arguments.has("sample")) filter.sample = parse_rate(arguments.text("sample"));
  if (arguments.has("block")) filter.sample_block = sim::parse_bytes(arguments.text("block"));
  if (filter.sample_block.count < 1) throw sim::UsageError("--block is at least one byte");
  const std::uint64_t window =
      arguments.has("sort-window") ? whole_number(arguments.text("sort-window"), "--sort-window") : traces::kSortWindow;
  auto reader = traces::sorted(open_source(source, arguments), window);
  return traces::filtered(std::move(reader), std::move(filter));
}

int run(const Arguments& given) {
  Arguments arguments = given;
  arguments.need_inputs(1, SIZE_MAX, "trace");
  if (!arguments.has("output")) throw sim::UsageError("where to? Say -o OUT");
  if (arguments.has("split") && arguments.text("split") != "stream") throw sim::UsageError("--split knows only stream");
  if (arguments.has("from")) {
    arguments.values.erase("format");
    arguments.values.emplace("format", arguments.values["from"]);
  }
  const std::string path = arguments.text("output");
  const traces::Format& format = output_format(arguments, path);
  if (path == "-" && (!format.streams_out || arguments.has("split"))) {
    throw sim::UsageError(fmt::format("the {} format{} cannot go to standard output: name a file", format.name,
                                      arguments.has("split") ? " split in several files" : ""));
  }
  traces::WriteOptions options;
  options.threads = arguments.threads;
  options.tool = version();
  if (arguments.has("compress")) options.compress = arguments.text("compress");

  TraceSource source{arguments.inputs[0], arguments.inputs};
  if (arguments.inputs.size() > 1) source.name = "merged";
  const auto reader = open(arguments, source);
  Destination destination(path, format, options, arguments.has("split"));
  traces::Batch batch;
  const auto bar = progress_bar(arguments.quiet, "converting");
  const auto expected = reader->size_hint();
  while (reader->next(batch)) {
    destination.write(batch, reader->info());
    if (bar && expected) bar(static_cast<double>(destination.written()) / static_cast<double>(*expected));
  }
  if (!destination.written())
    throw sim::DataError(source.name + ": no request is in the trace, or none passes the filters");
  traces::Findings notes;
  destination.finish(reader->info(), notes);

  std::vector<std::string> list = warnings(reader->info());
  for (const auto& note : notes.all()) list.push_back(fmt::format("{} {}", grouped(note.count), note.what));
  if (arguments.json && path != "-") {
    print_json({{"command", "convert"},
                {"requests", destination.written()},
                {"format", format.name},
                {"output", path},
                {"files", destination.files()},
                {"warnings", list}});
    return 0;
  }
  for (const std::string& warning : list) std::cerr << "iocast: warning: " << source.name << ": " << warning << "\n";
  if (path != "-" && !arguments.quiet) {
    std::cout << fmt::format("{}: {} requests, {} format{}\n", path, grouped(destination.written()), format.name,
                             destination.files() > 1 ? fmt::format(", in {} files", destination.files()) : "");
  }
  return 0;
}

}  // namespace

extern const Command convert;
const Command convert{
    .name = "convert",
    .arguments = "IN... -o OUT",
    .summary = "read any trace, write it in another format; filter, merge, split or sample it",
    .help = R"(  iocast convert disk -o disk.h5                          (disk.blktrace.0, .1, ... into one native file)
  iocast convert day1.csv.gz day2.csv.gz -o week.h5       (merged by time)
  iocast convert trace.h5 -o - --to fio_iolog --ops read,write > trace.iolog
  iocast convert trace.h5 -o small.h5 --sample 1%

Streams in bounded memory. Several inputs are merged by time. The output appears whole or not at all.
)",
    .add_options =
        [](po::options_description& options) {
          add_output_options(options);
          add_trace_options(options);
        },
    .run = run,
};

}  // namespace experiments
