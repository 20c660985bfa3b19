// `iocast curve`, run as a user runs it.
#include <gtest/gtest.h>

#include <set>

#include "tests/support/program.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_files.h"

namespace {

using support::iocast;

const std::string kSample = IOCAST_SOURCE_DIR "/traces/samples/workstation.h5";

// Two disks; the first is read twice over.
const std::string kTwoDisks =
    "time_s,disk,op,offset_bytes,length_bytes\n"
    "0,a,R,0,4096\n1,a,R,4096,4096\n2,b,W,0,8192\n3,a,R,0,4096\n4,a,R,4096,4096\n5,b,R,0,4096\n";

TEST(Curve, HasTheFieldsThatScriptsRelyOn) {
  const auto result = iocast("curve " + kSample + " --policy lru,arc --capacity 1%,10% --json --quiet");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto document = result.json();
  EXPECT_EQ(document["command"], "curve");
  for (const char* field : {"requests", "reads", "writes", "accesses", "block_bytes", "footprint_blocks",
                            "footprint_bytes", "duration_ns"}) {
    EXPECT_TRUE(document["trace"].contains(field)) << field;
  }
  ASSERT_EQ(document["rows"].size(), 4u);
  for (const auto& row : document["rows"]) {
    for (const char* field : {"policy",
                              "capacity_bytes",
                              "capacity_blocks",
                              "accesses",
                              "hits",
                              "hit_ratio",
                              "read_hit_ratio",
                              "write_hit_ratio",
                              "request_hit_ratio",
                              "byte_hit_ratio",
                              "cold_misses",
                              "backend_reads",
                              "backend_writes",
                              "backend_bytes",
                              "cache_write_bytes",
                              "backend_busy_ratio",
                              "trace",
                              "stream",
                              "method",
                              "sample_rate",
                              "hit_ratio_sampling_ci95",
                              "hit_ratio_window_p10",
                              "hit_ratio_window_p90"}) {
      EXPECT_TRUE(row.contains(field)) << field;
    }
  }
  EXPECT_EQ(document["rows"][0]["capacity_blocks"], 352);  // floor of 1% of 35,202
  EXPECT_EQ(document["rows"][0]["method"], "stack_distance");
  EXPECT_EQ(document["rows"][2]["method"], "simulated");
}

TEST(Curve, AgreesWithTheFiguresOnTheSamplesPage) {
  // There discards are ignored, and an independent script counted.
  const auto result = iocast(
      "curve " + kSample + " --ops read,write --capacity 352blocks,3520blocks,10560blocks,35202blocks --json --quiet");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto rows = result.json()["rows"];
  EXPECT_NEAR(rows[0]["hit_ratio"].get<double>(), 0.1084, 0.00005);
  EXPECT_NEAR(rows[1]["hit_ratio"].get<double>(), 0.2557, 0.00005);
  EXPECT_NEAR(rows[2]["hit_ratio"].get<double>(), 0.3774, 0.00005);
  EXPECT_NEAR(rows[3]["hit_ratio"].get<double>(), 0.6128, 0.00005);
  EXPECT_NEAR(rows[3]["read_hit_ratio"].get<double>(), 0.6479, 0.00005);
  EXPECT_NEAR(rows[3]["write_hit_ratio"].get<double>(), 0.5505, 0.00005);
}

TEST(Curve, PerStreamGivesOneCurveADisk) {
  const support::ScratchFolder folder;
  const auto result =
      iocast("curve " + folder.file("t.csv", kTwoDisks) + " --per-stream --capacity 100% --json --quiet");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto rows = result.json()["rows"];
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0]["stream"], "");
  EXPECT_EQ(rows[0]["hits"], 3);
  EXPECT_EQ(rows[0]["footprint_blocks"], 4);
  EXPECT_EQ(rows[1]["stream"], "a");
  EXPECT_EQ(rows[1]["hits"], 2);
  EXPECT_EQ(rows[1]["footprint_blocks"], 2);
  EXPECT_EQ(rows[2]["stream"], "b");
  EXPECT_EQ(rows[2]["hits"], 1);
}

