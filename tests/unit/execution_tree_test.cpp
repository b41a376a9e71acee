#include "search/execution_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "search_helpers.hpp"
#include "zoo.hpp"

namespace lockstep {
namespace {

TEST(ExecutionTree, DeltasAreThePathFromTheRoot) {
  ExecutionTree tree;
  const NodeIndex root = tree.create_root(), a = tree.create(root, 3, 1, 0), b = tree.create(a, 8, 2, 1);
  std::vector<Delta> deltas;
  tree.deltas_of(root, deltas);
  EXPECT_TRUE(deltas.empty());
  tree.deltas_of(b, deltas);
  EXPECT_EQ(deltas, (std::vector<Delta>{{3, 1}, {8, 2}}));
  EXPECT_EQ(tree[b].cost, 1);
}

TEST(ExecutionTree, ANodeLivesUntilItsLastSuccessorIsGone) {
  ExecutionTree tree;
  const NodeIndex root = tree.create_root(), a = tree.create(root, 0, 1, 0), b = tree.create(root, 1, 1, 0);
  tree.finish(root);
  EXPECT_EQ(tree.live(), 3u);
  const NodeIndex c = tree.create(a, 5, 1, 0);
  tree.finish(a);
  tree.finish(b);
  EXPECT_EQ(tree.live(), 3u) << "root, a and c";
  tree.finish(c);
  EXPECT_EQ(tree.live(), 0u);
  EXPECT_EQ(tree.created(), 4u);
  EXPECT_EQ(tree.executed(), 4u);
  EXPECT_EQ(tree.peak(), 4u - 0u);
}

TEST(ExecutionTree, KnowsWhatATreeOfPartialSchedulesWouldNeed) {
  ExecutionTree tree;
  const NodeIndex root = tree.create_root();
  tree.create(root, 9, 1, 0);
  const NodeIndex a = tree.create(root, 4, 1, 0);
  tree.finish(root);
  EXPECT_EQ(tree.partial_schedules(), 9u + 2u);  // steps 0 to 8 that both begin with, and two departures
  tree.create(a, 6, 1, 0);
  tree.finish(a);
  EXPECT_EQ(tree.partial_schedules(), 9u + 2u + 2u);  // step 5 after a's departure, then another one
}

TEST(ExecutionTree, ReusesTheRoomOfDeletedNodes) {
  ExecutionTree tree;
  const NodeIndex root = tree.create_root();
  const uint64_t bytes = tree.memory_bytes();
  for (int i = 0; i < 100'000; ++i) tree.finish(tree.create(root, 1, 1, 0));
  EXPECT_EQ(tree.memory_bytes(), bytes);
  EXPECT_EQ(tree.peak(), 2u);
}

TEST(ExecutionTree, NodesStayWhereTheyAreWhenItGrows) {
  ExecutionTree tree;
  const NodeIndex root = tree.create_root();
  std::vector<NodeIndex> nodes;
  for (uint32_t i = 0; i < 20'000; ++i) nodes.push_back(tree.create(root, i, static_cast<uint16_t>(i % 7), 0));
  for (uint32_t i = 0; i < 20'000; ++i) ASSERT_EQ(tree[nodes[i]].step, i);
  EXPECT_EQ(tree[root].successors, 20'000u);
}

TEST(ExecutionTree, CostsThatDoNotFitAreUnknown) {
  ExecutionTree tree;
  const NodeIndex root = tree.create_root();
  EXPECT_EQ(tree[tree.create(root, 1, 1, 65'534)].cost, 65'534);
  EXPECT_EQ(tree[tree.create(root, 1, 1, 70'000)].cost, ExecutionTree::kCostUnknown);
}

TEST(Frontier, LowestRankFirstAndNewestAmongEquals) {
  Frontier f;
  f.push(2, NodeIndex{1});
  f.push(1, NodeIndex{2});
  f.push(1, NodeIndex{3});
  f.push(0, NodeIndex{4});
  EXPECT_EQ(f.best_rank(), 0u);
  std::vector<uint32_t> order;
  while (!f.empty()) order.push_back(static_cast<uint32_t>(f.pop_best().node));
  EXPECT_EQ(order, (std::vector<uint32_t>{4, 3, 2, 1}));
  EXPECT_EQ(f.peak(), 4u);
}

TEST(Frontier, KeepsLeavesInTheSameOrderAsNodes) {
  Frontier f;
  std::vector<std::pair<uint32_t, uint32_t>> pushed, popped;  // node, value of the leaf or 0
  for (uint32_t i = 1; i <= 40; ++i) {
    const uint32_t node = i / 7, value = i % 5 == 0 ? 0 : i;
    if (value == 0)
      f.push(3, NodeIndex{node});
    else
      f.push(3, NodeIndex{node}, Leaf{i, value, 1});
    pushed.emplace_back(node, value);
  }
  uint64_t rank = 0;
  for (const OpenExecution& open : f.give_up(rank))  // the older half, in the middle of a group
    popped.emplace_back(static_cast<uint32_t>(open.node), open.leaf ? open.leaf->value : 0);
  EXPECT_EQ(rank, 3u);
  EXPECT_EQ(f.size(), 20u);
  const size_t given = popped.size();
  while (!f.empty()) {
    const OpenExecution open = f.pop_best();
    popped.emplace_back(static_cast<uint32_t>(open.node), open.leaf ? open.leaf->value : 0);
  }
  std::reverse(popped.begin() + static_cast<std::ptrdiff_t>(given), popped.end());
  EXPECT_EQ(popped, pushed);
  EXPECT_EQ(f.memory_bytes(), 0u);
}

TEST(Leaf, IsForWhatFitsOnly) {
  ExecutionTree tree;
  const NodeIndex root = tree.create_root(), node = tree.create(root, 100, 1, 3);
  EXPECT_EQ(Leaf::of(tree[root], 1'048'575, 1023, 3)->step_after(tree[root]), 1'048'575u);
  EXPECT_FALSE(Leaf::of(tree[root], 1'048'576, 1, 0));
  EXPECT_FALSE(Leaf::of(tree[root], 1, 1024, 0));
  EXPECT_FALSE(Leaf::of(tree[root], 1, 1, 4));
  EXPECT_EQ(Leaf::of(tree[node], 101, 7, 4)->step_after(tree[node]), 101u);
  EXPECT_EQ(Leaf::of(tree[node], 101, 7, 4)->cost_after(tree[node]), 4u);
  EXPECT_FALSE(Leaf::of(tree[node], 101, 7, 2));
  EXPECT_FALSE(Leaf::of(tree[tree.create(root, 1, 1, 70'000)], 2, 1, 70'000));
}

TEST(Frontier, CountsItsMemory) {
  Frontier f;
  for (uint32_t i = 0; i < 1000; ++i) f.push(i % 3, NodeIndex{i});
  EXPECT_GE(f.memory_bytes(), 1000 * sizeof(NodeIndex));
  while (!f.empty()) f.pop_best();
  f.push(9, NodeIndex{1});
  EXPECT_LE(f.memory_bytes(), 4096u);
}

TEST(TreeSearch, LeavesAnEmptyTreeBehind) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    TreeSearch search({});
    const auto explored = fake::explore(search, fake::random_program(seed), {.window = 5});
    EXPECT_EQ(search.tree().live(), 0u);
    EXPECT_EQ(search.tree().created(), search.tree().executed());
    EXPECT_EQ(search.tree().executed(), explored.result.executions);
  }
}

TEST(TreeSearch, KeepsFewNodesDepthFirst) {
  TreeSearch search({});
  const auto explored = fake::explore(search, fake::filesystem(3, 2, 2));
  EXPECT_EQ(explored.result.executions, 57738u);
  EXPECT_LT(search.tree().peak(), 100u);
}

}  // namespace
}  // namespace lockstep
