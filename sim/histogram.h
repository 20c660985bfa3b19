// How often each value of a wide range occurs, within 0.8% of the value: counters for every value up to 256, then for
// 128 equal steps in each doubling (the layout of Gil Tene's HdrHistogram). 58 KB, O(1) an addition, and two histograms
// of parts of the data add up to the histogram of all.
#pragma once

#include <cstdint>
#include <vector>

namespace sim {

class Histogram {
 public:
  void add(std::uint64_t value, std::uint64_t count = 1);
  void add(const Histogram&);

  std::uint64_t count() const { return count_; }
  double mean() const;                                     // exact; 0 of nothing
  std::uint64_t min() const { return count_ ? min_ : 0; }  // exact
  std::uint64_t max() const { return max_; }               // exact
  // The smallest value that at least a share `q` (0 .. 1) of all values do not exceed, to within 0.8%; 0 of nothing.
  std::uint64_t quantile(double q) const;

 private:
  std::vector<std::uint64_t> counters_;  // as long as the largest value so far needs
  std::uint64_t count_ = 0, min_ = UINT64_MAX, max_ = 0;
  double sum_ = 0;
};

}  // namespace sim
