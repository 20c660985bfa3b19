// MQ: several LRU queues, by how often their blocks have been used.
//
// Zhou, Philbin, Li, "The multi-queue replacement algorithm for second level buffer caches", USENIX 2001.
//
// A block used f times joins the young end of queue log2 f. Room is made at the old end of the lowest queue that is not
// empty. A block unused for the lifetime goes down to the young end of the queue below and has another lifetime there;
// of each queue only the oldest is looked at, once an access. A block pushed out becomes a ghost, which remembers its
// uses.
//
// queues: 8 in the paper
// history: ghosts kept, as a multiple of the capacity (rounded down), 4 in the paper
// lifetime: accesses that a block may go unused before it goes down a queue, as a multiple of the capacity (rounded
//           down). The paper measures it: of the distances between uses that are greater than the number of cached
//           blocks, the most frequent. Here it is given, and 2 by default, between the 1 and the 4 that were best on
//           the traces tried
//
// As in the paper, room is made before the missed block is looked for among the ghosts, so that it may just have been
// forgotten. Uses are counted up to 2^27 - 1, and the lifetime is at most 2^31 accesses.
#include <algorithm>
#include <bit>

#include "policies/parts/batch.h"
#include "policies/parts/whole_number.h"

namespace policies {
namespace {

struct Shape {
  std::uint32_t capacity = 0;
  std::uint32_t queues = 0;
  std::uint32_t ghosts = 0;
  std::uint32_t lifetime = 0;
};

class Mq {
 public:
  Mq(const Shape& shape, std::uint32_t footprint)
      : shape_(shape),
        no_list_(shape.queues + 1),
        first_head_(footprint),
        nodes_(std::size_t{footprint} + shape.queues + 1, Node{.list = no_list_}) {
    for (std::uint32_t list = 0; list <= shape.queues; ++list) nodes_[head(list)] = {head(list), head(list)};
  }

  Outcome access(BlockId block, BlockId& victim) {
    Node& node = nodes_[block];
    const Outcome outcome = node.list < shape_.queues ? Outcome::hit : Outcome::miss;
    if (outcome == Outcome::hit) {
      unlink(block);
    } else {
      if (resident_ == shape_.capacity) victim = evict();
      if (node.list == ghosts()) {
        unlink(block);
        --ghost_count_;
      } else {
        node.uses = 0;
      }
      ++resident_;
    }
    if (node.uses < kMostUses) ++node.uses;
    join(std::min<std::uint32_t>(std::bit_width(std::uint32_t{node.uses}) - 1, shape_.queues - 1), block);
    if (++clock_ >= due_) lower_the_unused();
    return outcome;
  }

  void prefetch(BlockId block) const { __builtin_prefetch(&nodes_[block], 1); }
  void prefetch_linked(BlockId block) const {
    const Node& node = nodes_[block];
    if (node.list == no_list_) return;
    __builtin_prefetch(&nodes_[node.older], 1);
    __builtin_prefetch(&nodes_[node.younger], 1);
  }

  void forget(BlockId block) {
    if (!contains(block)) return;
    leave(block);
    --resident_;
  }
  bool contains(BlockId block) const { return nodes_[block].list < shape_.queues; }
  std::uint32_t resident() const { return resident_; }

 private:
  static constexpr std::uint32_t kMostUses = (1u << 27) - 1;

  // A block, or the head of a list: the oldest is the one younger than the head.
  struct Node {
    std::uint32_t older = 0;
    std::uint32_t younger = 0;
    std::uint32_t joined = 0;  // when, modulo 2^32
    std::uint32_t uses : 27 = 0;
    std::uint32_t list : 5 = 0;  // a queue's number, ghosts() or no_list_
  };

  std::uint32_t ghosts() const { return shape_.queues; }
  std::uint32_t head(std::uint32_t list) const { return first_head_ + list; }
  BlockId oldest(std::uint32_t list) const { return nodes_[head(list)].younger; }
  bool empty(std::uint32_t list) const { return oldest(list) == head(list); }

