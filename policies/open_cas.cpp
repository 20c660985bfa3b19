// Open CAS: the block cache of Intel and its successors, as a kernel module or in SPDK.
//
// Open CAS Framework (ocf_lru.c, ocf_seq_cutoff.c, promotion/nhit), 2019 to 2025.
//
// Cache lines are dealt out to 32 lists by their number, and each list is an LRU of its own; misses take from the lists
// by turns. The younger half of a list (rounded down) is hot: a hit there moves nothing. A hit in the older half makes
// the line the youngest.
//
// Two stages of admission are part of it: `sequential` (when the cache is full) and `n_hit`.
//
// sequential: bypass of runs of requests, 0 for none
// hits, trigger: of the promotion policy nhit. Unless told otherwise Open CAS lets every miss in (promotion policy
//                `always`): hits=1
//
// Where it differs from Open CAS: a request's blocks take from lists that follow one another and the next request
// begins one list further on, while here each miss does. nhit lets a request in when all of its lines have been missed
// often enough, or when one of them is there already; here each block is on its own. Dirty lines, which are in lists of
// their own and do not leave before they are cleaned, are left out; so are IO classes. A run that is bypassed does not
// hit clean lines, but makes them young; here it hits. Reads and writes make separate runs, a request alone is never
// too long, and 64 more runs are remembered for each queue. `full` means 512 free lines or less.
#include <algorithm>
#include <array>

#include "policies/parts/batch.h"
#include "sim/units.h"

namespace policies {
namespace {

class OpenCas {
 public:
  OpenCas(std::uint32_t capacity, std::uint32_t footprint)
      : line_of_(footprint, kNone), lines_(std::min(capacity, footprint)) {
    for (Line line = static_cast<Line>(lines_.size()); line-- > 0;) give_back(line);
  }

  Outcome access(BlockId block, BlockId& victim) {
    if (const Line line = line_of_[block]; line != kNone) {
      if (lines_[line].heat == Heat::cold) {
        leave(line);
        join(line);
      }
      return Outcome::hit;
    }
    if (resident_ == lines_.size()) {
      prefetch_victims();
      victim = lines_[oldest_of_next_list()].block;
      forget(victim);
    }
    const Line line = take_free();
    lines_[line].block = block;
    line_of_[block] = line;
    join(line);
    ++resident_;
    ++turn_;
    return Outcome::miss;
  }

  void prefetch(BlockId block) const { __builtin_prefetch(&line_of_[block], 1); }
  void prefetch_linked(BlockId block) const {
    if (line_of_[block] != kNone) __builtin_prefetch(&lines_[line_of_[block]], 1);
  }

  void forget(BlockId block) {
    const Line line = line_of_[block];
    if (line == kNone) return;
    leave(line);
    give_back(line);
    line_of_[block] = kNone;
    --resident_;
  }
  bool contains(BlockId block) const { return line_of_[block] != kNone; }
  std::uint32_t resident() const { return resident_; }

 private:
  using Line = std::uint32_t;
  static constexpr Line kNone = UINT32_MAX;
  static constexpr std::uint32_t kLists = 32;

  enum class Heat : std::uint32_t { cold, hot };
  struct LineState {
    BlockId block = kNoBlock;
    Line younger = kNone;
    Line older = kNone;  // of a free line the next free one
    Heat heat = Heat::cold;
  };
  struct List {
    std::uint32_t lines = 0;
    std::uint32_t hot = 0;
    Line youngest = kNone;
    Line last_hot = kNone;
    Line oldest = kNone;
    Line free = kNone;
  };

  List& list_of(Line line) { return lists_[line % kLists]; }

  void join(Line line) {
    List& list = list_of(line);
    lines_[line].younger = kNone;
    lines_[line].older = list.youngest;
    (list.youngest == kNone ? list.oldest : lines_[list.youngest].younger) = line;
    list.youngest = line;
    ++list.lines;
    if (list.hot == 0) list.last_hot = line;
    lines_[line].heat = Heat::hot;
    ++list.hot;
    balance(list);
  }

  void leave(Line line) {
    List& list = list_of(line);
    const auto [block, younger, older, heat] = lines_[line];
    (younger == kNone ? list.youngest : lines_[younger].older) = older;
    (older == kNone ? list.oldest : lines_[older].younger) = younger;
    --list.lines;
    if (heat == Heat::hot) {
      --list.hot;
      if (list.last_hot == line) list.last_hot = younger;
    }
    balance(list);
  }

  // Makes the younger half hot, when it is so but for one line.
  void balance(List& list) {
    const std::uint32_t half = list.lines / 2;
    if (list.hot > half) {
      lines_[list.last_hot].heat = Heat::cold;
      list.last_hot = lines_[list.last_hot].younger;
      --list.hot;
    } else if (list.hot < half) {
      list.last_hot = list.hot == 0 ? list.youngest : lines_[list.last_hot].older;
      lines_[list.last_hot].heat = Heat::hot;
      ++list.hot;
    }
  }

  // The first list, from the one whose turn it is, that has what is asked for.
  template <class Has>
  List& next_list(Has has) {
    std::uint32_t index = turn_ % kLists;
    while (!has(lists_[index])) index = (index + 1) % kLists;
    return lists_[index];
  }

  Line oldest_of_next_list() {
    return next_list([](const List& list) { return list.lines > 0; }).oldest;
  }

  // Of the misses to come.
  void prefetch_victims() const {
    const Line later = lists_[(turn_ + 8) % kLists].oldest;
    if (later != kNone) __builtin_prefetch(&lines_[later], 1);
    const Line soon = lists_[(turn_ + 4) % kLists].oldest;
    if (soon == kNone) return;
    prefetch(lines_[soon].block);
    __builtin_prefetch(&lines_[lines_[soon].younger], 1);
  }

  Line take_free() {
    List& list = next_list([](const List& l) { return l.free != kNone; });
    return std::exchange(list.free, lines_[list.free].older);
  }

  void give_back(Line line) { lines_[line].older = std::exchange(list_of(line).free, line); }

  std::uint32_t resident_ = 0;
  std::uint32_t turn_ = 0;  // misses
  std::array<List, kLists> lists_;
  std::vector<Line> line_of_;
  std::vector<LineState> lines_;
};

constexpr Parameter kParameters[] = {
    {"sequential", "length of a run of adjacent requests that goes around a full cache, 0 for none", "1MiB"},
    {"hits", "misses of a block until it comes in, 1 for all", "3"},
    {"trigger", "share of the capacity until which everything comes in", "0.8"},
};

std::string admission(const Settings& settings) {
  const std::string length(settings.text("sequential")), hits(settings.text("hits"));
  std::string stages;
  if (sim::parse_bytes(length).count > 0) stages = "sequential:after=" + length + ",when=full";
  if (settings.number("hits") == 1) return stages;
  return stages + (stages.empty() ? "" : ",") + "n_hit:hits=" + hits +
         ",trigger=" + std::string(settings.text("trigger"));
}

}  // namespace

extern const Spec open_cas{
    .name = "open_cas",
    .idea = "32 lists by turns, each an LRU whose younger half does not move; blocks come in when missed a third time",
    .paper = "Intel, Open CAS Framework 2019",
    .parameters = kParameters,
    .admission = admission,
    .make = [](std::uint32_t capacity, std::uint32_t footprint, const Settings&) -> std::unique_ptr<Policy> {
      return std::make_unique<Batched<OpenCas>>(capacity, footprint);
    },
};

}  // namespace policies
