// What is said about an execution that ended badly.
#include <gtest/gtest.h>

#include "analysis/deadlock.hpp"
#include "analysis/lock_misuse.hpp"
#include "analysis/outcome.hpp"
#include "analysis/race_analysis.hpp"
#include "fake_executor.hpp"
#include "search/base/failure_keys.hpp"
#include "zoo.hpp"

namespace lockstep::fake {
namespace {

// Starts with these threads, one step each; none of them may end before the last of these steps.
Trace run(const Program& program, std::vector<unsigned> order) {
  Plan plan;
  const auto first = static_cast<uint32_t>(program.threads.size());  // creation notes
  for (uint32_t i = 0; i < order.size(); ++i) plan.deltas.push_back({first + i, static_cast<uint16_t>(order[i])});
  return execute(program, plan);
}

std::optional<Finding> check(TraceView trace) { return OutcomeAnalysis().check(trace); }

std::vector<ThreadId> ids(std::initializer_list<unsigned> numbers) {
  std::vector<ThreadId> threads;
  for (const unsigned n : numbers) threads.push_back(ThreadId(n));
  return threads;
}

TEST(Deadlock, TwoLocksInOppositeOrder) {
  const Trace trace = run(abba(), {1, 2});
  ASSERT_EQ(trace.view().outcome(), Outcome::Deadlock);
  const WaitGraph graph = wait_graph(trace);
  ASSERT_EQ(graph.edges.size(), 3u);
  EXPECT_EQ(graph.edges[0].waiter, kMainThread);
  EXPECT_EQ(graph.edges[0].kind, OpKind::Join);
  EXPECT_EQ(graph.edges[1].holders, ids({2}));
  EXPECT_EQ(graph.edges[2].holders, ids({1}));
  EXPECT_EQ(graph.cycle, ids({1, 2}));
  const auto finding = check(trace);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->kind, FindingKind::Deadlock);
  EXPECT_EQ(
      finding->message,
      "deadlock: thread 1 waits for lock 0x2008, held by thread 2; thread 2 waits for lock 0x2000, held by thread 1");
  EXPECT_EQ(finding->preemptions, 1u);
  EXPECT_EQ(finding->threads, 2u);
}

TEST(Deadlock, PhilosophersInARing) { EXPECT_EQ(wait_graph(run(philosophers(3), {1, 2, 3})).cycle, ids({1, 2, 3})); }

TEST(Deadlock, ASignalThatNobodyHeard) {
  const Trace trace = run(lost_wakeup(), {2, 2, 2});
  ASSERT_EQ(trace.view().outcome(), Outcome::Deadlock);
  EXPECT_TRUE(wait_graph(trace).cycle.empty());
  EXPECT_EQ(check(trace)->message,
            "deadlock: main waits for thread 1 to end; thread 1 waits for a signal on condition variable 0x3000");
}

TEST(Deadlock, AWokenThreadWaitsForItsMutex) {
  // Thread 1 is woken by thread 2, who keeps the mutex and waits for a semaphore nobody posts.
  const Program p{.name = "keeps the mutex",
                  .threads = {{lock(0), cond_wait(0, 0), unlock(0)}, {lock(0), signal(0), sem_wait(0)}}};
  const WaitGraph graph = wait_graph(execute(p, Plan{}));
  ASSERT_EQ(graph.edges.size(), 3u);
  EXPECT_EQ(graph.edges[1].kind, OpKind::Reacquire);
  EXPECT_EQ(graph.edges[1].holders, ids({2}));
  EXPECT_EQ(describe(graph),
            "main waits for thread 1 to end; thread 1 waits for lock 0x2000, held by thread 2; "
            "thread 2 waits for semaphore 0x4000");
}

TEST(Deadlock, ReadersHoldUpAWriter) {
  const Program p{.name = "upgrade", .threads = {{read_lock(0), write_lock(0)}, {read_lock(0), write_lock(0)}}};
  const WaitGraph graph = wait_graph(run(p, {1, 2}));
  EXPECT_EQ(graph.edges[1].holders, ids({1, 2}));
  EXPECT_NE(describe(graph).find("held by itself"), std::string::npos);
}

TEST(Deadlock, FailedTryLocksHoldNothing) {
  const Program p{.name = "try", .threads = {{lock(0), sem_wait(0)}, {trylock(0, 0), lock(0)}}};
  const WaitGraph graph = wait_graph(run(p, {1, 2}));
  EXPECT_EQ(graph.edges[2].holders, ids({1}));
}

TEST(Outcomes, AFailedAssertionNamesThreadAndWords) {
  const auto finding = check(run(two_reads_one_increment(), {1, 2}));
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->kind, FindingKind::Assertion);
  EXPECT_EQ(finding->message, "assertion failed in thread 1: eq");
  EXPECT_EQ(finding->preemptions, 1u);
}

