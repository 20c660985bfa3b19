#include "traces/formats/block_text.h"

#include <gtest/gtest.h>

namespace {

namespace category = traces::category;
using traces::BlockAction;
using traces::BlockEvent;

struct Parsed {
  bool is_event = false;
  BlockEvent event;
  std::string process;
};

Parsed blk(std::string_view text) {
  traces::NameTable names;
  names.id("");
  Parsed parsed;
  parsed.is_event = traces::parse_blk_event(text, names, parsed.event);
  parsed.process = names.names()[parsed.event.process];
  return parsed;
}

Parsed tracepoint(std::string_view name, std::string_view text) {
  traces::NameTable names;
  names.id("");
  Parsed parsed;
  parsed.is_event = traces::parse_tracepoint(name, text, names, parsed.event);
  parsed.process = names.names()[parsed.event.process];
  return parsed;
}

std::uint32_t kind(const std::string& letters) { return blk("Q " + letters + " 0 + 8 [x]").event.category; }

}  // namespace

TEST(BlockText, KindsOfRequests) {
  EXPECT_EQ(kind("R"), 0u);
  EXPECT_EQ(kind("RAM"), category::kReadAhead | category::kMetadata);
  EXPECT_EQ(kind("WFS"), category::kWrite | category::kFua | category::kSync);
  EXPECT_EQ(kind("FWFSM"),
            category::kFlush | category::kWrite | category::kFua | category::kSync | category::kMetadata);
  EXPECT_EQ(kind("FN"), category::kFlush);
  EXPECT_EQ(kind("F"), category::kFlush);
  EXPECT_EQ(kind("FF"), category::kFlush);
  EXPECT_EQ(kind("DS"), category::kDiscard | category::kSync);
  EXPECT_EQ(kind("DE"), category::kDiscard);
  EXPECT_EQ(kind("ES"), category::kDiscard | category::kSync);
  EXPECT_EQ(kind("N"), category::kDriver);
  for (const char* zone : {"ZA", "ZR", "ZRA", "ZO", "ZCS", "ZFS"})
    EXPECT_EQ(kind(zone) & category::kZone, category::kZone) << zone;
  for (const char* wrong : {"X", "WX", "Z", "8", "w"}) EXPECT_THROW(kind(wrong), traces::BadField) << wrong;
}

TEST(BlockText, EventsOfTheBlkTracer) {
  auto p = blk("  Q RAM 520 + 8 [ext4 lazy [init]]");
  EXPECT_TRUE(p.is_event);
  EXPECT_EQ(p.event.sector, 520u);
  EXPECT_EQ(p.event.bytes, 4096u);
  EXPECT_EQ(p.process, "ext4 lazy [init]");
  EXPECT_EQ(blk("D R 0 + 8 [(null)]").process, "");
  p = blk("C WSM 524368 [0]");
  EXPECT_EQ(p.event.action, BlockAction::complete);
  EXPECT_EQ(p.event.sector, 524'368u);
  EXPECT_EQ(p.event.bytes, 0u);
  EXPECT_FALSE(p.event.failed);
  EXPECT_TRUE(blk("C R 8 + 8 [-5]").event.failed);
  EXPECT_TRUE(blk("C R 8 + 8 [65531]").event.failed);
  EXPECT_EQ(blk("Q FWS [fio]").event.bytes, 0u);
  EXPECT_EQ(blk("D R 8 + 8 (    1234) [fio]").event.bytes, 4096u);  // blkparse -t
  EXPECT_EQ(blk("D R 36 (12 01 00 00 24 00) [smartd]").event.category & category::kDriver, category::kDriver);
  EXPECT_EQ(blk("C N (12 01 00 00 24 00) [0]").event.category & category::kDriver, category::kDriver);
  for (const char* other : {"A R 77888 + 152 <- (252,0) 12352", "P N [fio]", "UT N [fio] 1", "X W 8 / 16 [fio]",
                            "m N cfq", "M W 8 + 8 [x]"}) {
    EXPECT_FALSE(blk(other).is_event) << other;
  }
  for (const char* wrong : {"", "K R 0 + 8 [x]", "Q R 0 + 8", "Q R 0 + 8 [x", "Q R x + 8 [x]", "Q R 0 + 99999999 [x]",
                            "Q R 99999999999999999 + 8 [x]", "Q"}) {
    EXPECT_THROW(blk(wrong), traces::BadField) << wrong;
  }
}

TEST(BlockText, Tracepoints) {
  auto p = tracepoint("block_rq_issue", "254,16 R 8192 () 31616 + 16 [fio]");
  EXPECT_TRUE(p.is_event);
  EXPECT_EQ(p.event.device, traces::device_number(254, 16));
  EXPECT_EQ(p.event.bytes, 8192u);
  EXPECT_EQ(p.event.sector, 31'616u);
  EXPECT_EQ(p.process, "fio");
  for (const char* priority : {"0x2,0,4", "be,0,4", "none,0,0"}) {
    p = tracepoint("block_rq_complete", "7,5 WS () 4544 + 8 " + std::string(priority) + " [-121]");
    EXPECT_EQ(p.event.action, BlockAction::complete);
    EXPECT_EQ(p.event.bytes, 4096u);
    EXPECT_TRUE(p.event.failed);
  }
  EXPECT_EQ(tracepoint("block_bio_queue", "8,0 FWS 0 + 0 [jbd2/sda1-8]").process, "jbd2/sda1-8");
  EXPECT_EQ(tracepoint("block_bio_complete", "8,0 FWS 0 + 0 [0]").event.action, BlockAction::complete);
  EXPECT_EQ(tracepoint("block_rq_requeue", "8,0 W () 8 + 8 [0]").event.action, BlockAction::requeue);
  // The flush machinery's flush is at no place.
  EXPECT_EQ(tracepoint("block_rq_issue", "8,0 FF 0 () 18446744073709551615 + 0 [kworker/0:1H]").event.bytes, 0u);
  EXPECT_EQ(tracepoint("block_rq_issue", "8,0 N 36 (12 01) 0 + 0 [x]").event.category, category::kDriver);
  EXPECT_FALSE(tracepoint("block_rq_insert", "anything").is_event);
  EXPECT_FALSE(tracepoint("block_plug", "[fio]").is_event);
  for (const char* wrong : {"", "8 R 1 () 0 + 8 [x]", "8,99999999 R 1 () 0 + 8 [x]", "8,0 R x () 0 + 8 [x]",
                            "8,0 R 1 ( 0 + 8 [x]", "8,0 R 1 () 0 + 8"}) {
    EXPECT_THROW(tracepoint("block_rq_issue", wrong), traces::BadField) << wrong;
  }
}