TEST(Curve, FiltersComeBeforeTheFootprint) {
  const support::ScratchFolder folder;
  const std::string trace = folder.file("t.csv", kTwoDisks);
  EXPECT_EQ(iocast("curve " + trace + " --stream b --json --quiet --capacity 100%").json()["trace"]["footprint_blocks"],
            2);
  EXPECT_EQ(iocast("curve " + trace + " --ops write --json --quiet --capacity 100%").json()["trace"]["requests"], 1);
  EXPECT_EQ(iocast("curve " + trace + " --from-time 1s --to-time 3s --json --quiet --capacity 100%")
                .json()["trace"]["requests"],
            2);
  EXPECT_EQ(
      iocast("curve " + trace + " --offset-range 4096-8192 --json --quiet --capacity 100%").json()["trace"]["requests"],
      2);
  const auto missing = iocast("curve " + trace + " --stream c");
  EXPECT_EQ(missing.status, 1);
  EXPECT_NE(missing.err.find("no stream 'c'"), std::string::npos) << missing.err;
}

TEST(Curve, CapacitiesInEveryForm) {
  const auto result = iocast("curve " + kSample + " --capacity 10MiB,50%,1000blocks,log:3 --json --quiet");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto document = result.json();
  std::vector<int> sizes;
  for (const auto& row : document["rows"]) sizes.push_back(row["capacity_blocks"]);
  EXPECT_EQ(sizes, (std::vector<int>{2560, 17'601, 1000, 35, 1113, 35'202}));
}

TEST(Curve, WarmupIsOneCutForAllPolicies) {
  const std::string base = "curve " + kSample + " --policy lru,fifo --capacity 10% --json --quiet ";
  const auto requests = iocast(base + "--warmup 5322requests").json();
  EXPECT_EQ(requests["trace"]["warmup_requests"], 5322);
  EXPECT_EQ(iocast(base + "--warmup 20%").json()["rows"], requests["rows"]);  // of 26,611
  EXPECT_GT(iocast(base + "--warmup 1m").json()["trace"]["warmup_requests"], 5000);
  EXPECT_EQ(iocast(base + "--warmup 100%").status, 2);
}

TEST(Curve, ThreadsChangeNoByteOfTheResult) {
  const support::ScratchFolder folder;
  const std::string base =
      "curve " + kSample + " --policy lru,fifo,clock,sieve,arc,s3_fifo,belady --capacity log:5 --quiet ";
  for (const char* ending : {".json", ".h5"}) {
    const std::string one = folder.path(std::string("one") + ending), many = folder.path(std::string("many") + ending);
    ASSERT_EQ(iocast(base + "--threads 1 -o " + one).status, 0);
    ASSERT_EQ(iocast(base + "--threads 5 -o " + many).status, 0);
    EXPECT_EQ(support::slurp(one), support::slurp(many)) << ending;
    EXPECT_GT(support::slurp(one).size(), 1000u);
  }
}

TEST(Curve, SeveralTracesAreSeveralRowsAndMergeMakesOne) {
  const support::ScratchFolder folder;
  const std::string one = folder.file("one.csv", kTwoDisks), two = folder.file("two.csv", kTwoDisks);
  const auto apart = iocast("curve " + one + " " + two + " --capacity 100% --json --quiet").json();
  ASSERT_EQ(apart["rows"].size(), 2u);
  EXPECT_EQ(apart["rows"][1]["trace"], two);
  const auto merged = iocast("curve " + one + " " + two + " --merge --capacity 100% --json --quiet").json();
  ASSERT_EQ(merged["rows"].size(), 1u);
  EXPECT_EQ(merged["trace"]["requests"], 12);
  EXPECT_EQ(merged["trace"]["footprint_blocks"], 4);  // the same disks
  const auto distinct =
      iocast("curve " + one + " " + two + " --merge --keep-apart --capacity 100% --json --quiet").json();
  EXPECT_EQ(distinct["trace"]["footprint_blocks"], 8);
}

