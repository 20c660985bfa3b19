// libCacheSim's "lcs" traces, versions 1 to 8.
#include <array>

#include "traces/formats/records.h"
#include "traces/registry.h"

namespace traces {
namespace {

constexpr std::uint64_t kMagic = 0x123456789abcdef0;  // at the beginning and at the end of the header
constexpr std::array<std::size_t, 2> kHeaderBytes{8192, 1024};
// By version: 0 is none.
constexpr std::array<std::size_t, 9> kRecordBytes{0, 24, 28, 36, 40, 44, 52, 68, 100};

// libCacheSim's req_op_e. Object stores' words are taken as what they do to a cached object.
Op op_of(std::uint8_t code) {
  constexpr std::uint8_t kGets = 2, kDelete = 9, kRead = 12;
  if (code <= kGets || code == kRead) return Op::read;
  return code == kDelete ? Op::discard : Op::write;
}

std::size_t header_bytes(std::string_view head) {
  for (const std::size_t bytes : kHeaderBytes) {
    if (head.size() >= bytes && load_little<std::uint64_t>(head.data() + bytes - 8) == kMagic) return bytes;
  }
  return 0;
}

class LcsReader final : public RecordReader {
 public:
  LcsReader(std::unique_ptr<Input> input, const ReadOptions& options) : RecordReader(std::move(input), options, "lcs") {
    const std::string_view head = input_->peek(kHeaderBytes.front());
    if (head.size() < 16 || load_little<std::uint64_t>(head.data()) != kMagic) {
      throw sim::DataError(input_->path() +
                           ": does not begin with the magic number 0x123456789abcdef0 of an lcs trace");
    }
    const std::size_t header = header_bytes(head);
    if (!header)
      throw sim::DataError(input_->path() + ": the header's end, a magic number at byte 8184 or 1016, is not there");
    version_ = load_little<std::uint64_t>(head.data() + 8);
    if (version_ == 0 || version_ >= kRecordBytes.size()) {
      throw sim::DataError(input_->path() + ": has lcs version " + std::to_string(version_) +
                           "; versions 1 to 8 are known");
    }
    begin(header, kRecordBytes[version_]);
    info_.granularity = Granularity::request;
    if (version_ == 1) info_.streams.id("lcs");
  }

 private:
  void decode(const char* record, Batch& batch) override {
    Request request;
    request.time = instant_of(load_little<std::uint32_t>(record), sim::Nanoseconds{1'000'000'000});
    request.offset = {load_little<std::uint64_t>(record + 4)};
    const bool wide = version_ >= 3;
    const auto size = wide ? load_little<std::int64_t>(record + 12) : load_little<std::uint32_t>(record + 12);
    if (size < 0) throw BadRecord{"size " + std::to_string(size) + " should not be negative"};
    request.length = {size};
    if (version_ >= 2) {
      const auto word = load_little<std::uint32_t>(record + (wide ? 20 : 16));
      request.op = op_of(static_cast<std::uint8_t>(word));
      request.stream = stream_of(word >> 8);
    }
    if (size == 0) {
      info_.findings.add("requests of no bytes left out, as libCacheSim does", place());
    } else if (request.length > kMaxLength) {
      // An object is one whole, whatever its size.
      request.length = kMaxLength;
      info_.findings.add("objects of over 2 GiB taken as 2 GiB", place());
      batch.add(request);
    } else {
      batch.add(request);
    }
  }

  StreamId stream_of(std::uint32_t tenant) {
    if (tenant != last_tenant_ || info_.streams.names().empty()) {
      last_stream_ = static_cast<StreamId>(info_.streams.id("tenant " + std::to_string(tenant)));
      last_tenant_ = tenant;
    }
    return last_stream_;
  }

  std::uint64_t version_ = 0;
  std::uint32_t last_tenant_ = 0;
  StreamId last_stream_ = 0;
};

Match detect(const Probe& probe) {
  return probe.head.size() >= 16 && load_little<std::uint64_t>(probe.head.data()) == kMagic ? Match::certain
                                                                                            : Match::no;
}

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions& options) {
  return std::make_unique<LcsReader>(std::move(input), options);
}

}  // namespace

extern const Format lcs{
    .name = "lcs",
    .summary = "libCacheSim lcs object trace, versions 1 to 8",
    .description = R"(A header of 8192 bytes (1024 in files of before 2025; its end is found by the magic number
0x123456789abcdef0 there) that says the version, then little-endian records:
  1: u32 time in s, u64 object id, u32 size, i64 next access          24 bytes
  2: before next access also u8 operation, u24 tenant                 28 bytes
  3: as 2, with i64 size, and u32 time to live before next access     36 bytes
  4 to 8: as 3, with 1, 2, 4, 8, 16 features of u32 at the end        40, 44, 52, 68, 100 bytes
Operations 12 read and 13 write; get and gets are reads too, delete is a discard, all others change the object: writes.
A tenant is a stream, "tenant N". The id is kept as the offset and --granularity defaults to request. Requests of no
bytes are left out and counted, as libCacheSim does. Next access, time to live and features are not used.

Source: libCacheSim lcs.h (its comment says 1024 bytes, its code checks 8192) and enum.h.
)",
    .detect = detect,
    .open = open,
};

}  // namespace traces
