#include <gtest/gtest.h>

#include "tests/support/captures.h"

TEST(TraceCmd, SaysWhatToGiveInstead) {
  NEEDS_SHARED_DATA("samples/trace_cmd");
  for (const char* name : {"tc.dat.gz", "tc_v6.dat.gz"}) {
    try {
      support::read_all(support::shared_data(std::string("samples/trace_cmd/") + name).string());
      FAIL();
    } catch (const sim::DataError& error) {
      EXPECT_NE(std::string(error.what()).find("run `trace-cmd report -t -i "), std::string::npos) << error.what();
    }
  }
}
