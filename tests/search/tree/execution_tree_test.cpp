#include "search/tree/execution_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "search/base/seeds.hpp"
#include "search/tree/frontier.hpp"
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

TEST(ByteStack, GivesBackWhatWasPutOnIt) {
  ByteStack stack;
  const std::vector<uint32_t> numbers = {0,         1,         127,         128,         16'383, 16'384,
                                         2'097'151, 2'097'152, 0x0fff'ffff, 0x1000'0000, ~0u};
  for (const uint32_t n : numbers) stack.push(n);
  EXPECT_EQ(stack.size(), 3u + 2 + 2 + 3 + 3 + 4 + 4 + 5 + 5);  // seven bits a byte
  for (size_t i = numbers.size(); i-- > 0;) EXPECT_EQ(stack.pop(), numbers[i]);
  EXPECT_TRUE(stack.empty());
  EXPECT_EQ(stack.pop(), 0u);
}

// Whatever is pushed in whatever order, next to a stack for each rank that keeps everything as it is.
TEST(Frontier, IsAStackForEachRank) {
  using Kept = std::pair<uint32_t, std::optional<Leaf>>;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    uint64_t drawn = 0;
    const auto draw = [&](uint64_t n) { return static_cast<uint32_t>(seed_of(seed, drawn++) % n); };
    ExecutionTree tree;
    tree.create_root();
    while (!tree.holds(NodeIndex{9'999})) tree.create(NodeIndex{0}, 1, 1, 0);
    Frontier frontier;
    std::map<uint64_t, std::vector<Kept>> reference;
    uint32_t node = 0, step = 0;
    for (int i = 0; i < 400; ++i) {
      const uint64_t rank = draw(4);
      if (draw(4) == 0 && !frontier.empty()) {
        const auto best = reference.begin();
        ASSERT_EQ(frontier.best_rank(), best->first);
        const OpenExecution open = frontier.pop_best();
        ASSERT_EQ(static_cast<uint32_t>(open.node), best->second.back().first);
        ASSERT_EQ(open.leaf, best->second.back().second);
        best->second.pop_back();
        if (best->second.empty()) reference.erase(best);
        continue;
      }
      if (draw(6) == 0) {
        node = draw(10'000);
        step = 0;
      }
      std::optional<Leaf> leaf;
      if (draw(5) > 0) {
        step = draw(8) == 0 ? draw(1 << 20) : std::min(step + draw(40), (1u << 20) - 1);  // now and then not ascending
        leaf = Leaf{step, draw(4) == 0 ? draw(1024) : draw(8), draw(4)};
        frontier.push(rank, NodeIndex{node}, *leaf);
      } else {
        frontier.push(rank, NodeIndex{node});
      }
      reference[rank].emplace_back(node, leaf);
      if (i % 100 != 99) continue;
      StateWriter out;
      frontier.save(out);
      StateReader in(out.bytes());
      Frontier again;
      again.load(in, tree);
      ASSERT_TRUE(in.good() && in.at_end());
      ASSERT_EQ(again.memory_bytes(), frontier.memory_bytes());
      frontier = again;
    }
    uint64_t size = 0;
    for (const auto& [rank, list] : reference) size += list.size();
    ASSERT_EQ(frontier.size(), size);
    for (auto& [rank, list] : reference)
      while (!list.empty()) {
        const OpenExecution open = frontier.pop_best();
        ASSERT_EQ(Kept(static_cast<uint32_t>(open.node), open.leaf), list.back());
        list.pop_back();
      }
    EXPECT_TRUE(frontier.empty());
    EXPECT_EQ(frontier.memory_bytes(), 0u);
  }
}

TEST(Frontier, RefusesWhatCannotBe) {
  ExecutionTree tree;
  const NodeIndex root = tree.create_root();
  Frontier f;
  for (uint32_t i = 0; i < 20; ++i) f.push(1, root, Leaf{i, 1, 0});
  StateWriter out;
  f.save(out);
  const std::string good = out.bytes();
  const auto accepts = [&](const std::string& bytes) {
    StateReader in(bytes);
    Frontier loaded;
    loaded.load(in, tree);
    return in.good();
  };
  EXPECT_TRUE(accepts(good));
  for (const size_t at : {24u, 28u, 36u}) {  // the node, the number of its leaves, that of all
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x40);
    EXPECT_FALSE(accepts(bad)) << at;
  }
  EXPECT_FALSE(accepts(good.substr(0, good.size() - 1)));
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
  EXPECT_GE(f.memory_bytes(), 1000u);
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
