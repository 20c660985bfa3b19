// W-TinyLFU: an LRU behind a small one, and a frequency sketch that decides who passes from the one to the other.
//
// Einziger, Friedman, Manes, "TinyLFU: a highly efficient cache admission policy", ACM TOS 13(4), 2017; the climbing
// window: Einziger, Eytan, Friedman, Manes, "Adaptive software cache management", Middleware 2018.
//
// A new block joins the window, an LRU. The block that the window has no more room for is a candidate for the main
// cache: if that is full, the candidate must have been seen more often than the main cache's next victim, or it is
// pushed out itself (so on a tie). The main cache is a segmented LRU: blocks arrive on probation, and a use there moves
// them to the protected segment, whose oldest goes back on probation when it is full. Every access counts in the
// sketch (parts/frequency_sketch.h), hit or miss; counts are halved after a sample of accesses.
//
// window: the window's share of the capacity (0.01; rounded down, at least one block)
// protected: share of the main cache that the protected segment may take (0.8; rounded down); 0 makes the main cache
//     an LRU
// sample: accesses between two ageings, as a multiple of the capacity (10)
// climb: yes: after every 10 x capacity accesses the window grows or shrinks by 6.25% of the capacity (at least one
//     block), at the cost or for the good of the protected segment; it turns back when there were fewer hits than in
//     the period before. It begins by growing. Period and step are those of the authors' simulator. Where the best
//     window is small and the traffic steady, chance hides what a step does, and it wanders off (no)
//
// Not libCacheSim's WTinyLFU, whose counts cannot be had here: its frequencies are those of a counting Bloom filter of
// 58 bytes a block of capacity, hashed from the ids in the trace, with an error that its miss counts depend on. Its
// rules differ too: the window gives blocks away only once the whole cache is full, hits in the window do not count but
// a candidate's departure does, nothing comes into a cache whose window rounds down to no block, and when its two
// segments do not add up to the main cache a hit can push a block out.
#include <algorithm>

#include "policies/parts/batch.h"
#include "policies/parts/frequency_sketch.h"
#include "policies/parts/queue.h"
#include "sim/error.h"

namespace policies {
namespace {

struct Shape {
  std::uint32_t capacity = 0;
  std::uint32_t window = 0;
  std::uint32_t protect = 0;
  std::uint64_t sample = 0;
  bool climb = false;

  std::uint32_t most_in_window() const { return climb ? window + protect : window; }
  std::uint32_t most_protected() const { return climb ? window + protect - 1 : protect; }
};

class WTinyLfu {
 public:
  WTinyLfu(const Shape& shape, std::uint32_t footprint)
      : shape_(shape),
        period_(std::uint64_t{shape.capacity} * 10),
        step_(std::max(shape.capacity / 16, 1u)),
        list_(footprint, List::none),
        where_(footprint),
        sketch_(std::min(shape.capacity, footprint), shape.sample),
        queues_{Queue(std::min(shape.most_in_window(), footprint)), Queue(std::min(shape.capacity, footprint)),
                Queue(std::min(shape.most_protected(), footprint))} {}

  Outcome access(BlockId block, BlockId& victim) {
    if (shape_.climb) climb();
    sketch_.add(block);
    const List list = list_[block];
    if (list == List::none) {
      if (size(List::window) == shape_.window) victim = make_room_in_window();
      join(List::window, block);
      prefetch_oldest(List::window);
      prefetch_oldest(victims());
      return Outcome::miss;
    }
    ++hits_;
    leave(block);
    if (list == List::probation && shape_.protect > 0) {
      if (size(List::protect) == shape_.protect) move_oldest(List::protect, List::probation);
      join(List::protect, block);
    } else {
      join(list, block);
    }
    return Outcome::hit;
  }

  void prefetch(BlockId block) const {
    __builtin_prefetch(&list_[block], 1);
    __builtin_prefetch(&where_[block], 1);
    sketch_.prefetch(block);
  }
  void prefetch_linked(BlockId block) const {
    if (contains(block)) queue(list_[block]).prefetch(where_[block]);
  }

  void forget(BlockId block) {
    if (!contains(block)) return;
    leave(block);
    list_[block] = List::none;
  }
  bool contains(BlockId block) const { return list_[block] != List::none; }
  std::uint32_t resident() const { return size(List::window) + in_main(); }

 private:
  enum class List : std::uint8_t { window, probation, protect, none };

