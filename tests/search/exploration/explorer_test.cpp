// The loop: order, budgets, bugs, what is claimed in the end.
#include "search/exploration/explorer.hpp"
#include "known.hpp"

#include <gtest/gtest.h>

#include "search/strategies/optimal_dpor.hpp"
#include "search/strategies/random.hpp"
#include "search/strategies/source_dpor.hpp"
#include "search_helpers.hpp"
#include "zoo.hpp"

namespace lockstep::fake {
namespace {

using namespace std::chrono_literals;

// Explores with the outcome analysis; fields may be changed before run().
struct Scene {
  explicit Scene(Program p, std::unique_ptr<Search> s, FakeOptions o = {})
      : program(std::move(p)), strategy(std::move(s)), executor(program, std::move(o)) {}
  Exploration run() { return Explorer(*strategy, executor, analyses, budget, keep_going, hooks).run(); }

  Program program;
  std::unique_ptr<Search> strategy;
  FakeExecutor executor;
  OutcomeAnalysis outcome;
  Recorder recorder;
  std::vector<Analysis*> analyses = {&recorder, &outcome};
  Budget budget;
  bool keep_going = false;
  ExplorerHooks hooks;
};

// Changes how the n-th execution ended.
auto spoil(uint64_t n, Outcome outcome) {
  return [=](Trace& trace, uint64_t i) {
    if (i != n) return;
    const_cast<TraceHeader&>(trace.view().header()).outcome = outcome;
  };
}

TEST(Order, IsTheSameForTheSameWindowWhateverTheTiming) {
  for (const auto make : {+[] { return dfs(); }, +[] { return icb(2); }})
    for (const size_t window : {1, 7, 64}) {
      const auto run = [&](Timing timing) {
        const auto strategy = make();
        return explore(*strategy, philosophers(3), {.window = window, .timing = timing}).seen.schedules;
      };
      const auto lazy = run(Timing::Lazy);
      EXPECT_EQ(run(Timing::Eager), lazy) << "window " << window;
      EXPECT_EQ(run(Timing::Backwards), lazy) << "window " << window;
    }
}

TEST(Order, TheSameExecutionsAreRunWithEveryWindow) {
  for (const auto make : {+[] { return dfs(); }, +[] { return icb(2); }, +[] { return icb(); }}) {
    const auto one = make(), seven = make(), many = make();
    const Explored e = explore(*one, last_zero(3), {.window = 1});
    EXPECT_EQ(explore(*seven, last_zero(3), {.window = 7}).sorted(), e.sorted());
    EXPECT_EQ(explore(*many, last_zero(3), {.window = 64}).sorted(), e.sorted());
  }
}

TEST(Order, TheWindowIsFilledAndNeverExceeded) {
  Scene s(readers(4), dfs(), {.window = 7});
  EXPECT_EQ(s.run().executions, 120u);
  EXPECT_EQ(s.executor.most_in_flight(), 7u);
  EXPECT_EQ(s.executor.in_flight(), 0u);
}

// Says that its state is large, and runs the same execution for ever.
struct LargeState : Strategy {
  std::optional<Plan> next() override { return Plan(); }
  void learn(TraceView) override {}
  Claim claim() const override { return {}; }
  void save(StateWriter&) const override { saved_at = std::chrono::steady_clock::now(); }
  void load(StateReader&) override {}
  uint64_t memory_bytes() const override { return 1 << 30; }
  mutable std::chrono::steady_clock::time_point saved_at;
};

TEST(Budgets, SavingALargeStateIsPartOfTheTime) {
  auto search = std::make_unique<LargeState>();
  const LargeState& large = *search;
  Scene s(last_zero(2), std::move(search));
  s.budget.time = 2s;
  s.hooks.save = [](const auto& write) {
    StateWriter nowhere;
    write(nowhere);
  };
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(s.run().ending, Ending::TimeBudget);
  EXPECT_LT(large.saved_at - began, 2s) << "half of the time is left";
  EXPECT_GE(std::chrono::steady_clock::now() - began, 1s) << "no more than half of it is reserved";
}

TEST(Bugs, TheFirstEndsTheSearchAtItsExecution) {
  for (const size_t window : {1, 7, 64}) {
    Scene s(abba(), icb(), {.window = window});
    const Exploration r = s.run();
    ASSERT_EQ(r.verdict, Verdict::Bug);
    ASSERT_EQ(r.bugs.size(), 1u);
    const Finding& bug = r.bugs[0];
    EXPECT_EQ(bug.kind, FindingKind::Deadlock);
    EXPECT_EQ(bug.preemptions, 1u);
    EXPECT_EQ(bug.execution, r.executions);
    EXPECT_EQ(s.recorder.outcomes.size(), r.executions);
    EXPECT_EQ(s.recorder.outcomes.back(), Outcome::Deadlock);
    EXPECT_EQ(std::count(s.recorder.outcomes.begin(), s.recorder.outcomes.end(), Outcome::Deadlock), 1);
    EXPECT_EQ(r.ending, Ending::FirstBug);
    EXPECT_FALSE(r.complete());
    EXPECT_EQ(known(r), "preemptions 0");
    EXPECT_EQ(r.claim.preemptions_completed, 0u);
    EXPECT_EQ(execute(s.program, bug.plan).view().outcome(), Outcome::Deadlock) << "its plan repeats it";
  }
}

TEST(Bugs, ARandomOneIsRepeatedByItsPlan) {
  Scene s(increment(3), make_random({.seed = 5}), {.window = 7});
  const Exploration r = s.run();
  ASSERT_EQ(r.verdict, Verdict::Bug);
  EXPECT_EQ(r.bugs[0].plan.policy, Policy::Default);
  EXPECT_EQ(execute(s.program, r.bugs[0].plan).view().outcome(), Outcome::Assertion);
}

TEST(Bugs, AreConfirmedWithNothingInFlight) {
  Scene s(abba(), dfs(), {.window = 7});
  int confirmed = 0;
  s.hooks.confirm = [&](Finding f) -> std::optional<Finding> {
    ++confirmed;
    EXPECT_EQ(s.executor.in_flight(), 0u);
    f.fingerprint = "the one";
    return f;
  };
  std::string found;
  s.hooks.found = [&](const Finding& f) { found = f.fingerprint; };
  EXPECT_EQ(s.run().bugs.at(0).fingerprint, "the one");
  EXPECT_EQ(confirmed, 1);
  EXPECT_EQ(found, "the one");
}

TEST(KeepGoing, RunsEverythingAndReportsEachBugOnce) {
  for (const size_t window : {1, 7, 64}) {
    Scene s(increment(3), dfs(), {.window = window});
    s.keep_going = true;
    int confirmed = 0;
    s.hooks.confirm = [&](Finding f) -> std::optional<Finding> {
      ++confirmed;
      EXPECT_EQ(s.executor.in_flight(), 0u);
      f.fingerprint = "lost update";
      return f;
    };
    const Exploration r = s.run();
    EXPECT_EQ(r.executions, 90u);
    EXPECT_TRUE(all_distinct([&] {
      auto x = s.recorder.schedules;
      std::sort(x.begin(), x.end());
      return x;
    }()));
    EXPECT_EQ(r.bugs.size(), 1u);
    EXPECT_EQ(confirmed, 1) << "equal failures are not replayed again";
    EXPECT_TRUE(r.complete());
    EXPECT_EQ(r.verdict, Verdict::Bug);
  }
}

TEST(KeepGoing, FailuresThatDifferAreConfirmedAndThenComparedByFingerprint) {
  const auto run = [](bool same) {
    Scene s(philosophers(3), dfs());
    // A second way to fail, seen in some executions only.
    for (Code& code : s.program.threads)
      code.push_back(rmw(
          0, [](Value v, const Registers&) { return v + 1; }, 0));
    s.program.threads[0].push_back(check([](const Registers& r) { return r[0] < 2; }, "came last"));
    s.keep_going = true;
    s.hooks.confirm = [=](Finding f) -> std::optional<Finding> {
      f.fingerprint = same ? "same" : f.message;
      return f;
    };
    return s.run().bugs.size();
  };
  EXPECT_EQ(run(false), 2u);
  EXPECT_EQ(run(true), 1u);
}

TEST(Nondeterminism, AFailureThatDoesNotRepeatIsAWarningAndEndsAllClaims) {
  for (const size_t window : {1, 7}) {
    Scene s(abba(), dfs(), {.window = window});
    s.hooks.confirm = [](const Finding&) { return std::nullopt; };
    const Exploration r = s.run();
    EXPECT_EQ(r.executions, 6u) << "goes on";
    EXPECT_TRUE(r.bugs.empty());
    ASSERT_EQ(r.warnings.size(), 1u);
    EXPECT_EQ(r.warnings[0].kind, FindingKind::Nondeterminism);
    EXPECT_EQ(r.verdict, Verdict::Incomplete);
    EXPECT_FALSE(r.complete());
    EXPECT_TRUE(r.claim.find(ProvisoKind::Nondeterministic));
  }
}

TEST(Nondeterminism, ADivergedExecutionEndsAllClaims) {
  Scene s(fetch_add(2, 2), icb(2), {.tamper = spoil(4, Outcome::Diverged)});
  const Exploration r = s.run();
  EXPECT_EQ(r.diverged, 1u);
  EXPECT_EQ(r.verdict, Verdict::Incomplete);
  EXPECT_EQ(known(r), "");
  EXPECT_TRUE(r.claim.find(ProvisoKind::Lost));
}

TEST(Nondeterminism, ATraceThatDoesNotShowItsPlanIsNoticed) {
  const Program other = fetch_add(2, 2);
  const auto swap = [&](Trace& trace, uint64_t n) {
    if (n == 3) trace = execute(other, Plan{});
  };
  Scene s(fetch_add(2, 2), dfs(), {.tamper = swap});
  const Exploration r = s.run();
  EXPECT_FALSE(r.complete());
  EXPECT_EQ(known(r), "");
}

TEST(Limits, ACutExecutionEndsClaimsFromItsBoundOn) {
  Scene all(fetch_add(3, 2), icb(2));
  all.run();
  const auto& p = all.recorder.preemptions;
  const auto first_with_1 = static_cast<uint64_t>(std::find(p.begin(), p.end(), 1u) - p.begin()) + 1;
  Scene s(fetch_add(3, 2), icb(2), {.tamper = spoil(first_with_1, Outcome::StepLimit)});
  const Exploration r = s.run();
  EXPECT_EQ(r.cut, 1u);
  EXPECT_FALSE(r.complete());
  EXPECT_EQ(r.verdict, Verdict::Incomplete);
  EXPECT_EQ(known(r), "preemptions 0");
  ASSERT_TRUE(r.claim.find(ProvisoKind::Cut));
  EXPECT_EQ(r.claim.find(ProvisoKind::Cut)->count, 1u);
  Scene depth_first(fetch_add(3, 2), dfs(), {.tamper = spoil(2, Outcome::StepLimit)});
  EXPECT_EQ(known(depth_first.run()), "");
}

TEST(Limits, NothingIsClaimedIfNoExecutionReachedItsEnd) {
  const auto spoil_all = [](Trace& trace, uint64_t n) { spoil(n, Outcome::Redundant)(trace, n); };
  Scene s(fetch_add(2, 2), dfs(), {.tamper = spoil_all});
  const Exploration r = s.run();
  EXPECT_GT(r.executions, 1u);
  EXPECT_EQ(r.verdict, Verdict::Incomplete);
  EXPECT_FALSE(r.complete());
}

TEST(Limits, TheStepLimitIsPartOfThePlan) {
  Scene s({.name = "forever", .threads = {{st(0, 1), jump(0)}}}, make_dfs({.preemptions = {}, .max_steps = 50}));
  const Exploration r = s.run();
  EXPECT_EQ(r.executions, 1u);
  EXPECT_EQ(r.cut, 1u);
  EXPECT_EQ(r.steps_max, 50u);
  EXPECT_TRUE(r.bugs.empty());
}

TEST(Limits, AWorkerThatDiedIsACrashAndEndsAllClaims) {
  Scene s(fetch_add(2, 2), dfs(), {.tamper = spoil(2, Outcome::WorkerDied)});
  s.keep_going = true;
  const Exploration r = s.run();
  ASSERT_EQ(r.bugs.size(), 1u);
  EXPECT_EQ(r.bugs[0].kind, FindingKind::Crash);
  EXPECT_FALSE(r.complete());
  EXPECT_EQ(known(r), "");
}

TEST(Budgets, ExecutionsAreCountedExactly) {
  for (const size_t window : {1, 7, 64}) {
    Scene s(last_zero(3), icb(), {.window = window});
    s.budget.executions = 100;
    const Exploration r = s.run();
    EXPECT_EQ(r.executions, 100u);
    EXPECT_EQ(r.verdict, Verdict::Incomplete);
    EXPECT_EQ(r.ending, Ending::ExecutionBudget);
    EXPECT_EQ(r.claim.preemptions_completed, 0u);  // 24 of them
  }
}

TEST(Budgets, OneThatIsJustEnoughIsNotInTheWay) {
  Scene s(fetch_add(2, 2), dfs());
  s.budget.executions = 6;
  const Exploration r = s.run();
  EXPECT_TRUE(r.complete());
  EXPECT_EQ(r.ending, Ending::Finished);
  EXPECT_EQ(r.verdict, Verdict::Pass);
}

TEST(Budgets, UsedUpByRandomIsAPassWithoutAClaim) {
  Scene s(fetch_add(2, 2), make_random({}), {.window = 7});
  s.budget.executions = 50;
  const Exploration r = s.run();
  EXPECT_EQ(r.executions, 50u);
  EXPECT_EQ(r.verdict, Verdict::Pass);
  EXPECT_FALSE(r.complete());
  EXPECT_EQ(known(r), "sample");
}

TEST(Budgets, TimeEndsASearch) {
  Scene s(filesystem(3, 3, 3), dfs());
  s.budget.time = 20ms;
  const Exploration r = s.run();
  EXPECT_GT(r.executions, 0u);
  EXPECT_EQ(r.ending, Ending::TimeBudget);
  EXPECT_EQ(r.verdict, Verdict::Incomplete);
}

TEST(Budgets, WhatDoesNotFitIntoMemoryGoesToDisk) {
  Scene s(filesystem(3, 3, 3), icb());
  s.budget.memory_bytes = 64 << 10;
  s.budget.executions = 5000;
  const Exploration r = s.run();
  EXPECT_EQ(r.ending, Ending::ExecutionBudget);
  EXPECT_LT(r.peak_memory_bytes, 128u << 10);
}

TEST(Budgets, TracesThatDoNotFitIntoMemoryGoToDisk) {
  Scene s(fetch_add(3, 4), icb());
  s.budget.memory_bytes = 64 << 10;
  const Exploration r = s.run();
  EXPECT_TRUE(r.complete()) << int(r.ending);
  EXPECT_EQ(r.traces, 34'650u);
  EXPECT_LT(r.peak_memory_bytes, 128u << 10);
}

TEST(Interrupt, EndsTheSearch) {
  Scene s(filesystem(3, 3, 3), dfs(), {.window = 7});
  int asked = 0;
  s.hooks.interrupted = [&] { return ++asked > 20; };
  const Exploration r = s.run();
  EXPECT_TRUE(r.interrupted());
  EXPECT_EQ(r.verdict, Verdict::Incomplete);
  EXPECT_EQ(s.executor.in_flight(), 0u);
}

TEST(Control, LostEndsTheSearchAndSaysWhy) {
  Scene s(fetch_add(2, 2), dfs(), {.tamper = spoil(3, Outcome::Uncontrolled)});
  const Exploration r = s.run();
  EXPECT_EQ(r.verdict, Verdict::Uncontrolled);
  EXPECT_EQ(r.executions, 3u);
  EXPECT_FALSE(r.complete());
}

TEST(Threads, MayBeMoreThanFitIntoAWord) {
  for (const bool random : {false, true}) {
    Scene s(fetch_add(200, 1), random ? make_random({}) : icb(1), {.window = 7});
    s.budget.executions = 300;
    const Exploration r = s.run();
    EXPECT_EQ(r.executions, 300u);
    EXPECT_EQ(r.threads_max, 201u);
    EXPECT_EQ(r.diverged, 0u);
    EXPECT_TRUE(r.bugs.empty());
  }
}

TEST(Statistics, AreThoseOfTheExecutions) {
  Scene s(fetch_add(3, 2), icb(), {.window = 7});
  const Exploration r = s.run();
  EXPECT_EQ(r.steps_max, 6u);
  EXPECT_EQ(r.threads_max, 4u);
  EXPECT_EQ(r.preemptions_max, 3u);
  EXPECT_EQ(r.claim.preemptions_completed, 3u);
  EXPECT_GT(r.peak_frontier_nodes, 0u);
  EXPECT_GT(r.peak_memory_bytes, 0u);
}

TEST(Claims, NameTheBoundTheyHoldFor) {
  Scene two(fetch_add(3, 2), icb(2)), one(fetch_add(3, 2), dfs(1)), all(fetch_add(3, 2), icb());
  EXPECT_EQ(known(two.run()), "preemptions 2");
  EXPECT_EQ(known(one.run()), "preemptions 1");
  EXPECT_EQ(known(all.run()), "all");
}

// A search by the cost of traces goes a little beyond its bound: what fails there only is told, but no bug.
TEST(Claims, WhatFailsBeyondTheBoundIsAWarning) {
  for (const bool optimal : {false, true})
    for (const uint32_t bound : {0u, 1u}) {
      Scene s(philosophers(3),
              optimal ? make_optimal_dpor({.preemptions = bound}) : make_source_dpor({.preemptions = bound}));
      s.keep_going = true;
      const Exploration r = s.run();
      EXPECT_EQ(r.executions, 7u);
      EXPECT_EQ(r.verdict, bound == 0 ? Verdict::Pass : Verdict::Bug);
      EXPECT_EQ(r.bugs.size(), bound);
      ASSERT_EQ(r.warnings.size(), 1 - bound);
      if (bound == 0) {
        EXPECT_TRUE(r.warnings[0].message.starts_with("an execution beyond the preemption bound"))
            << r.warnings[0].message;
      }
    }
}

// A bound counts as finished only when nothing of it is under way any more.
TEST(Claims, WaitForWhatIsInFlight) {
  const Program p = fetch_add(2, 1);
  const auto strategy = icb();
  const auto root = strategy->next();
  ASSERT_TRUE(root);
  EXPECT_FALSE(strategy->next().has_value());
  EXPECT_FALSE(strategy->claim().finished);
  EXPECT_EQ(known(strategy->claim()), "");
  strategy->learn(execute(p, *root));
  const auto other = strategy->next();
  ASSERT_TRUE(other);
  EXPECT_FALSE(strategy->claim().finished);
  EXPECT_EQ(known(strategy->claim()), "");
  strategy->learn(execute(p, *other));
  EXPECT_TRUE(strategy->claim().finished);
  EXPECT_EQ(known(strategy->claim()), "all");
}

// Lets the n-th execution, or all of them, have a data race.
auto race(std::optional<uint64_t> n = {}) {
  return [=](Trace& trace, uint64_t i) {
    if (n && i != *n) return;
    const TraceView was = trace;
    TraceBuilder raced;
    raced.header = was.header();
    raced.steps.assign(was.steps().begin(), was.steps().end());
    raced.pending.assign(was.pending().begin(), was.pending().end());
    raced.sets.assign(was.sets().begin(), was.sets().end());
    raced.races.emplace_back();
    trace = raced.build();
  };
}

TEST(NewPoints, ASearchThatDrawsItsExecutionsGoesOnWithThem) {
  for (const size_t window : {1, 7}) {
    Scene plain(philosophers(3), make_random({.seed = 3}), {.window = window});
    Scene s(philosophers(3), make_random({.seed = 3}), {.window = window, .tamper = race(3)});
    unsigned added = 0;
    for (Scene* one : {&plain, &s}) one->budget.executions = 20;
    s.hooks.promote = [](TraceView) { return true; };
    s.hooks.add_points = [&] {
      ++added;
      EXPECT_EQ(s.executor.in_flight(), 0u);
    };
    plain.keep_going = s.keep_going = true;
    const Exploration r = s.run();
    plain.run();
    EXPECT_EQ(r.ending, Ending::ExecutionBudget);
    EXPECT_EQ(r.executions, 20u);
    EXPECT_EQ(added, 1u);
    EXPECT_EQ(s.recorder.schedules, plain.recorder.schedules);
  }
}

TEST(NewPoints, OtherSearchesStartOverLessAndLessOften) {
  for (const unsigned starts : {0u, 1u, 3u}) {
    Scene s(philosophers(3), dfs(), {.tamper = race()});
    s.keep_going = true;
    s.hooks.promote = [](TraceView) { return true; };
    s.hooks.starts_before = starts;
    const Exploration r = s.run();
    EXPECT_EQ(r.ending, Ending::NewPoints);
    EXPECT_EQ(r.executions, 1u << starts);
  }
}

TEST(NewPoints, NothingIsClaimedWithoutThem) {
  Scene finished(same_write(2, 2), dfs(), {.tamper = race(2)}), cut(philosophers(3), icb(), {.tamper = race(2)});
  for (Scene* s : {&finished, &cut}) {
    s->keep_going = true;
    s->hooks.promote = [](TraceView) { return true; };
    s->hooks.starts_before = 20;
  }
  EXPECT_EQ(finished.run().ending, Ending::NewPoints);
  cut.budget.executions = 100;
  const Exploration r = cut.run();
  EXPECT_EQ(r.ending, Ending::ExecutionBudget);
  EXPECT_EQ(r.claim.scope, Scope::None);
  EXPECT_FALSE(r.claim.preemptions_completed);
}

TEST(Bugs, OneThatMayLeadToAnotherEndsTheSearchOnlyAfterAWhile) {
  Scene s(abba(), dfs());
  s.hooks.goes_on = [](const Finding& bug) { return bug.kind == FindingKind::Deadlock; };
  uint64_t found = 0;
  s.hooks.found = [&](const Finding& bug) { found = bug.execution; };
  s.hooks.has_enough = [&](uint64_t executions) { return found > 0 && executions >= found + 2; };
  const Exploration r = s.run();
  EXPECT_EQ(r.ending, Ending::FirstBug);
  EXPECT_EQ(r.bugs.size(), 1u);
  EXPECT_EQ(r.executions, found + 2);
}

// Says what it was told to, in that order, about one execution.
class Said final : public Analysis {
 public:
  explicit Said(std::vector<FindingKind> kinds) : kinds_(std::move(kinds)) {}
  const char* name() const override { return "said"; }
  const char* summary() const override { return ""; }
  std::vector<Finding> check_all(TraceView) override {
    std::vector<Finding> all;
    for (const FindingKind kind : kinds_) {
      all.emplace_back().kind = kind;
      all.back().message = name_of(kind);
    }
    return all;
  }

 private:
  std::vector<FindingKind> kinds_;
};

TEST(Bugs, OfOneExecutionTheMostTellingComesFirstAndItsCauseNext) {
  using enum FindingKind;
  const auto bugs = [](std::vector<FindingKind> kinds) {
    Said said(std::move(kinds));
    Scene s(same_write(2, 2), dfs());
    s.analyses = {&said};
    std::vector<FindingKind> found;
    for (const Finding& bug : s.run().bugs) found.push_back(bug.kind);
    return found;
  };
  EXPECT_EQ(bugs({ExitCode, DataRace}), std::vector{DataRace});
  EXPECT_EQ(bugs({DataRace, Assertion}), (std::vector{Assertion, DataRace}));
  EXPECT_EQ(bugs({LockMisuse, Crash, ExitCode}), (std::vector{Crash, LockMisuse}));
  EXPECT_EQ(bugs({ExitCode}), std::vector{ExitCode});
}

}  // namespace
}  // namespace lockstep::fake
