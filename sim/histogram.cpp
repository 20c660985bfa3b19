#include "sim/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sim {
namespace {

constexpr int kStepBits = 7;
constexpr std::uint64_t kSteps = 1 << kStepBits;

std::size_t index_of(std::uint64_t value) {
  if (value < 2 * kSteps) return value;
  const int shift = std::bit_width(value) - kStepBits - 1;
  return static_cast<std::size_t>(shift) * kSteps + (value >> shift);
}

// The largest value that counts at `index`.
std::uint64_t highest(std::size_t index) {
  if (index < 2 * kSteps) return index;
  const std::size_t shift = index / kSteps - 1;
  return ((index % kSteps + kSteps + 1) << shift) - 1;
}

}  // namespace

void Histogram::add(std::uint64_t value, std::uint64_t count) {
  const std::size_t index = index_of(value);
  if (index >= counters_.size()) counters_.resize(index + 1);
  counters_[index] += count;
  count_ += count;
  sum_ += static_cast<double>(value) * static_cast<double>(count);
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
}

void Histogram::add(const Histogram& other) {
  if (other.counters_.size() > counters_.size()) counters_.resize(other.counters_.size());
  for (std::size_t i = 0; i < other.counters_.size(); ++i) counters_[i] += other.counters_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

double Histogram::mean() const { return count_ ? sum_ / static_cast<double>(count_) : 0; }

std::uint64_t Histogram::quantile(double q) const {
  const auto wanted = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(q * static_cast<double>(count_))));
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    below += counters_[i];
    if (below >= wanted) return std::clamp(highest(i), min_, max_);
  }
  return max_;
}

}  // namespace sim
