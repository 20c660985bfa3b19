#include "sim/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sim/random.h"

namespace {

TEST(Histogram, QuantilesAreWithinItsErrorOfTheExactOnes) {
  sim::Histogram histogram;
  std::vector<std::uint64_t> values;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const auto value = static_cast<std::uint64_t>(std::exp2(40 * sim::to_unit(sim::random_word(1, i))));
    values.push_back(value);
    histogram.add(value);
  }
  std::sort(values.begin(), values.end());
  for (const double q : {0.0001, 0.1, 0.5, 0.9, 0.999, 1.0}) {
    const auto exact = values[static_cast<std::size_t>(std::ceil(q * 20'000)) - 1];
    EXPECT_NEAR(static_cast<double>(histogram.quantile(q)), static_cast<double>(exact), 0.008 * static_cast<double>(exact)) << q;
  }
  EXPECT_EQ(histogram.min(), values.front());
  EXPECT_EQ(histogram.max(), values.back());
}

TEST(Histogram, SmallValuesAreExact) {
  sim::Histogram histogram;
  for (std::uint64_t value = 1; value <= 100; ++value) histogram.add(value);
  EXPECT_EQ(histogram.quantile(0.5), 50u);
  EXPECT_EQ(histogram.quantile(0.99), 99u);
  EXPECT_DOUBLE_EQ(histogram.mean(), 50.5);
}

TEST(Histogram, PartsAddUp) {
  sim::Histogram all, odd, even;
  for (std::uint64_t i = 0; i < 5'000; ++i) {
    const std::uint64_t value = sim::random_word(2, i) >> (i % 50);
    all.add(value);
    (i % 2 ? odd : even).add(value);
  }
  odd.add(even);
  for (double q = 0; q <= 1; q += 0.05) EXPECT_EQ(odd.quantile(q), all.quantile(q));
  EXPECT_EQ(odd.count(), all.count());
}

TEST(Histogram, TakesTheLargestValue) {
  sim::Histogram histogram;
  histogram.add(UINT64_MAX);
  EXPECT_EQ(histogram.quantile(0.5), UINT64_MAX);
}

TEST(Histogram, OfNothing) {
  const sim::Histogram histogram;
  EXPECT_EQ(histogram.quantile(0.5), 0u);
  EXPECT_EQ(histogram.min(), 0u);
  EXPECT_EQ(histogram.mean(), 0);
}

}  // namespace
