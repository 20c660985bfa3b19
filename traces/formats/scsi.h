// What SCSI commands mean to a cache.
#pragma once

#include <cstdint>
#include <optional>

#include "traces/request.h"

namespace traces {

// By operation code (SPC-5 annex D, SBC-4); none for commands that neither move blocks nor discard nor flush them.
constexpr std::optional<Op> op_of_scsi(std::uint64_t code) {
  switch (code) {
    case 0x08:  // READ(6)
    case 0x28:  // READ(10)
    case 0xa8:  // READ(12)
    case 0x88:  // READ(16)
      return Op::read;
    case 0x0a:  // WRITE(6)
    case 0x2a:  // WRITE(10)
    case 0xaa:  // WRITE(12)
    case 0x8a:  // WRITE(16)
    case 0x2e:  // WRITE AND VERIFY(10)
    case 0xae:  // WRITE AND VERIFY(12)
    case 0x8e:  // WRITE AND VERIFY(16)
    case 0x41:  // WRITE SAME(10)
    case 0x93:  // WRITE SAME(16)
    case 0x89:  // COMPARE AND WRITE
      return Op::write;
    case 0x42:  // UNMAP
      return Op::discard;
    case 0x35:  // SYNCHRONIZE CACHE(10)
    case 0x91:  // SYNCHRONIZE CACHE(16)
      return Op::flush;
    default:
      return std::nullopt;
  }
}

}  // namespace traces
