// A frontier that does not fit into memory: the same executions in the same order, from disk.
#include <gtest/gtest.h>

#include <set>

#include "known.hpp"
#include "search/base/trace_set.hpp"
#include "search/tree/spill.hpp"
#include "search_helpers.hpp"
#include "zoo.hpp"

namespace lockstep::fake {
namespace {

Exploration run_within(Search& strategy, const Program& program, uint64_t memory, Recorder& seen) {
  FakeExecutor executor(program, {.window = 3});
  std::vector<Analysis*> analyses = {&seen};
  Budget budget;
  budget.memory_bytes = memory;
  budget.count_traces = false;  // what it counts with has to stay in memory
  return Explorer(strategy, executor, analyses, budget, true, {}).run();
}

bool never() { return false; }

using Make = std::unique_ptr<Search> (*)();

TEST(TraceSet, CountsEachNumberOnceWhateverStaysInMemory) {
  for (const uint64_t limit : {uint64_t{1} << 13, uint64_t{1} << 15, uint64_t{1} << 40}) {
    TraceSet set;
    set.limit(limit);
    std::set<uint64_t> all;
    uint64_t number = 1;
    for (int i = 0; i < 120'000; ++i) {
      number = number * 6364136223846793005ull + 1442695040888963407ull;
      const uint64_t key = (number >> 20) % 70'000 * 0x9e3779b97f4a7c15ull;  // many of them twice, zero among them
      all.insert(key == 0 ? 1 : key);
      set.insert(key);
      if (i % 40'000 == 0) {
        EXPECT_EQ(set.size(), all.size()) << limit;
      }
    }
    EXPECT_EQ(set.size(), all.size()) << limit;
    EXPECT_EQ(set.inserted(), 120'000u);
    EXPECT_EQ(set.on_disk(), limit < 1 << 20);
    if (set.on_disk()) {
      EXPECT_LE(set.memory_bytes(), limit);
    }

    StateWriter out;
    set.save(out);
    TraceSet again;
    again.limit(1 << 14);
    StateReader in(out.bytes());
    again.load(in);
    EXPECT_TRUE(in.good() && in.at_end());
    EXPECT_EQ(again.size(), all.size());
    EXPECT_EQ(again.inserted(), set.inserted());
    for (const uint64_t key : all) again.insert(key);
    EXPECT_EQ(again.size(), all.size());
  }
}

TEST(Spill, TracesAreCountedExactlyWithinASmallBudget) {
  const auto one = icb(), other = icb();
  Budget large, small;
  small.memory_bytes = 64 << 10;
  const Program program = fetch_add(3, 4);
  FakeExecutor first(program, {.window = 3}), second(program, {.window = 3});
  const Exploration all = Explorer(*one, first, {}, large, true, {}).run();
  const Exploration tight = Explorer(*other, second, {}, small, true, {}).run();
  EXPECT_EQ(all.traces, 34650u);
  EXPECT_TRUE(tight.complete()) << int(tight.ending);
  EXPECT_EQ(tight.traces, all.traces);
  EXPECT_EQ(tight.redundant, all.redundant);
  EXPECT_EQ(known(tight), known(all));
  EXPECT_GT(all.peak_memory_bytes, 4 * small.memory_bytes);
  EXPECT_LT(tight.peak_memory_bytes, 2 * small.memory_bytes);
}

TEST(Spill, ExecutionsAreTheSameInTheSameOrder) {
  const Make makes[] = {[] { return icb(); }, [] { return icb(3); }};
  for (const Make make : makes)
    for (const Program& program : {fetch_add(3, 3), mutex_counter(3, 2), choice_and_store()}) {
      Recorder in_memory, from_disk;
      const auto one = make(), other = make();
      const Exploration all = run_within(*one, program, 1 << 30, in_memory);
      const Exploration tight = run_within(*other, program, 3000, from_disk);
      EXPECT_TRUE(all.complete() && tight.complete()) << program.name << int(tight.ending);
      EXPECT_EQ(from_disk.schedules, in_memory.schedules) << program.name;
      EXPECT_EQ(known(tight), known(all));
      if (all.executions > 1000) {
        EXPECT_LT(tight.peak_frontier_nodes, all.peak_frontier_nodes) << program.name;
      }
    }
}

TEST(Spill, DepthFirstSearchGivesUpTheOldestAndGetsThemBackLast) {
  const Program program = fetch_add(4, 2);
  TreeSearch whole{TreeSearchParts{}}, parts{TreeSearchParts{}};
  FakeExecutor first(program, {.window = 1}), second(program, {.window = 1});
  uint64_t spilled = 0;
  for (uint64_t executions = 0; executions < 2520; ++executions) {
    const uint64_t before = parts.memory_bytes();
    if (executions % 5 == 0) (void)parts.spill(1);  // all but the least that stays
    spilled += parts.memory_bytes() < before;
    const auto a = whole.next(), b = parts.next();
    ASSERT_TRUE(a && b);
    ASSERT_EQ(a->deltas, b->deltas) << executions;
    first.submit(*a);
    whole.learn(*first.next(never));
    second.submit(*b);
    parts.learn(*second.next(never));
    ASSERT_EQ(whole.frontier_nodes(), parts.frontier_nodes());
  }
  EXPECT_GT(spilled, 0u);
  EXPECT_TRUE(whole.complete() && parts.complete());
}

TEST(Spill, IsPartOfWhatIsSaved) {
  for (const uint64_t stop : {20, 200, 700}) {
    const auto first = icb(), second = icb(), whole = icb();
    const Program program = fetch_add(3, 3);
    FakeExecutor executor(program, {.window = 1});
    Recorder seen, all;
    (void)run_within(*whole, program, 1 << 30, all);
    for (uint64_t i = 0; i < stop; ++i) {
      const auto plan = first->next();
      ASSERT_TRUE(plan);
      executor.submit(*plan);
      const auto trace = executor.next(never);
      first->learn(*trace);
      seen.check(*trace);
      (void)first->spill(2000);
    }
    StateWriter out;
    first->save(out);
    StateReader in(out.bytes());
    second->load(in);
    ASSERT_TRUE(in.good() && in.at_end());
    (void)run_within(*second, program, 3000, seen);
    EXPECT_TRUE(second->claim().finished);
    std::sort(seen.schedules.begin(), seen.schedules.end());
    std::sort(all.schedules.begin(), all.schedules.end());
    EXPECT_EQ(seen.schedules, all.schedules) << "stopped after " << stop;
  }
}

TEST(Spill, DamagedSegmentsAreRejected) {
  Spill spill;
  const Spill::Item items[] = {{1, {{3, 1}, {9, 2}}}, {2, {{3, 1}, {12, 0}}}};
  ASSERT_TRUE(spill.put(5, items));
  StateWriter out;
  spill.save(out);
  for (size_t length = 0; length < out.bytes().size(); ++length) {
    StateReader in(std::string_view(out.bytes()).substr(0, length));
    Spill other;
    other.load(in);
    EXPECT_FALSE(in.good());
  }
  std::vector<Spill::Item> back;
  ASSERT_TRUE(spill.take(5, back));
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[1].deltas, items[1].deltas);
  EXPECT_EQ(back[1].cost, 2);
  EXPECT_TRUE(spill.empty());
}

}  // namespace
}  // namespace lockstep::fake
