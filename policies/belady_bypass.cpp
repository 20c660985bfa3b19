// Belady's MIN for a cache that need not take every block: once it is full, a new block whose own next use is the
// farthest does not come in. Needs the future; no policy at all has fewer misses.
//
// Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems Journal 5(2), 1966, for the
// choice; the bypass is McFarling's, "Cache replacement with dynamic exclusion", ISCA 1992 (optimal direct-mapped
// caches that may exclude).
//
// A new block that is never used again is refused even if there are such blocks in the full cache. Otherwise as belady,
// which lets every miss in. No parameters.
#include "policies/parts/farthest_next_use.h"

namespace policies {

extern const Spec belady_bypass{
    .name = "belady_bypass",
    .idea = "as belady, but a new block whose own next use is the farthest is refused: the bound for every policy",
    .paper = "Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems Journal 1966",
    .needs_future = true,
    .make = [](std::uint32_t capacity, std::uint32_t footprint, const Settings&) -> std::unique_ptr<Policy> {
      return std::make_unique<FarthestNextUse<true>>(capacity, footprint);
    },
};

}  // namespace policies
