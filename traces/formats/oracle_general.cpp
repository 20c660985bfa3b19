// libCacheSim's "oracleGeneral" object traces: each request knows when its object is next asked for.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cerrno>
#include <limits>

#include "sim/random.h"
#include "traces/formats/records.h"
#include "traces/output.h"
#include "traces/registry.h"

namespace traces {
namespace {

// A record: u32 seconds, u64 id, u32 size, i64 next; without padding.
constexpr std::size_t kRecordBytes = 24, kId = 4, kSize = 12, kNext = 16;
constexpr std::int64_t kNever = -1;

class OracleGeneralReader final : public RecordReader {
 public:
  OracleGeneralReader(std::unique_ptr<Input> input, const ReadOptions& options)
      : RecordReader(std::move(input), options, "oracle_general") {
    begin(0, kRecordBytes);
    info_.granularity = Granularity::request;
    info_.streams.id("oracle_general");
  }

 private:
  void decode(const char* record, Batch& batch) override {
    Request request;
    request.time = instant_of(load_little<std::uint32_t>(record), sim::Nanoseconds{1'000'000'000});
    request.offset = {load_little<std::uint64_t>(record + kId)};
    request.length = {load_little<std::uint32_t>(record + kSize)};
    if (request.length == sim::Bytes{0}) {
      info_.findings.add("requests of no bytes left out, as libCacheSim does", place());
      return;
    }
    batch.add(request);
  }
};

// There is no magic number. What tells the format: times that do not go back, and next uses that are in the future,
// at a record of the same id where that is in sight.
Match detect(const Probe& probe) {
  const std::size_t records = std::min<std::size_t>(probe.head.size() / kRecordBytes, 2000);
  if (records == 0 || (probe.whole && probe.head.size() % kRecordBytes)) return Match::no;
  const auto record = [&](std::size_t i) { return probe.head.data() + i * kRecordBytes; };
  std::size_t links = 0;
  for (std::size_t i = 0; i < records; ++i) {
    if (i && load_little<std::uint32_t>(record(i)) < load_little<std::uint32_t>(record(i - 1))) return Match::no;
    const auto next = load_little<std::int64_t>(record(i) + kNext);
    if (next == kNever || next == std::numeric_limits<std::int64_t>::max()) continue;
    const auto index = static_cast<std::uint64_t>(next) - 1;
    if (next < 1 || index <= i) return Match::no;
    if (index >= records) continue;
    if (load_little<std::uint64_t>(record(index) + kId) != load_little<std::uint64_t>(record(i) + kId))
      return Match::no;
    ++links;
  }
  const bool named = probe.path.find("oracleGeneral") != std::string_view::npos;
  return links || named ? Match::likely : Match::no;
}

std::unique_ptr<Reader> open(std::unique_ptr<Input> input, const ReadOptions& options) {
  return std::make_unique<OracleGeneralReader>(std::move(input), options);
}

// The file is first written with offsets as ids and streams in place of the next uses. When it is whole, a pass from
// its end to its beginning puts in what only then is known.
class OracleGeneralWriter final : public Writer {
 public:
  explicit OracleGeneralWriter(const std::string& path) : path_(path), output_(path) {}

  void write(std::span<const Request> requests, const TraceInfo& info) override {
    for (const Request& request : requests) {
      if (request.op == Op::flush || request.op == Op::discard || request.length == sim::Bytes{0}) {
        ++left_out_[request.length == sim::Bytes{0} && request.op != Op::flush ? kEmpty : static_cast<int>(request.op)];
        continue;
      }
      writes_ += request.op == Op::write;
      look_at_address(request, info);
      put(request);
    }
  }

  void finish(const TraceInfo& info, Findings& notes) override {
    const std::string temporary = output_.flush();
    if (records_) add_next_uses(temporary, info);
    output_.commit();
    notes.add("writes, which the format cannot tell from reads", writes_);
    notes.add("discards, which the format has no word for: left out", left_out_[static_cast<int>(Op::discard)]);
    notes.add("flushes, which the format has no word for: left out", left_out_[static_cast<int>(Op::flush)]);
    notes.add("requests of no bytes, which libCacheSim passes over: left out", left_out_[kEmpty]);
  }

 private:
  void look_at_address(const Request& request, const TraceInfo& info) {
    if (records_ == 0) first_stream_ = request.stream;
    several_streams_ |= request.stream != first_stream_;
    aligned_ &= info.granularity == Granularity::block && request.offset.bytes % kSectorBytes == 0;
  }

  void put(const Request& request) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    const std::int64_t seconds = request.time.since_origin.count / kSecond;
    if (request.time.since_origin.count < 0 || seconds > std::numeric_limits<std::uint32_t>::max()) {
      throw sim::DataError(path_ + ": a request's time is " + std::to_string(seconds) +
                           " s, which is no unsigned 32-bit number of seconds as this format wants");
    }
    char record[kRecordBytes];
    store(record, static_cast<std::uint32_t>(seconds));
    store(record + kId, request.offset.bytes);
    store(record + kSize, static_cast<std::uint32_t>(request.length.count));
    store(record + kNext, std::int64_t{request.stream});
    output_.write({record, kRecordBytes});
    ++records_;
  }

  template <class T>
  static void store(char* to, T value) {
    std::memcpy(to, &value, sizeof value);
  }

  std::uint64_t id_of(std::uint64_t offset, std::int64_t stream) const {
    const std::uint64_t address = aligned_ ? offset / kSectorBytes : offset;
    return several_streams_ ? sim::mix(address ^ (static_cast<std::uint64_t>(stream) << 48)) : address;
  }

  void add_next_uses(const std::string& temporary, const TraceInfo&) {
    constexpr std::size_t kBlockRecords = 64 << 10;
    const File file(temporary, path_);
    boost::unordered_flat_map<std::uint64_t, std::int64_t> next_use;
    std::vector<char> block(std::min<std::uint64_t>(kBlockRecords, records_) * kRecordBytes);
    for (std::uint64_t end = records_; end > 0;) {
      const std::uint64_t count = std::min<std::uint64_t>(end, kBlockRecords), first = end - count;
      file.read(block.data(), count * kRecordBytes, first * kRecordBytes);
      for (std::uint64_t i = count; i-- > 0;) {
        char* const record = block.data() + i * kRecordBytes;
        const std::uint64_t id =
            id_of(load_little<std::uint64_t>(record + kId), load_little<std::int64_t>(record + kNext));
        auto& next = next_use.try_emplace(id, kNever).first->second;
        store(record + kId, id);
        store(record + kNext, next);
        next = static_cast<std::int64_t>(first + i + 1);
      }
      file.write(block.data(), count * kRecordBytes, first * kRecordBytes);
      end = first;
    }
  }

  // The temporary file, to be changed in place.
  class File {
   public:
    File(const std::string& temporary, const std::string& shown)
        : shown_(shown), fd_(::open(temporary.c_str(), O_RDWR | O_CLOEXEC)) {
      if (fd_ < 0) fail();
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() { ::close(fd_); }
    void read(char* to, std::size_t bytes, std::uint64_t at) const {
      each(bytes,
           [&](std::size_t done) { return ::pread(fd_, to + done, bytes - done, static_cast<off_t>(at + done)); });
    }
    void write(const char* from, std::size_t bytes, std::uint64_t at) const {
      each(bytes,
           [&](std::size_t done) { return ::pwrite(fd_, from + done, bytes - done, static_cast<off_t>(at + done)); });
    }

   private:
    template <class Move>
    void each(std::size_t bytes, const Move& move) const {
      for (std::size_t done = 0; done < bytes;) {
        const ssize_t moved = move(done);
        if (moved < 0 && errno == EINTR) continue;
        if (moved <= 0) fail();
        done += static_cast<std::size_t>(moved);
      }
    }
    [[noreturn]] void fail() const { throw sim::DataError(shown_ + ": cannot write: " + std::strerror(errno)); }

    const std::string& shown_;
    int fd_;
  };

  static constexpr std::uint64_t kSectorBytes = 512;
  static constexpr int kEmpty = 0;  // in left_out_, whose other places are those of operations

  std::string path_;
  Output output_;
  std::uint64_t records_ = 0, writes_ = 0;
  std::array<std::uint64_t, 4> left_out_{};
  StreamId first_stream_ = 0;
  bool several_streams_ = false, aligned_ = true;
};

std::unique_ptr<Writer> create(const std::string& path, const WriteOptions&) {
  return std::make_unique<OracleGeneralWriter>(path);
}

}  // namespace

extern const Format oracle_general{
    .name = "oracle_general",
    .summary = "libCacheSim oracleGeneral object trace, 24-byte records",
    .description = R"(Little-endian records of 24 bytes without a header:
  u32 time in s, u64 object id, u32 size in bytes, i64 next access: the number, from 1, of the record that asks for
  the object next, or -1 (also 2^63 - 1) for never
There are no operations (all are reads) and no devices (one stream, "oracle_general"). The id is kept as the offset and
--granularity defaults to request. Requests of no bytes are left out and counted, as libCacheSim does. The next access
is not used on reading: what comes next is found anew for the requests that are left after filters.

Written ids: of an object trace the ids as they were; of a block trace the offset in sectors of 512 bytes (the LBA, as
libCacheSim's own conversions have it), or in bytes when any offset is no whole number of sectors. With several streams
the id is mix(address xor stream << 48), where stream is the number of the stream and mix the finaliser of SplitMix64:
a bijection, so no two blocks meet below 2^48. Times are whole seconds on the trace's clock. Memory while finishing
grows with the footprint.

Source: libCacheSim oracleGeneralBin.h. Its documentation calls next access a distance; its code and files have it
absolute (issue 324).
)",
    .detect = detect,
    .open = open,
    .create = create,
    .streams_out = false,
    .extension = ".oracleGeneral.bin",
    .other_extension = ".oracleGeneral",
};

}  // namespace traces
