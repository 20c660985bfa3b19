// Belady's MIN: the block whose next use is farthest away leaves. Needs the future; no policy that lets every miss in
// has fewer misses.
//
// Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems Journal 5(2), 1966.
//
// Every miss is let in, as in the reference (libCacheSim's Belady), even where the new block's own next use is the
// farthest; belady_bypass is the other one. Of several blocks that are never used again the one used last leaves
// first. No parameters.
#include "policies/parts/farthest_next_use.h"

namespace policies {

extern const Spec belady{
    .name = "belady",
    .idea = "the block whose next use is farthest away leaves: the fewest misses possible, with the future known",
    .paper = "Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems Journal 1966",
    .needs_future = true,
    .make = [](std::uint32_t capacity, std::uint32_t footprint, const Settings&) -> std::unique_ptr<Policy> {
      return std::make_unique<FarthestNextUse<false>>(capacity, footprint);
    },
};

}  // namespace policies
