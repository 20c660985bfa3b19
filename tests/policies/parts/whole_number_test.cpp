#include "policies/parts/whole_number.h"

#include <gtest/gtest.h>

namespace {

std::uint32_t whole(const std::string& value, std::uint32_t least, std::uint32_t most) {
  return policies::whole_number(policies::Settings({{"count", value}}), "count", least, most);
}

TEST(WholeNumber, IsWholeAndWithinItsBounds) {
  EXPECT_EQ(whole("1", 1, 9), 1u);
  EXPECT_EQ(whole("9", 1, 9), 9u);
  EXPECT_EQ(whole("4294967295", 0, UINT32_MAX), UINT32_MAX);
  for (const char* bad : {"0", "10", "1.5", "-1", "1e300", "x", ""}) {
    EXPECT_THROW(whole(bad, 1, 9), sim::UsageError) << bad;
  }
}

TEST(WholeNumber, SaysWhatWouldBeRight) {
  try {
    whole("12", 1, 9);
    FAIL();
  } catch (const sim::UsageError& error) { EXPECT_STREQ(error.what(), "count is a whole number, 1 to 9, not '12'"); }
}

}  // namespace