TEST(Curve, BackendBusyIsSeeksAndTransfersOverTime) {
  const support::ScratchFolder folder;
  const auto result = iocast("curve " + folder.file("t.csv", kTwoDisks) +
                             " --capacity 100% --backend-seek 10ms --backend-rate 1MB/s --json --quiet");
  ASSERT_EQ(result.status, 0) << result.err;
  // Two reads of one block miss, and the write goes through: 3 seeks, 16 KiB, in 5 s.
  EXPECT_NEAR(result.json()["rows"][0]["backend_busy_ratio"].get<double>(), (3 * 0.010 + 16'384 / 1e6) / 5, 1e-12);
}

TEST(Curve, ObjectTracesCountRequests) {
  const support::ScratchFolder folder;
  const std::string trace = folder.file("t.trace", "1\n2\n3\n1\n2\n3\n");
  const auto result = iocast("curve " + trace + " --capacity 3blocks,2blocks --json --quiet").json();
  EXPECT_EQ(result["trace"]["granularity"], "request");
  EXPECT_EQ(result["rows"][0]["hits"], 3);
  EXPECT_EQ(result["rows"][1]["hits"], 0);
  EXPECT_NE(iocast("curve " + trace + " --granularity block").err.find("not addresses"), std::string::npos);
}

TEST(Curve, WrongUsageIsOneLineAndStatusTwo) {
  for (const char* arguments :
       {"--policy lrru", "--capacity 10XB", "--capacity 0", "--block 0", "--granularity x", "--warmup x", "--compat y",
        "--bogus", "--threads 0", "--policy s3_fifo:nope=1", "-o x.txt", "--capacity log:x", "--keep-apart"}) {
    const auto result = iocast("curve " + kSample + " " + arguments);
    EXPECT_EQ(result.status, 2) << arguments << ": " << result.err;
    EXPECT_TRUE(result.err.starts_with("iocast: ")) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(result.out, "") << arguments;
  }
}

struct Reference {
  std::string policy;
  std::uint32_t capacity;
  std::uint64_t misses;
};

// A few rows of the reference by the way of the command line; all of them are in tests/policies/reference_test.cpp.
TEST(Curve, CompatLibcachesimCountsAsTheReferenceDoes) {
  NEEDS_SHARED_DATA("traces/cloudPhysicsIO.vscsi");
  const auto result = iocast("curve " + support::shared_data("traces/cloudPhysicsIO.vscsi").string() +
                             " --compat libcachesim --policy lru,fifo,clock,sieve,arc,s3_fifo,belady --capacity "
                             "0.1%,1%,10%,30% --json --quiet");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto document = result.json();
  EXPECT_EQ(document["trace"]["footprint_blocks"], 48'974);
  const std::vector<std::vector<int>> misses{{102823, 95420, 91657, 75247}, {103859, 96518, 91716, 72880},
                                             {102599, 95332, 91599, 76344}, {100308, 94419, 90040, 72061},
                                             {99870, 94229, 88002, 68341},  {99775, 94569, 86006, 66427},
                                             {96517, 90263, 71620, 57151}};
  for (std::size_t p = 0; p < misses.size(); ++p) {
    for (std::size_t c = 0; c < 4; ++c) {
      const auto& row = document["rows"][p * 4 + c];
      EXPECT_EQ(row["accesses"].get<int>() - row["hits"].get<int>(), misses[p][c])
          << row["policy"] << " " << row["capacity_blocks"];
    }
  }
}

// The rows of a curve of the sample.
nlohmann::json rows(const std::string& arguments) {
  const auto result = iocast("curve " + kSample + " --json --quiet " + arguments);
  EXPECT_EQ(result.status, 0) << result.err;
  return result.status == 0 ? result.json()["rows"] : nlohmann::json::array();
}

TEST(Curve, MemoryChangesNothingInTheResult) {
  const support::ScratchFolder folder;
  for (const std::string more :
       {"--policy lru,sieve,arc --warmup 20% --window 20s --writes update",
        "--sample 0.05 --policy lru,s3_fifo --warmup 30s", "--ops read,write --from-time 30s"}) {
    const auto whole = iocast("curve " + kSample + " --json --quiet --capacity 1%,10% " + more);
    const auto pieces = iocast("curve " + kSample + " --json --quiet --capacity 1%,10% --memory 4kB " + more);
    ASSERT_EQ(whole.status, 0) << whole.err;
    EXPECT_EQ(whole.out, pieces.out) << more;
  }
}

TEST(Curve, ReadsStandardInput) {
  const support::ScratchFolder folder;
  const std::string trace = folder.file("t.csv", kTwoDisks);
  const auto result = support::shell("cat " + trace + " | {} curve - --capacity 100% --json --quiet");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.json()["rows"][0]["hits"], 3);
}

TEST(Curve, RelativeToAddsThePolicyAndTheReduction) {
  const auto table = rows("--policy arc --relative-to fifo --capacity 10%");
  ASSERT_EQ(table.size(), 2u);
  const auto misses = [&](int row) { return table[row]["accesses"].get<double>() - table[row]["hits"].get<double>(); };
  EXPECT_EQ(table[1]["policy"], "fifo");
  EXPECT_EQ(table[1]["miss_reduction"], 0.0);
  EXPECT_NEAR(table[0]["miss_reduction"].get<double>(), 1 - misses(0) / misses(1), 1e-12);
}

TEST(Curve, BackendLoadFollowsFromSeekAndRate) {
  const auto table = rows("--capacity 10% --backend-seek 8ms --backend-rate 150MB/s");
  const auto& row = table[0];
  const double busy = (row["backend_reads"].get<double>() + row["backend_writes"].get<double>()) * 8e-3 +
                      row["backend_bytes"].get<double>() / 150e6;
  const double duration =
      iocast("curve " + kSample + " --json --quiet").json()["trace"]["duration_ns"].get<double>() / 1e9;
  EXPECT_NEAR(row["backend_busy_ratio"].get<double>(), busy / duration, 1e-9);
  EXPECT_GE(row["backend_busy_ratio_busiest_window"], row["backend_busy_ratio"]);
}

TEST(Curve, WindowsAreATableOfTheirOwn) {
  const support::ScratchFolder folder;
  const std::string file = folder.path("w.h5");
  const auto result =
      iocast("curve " + kSample + " --capacity 1%,10% --policy lru,fifo --window 30s --json --quiet -o " + file);
  ASSERT_EQ(result.status, 0) << result.err;
  const auto document = result.json();
  ASSERT_EQ(document["windows"].size(), 4u * 6);
  std::uint64_t hits = 0;
  for (int w = 0; w < 6; ++w) hits += document["windows"][w]["hits"].get<std::uint64_t>();
  EXPECT_EQ(hits, document["rows"][0]["hits"]);
  EXPECT_GT(document["windows"][0]["working_set_blocks"], 0);
}

TEST(Curve, SecondLevelCountsWhatTheFirstMisses) {
  const auto first = rows("--capacity 1%");
  const auto second = rows("--behind lru:1% --capacity 10%");
  EXPECT_EQ(second[0]["accesses"], first[0]["accesses"].get<int>() - first[0]["hits"].get<int>());
  const auto exclusive = rows("--ops read,write --behind lru:352blocks --exclusive --capacity 3520blocks");
  const auto one = rows("--ops read,write --capacity 3872blocks");
  EXPECT_NEAR(exclusive[0]["hit_ratio_both_levels"].get<double>(), one[0]["hit_ratio"].get<double>(), 1e-3);
}

TEST(Curve, SampledRowsSayWhatTheyAre) {
  const auto exact = rows("--capacity 3520blocks --policy lru,arc");
  const auto estimate = rows("--capacity 3520blocks --policy lru,arc --sample 0.1");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(estimate[i]["method"], "sampled");
    EXPECT_EQ(estimate[i]["sample_rate"], 0.1);
    EXPECT_EQ(estimate[i]["sampled_capacity_blocks"], 352);
    EXPECT_EQ(estimate[i]["accesses"], exact[i]["accesses"]);
    EXPECT_TRUE(estimate[i]["backend_reads"].is_null());
    EXPECT_NEAR(estimate[i]["hit_ratio"].get<double>(), exact[i]["hit_ratio"].get<double>(),
                2 * estimate[i]["hit_ratio_sampling_ci95"].get<double>());
  }
  EXPECT_NE(rows("--capacity 3520blocks --sample 0.1 --seed 2")[0]["hits"], estimate[0]["hits"]);
}

TEST(Curve, UselessCombinationsAreSaid) {
  for (const auto& [arguments, complaint] : std::vector<std::pair<std::string, std::string>>{
           {"--writes sometimes", "allocate, update, invalidate or bypass"},
           {"--exclusive", "goes with --behind"},
           {"--write-back --writes update", "needs --writes allocate"},
           {"--sample 2", "--sample"},
           {"--sample auto:x", "--sample"},
           {"--behind lru", "POLICY:SIZE"},
           {"--behind lru:1GiB --sample 0.1", "does not go with"},
           {"--admission nonsense", "nonsense"},
           {"--seed 3", "goes with --sample"},
           {"--write-back --policy lirs:variant=libcachesim", "comparing hit counts"},
           {"--window 1ns", "at most"},
           {"--relative-to lru,fifo", "one policy"}}) {
    const auto result = iocast("curve " + kSample + " " + arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_NE(result.err.find(complaint), std::string::npos) << arguments << ": " << result.err;
  }
}

}  // namespace
