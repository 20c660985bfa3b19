// Event traces of Windows, which are recognised so that the user is told what to give instead.
#include <cstring>

#include "traces/registry.h"

namespace traces {
namespace {

// The file begins with a buffer whose header (72 bytes) says that it is the first (type 4), and whose first event is
// the log file's header: group 0, opcode 0, in a system header of 32 or 64 bits.
Match detect(const Probe& probe) {
  if (probe.head.size() < 80) return Match::no;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(probe.head[at]); };
  std::uint32_t buffer_size;
  std::memcpy(&buffer_size, probe.head.data(), sizeof buffer_size);
  const bool first_buffer = buffer_size >= 80 && buffer_size <= 64 << 20 && byte(54) == 4 && byte(55) == 0;
  const bool header_event = (byte(74) == 1 || byte(74) == 2) && byte(75) & 0x80 && byte(78) == 0 && byte(79) == 0;
  return first_buffer && header_event ? Match::certain : Match::no;
}

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions&) {
  throw sim::DataError(input->path() + ": is a Windows event trace (.etl): export it with `xperf -i " + input->path() +
                       " -o trace.csv -a dumper`, or the disk table of Windows Performance Analyzer, and give that");
}

}  // namespace

extern const Format etl{
    .name = "etl",
    .summary = "Windows event trace (not read: give what `xperf -a dumper` exports)",
    .description = R"(Files that ETW sessions write (xperf, wpr, logman). They are recognised but not read: on Windows,
`xperf -i TRACE.etl -o TRACE.csv -a dumper` exports them as text that is read, and so does Windows Performance Analyzer.

Source: the buffer and event headers that Microsoft's public headers (wmistr.h, evntrace.h) declare.
)",
    .detect = detect,
    .open = open,
    .refused = true,
};

}  // namespace traces
