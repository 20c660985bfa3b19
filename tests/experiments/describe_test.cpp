// `iocast describe`, on traces whose description is known.
#include <gtest/gtest.h>

#include <cmath>

#include "sim/random.h"
#include "tests/support/program.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_files.h"

namespace {

using support::iocast;

const std::string kSample = IOCAST_SOURCE_DIR "/traces/samples/workstation.h5";

nlohmann::json describe(const std::string& arguments) {
  const auto result = iocast("describe --json " + arguments);
  EXPECT_EQ(result.status, 0) << result.err;
  return result.json();
}

bool warns(const nlohmann::json& document, const std::string& of) {
  for (const auto& warning : document["warnings"]) {
    if (warning.get<std::string>().find(of) != std::string::npos) return true;
  }
  return false;
}

TEST(Describe, TheSampleHasTheCountsOfItsPage) {
  for (const std::string ending : {".h5", ".blktrace.zst"}) {
    const auto document = describe(IOCAST_SOURCE_DIR "/traces/samples/workstation" + ending);
    const auto& trace = document["trace"];
    EXPECT_EQ(trace["requests"], 26'611);
    EXPECT_EQ(trace["reads"], 13'372);
    EXPECT_EQ(trace["writes"], 10'267);
    EXPECT_EQ(trace["discards"], 607);
    EXPECT_EQ(trace["flushes"], 2365);
    EXPECT_NEAR(trace["read_bytes"].get<double>() / (1 << 20), 227.1, 0.05);
    EXPECT_NEAR(trace["write_bytes"].get<double>() / (1 << 20), 128.0, 0.05);
    EXPECT_EQ(trace["footprint_blocks"], 35'202);
    EXPECT_EQ(trace["accesses"], 90'915);
    EXPECT_EQ(trace["level"], "Q");
    EXPECT_EQ(document["streams"].size(), 1u);
    EXPECT_EQ(document["streams"][0]["name"], "7,0");
  }
}

TEST(Describe, LevelDIsWhatTheDeviceGot) {
  const auto trace = describe(IOCAST_SOURCE_DIR "/traces/samples/workstation.blktrace.zst --level D")["trace"];
  EXPECT_EQ(trace["level"], "D");
  EXPECT_EQ(trace["reads"], 12'316);
  EXPECT_EQ(trace["writes"], 6446);
  EXPECT_EQ(trace["discards"], 607);
  // The page: median and 99th percentile from issue to completion.
  EXPECT_NEAR(trace["read_latency"]["latency_ns_p50"].get<double>(), 0.21e6, 0.006e6);
  EXPECT_NEAR(trace["read_latency"]["latency_ns_p99"].get<double>(), 3.5e6, 0.06e6);
}

TEST(Describe, AStatedZipfExponentIsFound) {
  // Requests for ranks drawn by the inverse of the cumulative distribution.
  for (const double exponent : {0.6, 1.0, 1.3}) {
    std::vector<double> cumulative;
    double sum = 0;
    for (int rank = 1; rank <= 20'000; ++rank) cumulative.push_back(sum += std::pow(rank, -exponent));
    std::string text;
    for (std::uint64_t i = 0; i < 400'000; ++i) {
      const double u = sim::to_unit(sim::random_word(5, i)) * sum;
      text += std::to_string(std::upper_bound(cumulative.begin(), cumulative.end(), u) - cumulative.begin()) + "\n";
    }
    const support::ScratchFolder folder;
    const auto trace = describe(folder.file("zipf.trace", text))["trace"];
    EXPECT_NEAR(trace["zipf_exponent"].get<double>(), exponent, 0.08) << exponent;
    EXPECT_GT(trace["zipf_r_squared"].get<double>(), 0.95);
  }
}

TEST(Describe, SequentialStreamsAreSeenAlsoWhenMixed) {
  std::string text = "time_s,op,offset_bytes,length_bytes\n";
  for (int i = 0; i < 300; ++i)
    text += std::to_string(i) + ",R," + std::to_string((i % 3) * 100'000'000LL + i / 3 * 65'536LL) + ",65536\n";
  const support::ScratchFolder folder;
  const auto trace = describe(folder.file("t.csv", text))["trace"];
  EXPECT_NEAR(trace["sequential_ratio"].get<double>(), 297.0 / 300, 1e-9);
}

TEST(Describe, ReuseIsCountedByHand) {
  // Blocks 1 1 2 3 1 2: distances 1, 3 (to 1 past 2 and 3) and 3 (to 2 past 3 and 1); 3 is accessed once.
  const support::ScratchFolder folder;
  const auto trace = describe(folder.file("t.trace", "1\n1\n2\n3\n1\n2\n"))["trace"];
  EXPECT_EQ(trace["footprint_blocks"], 3);
  EXPECT_NEAR(trace["one_hit_block_ratio"].get<double>(), 1.0 / 3, 1e-9);
  EXPECT_EQ(trace["reuse_distance_blocks_p10"], 1);
  EXPECT_EQ(trace["reuse_distance_blocks_p50"], 3);
  EXPECT_NEAR(trace["cold_access_ratio"].get<double>(), 0.5, 1e-9);
}

TEST(Describe, PoissonArrivalsHaveADispersionOfOne) {
  std::string text = "time_s,op,offset_bytes,length_bytes\n";
  double time = 0;
  for (std::uint64_t i = 0; i < 50'000; ++i) {
    time -= std::log(1 - sim::to_unit(sim::random_word(3, i))) / 100;
    text += std::to_string(time) + ",R,0,4096\n";
  }
  const support::ScratchFolder folder;
  EXPECT_NEAR(describe(folder.file("t.csv", text))["trace"]["dispersion_of_counts"].get<double>(), 1, 0.2);
}

TEST(Describe, QueueDepthIsLittlesLaw) {
  // Ten requests at once every second, 100 ms each: ten in the system a tenth of the time.
  std::string text = "time_s,op,offset_bytes,length_bytes,latency_ns\n";
  for (int i = 0; i < 1000; ++i)
    text += std::to_string(i / 10) + ",R," + std::to_string(i * 4096) + ",4096,100000000\n";
  const support::ScratchFolder folder;
  const auto trace = describe(folder.file("t.csv", text))["trace"];
  EXPECT_NEAR(trace["queue_depth_mean"].get<double>(), 1.0, 0.02);
  EXPECT_EQ(trace["queue_depth_max"], 10);
  EXPECT_NEAR(trace["latency_ns_mean"].get<double>(), 1e8, 1);
}

TEST(Describe, SaysWhatLooksWrong) {
  const support::ScratchFolder folder;
  const std::string head = "time_s,op,offset_bytes,length_bytes\n";
  EXPECT_TRUE(warns(describe(folder.file("back.csv", head + "5,R,0,4096\n3,R,0,4096\n6,R,0,4096\n")),
                    "earlier than one before"));
  EXPECT_TRUE(warns(describe(folder.file("empty.csv", head + "5,R,0,0\n6,R,0,4096\n")), "no length"));
  EXPECT_TRUE(warns(describe(folder.file("long.csv", head + "5,R,0,4096\n978307200,R,0,4096\n")),
                    "unit of its times"));  // 31 years
  EXPECT_TRUE(warns(describe(folder.file("huge.csv", head + "5,R,0,4096\n6,W,0,1000000000\n")), "unit of the sizes"));
  EXPECT_TRUE(warns(describe(folder.file("far.csv", head + "5,R,9000000000000000000,4096\n6,R,0,4096\n")),
                    "past their device"));
  EXPECT_FALSE(warns(describe(folder.file("fine.csv", head + "5,R,0,4096\n6,R,0,4096\n")), "unit of"));
}

TEST(Describe, LostEventsAreReportedOrSaidToBeUnknown) {
  NEEDS_SHARED_DATA("samples/blktrace_drops");
  const std::string drops = support::shared_data("samples/blktrace_drops/drops").string();
  const auto with_log = describe(drops + " --loss-log " + drops + ".log");
  EXPECT_EQ(with_log["trace"]["lost_events"], 20'108);
  EXPECT_TRUE(warns(with_log, "20,108"));
  const support::ScratchFolder folder;
  std::filesystem::copy(drops + ".blktrace.0", folder.path("d.blktrace.0"));
  std::filesystem::copy(drops + ".blktrace.1", folder.path("d.blktrace.1"));
  EXPECT_TRUE(describe(folder.path("d"))["trace"]["lost_events"].is_null());
  EXPECT_NE(iocast("describe " + folder.path("d")).out.find("whether events were lost is not recorded"),
            std::string::npos);
}

TEST(Describe, SeveralTracesAreDescribedOneByOne) {
  const auto document = describe(kSample + " " + kSample);
  EXPECT_EQ(document["traces"].size(), 2u);
  EXPECT_EQ(document["command"], "describe");
}

}  // namespace
