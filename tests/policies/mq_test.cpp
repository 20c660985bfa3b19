#include <cmath>
#include <list>
#include <map>

#include "tests/policies/twin.h"

namespace {

using namespace support;

// The paper's procedures; the front of a list is its head, where the next to go is.
class NaiveMq : public Twin {
 public:
  NaiveMq(std::size_t capacity, std::size_t queues, double history, double lifetime)
      : capacity_(capacity),
        out_size_(static_cast<std::size_t>(std::floor(history * static_cast<double>(capacity)))),
        life_time_(static_cast<long>(std::floor(lifetime * static_cast<double>(capacity)))),
        q_(queues) {}

  Played access(BlockId b, std::uint32_t) override {
    Played played{Outcome::hit, kNoBlock};
    if (contains(b)) {
      q_[cached_[b].queue].remove(b);
    } else {
      played = {Outcome::miss, cached_.size() == capacity_ ? evict_block() : kNoBlock};
      cached_[b].reference = 0;
      if (remembered_.contains(b)) {
        cached_[b].reference = remembered_.at(b);
        remembered_.erase(b);
        q_out_.remove(b);
      }
    }
    Buffer& buffer = cached_.at(b);
    ++buffer.reference;
    const auto queue = static_cast<std::size_t>(std::floor(std::log2(buffer.reference)));
    insert(b, std::min(queue, q_.size() - 1));
    adjust();
    return played;
  }
  void forget(BlockId b) override {
    if (!contains(b)) return;
    q_[cached_[b].queue].remove(b);
    cached_.erase(b);
  }
  bool contains(BlockId b) const override { return cached_.contains(b); }

 private:
  struct Buffer {
    long reference = 0;
    long expire_time = 0;
    std::size_t queue = 0;
  };

  void insert(BlockId b, std::size_t queue) {
    cached_[b].queue = queue;
    cached_[b].expire_time = current_time_ + life_time_;
    q_[queue].push_back(b);
  }

  BlockId evict_block() {
    std::size_t i = 0;
    while (q_[i].empty()) ++i;
    const BlockId victim = q_[i].front();
    q_[i].pop_front();
    remembered_[victim] = cached_[victim].reference;
    cached_.erase(victim);
    q_out_.push_back(victim);
    if (q_out_.size() > out_size_) {
      remembered_.erase(q_out_.front());
      q_out_.pop_front();
    }
    return victim;
  }

  void adjust() {
    ++current_time_;
    for (std::size_t k = 1; k < q_.size(); ++k) {
      if (q_[k].empty()) continue;
      const BlockId c = q_[k].front();
      if (cached_[c].expire_time < current_time_) {
        q_[k].pop_front();
        insert(c, k - 1);
      }
    }
  }

  std::size_t capacity_, out_size_;
  long life_time_;
  long current_time_ = 0;
  std::vector<std::list<BlockId>> q_;
  std::list<BlockId> q_out_;
  std::map<BlockId, Buffer> cached_;
  std::map<BlockId, long> remembered_;
};

void expect_equal(std::string_view text, std::size_t queues, double history, double lifetime) {
  expect_equal_to_twin(
      text, [=](std::size_t capacity) { return std::make_unique<NaiveMq>(capacity, queues, history, lifetime); });
}

TEST(Mq, EqualsTwin) { expect_equal("mq", 8, 4, 2); }

TEST(Mq, EqualsTwinOfOtherShapes) {
  expect_equal("mq:queues=1,lifetime=1", 1, 4, 1);
  expect_equal("mq:queues=3,history=0.5,lifetime=0.3", 3, 0.5, 0.3);
  expect_equal("mq:history=0,lifetime=5", 8, 0, 5);
  expect_equal("mq:queues=24,history=1000,lifetime=0", 24, 1000, 0);
}

TEST(Mq, RefusesWhatIsNoShape) {
  EXPECT_ANY_THROW(choice("mq:queues=0"));
  EXPECT_ANY_THROW(choice("mq:queues=25"));
  EXPECT_ANY_THROW(choice("mq:history=-1"));
  EXPECT_ANY_THROW(choice("mq:lifetime=-1"));
}

}  // namespace
