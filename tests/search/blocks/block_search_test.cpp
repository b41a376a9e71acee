// Atomic blocks: the counts of the paper and of exhaustive enumeration, against depth-first search on random programs,
// and with the paper's printed mistakes put in, which must show.
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "brute_force.hpp"
#include "known.hpp"
#include "search/blocks/block_search.hpp"
#include "trace_helpers.hpp"
#include "zoo.hpp"

namespace lockstep::fake {
namespace {

enum class Data { Shared, Private, Read };

// n threads, k sections each under one mutex.
Program sections(int threads, int k, Data data, bool tail = false) {
  Program p{.name = "sections", .threads = {}};
  for (int t = 0; t < threads; ++t) {
    Code code;
    for (int i = 0; i < k; ++i) {
      const Instruction body = data == Data::Read ? ld(0, 0) : st(data == Data::Shared ? 0 : 1 + t, 10 * t + i);
      code.insert(code.end(), {lock(0), body, unlock(0)});
    }
    if (tail) code.push_back(st(20 + t, 1));  // something visible after the last lock exit
    p.threads.push_back(code);
  }
  return p;
}

Program figure2() {
  return {.name = "figure 2",
          .threads = {{lock(0), st(0, 1), lock(1), unlock(1), unlock(0)},
                      {lock(0), ld(0, 0), unlock(0), lock(1), unlock(1)}}};
}
Program figure10() {
  return {.name = "figure 10",
          .threads = {{lock(0), lock(1), unlock(1), unlock(0)},
                      {lock(0), unlock(0), lock(1), lock(0), unlock(0), unlock(1)}}};
}

struct Blocked {
  Exploration result;
  Recorder seen;
  uint64_t schedules = 0, aborted = 0, failing = 0, first_failing = 0;
  std::set<std::string> ends;  // how schedules ended, with their final state
  uint64_t deadlocks = 0;
};

// All of it, failures do not stop it.
Blocked run(const Program& p, BlockSearchParts parts, uint64_t most = 100'000) {
  BlockSearch search(parts);
  Blocked r;
  FakeExecutor executor(p);
  uint64_t schedule = 0;
  while (auto plan = search.next()) {
    if (r.result.executions++ == most) break;
    executor.submit(*plan);
    const TraceView trace = *executor.next([] { return false; });
    const uint64_t before = search.schedules();
    search.learn(trace);
    if (search.schedules() == before) {
      r.deadlocks += trace.outcome() == Outcome::Deadlock;
      continue;
    }
    ++schedule;
    r.deadlocks += trace.outcome() == Outcome::Deadlock;
    if (trace.outcome() == Outcome::Assertion) {
      ++r.failing;
      if (!r.first_failing) r.first_failing = schedule;
    }
  }
  r.schedules = search.schedules();
  r.aborted = search.aborted();
  r.result.claim = search.claim();
  return r;
}

BlockSearchParts plain() { return {}; }
BlockSearchParts rw() {
  BlockSearchParts parts;
  parts.conflicts = true;
  return parts;
}
BlockSearchParts one_delayed() {
  BlockSearchParts parts;
  parts.one_delayed = true;
  return parts;
}
BlockSearchParts reads_conflict() {
  BlockSearchParts parts = rw();
  parts.reads_conflict = true;
  return parts;
}

struct CountRow {
  int threads, sections;
  uint64_t blocks, one_delayed, tail, rw_private, rw_shared, rw_private_tail, rw_read, rw_read_printed;
};
constexpr CountRow kCounts[] = {{2, 1, 2, 2, 6, 2, 2, 3, 2, 2},         {2, 2, 6, 6, 20, 3, 6, 4, 3, 6},
                                {2, 3, 20, 20, 70, 4, 20, 5, 4, 20},    {3, 1, 6, 5, 90, 4, 6, 9, 4, 6},
                                {3, 2, 90, 37, 1680, 9, 90, 16, 9, 90}, {4, 1, 24, 13, 2520, 8, 24, 27, 8, 24}};

TEST(ExitBlock, RunsExactlyTheOrdersThatEnumerationCounts) {
  for (const CountRow& row : kCounts) {
    const std::string what = std::to_string(row.threads) + " threads, " + std::to_string(row.sections) + " sections";
    const auto program = [&](Data data, bool tail = false) { return sections(row.threads, row.sections, data, tail); };
    const Blocked all = run(program(Data::Shared), plain());
    EXPECT_EQ(all.schedules, row.blocks) << what;
    EXPECT_EQ(all.result.executions, row.blocks) << what;  // none is in vain
    EXPECT_EQ(run(program(Data::Shared), one_delayed()).schedules, row.one_delayed) << what;
    EXPECT_EQ(run(program(Data::Shared, true), plain()).schedules, row.tail) << what;
    EXPECT_EQ(run(program(Data::Private), rw()).schedules, row.rw_private) << what;
    EXPECT_EQ(run(program(Data::Shared), rw()).schedules, row.rw_shared) << what;
    EXPECT_EQ(run(program(Data::Private, true), rw()).schedules, row.rw_private_tail) << what;
    EXPECT_EQ(run(program(Data::Read), rw()).schedules, row.rw_read) << what;
    EXPECT_EQ(run(program(Data::Read), reads_conflict()).schedules, row.rw_read_printed) << what;
  }
}

TEST(ExitBlock, FindsSplitSyncWhenItShould) {
  const Blocked blocks = run(split_sync(), plain()), few = run(split_sync(), rw());
  EXPECT_EQ(blocks.schedules, 6u);
  EXPECT_EQ(blocks.failing, 4u);
  EXPECT_EQ(blocks.first_failing, 2u);
  EXPECT_EQ(few.schedules, 4u);
  EXPECT_EQ(few.failing, 2u);
  EXPECT_EQ(few.first_failing, 2u);
  Program tail = split_sync();
  for (size_t t = 0; t < tail.threads.size(); ++t) tail.threads[t].push_back(st(20 + static_cast<int>(t), 1));
  EXPECT_EQ(run(tail, plain()).first_failing, 5u);
  EXPECT_EQ(run(tail, rw()).first_failing, 3u);  // as the paper says
}

// As the paper has it: exact counts, but see ExitBlockControl.
BlockSearchParts printed_rw() {
  BlockSearchParts parts = rw();
  parts.forget_locks = true;
  return parts;
}

TEST(ExitBlock, SeedFigures) {
  const Blocked two = run(figure2(), plain()), two_rw = run(figure2(), printed_rw());
  EXPECT_EQ(two.schedules, 4u);
  EXPECT_EQ(two_rw.schedules, 3u);
  const Blocked eight = run(abba(), plain());
  EXPECT_EQ(eight.schedules, 2u);
  EXPECT_EQ(eight.aborted, 2u);
  const Blocked eight_rw = run(abba(), printed_rw());
  EXPECT_EQ(eight_rw.schedules, 2u);
  EXPECT_EQ(eight_rw.aborted, 1u);
  BlockSearchParts locks = printed_rw();
  locks.locks_write = true;
  EXPECT_EQ(run(figure10(), plain()).schedules, 3u);
  EXPECT_EQ(run(figure10(), printed_rw()).schedules, 2u);
  EXPECT_EQ(run(figure10(), locks).schedules, 3u);
}

// --- against depth-first search ---

std::set<std::string> ends(const Program& p, Search& strategy, uint64_t most = 200'000) {
  std::set<std::string> all;
  FakeExecutor executor(p);
  for (uint64_t n = 0; n < most; ++n) {
    auto plan = strategy.next();
    if (!plan) return all;
    executor.submit(*plan);
    const TraceView trace = *executor.next([] { return false; });
    if (trace.outcome() != Outcome::Redundant) all.insert(end_of(p, trace));
    strategy.learn(trace);
  }
  ADD_FAILURE() << p.name << " does not end";
  return all;
}

template <class Body>
void for_disciplined_programs(bool nested, bool conditions, Body&& body) {
  int used = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Program p = disciplined_program(seed, nested, conditions);
    if (total(count_schedules(p)) > 1500) continue;
    ++used;
    body(p);
  }
  EXPECT_GT(used, 80);
}

std::set<std::string> without_deadlock(std::set<std::string> all) {
  all.erase("deadlock");
  return all;
}

// On how many programs the search misses (or invents) an end that depth-first search finds.
int differs(BlockSearchParts parts, bool nested, bool conditions, std::optional<uint32_t> bound = {}) {
  int count = 0;
  for_disciplined_programs(nested, conditions, [&](const Program& p) {
    const auto reference = dfs(bound);
    BlockSearch blocks(parts);
    count += without_deadlock(ends(p, *reference)) != without_deadlock(ends(p, blocks));
  });
  return count;
}

TEST(ExitBlock, ReachesEveryEndOfDisciplinedPrograms) {
  for (const bool nested : {false, true})
    for (const bool conditions : {false, true}) {
      EXPECT_EQ(differs(plain(), nested, conditions), 0) << nested << conditions;
      EXPECT_EQ(differs(rw(), nested, conditions), 0) << nested << conditions;
    }
}

BlockSearchParts dd(BlockSearchParts parts) {
  parts.deadlocks = true;
  return parts;
}

// Programs with a deadlock in which none is found, and programs without one in which one is.
std::pair<int, int> deadlocks_missed_and_invented(BlockSearchParts parts, bool conditions) {
  std::pair<int, int> wrong{0, 0};
  int with = 0;
  for_disciplined_programs(true, conditions, [&](const Program& p) {
    const auto reference = dfs();
    BlockSearch blocks(parts);
    const bool exists = ends(p, *reference).contains("deadlock"), found = ends(p, blocks).contains("deadlock");
    with += exists;
    wrong.first += exists && !found;
    wrong.second += !exists && found;
  });
  EXPECT_GT(with, 20);
  return wrong;
}

TEST(ExitBlockDd, FindsADeadlockIffThereIsOne) {
  for (const bool conditions : {false, true})
    EXPECT_EQ(deadlocks_missed_and_invented(dd(plain()), conditions), std::pair(0, 0)) << conditions;
}

TEST(ExitBlockDd, PlainBlocksMissDeadlocks) {
  const auto [missed, invented] = deadlocks_missed_and_invented(plain(), false);
  EXPECT_GT(missed, 10);
  EXPECT_EQ(invented, 0);
}

// Pruned as printed, reverse lock chains miss this deadlock. A delayed thread's block is known while it is delayed, so
// prediction from blocks finds it whatever is pruned.
TEST(ExitBlockRwdd, FindsWhatThePaperShowsToBeMissed) {
  EXPECT_GT(run(figure10(), dd(printed_rw())).deadlocks, 0u);
  BlockSearchParts locks = dd(printed_rw());
  locks.locks_write = true;
  EXPECT_GT(run(figure10(), locks).deadlocks, 0u);
  EXPECT_GT(run(figure10(), dd(rw())).deadlocks, 0u);
  EXPECT_GT(run(figure10(), dd(plain())).deadlocks, 0u);
}

TEST(ExitBlockRwdd, FindsADeadlockIffThereIsOne) {
  for (const bool conditions : {false, true}) {
    EXPECT_EQ(deadlocks_missed_and_invented(dd(rw()), conditions), std::pair(0, 0)) << conditions;
    BlockSearchParts locks = dd(printed_rw());
    const auto printed = deadlocks_missed_and_invented(locks, conditions);
    EXPECT_EQ(printed.second, 0) << conditions;
    locks.locks_write = true;
    EXPECT_EQ(deadlocks_missed_and_invented(locks, conditions), std::pair(0, 0)) << conditions;
    locks.run_delayed = true;
    EXPECT_EQ(deadlocks_missed_and_invented(locks, conditions), std::pair(0, 0)) << conditions;
  }
}

// --- several under way ---

// Which executions there are, how they are numbered by those who count them and what is claimed does not depend on how
// many are under way. With conditions there are data choices, whose outcomes have to be known before others are
// delayed.
TEST(ExitBlockAhead, TheSameExecutionsWhateverTheWindow) {
  for (const BlockSearchParts& kind : {plain(), rw(), dd(plain()), dd(rw())})
    for (const bool conditions : {false, true})
      for_disciplined_programs(true, conditions, [&](const Program& p) {
        BlockSearch alone(kind);
        const Explored one = explore(alone, p);
        BlockSearchParts parts = kind;
        parts.alone = 0;
        for (const size_t window : {size_t{3}, size_t{40}}) {
          BlockSearch search(parts);
          const Explored many = explore(search, p, {.window = window});
          ASSERT_EQ(many.sorted(), one.sorted()) << p.name << ", window " << window;
          ASSERT_EQ(known(many.result), known(one.result)) << p.name;
          ASSERT_EQ(search.schedules(), alone.schedules()) << p.name;
          ASSERT_EQ(search.aborted(), alone.aborted()) << p.name;
          ASSERT_EQ(search.status().contributions, alone.status().contributions) << p.name;
        }
      });
}

TEST(ExitBlockAhead, SeveralAreUnderWay) {
  BlockSearchParts parts = plain();
  parts.alone = 5;
  BlockSearch search(parts);
  const Program program = sections(3, 3, Data::Shared);
  FakeExecutor executor(program);
  uint64_t learned = 0;
  size_t most = 0;
  for (;;) {
    std::vector<Plan> plans;
    while (plans.size() < 4) {
      auto plan = search.next();
      if (!plan) break;
      plans.push_back(*plan);
    }
    if (plans.empty()) break;
    EXPECT_TRUE(learned >= 5 || plans.size() == 1);
    most = std::max(most, plans.size());
    for (const Plan& plan : plans) {
      executor.submit(plan);
      search.learn(*executor.next([] { return false; }));
      ++learned;
    }
  }
  EXPECT_EQ(most, 4u);
  EXPECT_EQ(learned, 1680u);
  EXPECT_TRUE(search.complete());
}

// --- Negative controls ---

TEST(ExitBlockControl, TheCorrectionsShow) {
  EXPECT_GT(differs(one_delayed(), false, false), 5);
  EXPECT_GT(differs(printed_rw(), true, false), 5);
  BlockSearchParts bounded = rw();
  bounded.preemptions = 1;
  bounded.conflicts_within_bound = true;
  BlockSearchParts right = bounded;
  right.conflicts_within_bound = false;
  int lost = 0;
  for_disciplined_programs(false, false, [&](const Program& p) {
    BlockSearchParts all = plain();
    all.preemptions = 1;
    BlockSearch reference(all), wrong(bounded), fixed(right);
    const auto want = ends(p, reference);
    lost += ends(p, wrong) != want;
    EXPECT_EQ(ends(p, fixed), want) << p.name;
  });
  EXPECT_GT(lost, 5);
}

}  // namespace
}  // namespace lockstep::fake
