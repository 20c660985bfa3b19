// trace-cmd's own files, which are recognised so that the user is told what to give instead.
#include "traces/registry.h"

namespace traces {
namespace {

using namespace std::string_view_literals;

Match detect(const Probe& probe) {
  return probe.head.starts_with("\x17\x08\x44tracing"sv) ? Match::certain : Match::no;
}

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions&) {
  throw sim::DataError(input->path() + ": is a trace-cmd file: run `trace-cmd report -t -i " + input->path() +
                       "` and give its text");
}

}  // namespace

extern const Format trace_cmd{
    .name = "trace_cmd",
    .summary = "trace-cmd's trace.dat (not read: give the text of `trace-cmd report -t`)",
    .description =
        R"(Files that trace-cmd record writes, versions 6 and 7. They are recognised but not read: their layout is
that of the kernel that wrote them. `trace-cmd report -t -i FILE` prints the events, with times in nanoseconds, in the
format that is called ftrace here.

Source: trace-cmd.dat.v6(5), trace-cmd.dat.v7(5).
)",
    .detect = detect,
    .open = open,
    .refused = true,
};

}  // namespace traces
