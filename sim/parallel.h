// The one seam through which all parallelism goes. TBB, or plain threads with -DIOCAST_PLAIN_THREADS=ON for builds
// that look for data races (ThreadSanitizer does not see into the distribution's TBB).
#pragma once

#include <cstddef>
#include <functional>

namespace sim {

// Calls f(0) ... f(n - 1), each once, on up to `threads` threads (at least one) in no stated order, and returns when
// all have returned. If calls throw, one of the exceptions is thrown here once every running call has ended.
void for_each_index(std::size_t n, unsigned threads, const std::function<void(std::size_t)>& f);

// The cores that this process may use.
unsigned available_threads();

}  // namespace sim
