#include "traces/formats/block_events.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "sim/random.h"
#include "tests/support/captures.h"

namespace {

using traces::BlockAction;
using traces::BlockEvent;
using traces::Level;
using traces::Op;
namespace category = traces::category;

constexpr std::uint32_t kDisk = traces::device_number(8, 0), kOther = traces::device_number(254, 16);
constexpr std::uint32_t kW = category::kWrite, kF = category::kFlush;

BlockEvent event(std::int64_t time, BlockAction action, std::uint32_t bits, std::uint64_t sector, std::uint32_t sectors,
                 std::uint32_t device = kDisk) {
  BlockEvent e;
  e.time = time, e.action = action, e.category = bits, e.sector = sector, e.bytes = sectors * 512, e.device = device;
  e.record = static_cast<std::uint64_t>(time);
  return e;
}
BlockEvent Q(std::int64_t time, std::uint32_t bits, std::uint64_t sector, std::uint32_t sectors,
             std::uint32_t d = kDisk) {
  return event(time, BlockAction::queue, bits, sector, sectors, d);
}
BlockEvent D(std::int64_t time, std::uint32_t bits, std::uint64_t sector, std::uint32_t sectors,
             std::uint32_t d = kDisk) {
  return event(time, BlockAction::issue, bits, sector, sectors, d);
}
BlockEvent C(std::int64_t time, std::uint32_t bits, std::uint64_t sector, std::uint32_t sectors,
             std::uint32_t d = kDisk) {
  return event(time, BlockAction::complete, bits, sector, sectors, d);
}
BlockEvent R(std::int64_t time, std::uint32_t bits, std::uint64_t sector, std::uint32_t sectors,
             std::uint32_t d = kDisk) {
  return event(time, BlockAction::requeue, bits, sector, sectors, d);
}

support::WholeTrace build(const std::vector<BlockEvent>& events, Level level = Level::unknown) {
  support::WholeTrace trace;
  traces::ReadOptions options;
  options.level = level;
  traces::RequestBuilder builder(trace.info, options, {"events"}, true);
  for (const char* name : {"one", "two"}) builder.process_names().id(name);
  traces::Batch batch;
  const auto take = [&](bool whole) {
    batch.clear();
    builder.release(batch, whole);
    trace.requests.insert(trace.requests.end(), batch.requests().begin(), batch.requests().end());
  };
  for (const BlockEvent& e : events) {
    builder.add(e);
    take(false);
  }
  builder.finish();
  take(true);
  return trace;
}

std::int64_t latency(const support::WholeTrace& trace, std::size_t i) { return trace.requests.at(i).latency.count; }
std::int64_t delay(const support::WholeTrace& trace, std::size_t i) { return trace.requests.at(i).issue_delay.count; }

}  // namespace

TEST(BlockEvents, MergedRequestsCompleteTogether) {
  const auto trace = build({Q(1, kW, 8, 8), Q(2, kW, 16, 8), Q(3, kW, 0, 8), D(10, kW, 0, 24), C(100, kW, 0, 24)});
  ASSERT_EQ(trace.requests.size(), 3u);
  EXPECT_EQ(latency(trace, 0), 99);
  EXPECT_EQ(latency(trace, 1), 98);
  EXPECT_EQ(latency(trace, 2), 97);
  EXPECT_EQ(delay(trace, 2), 7);
  EXPECT_EQ(trace.info.level, Level::queue);
  EXPECT_TRUE(trace.info.findings.all().empty());
}

TEST(BlockEvents, SplitRequestCompletesWithItsLastPiece) {
  const auto trace =
      build({Q(1, 0, 0, 32), D(5, 0, 0, 16), D(6, 0, 16, 16), C(50, 0, 16, 16), C(60, 0, 0, 8), C(90, 0, 8, 8)});
  ASSERT_EQ(trace.requests.size(), 1u);
  EXPECT_EQ(latency(trace, 0), 89);
  EXPECT_EQ(delay(trace, 0), 4);
  EXPECT_TRUE(trace.info.findings.all().empty());
}

TEST(BlockEvents, EqualRangesCompleteInTurnAndKindsApart) {
  const auto trace =
      build({Q(1, 0, 0, 8), Q(2, kW, 0, 8), Q(3, 0, 0, 8), C(10, kW, 0, 8), C(20, 0, 0, 8), C(30, 0, 0, 8)});
  EXPECT_EQ(latency(trace, 0), 19);
  EXPECT_EQ(latency(trace, 1), 8);
  EXPECT_EQ(latency(trace, 2), 27);
}

