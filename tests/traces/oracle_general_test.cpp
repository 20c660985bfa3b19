#include <gtest/gtest.h>

#include <set>

#include "sim/random.h"
#include "tests/support/garble.h"
#include "tests/support/records.h"
#include "tests/support/shared_data.h"

namespace {

using support::bytes;
using traces::Op;

std::string record(std::uint32_t time, std::uint64_t id, std::uint32_t size, std::int64_t next) {
  return bytes(time) + bytes(id) + bytes(size) + bytes(next);
}

traces::Request request(std::int64_t second, std::uint64_t offset, Op op = Op::read, std::uint16_t stream = 0) {
  traces::Request request;
  request.time = {{second * 1'000'000'000}};
  request.offset = {offset};
  request.length = {4096};
  request.op = op;
  request.stream = stream;
  return request;
}

TEST(OracleGeneral, IsRecognisedByItsNextUses) {
  const support::ScratchFolder folder;
  const auto trace =
      support::read_all(folder.file("x.bin", record(5, 70, 512, 3) + record(5, 80, 0, -1) + record(6, 70, 1024, -1)));
  EXPECT_EQ(trace.info.format, "oracle_general");
  EXPECT_EQ(trace.info.granularity, traces::Granularity::request);
  ASSERT_EQ(trace.requests.size(), 2u);
  EXPECT_EQ(trace.requests[1].time.since_origin.count, 6'000'000'000);
  EXPECT_EQ(trace.requests[1].offset.bytes, 70u);
  EXPECT_EQ(trace.requests[1].length.count, 1024);
  ASSERT_EQ(trace.info.findings.all().size(), 1u);
  EXPECT_NE(trace.info.findings.all()[0].first.find("record 2 (byte 24)"), std::string::npos);
}

TEST(OracleGeneral, IsNotSeenInOtherBytes) {
  const support::ScratchFolder folder;
  const std::string odd = record(5, 70, 512, 3) + record(5, 80, 1, -1) + record(6, 71, 1024, -1);  // 3 is not 70
  EXPECT_NE(support::error_of(folder.file("x.bin", odd)).find("in no format"), std::string::npos);
  EXPECT_NE(support::error_of(folder.file("y.bin", std::string(4800, '\x7f'))).find("in no format"), std::string::npos);
}

TEST(OracleGeneral, NamesACutRecord) {
  const support::ScratchFolder folder;
  const std::string error = support::error_of(folder.file("x.bin", record(1, 1, 1, -1) + "12345"), "oracle_general");
  EXPECT_NE(error.find("x.bin:record 2 (byte 24): the file ends 5 bytes"), std::string::npos) << error;
}

// Written by libCacheSim's people: next uses and all come out the same.
TEST(OracleGeneral, WritesTheSameBytesAsItsOwnSource) {
  NEEDS_SHARED_DATA("traces/cloudPhysicsIO.oracleGeneral.bin");
  const support::ScratchFolder folder;
  const auto path = support::shared_data("traces/cloudPhysicsIO.oracleGeneral.bin");
  const auto trace = support::read_all(path);
  ASSERT_EQ(trace.requests.size(), 113'872u);
  const auto notes = support::write_all(trace, folder.path("x.oracleGeneral.bin"), "oracle_general");
  EXPECT_TRUE(notes.all().empty());
  EXPECT_TRUE(support::slurp(folder.path("x.oracleGeneral.bin")) == support::slurp(path));
}

// The ids, times and next uses that libCacheSim has for the block trace; its sizes are those first seen of each id.
TEST(OracleGeneral, WritesBlockTracesAsLibCacheSimDoes) {
  NEEDS_SHARED_DATA("traces/cloudPhysicsIO.oracleGeneral.bin");
  const support::ScratchFolder folder;
  const auto trace = support::read_all(support::shared_data("traces/cloudPhysicsIO.vscsi"));
  support::write_all(trace, folder.path("x.oracleGeneral"), "oracle_general");
  const std::string ours = support::slurp(folder.path("x.oracleGeneral"));
  const std::string theirs = support::slurp(support::shared_data("traces/cloudPhysicsIO.oracleGeneral.bin"));
  ASSERT_EQ(ours.size(), theirs.size());
  std::size_t other_sizes = 0;
  for (std::size_t i = 0; i < ours.size(); i += 24) {
    ASSERT_EQ(ours.substr(i, 12), theirs.substr(i, 12)) << i / 24;
    ASSERT_EQ(ours.substr(i + 16, 8), theirs.substr(i + 16, 8)) << i / 24;
    other_sizes += ours.substr(i + 12, 4) != theirs.substr(i + 12, 4);
  }
  EXPECT_EQ(other_sizes, 13'671u);
}

TEST(OracleGeneral, FindsNextUsesAcrossItsBlocks) {
  const support::ScratchFolder folder;
  support::WholeTrace trace;
  trace.info.granularity = traces::Granularity::request;
  trace.info.streams.id("a");
  constexpr std::size_t kRequests = 150'000;
  for (std::size_t i = 0; i < kRequests; ++i) trace.requests.push_back(request(0, sim::random_word(3, i) % 30'000));
  support::write_all(trace, folder.path("x"), "oracle_general");
  const std::string file = support::slurp(folder.path("x"));
  ASSERT_EQ(file.size(), kRequests * 24);
  std::vector<std::size_t> last_seen(30'000, kRequests);  // naively, from the front
  std::vector<std::int64_t> expected(kRequests, -1);
  for (std::size_t i = 0; i < kRequests; ++i) {
    auto& last = last_seen[trace.requests[i].offset.bytes];
    if (last != kRequests) expected[last] = static_cast<std::int64_t>(i + 1);
    last = i;
  }
  for (std::size_t i = 0; i < kRequests; ++i) ASSERT_EQ(file.substr(i * 24 + 16, 8), bytes(expected[i])) << i;
}

TEST(OracleGeneral, KeepsStreamsApart) {
  const support::ScratchFolder folder;
  support::WholeTrace trace;
  for (const char* name : {"a", "b"}) trace.info.streams.id(name);
  for (std::uint16_t stream = 0; stream < 2; ++stream) {
    for (std::uint64_t block = 0; block < 1000; ++block)
      trace.requests.push_back(request(1, block * 4096, Op::read, stream));
  }
  support::write_all(trace, folder.path("x.oracleGeneral.bin"), "oracle_general");
  std::set<std::uint64_t> ids;
  for (const auto& r : support::read_all(folder.path("x.oracleGeneral.bin")).requests) ids.insert(r.offset.bytes);
  EXPECT_EQ(ids.size(), 2000u);
  EXPECT_TRUE(ids.contains(sim::mix(999 * 8 ^ std::uint64_t{1} << 48)));
}

TEST(OracleGeneral, KeepsOffsetsThatAreNoSectorsApart) {
  const support::ScratchFolder folder;
  support::WholeTrace trace;
  trace.info.streams.id("a");
  trace.requests = {request(1, 512), request(1, 513), request(1, 1024)};
  support::write_all(trace, folder.path("x.oracleGeneral.bin"), "oracle_general");
  EXPECT_EQ(support::slurp(folder.path("x.oracleGeneral.bin")),
            record(1, 512, 4096, -1) + record(1, 513, 4096, -1) + record(1, 1024, 4096, -1));
}

TEST(OracleGeneral, SaysWhatTheFormatCannotHold) {
  const support::ScratchFolder folder;
  support::WholeTrace trace;
  trace.info.streams.id("a");
  trace.requests = {request(1, 0, Op::write), request(1, 0, Op::discard), request(1, 0, Op::flush), request(1, 0)};
  trace.requests[3].length = {};
  const auto notes = support::write_all(trace, folder.path("x.oracleGeneral.bin"), "oracle_general");
  EXPECT_EQ(notes.all().size(), 4u);
  EXPECT_EQ(support::slurp(folder.path("x.oracleGeneral.bin")).size(), 24u);
  trace.requests = {request(std::int64_t{1} << 32, 0)};
  EXPECT_THROW(support::write_all(trace, folder.path("y.oracleGeneral.bin"), "oracle_general"), sim::DataError);
  EXPECT_FALSE(std::filesystem::exists(folder.path("y.oracleGeneral.bin")));
}

TEST(OracleGeneral, IsChosenByTheOutputsName) {
  EXPECT_EQ(traces::format_for_output("a.oracleGeneral").name, "oracle_general");
  EXPECT_EQ(traces::format_for_output("a.oracleGeneral.bin").name, "oracle_general");
}

TEST(OracleGeneral, TakesDamagedFiles) {
  std::string file;
  for (std::uint32_t i = 0; i < 200; ++i) file += record(i, i % 10, 4096, i < 190 ? i + 11 : -1);
  support::expect_no_harm(file, "oracle_general");
}

}  // namespace
