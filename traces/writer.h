// A writer puts requests into a file of one format. Nothing appears under the file's name before finish().
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "traces/info.h"
#include "traces/request.h"

namespace traces {

class Writer {
 public:
  virtual ~Writer() = default;
  // Requests in order of time. `info` is what is known so far; streams and processes named by the requests are in it.
  virtual void write(std::span<const Request>, const TraceInfo& info) = 0;
  // Completes the file. What the format could not hold is added to `notes`: "flushes, which the format has no word
  // for".
  virtual void finish(const TraceInfo& info, Findings& notes) = 0;
};

struct WriteOptions {
  std::string compress = "deflate";  // native: deflate or lz4
  unsigned threads = 1;
  std::string tool = "iocast";       // native: the program and version that is recorded as the writer
};

}  // namespace traces