  void unlink(BlockId block) {
    const Node& node = nodes_[block];
    nodes_[node.older].younger = node.younger;
    nodes_[node.younger].older = node.older;
  }

  void leave(BlockId block) {
    unlink(block);
    nodes_[block].list = no_list_;
  }

  void join(std::uint32_t list, BlockId block) {
    Node& node = nodes_[block];
    node.list = list;
    node.joined = static_cast<std::uint32_t>(clock_);
    node.younger = head(list);
    node.older = nodes_[head(list)].older;
    nodes_[node.older].younger = block;
    nodes_[head(list)].older = block;
  }

  BlockId evict() {
    std::uint32_t queue = 0;
    while (empty(queue)) ++queue;
    const BlockId victim = oldest(queue);
    leave(victim);
    --resident_;
    if (shape_.ghosts > 0) {
      if (ghost_count_ == shape_.ghosts) {
        leave(oldest(ghosts()));
        --ghost_count_;
      }
      join(ghosts(), victim);
      ++ghost_count_;
    }
    return victim;
  }

  // Nothing is due before the oldest of a queue is, nor within a lifetime when all are empty.
  [[gnu::noinline]] void lower_the_unused() {
    std::uint32_t longest = 0;
    for (std::uint32_t queue = 1; queue < shape_.queues; ++queue) {
      if (empty(queue)) continue;
      if (age(oldest(queue)) > shape_.lifetime) {
        const BlockId block = oldest(queue);
        unlink(block);
        join(queue - 1, block);
        if (empty(queue)) continue;
        __builtin_prefetch(&nodes_[nodes_[oldest(queue)].younger], 1);
      }
      longest = std::max(longest, age(oldest(queue)));
    }
    due_ = clock_ + 1 + shape_.lifetime - std::min(longest, shape_.lifetime);
  }

  std::uint32_t age(BlockId block) const { return static_cast<std::uint32_t>(clock_) - nodes_[block].joined; }

  Shape shape_;
  std::uint32_t no_list_;
  std::uint32_t first_head_;
  std::uint32_t resident_ = 0;
  std::uint32_t ghost_count_ = 0;
  std::uint64_t clock_ = 0;
  std::uint64_t due_ = 0;  // no block goes down before
  std::vector<Node> nodes_;
};

constexpr Parameter kParameters[] = {
    {"queues", "LRU queues", "8"},
    {"history", "ghosts kept, as a multiple of the capacity", "4"},
    {"lifetime", "accesses without a use before a block goes down a queue, as a multiple of the capacity", "2"},
};

std::uint32_t multiple_of(std::uint32_t capacity, const Settings& settings, std::string_view name, double most) {
  const double multiple = settings.number(name);
  if (multiple < 0) throw sim::UsageError(std::string(name) + " is a multiple of the capacity, at least 0");
  return static_cast<std::uint32_t>(std::min(multiple * capacity, most));
}

std::unique_ptr<Policy> make(std::uint32_t capacity, std::uint32_t footprint, const Settings& settings) {
  constexpr double kLongestLife = std::uint64_t{1} << 31;
  return std::make_unique<Batched<Mq>>(Shape{.capacity = capacity,
                                             .queues = whole_number(settings, "queues", 1, 24),
                                             .ghosts = multiple_of(capacity, settings, "history", footprint),
                                             .lifetime = multiple_of(capacity, settings, "lifetime", kLongestLife)},
                                       footprint);
}

}  // namespace

extern const Spec mq{
    .name = "mq",
    .idea = "LRU queues by the logarithm of the uses; a block unused for a lifetime goes down one",
    .paper = "Zhou, Philbin, Li, The multi-queue replacement algorithm for second level buffer caches, USENIX 2001",
    .parameters = kParameters,
    .make = make,
};

}  // namespace policies
