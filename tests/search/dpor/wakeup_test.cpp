// Wakeup trees (Abdulla, Aronis, Jonsson & Sagonas 2014): which sequences become branches, and which are covered.
#include "search/dpor/wakeup.hpp"

#include <gtest/gtest.h>

#include "search_helpers.hpp"
#include "zoo.hpp"

namespace lockstep::fake {
namespace {

using dpor::ChoiceTree;

struct Nothing final : dpor::Reversal {
  void reverse(dpor::Path&, dpor::Planner&, const dpor::Race&) override {}
};

// One execution under examination: thread t writes variable `variables[t - 1]`, in the order of threads.
class Scene {
 public:
  explicit Scene(const std::vector<int>& variables) {
    Program p{.name = "writers", .threads = {}};
    for (const int x : variables) p.threads.push_back({st(x, 1)});
    trace_ = execute(p, {});
    planner_.use(*walk_);
    path_.begin(trace_, dpor::kRoot);
    uint32_t state = dpor::kRoot;
    for (uint32_t record = 0; record < trace_.view().steps().size(); ++record) {
      const Step& step = trace_.view().steps()[record];
      if (step.is_note()) {
        path_.append(dpor::kNone);
        continue;
      }
      const uint32_t node = tree.add(state, static_cast<uint16_t>(step.thread), {}, false);
      tree[node].record = record;
      tree[node].status = ChoiceTree::Status::Executed;
      path_.append(node);
      tree[node].label = dpor::label_of(path_.order()[record]);
      records_.push_back(record);
      state = node;
    }
  }

  // The steps of these threads, instead of what was run from the first step on.
  bool insert(const std::vector<unsigned>& threads) {
    std::vector<dpor::SequenceItem> sequence;
    for (const unsigned t : threads)
      sequence.push_back({dpor::label_of(path_.order()[records_[t - 1]]), records_[t - 1]});
    return wakeup_.insert(path_, planner_, records_[0], sequence);
  }

  // Threads of the planned branch that begins with `t`, as a single path.
  std::vector<unsigned> branch(uint16_t t) const {
    std::vector<unsigned> threads;
    const uint32_t start = path_.state(records_[0]);
    for (uint32_t n = tree.child(start, t); n != dpor::kNone; n = tree[n].first) threads.push_back(tree[n].value);
    return threads;
  }
  uint32_t root() const { return path_.state(records_[0]); }

  ChoiceTree tree;

 private:
  Trace trace_;
  Nothing nothing_;
  dpor::Path path_{tree, 1, true, {}};
  dpor::Planner planner_{path_, tree, nothing_, false};
  const uint64_t no_limit_ = ~uint64_t{0};
  std::unique_ptr<dpor::Walk> walk_ = dpor::make_depth_first_walk(tree, no_limit_);
  std::vector<uint32_t> records_;  // of the threads' steps
  dpor::Wakeup wakeup_;
};

using Threads = std::vector<unsigned>;

TEST(WakeupTree, ASequenceThatNobodyBeginsBecomesABranch) {
  Scene s({0, 0, 0});
  EXPECT_TRUE(s.insert({2, 1}));
  EXPECT_EQ(s.branch(2), (Threads{2, 1}));
  EXPECT_TRUE(s.insert({3, 1}));
  EXPECT_EQ(s.branch(3), (Threads{3, 1})) << "dependent steps in another order: no branch leads there";
}

TEST(WakeupTree, AShorterBranchCoversWhatBeginsLikeIt) {
  Scene s({0, 0, 0});
  ASSERT_TRUE(s.insert({2}));
  const uint64_t before = s.tree.live();
  EXPECT_TRUE(s.insert({2, 3}));
  EXPECT_EQ(s.tree.live(), before) << "everything that can follow the leaf is explored anyway";
}

TEST(WakeupTree, AnIndependentFirstStepIsABeginningOfTheSequenceToo) {
  Scene s({0, 1, 0});
  ASSERT_TRUE(s.insert({3}));
  ASSERT_EQ(s.branch(3), (Threads{3}));
  const uint64_t before = s.tree.live();
  EXPECT_TRUE(s.insert({2, 3}));
  EXPECT_EQ(s.tree.live(), before) << "the step of thread 3 commutes with that of thread 2";
  EXPECT_EQ(s.branch(2), (Threads{}));
}

TEST(WakeupTree, AFinishedAlternativeCoversWhatItCanBegin) {
  Scene s({0, 0, 0});
  ASSERT_TRUE(s.insert({2, 1}));
  s.tree[s.tree.child(s.root(), 2)].status = ChoiceTree::Status::Finished;
  const uint64_t before = s.tree.live();
  EXPECT_TRUE(s.insert({2, 3}));
  EXPECT_EQ(s.tree.live(), before);
  EXPECT_TRUE(s.insert({3, 2}));
  EXPECT_GT(s.tree.live(), before) << "thread 2 cannot begin this one";
}

}  // namespace
}  // namespace lockstep::fake
