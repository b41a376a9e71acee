// The tree of planned and executed decisions: order of siblings, finishing, reopening, saving.
#include "search/dpor/choice_tree.hpp"

#include <gtest/gtest.h>

namespace lockstep::dpor {
namespace {

using Status = ChoiceTree::Status;

uint32_t executed(ChoiceTree& tree, uint32_t parent, uint16_t value, uint32_t record) {
  const uint32_t node = tree.add(parent, value, {}, false);
  tree[node].record = record;
  tree[node].status = Status::Executed;
  return node;
}

std::vector<uint16_t> children(const ChoiceTree& tree, uint32_t parent) {
  std::vector<uint16_t> values;
  tree.for_each_child(parent, [&](uint32_t c) { values.push_back(tree[c].value); });
  return values;
}

TEST(ChoiceTree, FinishesAncestorsThatOnlyWaitedForTheNode) {
  ChoiceTree tree;
  const uint32_t a = executed(tree, kRoot, 1, 0), b = executed(tree, a, 2, 1), c = tree.add(a, 3, {}, false);
  EXPECT_EQ(tree.finish(b), b);
  EXPECT_EQ(tree[a].unfinished, 1u);
  tree.hand_out(c);
  tree[c].status = Status::Executed;
  EXPECT_EQ(tree.finish(c), kRoot) << "the uppermost that is finished";
  EXPECT_TRUE(tree.finished());
  EXPECT_EQ(tree.live(), 1u) << "only the root is left";
}

TEST(ChoiceTree, AFinishedAlternativeStaysWhileItsStateIsOpen) {
  ChoiceTree tree;
  const uint32_t a = executed(tree, kRoot, 1, 0);
  tree.add(kRoot, 2, {}, false);
  executed(tree, a, 3, 1);
  tree.finish(tree.child(a, 3));
  EXPECT_EQ(tree[a].status, Status::Finished);
  EXPECT_EQ(tree.child(kRoot, 1), a);
  EXPECT_EQ(tree.child(a, 3), kNone) << "what was below it is gone";
  EXPECT_TRUE(tree.may_sleep(a));
}

TEST(ChoiceTree, ReopensAllThatHadFinished) {
  ChoiceTree tree;
  const uint32_t a = executed(tree, kRoot, 1, 0), b = executed(tree, a, 2, 1);
  tree.add(kRoot, 9, {}, false);  // keeps the root open
  tree[a].missing = tree[b].missing = 1;
  tree.finish(b);
  ASSERT_EQ(tree[a].status, Status::Finished);
  EXPECT_FALSE(tree.may_sleep(a)) << "not all that it could do is explored";
  tree.reopen(b);
  EXPECT_EQ(tree[b].status, Status::Executed);
  EXPECT_EQ(tree[a].status, Status::Executed);
  EXPECT_EQ(tree[a].unfinished, 1u);
  EXPECT_EQ(tree[kRoot].unfinished, 2u);
}

TEST(ChoiceTree, InAnyOrderSiblingsRankByWhenTheyWereHandedOut) {
  for (const bool any_order : {false, true}) {
    ChoiceTree tree;
    tree.set_any_order(any_order);
    for (const uint16_t value : {1, 2, 3, 4}) tree.add(kRoot, value, {}, false);
    for (const uint16_t value : {3, 4, 1}) tree.hand_out(tree.child(kRoot, value));
    using Values = std::vector<uint16_t>;
    EXPECT_EQ(children(tree, kRoot), any_order ? (Values{3, 4, 1, 2}) : (Values{1, 2, 3, 4}));
    EXPECT_TRUE(tree.has_sibling_under_way(tree.child(kRoot, 2)));
  }
}

TEST(ChoiceTree, LeftmostIsWhatDepthFirstSearchRunsNext) {
  ChoiceTree tree;
  const uint32_t a = executed(tree, kRoot, 1, 0);
  const uint32_t deep = tree.add(a, 2, {}, false), later = tree.add(kRoot, 3, {}, false);
  EXPECT_EQ(tree.leftmost(), deep);
  EXPECT_EQ(tree.available(), (std::vector<uint32_t>{deep, later}));
  tree.hand_out(deep);
  EXPECT_EQ(tree.leftmost(), kNone) << "under way";
  tree[deep].status = Status::Executed;
  tree.finish(deep);
  EXPECT_EQ(tree.leftmost(), later);
}

TEST(ChoiceTree, APlanNamesTheDeviationsOnly) {
  ChoiceTree tree;
  const uint32_t a = executed(tree, kRoot, 1, 0);
  const uint32_t b = executed(tree, a, 1, 1);
  tree[b].by_default = true;
  tree[b].deviation = a;
  const uint32_t c = tree.add(b, 2, {}, false);
  tree[c].record = 5;
  std::vector<Delta> deltas;
  tree.add_deltas(c, deltas);
  EXPECT_EQ(deltas, (std::vector<Delta>{{0, 1}, {5, 2}}));
}

TEST(ChoiceTree, SavedAndLoadedWhatWasUnderWayStillIs) {
  ChoiceTree tree;
  const uint32_t a = executed(tree, kRoot, 1, 0), b = tree.add(a, 2, {}, false);
  tree.hand_out(b);
  StateWriter out;
  tree.save(out);
  ChoiceTree loaded;
  StateReader in(out.bytes());
  loaded.load(in);
  EXPECT_TRUE(in.good() && in.at_end());
  EXPECT_EQ(loaded[b].status, ChoiceTree::Status::UnderWay);
  EXPECT_EQ(loaded.leftmost(), kNone);
  ChoiceTree refused;
  StateReader cut(std::string_view(out.bytes()).substr(0, out.bytes().size() - 3));
  refused.load(cut);
  EXPECT_FALSE(cut.good());
}

}  // namespace
}  // namespace lockstep::dpor
