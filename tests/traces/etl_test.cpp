#include <gtest/gtest.h>

#include "tests/support/captures.h"

TEST(Etl, SaysWhatToGiveInstead) {
  NEEDS_SHARED_DATA("samples/etl");
  for (const char* name : {"net.4.5.2.x86.cut.compressed.etl", "net.4.5.2.x86.cut.uncompressed.etl"}) {
    try {
      support::read_all(support::shared_data(std::string("samples/etl/") + name).string());
      FAIL();
    } catch (const sim::DataError& error) {
      EXPECT_NE(std::string(error.what()).find("-o trace.csv -a dumper"), std::string::npos) << error.what();
    }
  }
}