TEST(BlockEvents, EmptyFlushIsOneRequestWhateverTheDeviceIsSent) {
  // As ext4 on a virtio disk: Q FWS; D FN, C FN; C WS 0.
  const auto trace = build({Q(1, kW | kF, 0, 0), D(5, kF, 0, 0), C(20, kF, 0, 0), C(22, kW, 0, 0)});
  ASSERT_EQ(trace.requests.size(), 1u);
  EXPECT_EQ(trace.requests[0].op, Op::flush);
  EXPECT_EQ(latency(trace, 0), 21);
  EXPECT_TRUE(trace.info.findings.all().empty());
}

TEST(BlockEvents, WriteWithFlushesEndsWithItsSecondCompletion) {
  const std::uint32_t fua = category::kFua;
  const std::vector<BlockEvent> events{Q(1, kW | kF | fua, 64, 8), D(2, kF, 0, 0),  C(9, kF, 0, 0),  D(10, kW, 64, 8),
                                       C(20, kW, 64, 8),           D(21, kF, 0, 0), C(40, kF, 0, 0), C(41, kW, 64, 0)};
  const auto trace = build(events);
  ASSERT_EQ(trace.requests.size(), 1u);
  EXPECT_EQ(trace.requests[0].op, Op::write);
  EXPECT_EQ(trace.requests[0].flags, traces::kFua);
  EXPECT_EQ(latency(trace, 0), 40);
  EXPECT_EQ(delay(trace, 0), 9);
  ASSERT_EQ(trace.info.findings.all().size(), 1u);
  EXPECT_EQ(support::finding(trace.info, "writes that flush"), 1u);
  // At the issue level the device was sent two flushes and a write.
  const auto issued = build(events, Level::issue);
  ASSERT_EQ(issued.requests.size(), 3u);
  EXPECT_EQ(issued.count(Op::flush), 2u);
  EXPECT_EQ(latency(issued, 1), 10);
  // Where the second completion is missing, the first is what is known.
  EXPECT_EQ(latency(build({events.begin(), events.begin() + 5}), 0), 19);
}

TEST(BlockEvents, WriteWithFlushOnAMappedDeviceCompletesOnce) {
  const auto trace = build({Q(1, kW | kF, 64, 8), C(20, kW | kF, 64, 8), Q(30, kW | kF, 0, 0), C(35, kW | kF, 0, 0)});
  EXPECT_EQ(latency(trace, 0), 19);
  EXPECT_EQ(latency(trace, 1), 5);
}

TEST(BlockEvents, IssueLevelKnowsWhoQueuedAndWhen) {
  auto queued = Q(1, kW, 0, 8);
  queued.process = 2;
  auto issued = D(10, kW, 0, 16);
  issued.process = 1;
  const auto trace = build({queued, Q(2, kW, 8, 8), issued, C(50, kW, 0, 16)}, Level::issue);
  ASSERT_EQ(trace.requests.size(), 1u);
  EXPECT_EQ(trace.requests[0].length.count, 16 * 512);
  EXPECT_EQ(latency(trace, 0), 40);
  EXPECT_EQ(delay(trace, 0), 9);
  EXPECT_EQ(trace.info.processes.names()[trace.requests[0].process], "two");
  EXPECT_EQ(trace.info.level, Level::issue);
}

TEST(BlockEvents, RequeueMakesTheLastIssueCount) {
  const std::vector<BlockEvent> events{Q(1, 0, 0, 8), D(5, 0, 0, 8), R(7, 0, 0, 8), D(20, 0, 0, 8), C(50, 0, 0, 8)};
  const auto queued = build(events);
  ASSERT_EQ(queued.requests.size(), 1u);
  EXPECT_EQ(delay(queued, 0), 19);
  EXPECT_EQ(latency(queued, 0), 49);
  const auto issued = build(events, Level::issue);
  ASSERT_EQ(issued.requests.size(), 1u);
  EXPECT_EQ(issued.requests[0].time.since_origin.count, 20);
  EXPECT_EQ(latency(issued, 0), 30);
  EXPECT_EQ(delay(issued, 0), 19);
  EXPECT_TRUE(issued.info.findings.all().empty());
  EXPECT_EQ(support::finding(build({Q(1, 0, 0, 8), R(7, 0, 64, 8), C(9, 0, 0, 8)}).info, "requeues"), 1u);
}

