// LIRS: low inter-reference recency set.
//
// Jiang, Zhang, "LIRS: an efficient low inter-reference recency set replacement policy to improve buffer cache
// performance", SIGMETRICS 2002.
//
// Blocks whose last two uses lay close together (LIR) have nearly all of the cache. The others (HIR) pass through a
// small queue Q, whose oldest block is the victim. A stack S holds, in order of their last use, the LIR blocks, and
// those HIR blocks, kept or pushed out (ghosts), that were used later than the LIR block used least recently: its
// bottom. A HIR block used while it is in the stack becomes LIR, and the bottom one is demoted to the young end of Q.
// A HIR block used when it is only in Q goes to the young end and onto the stack. Until they have filled their share,
// blocks that come in become LIR.
//
// hir: share of the capacity for HIR blocks (rounded down, at least one block), 0.01 in the paper
// stack: the stack drops its oldest ghosts when it has more entries than that multiple of the capacity. Unlimited, as
//        the paper describes it: a block is in the stack once, so it has at most as many entries as there are blocks
// variant: paper
//          libcachesim  equal to libCacheSim's LIRS, for comparing miss counts only. The stack has 2 x capacity. The use
//                       of a block that is only in Q also demotes a LIR block, if these have their whole share; room
//                       for that one is made in Q, so that a victim is pushed out with a hit, and the next miss finds
//                       room and becomes LIR. Where Q has one block (capacities below 200) that would be the block used
//                       itself: it stays, as that program finds it in its stack, but no longer counts towards the
//                       capacity, and when it leaves the stack it is gone without having been a victim. Lets nothing in
//                       at capacity 1; at capacity 2 that program also demotes HIR blocks, which this does not
//
// A block that is discarded leaves the stack too. If it was the bottom, HIR blocks may take its place when no LIR block
// is left.
#include <algorithm>

#include "policies/parts/batch.h"
#include "policies/parts/closed.h"
#include "policies/parts/queue.h"
#include "policies/parts/variant.h"

namespace policies {
namespace {

struct Shape {
  std::uint32_t capacity = 0;
  std::uint32_t hirs = 0;
  std::uint32_t stack = 0;  // UINT32_MAX: no limit
  bool demotes_for_hir_hits = false;
};

class Lirs {
 public:
  Lirs(const Shape& shape, std::uint32_t footprint)
      : shape_(shape),
        lirs_most_(shape.capacity - shape.hirs),
        status_(footprint, Status::absent),
        stack_index_(footprint, kNowhere),
        queue_index_(footprint),
        stack_(std::min(stack_room(shape), footprint)),
        queue_(std::min(shape.hirs, footprint)),
        ghosts_(limited() ? std::min(shape.stack, footprint) : 0) {}

  Outcome access(BlockId block, BlockId& victim) {
    switch (status_[block]) {
      case Status::lir:
        raise(block);
        prune();
        return Outcome::hit;
      case Status::hir:
        use_hir(block, victim);
        return Outcome::hit;
      default:
        bring_in(block, victim);
        return Outcome::miss;
    }
  }

  void prefetch(BlockId block) const {
    __builtin_prefetch(&status_[block], 1);
    __builtin_prefetch(&stack_index_[block], 1);
  }
  void prefetch_linked(BlockId block) const {
    if (stack_index_[block] != kNowhere) stack_.prefetch(stack_index_[block]);
  }

  void forget(BlockId block) {
    if (!contains(block)) return;
    const bool was_lir = status_[block] == Status::lir;
    was_lir ? void(--lirs_) : leave_queue(block);
    if (stack_index_[block] != kNowhere) stack_.erase(stack_index_[block]);
    stack_index_[block] = kNowhere;
    status_[block] = Status::absent;
    if (was_lir) prune();
  }
  bool contains(BlockId block) const { return status_[block] >= Status::hir; }
  std::uint32_t resident() const { return lirs_ + queue_.size() + stack_only_; }

 private:
  enum class Status : std::uint8_t { absent, ghost, hir, lir };

  // Kept blocks that are in the stack and not in Q may make it longer than its limit.
  static std::uint32_t stack_room(const Shape& shape) {
    const bool any = shape.demotes_for_hir_hits && shape.hirs == 1;
    return any ? UINT32_MAX : std::max(shape.stack, shape.capacity);
  }
  bool limited() const { return shape_.stack != UINT32_MAX; }

  void use_hir(BlockId block, BlockId& victim) {
    leave_queue(block);
    if (stack_index_[block] != kNowhere) {
      if (lirs_ == lirs_most_ && queue_.size() == shape_.hirs) victim = evict();
      become_lir(block);
      return;
    }
    join_queue(block);
    if (shape_.demotes_for_hir_hits && lirs_ == lirs_most_) {
      if (queue_.size() == shape_.hirs) make_room_in_queue(block, victim);
      demote();
    }
    push_on_stack(block);
    limit_stack();
  }

  void make_room_in_queue(BlockId used, BlockId& victim) {
    if (queue_.size() > 1) {
      victim = evict();
      return;
    }
    leave_queue(used);
    queue_index_[used] = kNowhere;
    ++stack_only_;
  }

