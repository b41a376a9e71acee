// The depth-first walk: what is run ahead of its turn waits, in little memory.
#include "search/dpor/walk.hpp"

#include <gtest/gtest.h>

namespace lockstep::dpor {
namespace {

using Status = ChoiceTree::Status;

// A path with one planned alternative at each of its nodes.
class Scene {
 public:
  static constexpr uint32_t kDepth = 100;

  explicit Scene(uint64_t max_bytes) : max_bytes_(max_bytes), walk_(make_depth_first_walk(tree_, max_bytes_)) {
    uint32_t state = kRoot;
    for (uint32_t record = 0; record < kDepth; ++record) {
      const uint32_t taken = tree_.add(state, 0, {}, false), other = tree_.add(state, 1, {}, false);
      tree_[taken].status = Status::Executed;
      tree_[taken].record = tree_[other].record = record;
      walk_->add(other);
      state = taken;
    }
  }
  // Hands out what it can, and gets back everything but what is due. Returns how many traces wait then.
  uint32_t run_ahead() {
    uint32_t waiting = 0;
    for (uint32_t node = walk_->next(true); node != kNone; node = walk_->next(true)) {
      tree_.hand_out(node);
      if (due_ == kNone)
        due_ = node;
      else
        waiting += walk_->defer(node, trace_);
    }
    return waiting;
  }
  // The trace that is due comes back. Returns how many are learned then.
  uint32_t come_back() {
    uint32_t learned = !walk_->defer(due_, trace_);
    while (walk_->take_deferred()) ++learned;
    due_ = kNone;
    return learned;
  }
  uint64_t bytes_of_trace() const { return trace_.view().header().bytes; }
  uint64_t memory_bytes() const { return walk_->memory_bytes(); }

 private:
  ChoiceTree tree_;
  const uint64_t max_bytes_;
  std::unique_ptr<Walk> walk_;
  Trace trace_ = TraceBuilder().build();
  uint32_t due_ = kNone;
};

TEST(DepthFirstWalk, RunsEverythingAheadIfThereIsRoom) {
  Scene s(~uint64_t{0});
  EXPECT_EQ(s.run_ahead(), Scene::kDepth - 1);
  EXPECT_EQ(s.come_back(), Scene::kDepth);
  EXPECT_EQ(s.run_ahead(), 0u);
}

TEST(DepthFirstWalk, KeepsFewTracesAndGoesOnWhenTheyAreLearned) {
  const uint64_t room = 10 * Scene(0).bytes_of_trace();
  Scene s(64 * room);
  for (uint32_t learned = 0; learned < Scene::kDepth;) {
    const uint64_t before = s.memory_bytes();
    const uint32_t waiting = s.run_ahead();
    EXPECT_LE(waiting, 10u);
    EXPECT_EQ(s.memory_bytes(), before + waiting * s.bytes_of_trace());
    const uint32_t now = s.come_back();
    EXPECT_EQ(now, waiting + 1);
    learned += now;
  }
  EXPECT_EQ(s.run_ahead(), 0u) << "nothing is left";
}

}  // namespace
}  // namespace lockstep::dpor
