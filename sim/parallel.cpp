#include "sim/parallel.h"

#include <algorithm>
#include <thread>

#ifdef IOCAST_PLAIN_THREADS
#include <atomic>
#include <exception>
#include <mutex>
#include <vector>
#else
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#endif

namespace sim {

#ifdef IOCAST_PLAIN_THREADS

void for_each_index(std::size_t n, unsigned threads, const std::function<void(std::size_t)>& f) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr error;
  std::mutex mutex;
  const auto work = [&] {
    // Relaxed: the index is all that is shared; what f writes is published by the join.
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < n;) {
      try {
        f(i);
      } catch (...) {
        const std::scoped_lock lock(mutex);
        if (!error) error = std::current_exception();
        next = n;
      }
    }
  };
  {
    std::vector<std::jthread> workers;
    for (std::size_t k = 1; k < std::min<std::size_t>(std::max(threads, 1u), n); ++k) workers.emplace_back(work);
    work();
  }
  if (error) std::rethrow_exception(error);
}

unsigned available_threads() { return std::max(1u, std::thread::hardware_concurrency()); }

#else

void for_each_index(std::size_t n, unsigned threads, const std::function<void(std::size_t)>& f) {
  if (n <= 1 || threads <= 1) {
    for (std::size_t i = 0; i < n; ++i) f(i);
    return;
  }
  // Without this more threads than cores are refused, with a warning on standard error.
  const oneapi::tbb::global_control allowed(oneapi::tbb::global_control::max_allowed_parallelism, threads);
  oneapi::tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] { oneapi::tbb::parallel_for(std::size_t{0}, n, f, oneapi::tbb::simple_partitioner{}); });
}

unsigned available_threads() { return static_cast<unsigned>(std::max(1, oneapi::tbb::info::default_concurrency())); }

#endif

}  // namespace sim
