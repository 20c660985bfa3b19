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
#include "policies/parts/queue.h"
#include "policies/parts/whole_number.h"

namespace policies {
namespace {

class ZfsArc {
 public:
  ZfsArc(std::uint32_t capacity, std::uint32_t footprint, std::uint32_t mintime, unsigned p_min_shift)
      : capacity_(capacity),
        mintime_(mintime),
        least_target_(capacity / static_cast<double>(std::uint64_t{1} << p_min_shift)),
        target_(capacity),
        state_(footprint),
        came_in_at_(mintime > 0 ? footprint : 0),
        lists_{resident_queue(footprint), resident_queue(footprint), ghost_queue(footprint), ghost_queue(footprint)} {}

  Outcome access(BlockId block, BlockId& victim) {
    ++now_;
    const List list = state_[block].list;
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

  void prefetch(BlockId block) const { __builtin_prefetch(&state_[block], 1); }
  void prefetch_linked(BlockId block) const {
    if (state_[block].list != kNone) lists_[state_[block].list].prefetch(state_[block].where);
  }

  void forget(BlockId block) {
    if (contains(block)) leave(block);
  }
  bool contains(BlockId block) const { return state_[block].list <= kMfu; }
  std::uint32_t resident() const { return size(kMru) + size(kMfu); }

 private:
  enum List : std::uint32_t { kMru, kMfu, kMruGhosts, kMfuGhosts, kNone };
  struct State {
    QueueIndex where;
    List list = kNone;
  };

  Queue resident_queue(std::uint32_t footprint) const { return Queue(std::min(capacity_, footprint)); }
  // A block leaves only when `capacity_` others stay or come.
  Queue ghost_queue(std::uint32_t footprint) const {
    return Queue(capacity_ < footprint ? std::min(capacity_ + 1, footprint - capacity_) : 0);
  }
  std::uint32_t size(List list) const { return lists_[list].size(); }
  bool is_too_soon(BlockId block) const { return mintime_ > 0 && now_ - came_in_at_[block] <= mintime_; }

  void join(List list, BlockId block) {
    const QueueIndex where =
        lists_[list].push(block, [this](BlockId moved, QueueIndex, QueueIndex to) { state_[moved].where = to; });
    state_[block] = {where, list};
  }

  void leave(BlockId block) {
    State& state = state_[block];
    lists_[state.list].erase(state.where);
    state.list = kNone;
  }

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
    const BlockId victim = lists_[from_mru ? kMru : kMfu].pop();
    join(from_mru ? kMruGhosts : kMfuGhosts, victim);
    const std::uint64_t most = capacity_;
    while (size(kMruGhosts) > 0 && std::uint64_t{size(kMru)} + coming + size(kMruGhosts) > most)
      drop_oldest(kMruGhosts);
    while (size(kMfuGhosts) > 0 && std::uint64_t{size(kMruGhosts)} + size(kMfuGhosts) > most) drop_oldest(kMfuGhosts);
    return victim;
  }

  void drop_oldest(List list) { state_[lists_[list].pop()].list = kNone; }

  std::uint32_t capacity_;
  std::uint32_t mintime_;
  double least_target_;
  double target_;
  std::uint64_t now_ = 0;
  std::vector<State> state_;
  std::vector<std::uint64_t> came_in_at_;  // of blocks in the MRU list; empty when no time has to pass
  Queue lists_[4];
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
