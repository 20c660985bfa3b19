// ZFS ARC: adaptive replacement as a file system has it.
//
// OpenZFS 2.1, module/zfs/arc.c (arc_adapt, arc_access, arc_evict), for data blocks of equal size. Described here from
// what these do. The last version with this target: 2.2 has fractions of data and metadata instead.
//
// The lists are those of the paper's ARC (arc.cpp): MRU and MFU, each with a list of ghosts. What differs:
// - The target p of the MRU list stays between c / 2^p_min_shift and c less that (c is the capacity). A hit among one
//   list's ghosts moves it by whole blocks: by the quotient of the other list's ghosts and this one's, rounded down,
//   one at least. It is moved on sight, the block counted among the ghosts.
// - The block to leave is taken from the MRU list if that, with the new block, is longer than p; else from the MFU
// list.
//   That the block comes back from the MFU list's ghosts makes no difference.
// - Ghosts are cut after a block has left: first the MRU list's, until they and the MRU list are no more than c; then
//   the MFU list's, until all ghosts are no more than c. A block of the MRU list always leaves a ghost.
// - p begins at c. (The module begins with a small c and p at half of it, and lets both grow as blocks come in: when c
//   has reached its maximum, p is within 1/32 of it.) A new block that makes the MRU list longer than p while the cache
//   has room moves p up.
// - A second use counts as such only after some time (62 ms); until then it leaves the block in the MRU list.
//
// mintime: that time, in accesses of the cache, as there is no clock here: a block goes to the MFU list if used again
//          more than `mintime` accesses after it came in
// p_min_shift: the bound of p (4)
//
// Left out: metadata and its limits, prefetch, blocks in use that cannot leave, the growing and shrinking of c with the
// memory of the machine, the lists' division into sublists, the eviction in batches (its thread starts when the cache
// is 1/256 too large). zfs_arc_p_dampener_disable is at its default, so the quotient has no limit.
#include <algorithm>

#include "policies/parts/batch.h"
#include "policies/parts/four_lists.h"
#include "policies/parts/whole_number.h"

namespace policies {
namespace {

class ZfsArc : public FourLists {
 public:
  ZfsArc(std::uint32_t capacity, std::uint32_t footprint, std::uint32_t mintime, unsigned p_min_shift)
      : FourLists(footprint, std::min(capacity, footprint), most_ghosts(capacity, footprint)),
        capacity_(capacity),
        mintime_(mintime),
        least_target_(capacity / static_cast<double>(std::uint64_t{1} << p_min_shift)),
        target_(capacity),
        came_in_at_(mintime > 0 ? footprint : 0) {}

  Outcome access(BlockId block, BlockId& victim) {
    ++now_;
    const List list = list_of(block);
    if (list <= kMfu) {
      leave(block);
      join(list == kMru && is_too_soon(block) ? kMru : kMfu, block);
      return Outcome::hit;
    }
    if (list == kNone) {
      if (resident() < capacity_ && size(kMru) + 1.0 > target_) target_ = std::min<double>(capacity_, target_ + 1);
      if (resident() == capacity_) victim = push_out(1);
      if (mintime_ > 0) came_in_at_[block] = now_;
      join(kMru, block);
    } else {
      adapt(list);
      leave(block);
      if (resident() == capacity_) victim = push_out(0);
      join(kMfu, block);
    }
    return Outcome::miss;
  }

 private:
  static constexpr List kMru = kT1, kMfu = kT2, kMruGhosts = kB1, kMfuGhosts = kB2;

  // A block leaves only when `capacity` others stay or come.
  static std::uint32_t most_ghosts(std::uint32_t capacity, std::uint32_t footprint) {
    return capacity < footprint ? std::min(capacity + 1, footprint - capacity) : 0;
  }

  bool is_too_soon(BlockId block) const { return mintime_ > 0 && now_ - came_in_at_[block] <= mintime_; }

  void adapt(List ghosts) {
    const std::uint32_t hit = size(ghosts);
    const std::uint32_t other = size(ghosts == kMruGhosts ? kMfuGhosts : kMruGhosts);
    const double step = std::max(other / hit, std::uint32_t{1});
    target_ = ghosts == kMruGhosts ? std::min(capacity_ - least_target_, target_ + step)
                                   : std::max(least_target_, target_ - step);
  }

  // `coming` blocks are about to join the MRU list.
  BlockId push_out(std::uint32_t coming) {
    const bool from_mru = size(kMru) > 0 && (size(kMru) + coming > target_ || size(kMfu) == 0);
    const BlockId victim = become_ghost(from_mru ? kMru : kMfu);
    const std::uint64_t most = capacity_;
    while (size(kMruGhosts) > 0 && std::uint64_t{size(kMru)} + coming + size(kMruGhosts) > most)
      drop_oldest(kMruGhosts);
    while (size(kMfuGhosts) > 0 && std::uint64_t{size(kMruGhosts)} + size(kMfuGhosts) > most) drop_oldest(kMfuGhosts);
    return victim;
  }

  std::uint32_t capacity_;
  std::uint32_t mintime_;
  double least_target_;
  double target_;
  std::uint64_t now_ = 0;
  std::vector<std::uint64_t> came_in_at_;  // of blocks in the MRU list; empty when no time has to pass
};

constexpr Parameter kParameters[] = {
    {"mintime", "accesses that must pass before a second use counts", "0"},
    {"p_min_shift", "the MRU list's target stays 1/2^p_min_shift of the capacity away from its ends", "4"},
};

std::unique_ptr<Policy> make(std::uint32_t capacity, std::uint32_t footprint, const Settings& settings) {
  return std::make_unique<Batched<ZfsArc>>(capacity, footprint, whole_number(settings, "mintime", 0, UINT32_MAX),
                                           whole_number(settings, "p_min_shift", 1, 32));
}

}  // namespace

extern const Spec zfs_arc{
    .name = "zfs_arc",
    .idea = "ARC as OpenZFS has it: a bounded target that moves by whole blocks, ghosts cut after the fact",
    .paper = "OpenZFS 2.1, module/zfs/arc.c; after Megiddo, Modha, ARC, FAST 2003",
    .parameters = kParameters,
    .make = make,
};

}  // namespace policies
