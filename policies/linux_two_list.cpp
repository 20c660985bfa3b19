// Linux page cache: an inactive and an active list.
//
// Linux 6.1 without the multi-generational LRU: mm/swap.c (folio_mark_accessed), mm/vmscan.c (inactive_is_low,
// shrink_active_list, shrink_lruvec), mm/workingset.c (refault distance, since 3.15). Described here from what these
// do.
//
// A block comes in at the young end of the inactive list, marked as used. A use of an unmarked block marks it. A use of
// a marked inactive block moves it to the young end of the active list, unmarked; in the active list uses only mark.
// The oldest inactive block leaves, marked or not.
//
// Blocks are taken back in rounds. A round is planned at some priority: it takes 1/2^priority of the inactive blocks,
// one for each miss. When the inactive list is low (`ratio` times its length is less than the active list's), or a
// block was activated as it came back since the last round, then as large a part of the active list moves to the
// inactive one, oldest first, marks kept. While a round would take no inactive block it is planned again at the next
// lower priority, to twice the part.
//
// Refaults: a counter goes up whenever a block leaves the inactive list (pushed out, or activated). A missed block
// since whose leaving the counter has gone up by no more than the length of the active list would have stayed with an
// inactive list longer by that much: it comes into the active list at once, and the counter goes up.
//
// ratio: auto is the kernel's rule for pages of 4 KiB, the integer square root of 10 x GiB of cache, 1 below 1 GiB; or
// a
//        number of one's own, as for blocks of another size
// priority: that of the first plan (the kernel's DEF_PRIORITY, 12)
//
// Left out: anonymous memory (no swap: only the active file list bounds the refault distance), mapped pages, readahead,
// dirty pages (taken to be clean when their turn comes), cgroups, NUMA nodes, per-CPU batches, the loss of the oldest
// shadow entries. The kernel's background reclaim frees a round's blocks at once; here each leaves when its room is
// needed.
#include <algorithm>

#include "policies/parts/batch.h"
#include "policies/parts/queue.h"
#include "policies/parts/whole_number.h"

namespace policies {
namespace {

class LinuxTwoList {
 public:
  LinuxTwoList(std::uint32_t capacity, std::uint32_t footprint, std::uint32_t ratio, unsigned priority)
      : capacity_(capacity),
        ratio_(ratio),
        priority_(priority),
        state_(footprint, kAbsent),
        where_(footprint),
        left_at_(footprint),
        inactive_(std::min(capacity, footprint)),
        active_(std::min(capacity, footprint)) {}

  Outcome access(BlockId block, BlockId& victim) {
    if (state_[block] >= kActive) {
      state_[block] = kActiveUsed;
      return Outcome::hit;
    }
    if (state_[block] < kInactive) {
      victim = come_in(block);
      return Outcome::miss;
    }
    if (state_[block] == kInactive) {
      state_[block] = kInactiveUsed;
    } else {
      inactive_.erase(where_[block]);
      join(active_, block, kActive);
      ++age_;
    }
    return Outcome::hit;
  }

  void prefetch(BlockId block) const { __builtin_prefetch(&state_[block], 1); }
  void prefetch_linked(BlockId block) const {
    if (state_[block] == kLeft) __builtin_prefetch(&left_at_[block], 1);
    if (state_[block] <= kInactiveUsed) __builtin_prefetch(&where_[block], 1);
  }

  void forget(BlockId block) {
    if (!contains(block)) return;
    (state_[block] >= kActive ? active_ : inactive_).erase(where_[block]);
    state_[block] = kAbsent;
  }
  bool contains(BlockId block) const { return state_[block] >= kInactive; }
  std::uint32_t resident() const { return inactive_.size() + active_.size(); }

 private:
  enum State : std::uint8_t { kAbsent, kLeft, kInactive, kInactiveUsed, kActive, kActiveUsed };

  void join(Queue& queue, BlockId block, State state) {
    where_[block] = queue.push(block, [this](BlockId moved, QueueIndex, QueueIndex to) { where_[moved] = to; });
    state_[block] = state;
  }

  BlockId come_in(BlockId block) {
    const BlockId victim = resident() == capacity_ ? push_out() : kNoBlock;
    if (state_[block] == kLeft && age_ - left_at_[block] <= active_.size()) {
      join(active_, block, kActiveUsed);
      ++age_;
      refaulted_ = true;
    } else {
      join(inactive_, block, kInactiveUsed);
    }
    return victim;
  }

  BlockId push_out() {
    if (left_in_round_ == 0 || inactive_.size() == 0) plan_round();
    --left_in_round_;
    const BlockId victim = inactive_.pop();
    state_[victim] = kLeft;
    left_at_[victim] = age_++;
    return victim;
  }

  void plan_round() {
    left_in_round_ = 0;
    for (unsigned priority = priority_ + 1; left_in_round_ == 0 && priority-- > 0;) {
      left_in_round_ = inactive_.size() >> priority;
      if (refaulted_ || inactive_is_low()) deactivate(active_.size() >> priority);
    }
    left_in_round_ = std::max(left_in_round_, std::uint32_t{1});
    refaulted_ = false;
  }

  bool inactive_is_low() const { return std::uint64_t{inactive_.size()} * ratio_ < active_.size(); }

  void deactivate(std::uint32_t count) {
    for (; count > 0; --count) {
      const BlockId oldest = active_.pop();
      join(inactive_, oldest, state_[oldest] == kActiveUsed ? kInactiveUsed : kInactive);
    }
  }

  std::uint32_t capacity_;
  std::uint32_t ratio_;
  unsigned priority_;
  std::uint32_t left_in_round_ = 0;
  bool refaulted_ = false;  // since the last round
  std::uint64_t age_ = 0;   // blocks that have left the inactive list, either way
  std::vector<State> state_;
  std::vector<QueueIndex> where_;
  std::vector<std::uint64_t> left_at_;  // the age then; of blocks that are kLeft
  Queue inactive_;
  Queue active_;
};

constexpr Parameter kParameters[] = {
    {"ratio", "how many times as long as the inactive list the active one may be; auto: the kernel's rule", "auto"},
    {"priority", "a round of reclaim takes 1/2^priority of the inactive list", "12"},
};

std::uint32_t automatic_ratio(std::uint32_t capacity) {
  constexpr unsigned kBlocksPerGibLog2 = 18;
  const std::uint32_t ten_gib = 10 * (capacity >> kBlocksPerGibLog2);
  std::uint32_t root = 1;
  while ((root + 1) * (root + 1) <= ten_gib) ++root;
  return root;
}

std::unique_ptr<Policy> make(std::uint32_t capacity, std::uint32_t footprint, const Settings& settings) {
  const bool automatic = settings.text("ratio") == "auto";
  return std::make_unique<Batched<LinuxTwoList>>(
      capacity, footprint, automatic ? automatic_ratio(capacity) : whole_number(settings, "ratio", 1, 1'000'000),
      whole_number(settings, "priority", 0, 31));
}

}  // namespace

extern const Spec linux_two_list{
    .name = "linux_two_list",
    .idea = "a second use moves a block from the inactive to the active list; one that comes back soon starts active",
    .paper = "Linux 6.1 page cache: mm/vmscan.c, mm/workingset.c, mm/swap.c",
    .parameters = kParameters,
    .make = make,
};

}  // namespace policies