  void bring_in(BlockId block, BlockId& victim) {
    const bool was_ghost = status_[block] == Status::ghost;
    if (was_ghost && limited()) ghosts_.erase(queue_index_[block]);
    if (lirs_ + queue_.size() == shape_.capacity) victim = evict();
    if (was_ghost || lirs_ < lirs_most_) {
      become_lir(block);
    } else {
      join_queue(block);
      push_on_stack(block);
    }
    limit_stack();
  }

  void become_lir(BlockId block) {
    raise(block);
    status_[block] = Status::lir;
    if (++lirs_ > lirs_most_) demote();
  }

  // The LIR block used least recently.
  void demote() {
    prune();
    const BlockId bottom = stack_.pop();
    stack_index_[bottom] = kNowhere;
    --lirs_;
    join_queue(bottom);
    prune();
  }

  // Takes HIR blocks off the bottom of the stack.
  void prune() {
    while (stack_.size() > 0) {
      const BlockId bottom = stack_.at(stack_.oldest());
      if (status_[bottom] == Status::lir) return;
      stack_.pop();
      stack_index_[bottom] = kNowhere;
      if (status_[bottom] == Status::ghost) {
        if (limited()) ghosts_.erase(queue_index_[bottom]);
        status_[bottom] = Status::absent;
      } else if (queue_index_[bottom] == kNowhere) {
        --stack_only_;
        status_[bottom] = Status::absent;
      }
    }
  }

  void limit_stack() {
    while (stack_.size() > shape_.stack && ghosts_.size() > 0) {
      const BlockId ghost = ghosts_.pop();
      stack_.erase(stack_index_[ghost]);
      stack_index_[ghost] = kNowhere;
      status_[ghost] = Status::absent;
    }
  }

  BlockId evict() {
    const BlockId oldest = queue_.pop();
    const bool ghost = stack_index_[oldest] != kNowhere;
    status_[oldest] = ghost ? Status::ghost : Status::absent;
    if (ghost && limited()) push(ghosts_, queue_index_, oldest);
    return oldest;
  }

  void join_queue(BlockId block) {
    push(queue_, queue_index_, block);
    status_[block] = Status::hir;
  }
  void leave_queue(BlockId block) {
    queue_index_[block] == kNowhere ? void(--stack_only_) : queue_.erase(queue_index_[block]);
  }

  void raise(BlockId block) {
    if (stack_index_[block] != kNowhere) stack_.erase(stack_index_[block]);
    push_on_stack(block);
  }
  void push_on_stack(BlockId block) { push(stack_, stack_index_, block); }

  static void push(Queue& queue, std::vector<QueueIndex>& indices, BlockId block) {
    indices[block] = queue.push(block, [&](BlockId moved, QueueIndex, QueueIndex to) { indices[moved] = to; });
  }

  Shape shape_;
  std::uint32_t lirs_most_;
  std::uint32_t lirs_ = 0;
  std::uint32_t stack_only_ = 0;  // HIR blocks that are kept though they are not in Q
  std::vector<Status> status_;
  std::vector<QueueIndex> stack_index_;  // kNowhere unless in the stack
  std::vector<QueueIndex> queue_index_;  // in Q, or in ghosts_
  Queue stack_;
  Queue queue_;
  Queue ghosts_;  // in the order of the stack; used if that is limited
};

constexpr Parameter kParameters[] = {
    {"hir", "share of the capacity for blocks that are not used often, at least one block", "0.01"},
    {"stack", "most entries of the stack, as a multiple of the capacity, or unlimited (variant=libcachesim: 2)",
     "unlimited"},
    {"variant", "paper, or libcachesim: a use of a block in the queue demotes an often used one; stack of 2", "paper"},
};

std::uint32_t stack_limit(std::uint32_t capacity, std::uint32_t footprint, const Settings& settings, bool libcachesim) {
  const bool unlimited = settings.text("stack") == "unlimited";
  if (unlimited && !libcachesim) return UINT32_MAX;
  const double multiple = unlimited ? 2 : settings.number("stack");
  if (multiple < 1) throw sim::UsageError("stack is a multiple of the capacity, at least 1, or unlimited");
  return multiple * capacity >= footprint ? UINT32_MAX : static_cast<std::uint32_t>(multiple * capacity);
}

std::unique_ptr<Policy> make(std::uint32_t capacity, std::uint32_t footprint, const Settings& settings) {
  const bool libcachesim = is_libcachesim_variant(settings);
  const Shape shape{.capacity = capacity,
                    .hirs = std::max(static_cast<std::uint32_t>(settings.fraction("hir") * capacity), std::uint32_t{1}),
                    .stack = stack_limit(capacity, footprint, settings, libcachesim),
                    .demotes_for_hir_hits = libcachesim};
  if (libcachesim && shape.hirs == capacity) return std::make_unique<Batched<Closed>>();
  return std::make_unique<Batched<Lirs>>(shape, footprint);
}

}  // namespace

extern const Spec lirs{
    .name = "lirs",
    .idea = "blocks used twice at a short distance have nearly all of the cache; the others pass through a small queue",
    .paper = "Jiang, Zhang, LIRS: an efficient low inter-reference recency set replacement policy, SIGMETRICS 2002",
    .parameters = kParameters,
    .make = make,
};

}  // namespace policies