struct Case {
  Outcome outcome;
  std::optional<FindingKind> kind;
  std::string message;
};

TEST(Outcomes, EachIsWhatItIsCalled) {
  const Case cases[] = {
      {Outcome::Ok, {}, ""},
      {Outcome::StepLimit, {}, ""},
      {Outcome::Redundant, {}, ""},
      {Outcome::Diverged, {}, ""},
      {Outcome::Uncontrolled, {}, ""},
      {Outcome::Assertion, FindingKind::Assertion, "assertion failed in thread 2: said so"},
      {Outcome::Abort, FindingKind::Abort, "thread 2 called abort(): said so"},
      {Outcome::Exception, FindingKind::Exception, "uncaught exception in thread 2: said so"},
      {Outcome::Crash, FindingKind::Crash, "thread 2 crashed with SIGSEGV at address 0x10: said so"},
      {Outcome::WorkerDied, FindingKind::Crash, "the program died: said so"},
      {Outcome::ExitCode, FindingKind::ExitCode, "the program ended with exit code 11: said so"},
      {Outcome::Deadlock, FindingKind::Deadlock, "deadlock: no thread can run: said so"},
      {Outcome::LockMisuse, FindingKind::LockMisuse, "thread 2 misused a lock: said so"},
      {Outcome::DoubleFree, FindingKind::DoubleFree, "thread 2 freed memory twice: said so"},
      {Outcome::Livelock, FindingKind::Livelock, "livelock: said so"},
  };
  for (const Case& c : cases) {
    TraceBuilder b;
    b.header.outcome = c.outcome;
    b.header.culprit = ThreadId{2};
    b.header.code = 11;
    b.header.fault_address = 0x10;
    b.message = "said so";
    const auto finding = check(b.build());
    ASSERT_EQ(finding.has_value(), c.kind.has_value()) << name_of(c.outcome);
    if (!finding) continue;
    EXPECT_EQ(finding->kind, *c.kind);
    EXPECT_EQ(finding->message, c.message);
  }
}

TEST(LockMisuse, IsToldForEachPlaceHoweverTheExecutionEnded) {
  TraceBuilder b;
  b.header.outcome = Outcome::LockMisuse;
  RaceAccess access{};
  access.thread = ThreadId{1};
  access.misuse = Misuse::MutexUnlockedUnheld;
  b.races.push_back({access, access});
  access.pc = 0x100;
  access.misuse = Misuse::SemaphoreUsedDestroyed;
  b.races.push_back({access, access});
  const Trace trace = b.build();
  const std::vector<Finding> found = LockMisuseAnalysis().check_all(trace);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].kind, FindingKind::LockMisuse);
  EXPECT_EQ(found[0].message, "thread 1 misused a lock: a mutex is unlocked that is not locked");
  EXPECT_EQ(found[1].message, "thread 1 misused a lock: a destroyed semaphore is used");
  EXPECT_NE(key_of(found[0], trace), key_of(found[1], trace));
  EXPECT_FALSE(check(trace)) << "told twice";
  EXPECT_TRUE(RaceAnalysis().check_all(trace).empty()) << "no race";
}

TEST(LockMisuse, SpinningWithoutAYieldIsALivelock) {
  TraceBuilder b;
  RaceAccess access{};
  access.thread = ThreadId{1};
  access.misuse = Misuse::SpinsUnyielding;
  b.races.push_back({access, access});
  const Trace trace = b.build();
  const std::vector<Finding> found = LockMisuseAnalysis().check_all(trace);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, FindingKind::Livelock);
  EXPECT_EQ(found[0].message, "thread 1: a thread spins without ever yielding");
}

TEST(Races, WhatIsCertainIsNotWhatWasDoubtful) {
  DataRace race{};
  race.first.pc = 0x100;
  race.first.flags = RaceAccess::kFree | RaceAccess::kWrite;
  race.second.pc = 0x200;
  DataRace other = race;
  std::swap(other.first, other.second);
  TraceBuilder b;
  b.races = {race, other};
  const Trace trace = b.build();
  RaceAnalysis analysis;
  analysis.doubt = [](const DataRace&) { return "synchronised in a way that is not seen"; };
  const std::vector<Finding> found = analysis.check_all(trace);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].doubt, "") << "it was freed when it was used";
  EXPECT_NE(found[1].doubt, "");
  EXPECT_NE(key_of(found[0], trace), key_of(found[1], trace));
}

}  // namespace
}  // namespace lockstep::fake
