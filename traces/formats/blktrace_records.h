// blktrace's binary records, as the reader and the writer know them (the kernel's include/uapi/linux/blktrace_api.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "traces/writer.h"

namespace traces {

// A header (struct blk_io_trace; of version 8 struct blk_io_trace2) and behind it what its action adds.
namespace record {
inline constexpr std::uint32_t kMagic = 0x65617400;  // and the version in the lowest byte
inline constexpr std::size_t kHeader7 = 48, kHeader8 = 64;

// The lower half of the action; above it are the bits of namespace category.
inline constexpr std::uint32_t kQueue = 1, kRequeue = 6, kIssue = 7, kComplete = 8;
inline constexpr std::uint32_t kCgroup = 1 << 8;  // what is behind the header begins with a control group's id, 8 bytes
// The lower half of a note's (category::kNote).
inline constexpr std::uint32_t kProcessNote = 0, kTimestampNote = 1, kMessageNote = 2;
}  // namespace record

std::unique_ptr<Writer> create_blktrace(const std::string& path, const WriteOptions&);

}  // namespace traces