TEST(BlockEvents, LevelIsChosenForEachDevice) {
  // A mapped device has Q and C; the disk below was traced with D and C.
  const std::vector<BlockEvent> events{Q(1, 0, 0, 8, kOther), D(2, 0, 100, 8), C(5, 0, 100, 8), C(6, 0, 0, 8, kOther)};
  const auto trace = build(events);
  ASSERT_EQ(trace.requests.size(), 2u);
  EXPECT_EQ(trace.info.streams.names(), (std::vector<std::string>{"254,16", "8,0"}));
  EXPECT_EQ(latency(trace, 0), 5);
  EXPECT_EQ(latency(trace, 1), 3);
  EXPECT_EQ(support::finding(trace.info, "streams of issues"), 1u);
  const auto issued = build(events, Level::issue);
  EXPECT_EQ(issued.requests.size(), 1u);
  ASSERT_EQ(issued.info.findings.all().size(), 1u);
  EXPECT_EQ(support::finding(issued.info, "streams without issue (D)"), 1u);
  const auto queued = build(events, Level::queue);
  EXPECT_EQ(queued.requests.size(), 1u);
  ASSERT_EQ(queued.info.findings.all().size(), 1u);
  EXPECT_EQ(support::finding(queued.info, "streams without queue (Q)"), 1u);
  EXPECT_THROW(build({Q(1, 0, 0, 8), C(2, 0, 0, 8)}, Level::issue), sim::DataError);
  EXPECT_THROW(build({D(1, 0, 0, 8), C(2, 0, 0, 8)}, Level::queue), sim::DataError);
}

