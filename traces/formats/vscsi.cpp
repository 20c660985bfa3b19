// CloudPhysics traces of VMware's vscsiStats, in binary: what each virtual disk was sent.
#include "traces/formats/records.h"
#include "traces/formats/scsi.h"
#include "traces/registry.h"

namespace traces {
namespace {

// Where each field is in a record; both versions say which they are at a place of their own.
struct Layout {
  std::size_t record_bytes, opcode, version, length, block, time;
  std::uint16_t version_value;
};
constexpr Layout kVersion1{32, 12, 14, 4, 16, 24, 0x100};
constexpr Layout kVersion2{40, 0, 2, 8, 16, 24, 0x200};
constexpr std::size_t kResponseTime = 32;  // in version 2

// Whether the first records, up to `count` and at least one, all have this version.
bool fits(std::string_view head, const Layout& layout, std::size_t count) {
  const std::size_t records = std::min(head.size() / layout.record_bytes, count);
  for (std::size_t i = 0; i < records; ++i) {
    const char* const record = head.data() + i * layout.record_bytes;
    if (load_little<std::uint16_t>(record + layout.version) != layout.version_value) return false;
    if (load_little<std::uint16_t>(record + layout.opcode) > 0xFF) return false;
  }
  return records > 0;
}

const Layout* layout_of(std::string_view head, std::size_t count) {
  if (fits(head, kVersion2, count)) return &kVersion2;
  return fits(head, kVersion1, count) ? &kVersion1 : nullptr;
}

class VscsiReader final : public RecordReader {
 public:
  VscsiReader(std::unique_ptr<Input> input, const ReadOptions& options)
      : RecordReader(std::move(input), options, "vscsi") {
    const Layout* const found = layout_of(input_->peek(2 * kVersion2.record_bytes), 2);
    if (!found) {
      throw sim::DataError(input_->path() +
                           ": the first records have neither version 1 (0x100 at byte 14 of 32) nor 2 "
                           "(0x200 at byte 2 of 40): these are not vscsi records");
    }
    layout_ = *found;
    begin(0, layout_.record_bytes);
    info_.level = Level::issue;
    info_.streams.id("vscsi");
  }

 private:
  void decode(const char* record, Batch& batch) override {
    const auto version = load_little<std::uint16_t>(record + layout_.version);
    if (version != layout_.version_value) {
      throw BadRecord{"has version " + std::to_string(version) + ", unlike the first, which has " +
                      std::to_string(layout_.version_value)};
    }
    const auto op = op_of_scsi(load_little<std::uint16_t>(record + layout_.opcode));
    if (!op) {
      info_.findings.add("SCSI commands that move no data", place());
      return;
    }
    Request request;
    request.time = instant_of(load_little<std::uint64_t>(record + layout_.time), sim::Nanoseconds{1000});
    request.offset = offset_of(load_little<std::uint64_t>(record + layout_.block), sim::kSectorBytes);
    request.length = {load_little<std::uint32_t>(record + layout_.length)};
    request.op = *op;
    if (layout_.version_value == kVersion2.version_value) {
      request.latency =
          instant_of(load_little<std::uint64_t>(record + kResponseTime), sim::Nanoseconds{1000}).since_origin;
    }
    batch.add(request);
  }

  Layout layout_{};
};

Match detect(const Probe& probe) {
  constexpr std::size_t kLook = 100;
  return layout_of(probe.head, kLook) ? Match::likely : Match::no;
}

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions& options) {
  return std::make_unique<VscsiReader>(std::move(input), options);
}

}  // namespace

extern const Format vscsi{
    .name = "vscsi",
    .summary = "CloudPhysics vscsiStats binary, versions 1 and 2",
    .description = R"(Little-endian records without a header. Version 1, 32 bytes:
  u32 serial number, u32 length in bytes, u32 scatter-gather elements, u16 SCSI opcode, u16 version 0x100,
  u64 block (512 bytes), u64 time in us
version 2, 40 bytes:
  u16 SCSI opcode, u16 version 0x200, u32 serial number, u32 length, u32 scatter-gather elements,
  u64 block, u64 time in us, u64 response time in us
The version is taken from the first two records. READ and WRITE of 6, 10, 12 and 16 bytes, WRITE AND VERIFY and WRITE
SAME, UNMAP (discard) and SYNCHRONIZE CACHE (flush) are requests; other commands are counted and left out. One virtual
disk a file: the stream is "vscsi". Requests are as the hypervisor received them, after the guest's own scheduler
(level D). What the times count from is not known.

Source: the reader of libCacheSim (vscsi.h), and the trace that it ships; opcodes from SBC-4.
)",
    .detect = detect,
    .open = open,
};

}  // namespace traces