  Queue& queue(List list) { return queues_[static_cast<std::size_t>(list)]; }
  const Queue& queue(List list) const { return queues_[static_cast<std::size_t>(list)]; }
  std::uint32_t size(List list) const { return queue(list).size(); }
  std::uint32_t in_main() const { return size(List::probation) + size(List::protect); }
  std::uint32_t main_capacity() const { return shape_.capacity - shape_.window; }
  List victims() const { return size(List::probation) > 0 ? List::probation : List::protect; }

  void join(List list, BlockId block) {
    where_[block] = queue(list).push(block, [this](BlockId moved, QueueIndex, QueueIndex to) { where_[moved] = to; });
    list_[block] = list;
  }
  void leave(BlockId block) { queue(list_[block]).erase(where_[block]); }
  void move_oldest(List from, List to) { join(to, queue(from).pop()); }
  BlockId drop_oldest(List list) {
    const BlockId block = queue(list).pop();
    list_[block] = List::none;
    return block;
  }

  void prefetch_oldest(List list) {
    if (size(list) > 0) prefetch(queue(list).at(queue(list).oldest()));
  }

  // Returns the block pushed out, or kNoBlock when the main cache had room.
  BlockId make_room_in_window() {
    if (in_main() < main_capacity()) {
      move_oldest(List::window, List::probation);
      return kNoBlock;
    }
    if (main_capacity() == 0) return drop_oldest(List::window);
    Queue& rivals = queue(victims());
    const BlockId candidate = queue(List::window).at(queue(List::window).oldest());
    const BlockId rival = rivals.at(rivals.oldest());
    if (sketch_.estimate(candidate) <= sketch_.estimate(rival)) return drop_oldest(List::window);
    drop_oldest(victims());
    move_oldest(List::window, List::probation);
    return rival;
  }

  void climb() {
    if (++accesses_ < period_) return;
    if (hits_ < hits_before_) growing_ = !growing_;
    hits_before_ = hits_;
    hits_ = accesses_ = 0;
    growing_ ? grow(std::min(step_, shape_.protect)) : shrink(std::min(step_, shape_.window - 1));
  }

  void grow(std::uint32_t blocks) {
    shape_.window += blocks;
    shape_.protect -= blocks;
    while (size(List::protect) > shape_.protect) move_oldest(List::protect, List::probation);
    while (in_main() > main_capacity()) move_oldest(victims(), List::window);
  }

  void shrink(std::uint32_t blocks) {
    shape_.window -= blocks;
    shape_.protect += blocks;
    while (size(List::window) > shape_.window) move_oldest(List::window, List::probation);
  }

  Shape shape_;  // of which the window and the protected segment change when it climbs
  std::uint64_t period_;
  std::uint32_t step_;
  bool growing_ = true;
  std::uint64_t accesses_ = 0;
  std::uint64_t hits_ = 0;
  std::uint64_t hits_before_ = 0;
  std::vector<List> list_;
  std::vector<QueueIndex> where_;
  FrequencySketch sketch_;
  Queue queues_[3];
};

constexpr Parameter kParameters[] = {
    {"window", "share of the capacity that the window has", "0.01"},
    {"protected", "share of the main cache for blocks used there, 0 for a plain LRU", "0.8"},
    {"sample", "accesses between two ageings of the frequencies, as a multiple of the capacity", "10"},
    {"climb", "no, or yes: the window's size follows the hits", "no"},
};

std::unique_ptr<Policy> make(std::uint32_t capacity, std::uint32_t footprint, const Settings& settings) {
  const std::string_view climb = settings.text("climb");
  if (climb != "no" && climb != "yes") {
    throw sim::UsageError("climb is no or yes, not '" + std::string(climb) + "'");
  }
  const double sample = settings.number("sample");
  if (sample < 1 || sample > 1e6) throw sim::UsageError("sample is a multiple of the capacity, 1 to 1000000");
  const auto window = std::max(static_cast<std::uint32_t>(settings.fraction("window") * capacity), 1u);
  return std::make_unique<Batched<WTinyLfu>>(
      Shape{.capacity = capacity,
            .window = window,
            .protect = static_cast<std::uint32_t>(settings.fraction("protected") * (capacity - window)),
            .sample = static_cast<std::uint64_t>(sample * capacity),
            .climb = climb == "yes"},
      footprint);
}

}  // namespace

extern const Spec w_tiny_lfu{
    .name = "w_tiny_lfu",
    .idea = "a small LRU in front of a segmented one, which takes in only what was seen more often than its own victim",
    .paper = "Einziger, Friedman, Manes, TinyLFU: a highly efficient cache admission policy, ACM TOS 2017",
    .parameters = kParameters,
    .make = make,
};

}  // namespace policies