TEST(BlockEvents, LevelIsKnownWithTheFirstRequest) {
  for (const Level level : {Level::queue, Level::issue}) {
    support::WholeTrace trace;
    traces::RequestBuilder builder(trace.info, {}, {"events"}, true);
    traces::Batch batch;
    for (std::int64_t i = 0; batch.requests().empty(); ++i) {
      ASSERT_LT(i, 100'000);
      if (level == Level::queue) builder.add(Q(3 * i, 0, 0, 8));
      builder.add(D(3 * i + 1, 0, 0, 8));
      builder.add(C(3 * i + 2, 0, 0, 8));
      builder.release(batch);
    }
    EXPECT_EQ(trace.info.level, level);
  }
}

TEST(BlockEvents, IssuesBeforeTheFirstQueueEventDoNotMakeTheLevel) {
  const auto trace = build({D(1, 0, 500, 8), C(2, 0, 500, 8), Q(3, 0, 0, 8), D(4, 0, 0, 8), C(9, 0, 0, 8)});
  EXPECT_EQ(trace.info.level, Level::queue);
  EXPECT_EQ(trace.requests.size(), 1u);
  EXPECT_EQ(support::finding(trace.info, "issues without a queue event"), 1u);
  EXPECT_EQ(support::finding(trace.info, "completions without a request"), 1u);
}

TEST(BlockEvents, WhatIsNotARequestIsCounted) {
  auto failed = C(40, kW, 0, 8);
  failed.failed = true;
  const auto trace = build({D(1, category::kDriver, 0, 1), Q(2, kW | 1u << 17, 0, 0), Q(3, kW, 0, 0),
                            Q(4, kW | category::kWriteZeroes, 0, 8), failed, Q(50, 0, 8, 8)});
  EXPECT_EQ(trace.requests.size(), 2u);
  EXPECT_EQ(trace.requests[0].op, Op::write);
  for (const char* what : {"commands of the driver", "zone commands", "requests without data", "write-zeroes",
                           "completions with an error", "requests without a completion"}) {
    EXPECT_EQ(support::finding(trace.info, what), 1u) << what;
  }
  for (const auto& finding : trace.info.findings.all())
    EXPECT_TRUE(finding.first.starts_with("events:")) << finding.what;
}

TEST(BlockEvents, OneThatNeverCompletesDoesNotHoldTheOthersForEver) {
  std::vector<BlockEvent> events{Q(0, 0, 1'000'000'000, 8)};
  for (std::int64_t i = 0; i < 300'000; ++i) {
    events.push_back(Q(10 * i + 1, kW, static_cast<std::uint64_t>(i) * 8, 8));
    events.push_back(C(10 * i + 5, kW, static_cast<std::uint64_t>(i) * 8, 8));
  }
  support::WholeTrace trace;
  traces::RequestBuilder builder(trace.info, {}, {"events"}, true);
  traces::Batch batch;
  std::size_t before_the_end = 0;
  for (const BlockEvent& e : events) {
    builder.add(e);
    batch.clear();
    builder.release(batch);
    before_the_end += batch.requests().size();
    if (!batch.requests().empty() && trace.requests.empty()) trace.requests = batch.requests();
  }
  EXPECT_GT(before_the_end, 30'000u);
  EXPECT_EQ(trace.requests.at(0).latency, traces::kUnknown);
  EXPECT_EQ(trace.requests.at(1).latency.count, 4);
  builder.finish();
  EXPECT_EQ(support::finding(trace.info, "requests without a completion"), 1u);
}

TEST(BlockEvents, OneThatTakesOverAMinuteIsLetGo) {
  std::vector<BlockEvent> events;
  for (std::int64_t i = 0; i < 40'000; ++i) {  // more than are looked at first
    events.push_back(i % 2 ? C(i, 0, 0, 8) : Q(i, 0, 0, 8));
  }
  events.push_back(Q(50'000, 0, 64, 8));
  events.push_back(Q(61'000'000'000, 0, 128, 8));
  events.push_back(C(61'000'000'005, 0, 64, 8));
  events.push_back(C(61'000'000'006, 0, 128, 8));
  const auto trace = build(events);
  ASSERT_EQ(trace.requests.size(), 20'002u);
  EXPECT_EQ(trace.requests[20'000].latency, traces::kUnknown);
  EXPECT_EQ(trace.requests[20'001].latency.count, 6);
  EXPECT_EQ(support::finding(trace.info, "requests without a completion"), 1u);
  EXPECT_EQ(support::finding(trace.info, "completions without a request"), 1u);
}

TEST(BlockEvents, RequestsComeInOrderOfTimeAndCompletionsInAny) {
  // Disjoint requests, up to 40 at once, merged and split at will, against what was meant.
  struct Meant {
    std::int64_t queued, issued = -1, completed = -1;
    std::uint64_t sector;
    std::uint32_t sectors;
    bool write;
  };
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    std::uint64_t draws = 0;
    const auto draw = [&](std::uint64_t below) { return sim::random_word(seed, draws++) % below; };
    std::vector<Meant> meant;
    std::vector<BlockEvent> events;
    std::int64_t now = 0;
    struct Sent {
      std::vector<std::size_t> parts;
      std::uint64_t sector;
      std::uint32_t sectors, left;
      bool write;
    };
    std::vector<Sent> sent;
    std::uint64_t next_sector = 0;
    for (int step = 0; step < 400; ++step) {
      now += 1 + static_cast<std::int64_t>(draw(50));
      if (sent.size() < 40 && draw(2)) {
        Sent request{.parts = {}, .sector = next_sector, .sectors = 0, .left = 0, .write = draw(2) == 1};
        for (std::uint64_t parts = 1 + draw(4); parts--;) {
          const auto sectors = static_cast<std::uint32_t>(8 * (1 + draw(4)));
          events.push_back(Q(++now, request.write ? kW : 0, next_sector, sectors));
          request.parts.push_back(meant.size());
          meant.push_back({.queued = now, .sector = next_sector, .sectors = sectors, .write = request.write});
          next_sector += sectors;
          request.sectors += sectors;
        }
        request.left = request.sectors;
        ++now;
        for (const std::size_t part : request.parts) meant[part].issued = now;
        events.push_back(D(now, request.write ? kW : 0, request.sector, request.sectors));
        sent.push_back(request);
        next_sector = draw(8) ? next_sector : next_sector + 64;
      } else if (!sent.empty()) {
        const std::size_t which = draw(sent.size());
        Sent& request = sent[which];
        const auto done = static_cast<std::uint32_t>(std::min<std::uint64_t>(request.left, 8 * (1 + draw(12))));
        const std::uint64_t from = request.sector + request.sectors - request.left;
        events.push_back(C(now, request.write ? kW : 0, from, done));
        request.left -= done;
        for (const std::size_t part : request.parts) {
          const std::uint64_t end = meant[part].sector + meant[part].sectors;
          if (end > from && end <= from + done) meant[part].completed = now;
        }
        if (!request.left) sent.erase(sent.begin() + static_cast<std::ptrdiff_t>(which));
      }
    }
    const auto trace = build(events);
    ASSERT_EQ(trace.requests.size(), meant.size());
    for (std::size_t i = 0; i < meant.size(); ++i) {
      const auto& r = trace.requests[i];
      ASSERT_EQ(r.time.since_origin.count, meant[i].queued);
      ASSERT_EQ(r.offset.bytes, meant[i].sector * 512);
      ASSERT_EQ(r.issue_delay.count, meant[i].issued - meant[i].queued);
      ASSERT_EQ(r.latency.count, meant[i].completed < 0 ? -1 : meant[i].completed - meant[i].queued)
          << seed << " " << i;
    }
  }
}

TEST(BlockEvents, WallClockMovesAllTimes) {
  support::WholeTrace trace;
  traces::RequestBuilder builder(trace.info, {}, {"events"}, true);
  EXPECT_TRUE(builder.set_wall_clock(1'000));
  builder.add(Q(1, 0, 0, 8));
  builder.add(C(3, 0, 0, 8));
  builder.finish();
  traces::Batch batch;
  builder.release(batch, true);
  EXPECT_EQ(batch.requests().at(0).time.since_origin.count, 1'001);
  EXPECT_EQ(batch.requests().at(0).latency.count, 2);
  EXPECT_EQ(trace.info.clock, traces::Clock::unix_epoch);
  EXPECT_FALSE(builder.set_wall_clock(0));
}

TEST(EventOrder, SortsWithinItsWindow) {
  for (const std::uint64_t window : {1u, 50u, 5'000u}) {
    std::vector<BlockEvent> events(20'000);
    for (std::size_t i = 0; i < events.size(); ++i) {
      events[i].time = static_cast<std::int64_t>(i * 3 + sim::random_word(window, i) % window);
      events[i].record = i;
    }
    traces::EventOrder order(sim::Nanoseconds{static_cast<std::int64_t>(window)}, 1 << 20);
    std::vector<BlockEvent> sorted;
    const auto take = [&] {
      for (; const BlockEvent* e = order.front(); order.pop()) sorted.push_back(*e);
    };
    std::size_t before_the_end = 0;
    for (const BlockEvent& e : events) order.push(e), take();
    before_the_end = sorted.size();
    order.close();
    take();
    std::stable_sort(events.begin(), events.end(), [](auto& a, auto& b) { return a.time < b.time; });
    ASSERT_EQ(sorted.size(), events.size());
    EXPECT_GT(before_the_end, events.size() / 2);
    for (std::size_t i = 0; i < events.size(); ++i) ASSERT_EQ(sorted[i].record, events[i].record) << i;
  }
}

TEST(EventOrder, HoldsNoMoreThanItMay) {
  traces::EventOrder order(sim::Nanoseconds{1'000'000'000}, 1'000);
  std::size_t taken = 0;
  for (int i = 0; i < 20'000; ++i) {
    BlockEvent e;
    e.time = i;
    order.push(e);
    for (; order.front(); order.pop()) ++taken;
  }
  EXPECT_GT(taken, 20'000u - 1'000 - 4'096 - 1);
}

TEST(LossLog, IsReadAsBlktraceAndFtracePrintIt) {
  EXPECT_EQ(traces::lost_events_told_by(
                "  Total:   3900 events (dropped 20108),   183 KiB data\n\nYou have 20108 ( 83.8%) dropped events\n"),
            20'108u);
  EXPECT_EQ(traces::lost_events_told_by(
                "=== a ===\n Total: 3 events (dropped 1), 1 KiB\n=== b ===\n Total: 3 events (dropped 2), 1 KiB\n"),
            3u);
  EXPECT_EQ(traces::lost_events_told_by("entries: 5\noverrun: 10\ncommit overrun: 1\nbytes: 7\ndropped events: 200\n"),
            211u);
  EXPECT_EQ(traces::lost_events_told_by("something else"), std::nullopt);
}
