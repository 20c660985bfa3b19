#include <gtest/gtest.h>

#include "tests/support/records.h"
#include "tests/support/shared_data.h"

TEST(Parquet, IsRecognisedAndRefused) {
  const support::ScratchFolder folder;
  const std::string error = support::error_of(folder.file("x.parquet", "PAR1 and more"));
  EXPECT_NE(error.find("x.parquet: is Parquet"), std::string::npos) << error;
  EXPECT_NE(error.find("CSV"), std::string::npos) << error;
}

TEST(Parquet, IsRecognisedInTheSamples) {
  NEEDS_SHARED_DATA("samples/parquet/msr_sample.zstd.parquet");
  for (const char* name : {"zstd", "snappy", "uncompressed"}) {
    const auto path = support::shared_data("samples/parquet/msr_sample." + std::string(name) + ".parquet");
    EXPECT_NE(support::error_of(path).find("is Parquet"), std::string::npos) << path;
  }
}
