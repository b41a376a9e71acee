// Exact numbers of schedules of well-known programs: in total, and with at most 0..4 preemptions.
#include <gtest/gtest.h>

#include "brute_force.hpp"
#include "known.hpp"
#include "search_helpers.hpp"
#include "zoo.hpp"

namespace lockstep::fake {
namespace {

constexpr int kNone = -1;

struct Row {
  const char* name;
  Program program;
  uint64_t all;
  uint64_t within[5];
  int bug_at;  // fewest preemptions that show a failure
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

std::vector<Row> rows() {
  return {
      {"indep 2x2", independent(2, 2), 6, {2, 4, 6, 6, 6}, kNone},
      {"indep 3x2", independent(3, 2), 90, {6, 24, 60, 90, 90}, kNone},
      {"samewrite 2x2", same_write(2, 2), 6, {2, 4, 6, 6, 6}, kNone},
      {"samewrite 2x3", same_write(2, 3), 20, {2, 6, 14, 18, 20}, kNone},
      {"samewrite 3x2", same_write(3, 2), 90, {6, 24, 60, 90, 90}, kNone},
      {"x=1;y=1||x=2;y=2", crossed_stores(), 6, {2, 4, 6, 6, 6}, kNone},
      {"SB", store_buffering(), 6, {2, 4, 6, 6, 6}, kNone},
      {"MP", message_passing(), 6, {2, 4, 6, 6, 6}, kNone},
      {"IRIW", iriw(), 180, {24, 96, 180, 180, 180}, kNone},
      {"w||rw-race", write_and_read_race(), 30, {6, 18, 30, 30, 30}, kNone},
      {"load+store inc 2", increment(2), 6, {2, 4, 6, 6, 6}, 1},
      {"load+store inc 3", increment(3), 90, {6, 24, 60, 90, 90}, 1},
      {"load+store inc 2 x2", increment_twice(2), 70, {2, 8, 26, 44, 62}, kNone},
      {"faa 2x2", fetch_add(2, 2), 6, {2, 4, 6, 6, 6}, kNone},
      {"faa 3x1", fetch_add(3, 1), 6, {6, 6, 6, 6, 6}, kNone},
      {"faa 3x2", fetch_add(3, 2), 90, {6, 24, 60, 90, 90}, kNone},
      {"CAS race", cas_race(), 6, {6, 6, 6, 6, 6}, kNone},
      {"readers(2)", readers(2), 6, {6, 6, 6, 6, 6}, kNone},
      {"readers(3)", readers(3), 24, {24, 24, 24, 24, 24}, kNone},
      {"readers(4)", readers(4), 120, {120, 120, 120, 120, 120}, kNone},
      {"readers(6)", readers(6), 5040, {5040, 5040, 5040, 5040, 5040}, kNone},
      {"lastzero(2)", last_zero(2), 35, {6, 19, 34, 35, 35}, kNone},
      {"lastzero(3)", last_zero(3), 920, {24, 142, 451, 816, 909}, kNone},
      {"lastzero(4)", last_zero(4), 44300, {120, 1166, 5940, 18243, 34482}, kNone},
      {"lock/unlock only 2x1", mutex_only(2, 1), 2, {2, 2, 2, 2, 2}, kNone},
      {"lock/unlock only 3x1", mutex_only(3, 1), 6, {6, 6, 6, 6, 6}, kNone},
      {"lock/unlock only 2x2", mutex_only(2, 2), 6, {2, 4, 6, 6, 6}, kNone},
      {"lock/unlock only 2x3", mutex_only(2, 3), 20, {2, 6, 14, 18, 20}, kNone},
      {"lock/unlock only 3x2", mutex_only(3, 2), 90, {6, 24, 60, 90, 90}, kNone},
      {"mutex counter 2x1", mutex_counter(2, 1), 2, {2, 2, 2, 2, 2}, kNone},
      {"mutex counter 3x1", mutex_counter(3, 1), 6, {6, 6, 6, 6, 6}, kNone},
      {"mutex counter 2x2", mutex_counter(2, 2), 6, {2, 4, 6, 6, 6}, kNone},
      {"ABBA deadlock", abba(), 6, {2, 6, 6, 6, 6}, 1},
      {"philosophers 3", philosophers(3), 168, {6, 57, 129, 150, 168}, 1},
      {"SplitSync", split_sync(), 6, {2, 4, 6, 6, 6}, 1},
      {"t1=a;t2=a || a++", two_reads_one_increment(), 3, {2, 3, 3, 3, 3}, 1},
      {"t1=a;t2=a || a=1;a=0", two_reads_two_writes(), 6, {2, 4, 6, 6, 6}, 2},
      {"trylock vs lock", try_lock_vs_lock(), 4, {2, 4, 4, 4, 4}, kNone},
      {"indexer(n=2,size=4,max=1)", indexer(2, 4, 1), 2, {2, 2, 2, 2, 2}, kNone},
      {"indexer(n=2,size=4,max=2)", indexer(2, 4, 2), 8, {2, 4, 7, 8, 8}, kNone},
      {"indexer(n=3,size=4,max=1)", indexer(3, 4, 1), 6, {6, 6, 6, 6, 6}, kNone},
      {"filesystem(n=2,inodes=2,blocks=2)", filesystem(2, 2, 2), 738, {2, 16, 72, 226, 464}, kNone},
      {"filesystem(n=2,inodes=1,blocks=2)", filesystem(2, 1, 2), 2, {2, 2, 2, 2, 2}, kNone},
      {"filesystem(n=3,inodes=2,blocks=2)", filesystem(3, 2, 2), 57738, {6, 72, 446, 1906, 5694}, kNone},
      {"filesystem(n=3,inodes=3,blocks=3)", filesystem(3, 3, 3), 9465511770, {6, 132, 2022, 21132, 166662}, kNone},
      {"semaphore(1) mutual exclusion 2", semaphore_exclusion(2), 2, {2, 2, 2, 2, 2}, kNone},
      {"semaphore(1) mutual exclusion 3", semaphore_exclusion(3), 6, {6, 6, 6, 6, 6}, kNone},
      {"condvar flag, 1 waiters, signal", condition_flag(1, false), 2, {2, 2, 2, 2, 2}, kNone},
      {"condvar flag, 1 waiters, broadcast", condition_flag(1, true), 2, {2, 2, 2, 2, 2}, kNone},
      {"condvar flag, 2 waiters, signal", condition_flag(2, false), 10, {10, 10, 10, 10, 10}, 0},
      {"condvar flag, 2 waiters, broadcast", condition_flag(2, true), 10, {10, 10, 10, 10, 10}, kNone},
      {"condvar without predicate (lost wakeup)", lost_wakeup(), 2, {2, 2, 2, 2, 2}, 0},
      {"choice(3) || store", choice_and_store(), 9, {6, 9, 9, 9, 9}, kNone},
  };
}

constexpr uint64_t kTooMany = 1'000'000;

class ScheduleCounts : public testing::TestWithParam<Row> {};

TEST_P(ScheduleCounts, BruteForceAgrees) {
  const auto counts = count_schedules(GetParam().program);
  EXPECT_EQ(total(counts), GetParam().all);
  for (uint32_t c = 0; c < 5; ++c) EXPECT_EQ(total(counts, c), GetParam().within[c]) << c << " preemptions";
}

TEST_P(ScheduleCounts, DfsRunsEveryScheduleOnce) {
  if (GetParam().all > kTooMany) GTEST_SKIP() << GetParam().all << " schedules";
  const auto strategy = dfs();
  const Explored e = explore(*strategy, GetParam().program);
  EXPECT_EQ(e.result.executions, GetParam().all);
  EXPECT_TRUE(all_distinct(e.sorted()));
  EXPECT_TRUE(e.result.complete());
  EXPECT_EQ(known(e.result), "all");
}

TEST_P(ScheduleCounts, IcbRunsEveryScheduleWithinItsBoundOnce) {
  for (uint32_t c = 0; c < 5; ++c) {
    const auto strategy = icb(c);
    const Explored e = explore(*strategy, GetParam().program);
    EXPECT_EQ(e.result.executions, GetParam().within[c]) << c << " preemptions";
    EXPECT_TRUE(all_distinct(e.sorted()));
    EXPECT_TRUE(std::is_sorted(e.seen.preemptions.begin(), e.seen.preemptions.end())) << "fewest first";
    EXPECT_EQ(e.result.claim.preemptions_completed, c);
  }
}

TEST_P(ScheduleCounts, FirstBugOfIcbHasTheFewestPreemptions) {
  const Row& row = GetParam();
  if (row.all > kTooMany) GTEST_SKIP() << row.all << " schedules";
  const auto strategy = icb();
  FakeExecutor executor(row.program, {.window = 7});
  OutcomeAnalysis outcome;
  Analysis* analyses[] = {&outcome};
  const Exploration result = Explorer(*strategy, executor, analyses, {}, false, {}).run();
  if (row.bug_at == kNone) {
    EXPECT_EQ(result.verdict, Verdict::Pass);
    EXPECT_EQ(result.executions, row.all);
  } else {
    ASSERT_EQ(result.verdict, Verdict::Bug);
    EXPECT_EQ(result.bugs.at(0).preemptions, static_cast<uint32_t>(row.bug_at));
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, ScheduleCounts, testing::ValuesIn(rows()), [](const auto& info) {
  std::string name;
  for (const char c : std::string(info.param.name)) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name + "_row" + std::to_string(info.index);
});

}  // namespace
}  // namespace lockstep::fake
