// auto and portfolio: several strategies in turns.
#include <gtest/gtest.h>

#include <cctype>
#include <set>

#include "known.hpp"
#include "search/base/seeds.hpp"
#include "search/base/trace_meter.hpp"
#include "search/mix/known_executions.hpp"
#include "search/mix/novelty.hpp"
#include "search/mix/repeat_estimate.hpp"
#include "search/strategies/strategy_registry.hpp"
#include "search_helpers.hpp"
#include "zoo.hpp"

namespace lockstep::fake {
namespace {

std::unique_ptr<Search> made(const std::string& spec) {
  StrategyOptions options;
  options.spec = spec;
  auto strategy = make_strategy(options);
  EXPECT_TRUE(strategy);
  return std::move(*strategy);
}

Budget at_most(uint64_t executions) {
  Budget budget;
  budget.executions = executions;
  return budget;
}

TEST(Auto, ProvesASmallProgramByReduction) {
  for (const Program& program : {fetch_add(3, 2), philosophers(3), condition_flag(2, false), lost_wakeup()}) {
    const auto strategy = made("auto"), reference = made("optimal-dpor");
    const Explored e = explore(*strategy, program), proof = explore(*reference, program);
    EXPECT_TRUE(e.result.complete()) << program.name;
    EXPECT_EQ(known(e.result), known(proof.result));
    EXPECT_EQ(e.result.traces, proof.result.traces);
    EXPECT_NE(e.result.contributions.find("proved by optimal-dpor"), std::string::npos) << e.result.contributions;
    EXPECT_LE(e.result.executions, 10 * proof.result.executions + 10);
  }
}

TEST(Auto, RunsAProgramWithOneThreadOnce) {
  const auto strategy = made("auto");
  const Explored e = explore(*strategy, Program{"alone", {}});
  EXPECT_TRUE(e.result.complete());
  EXPECT_EQ(e.result.executions, 1u);
}

TEST(Auto, IsDoneOnceTheBoundThatWasAskedForIsProved) {
  const Program program = same_write(3, 5);  // 756,756 traces
  for (const uint32_t bound : {0u, 1u, 2u}) {
    const auto strategy = made("auto:preemptions=" + std::to_string(bound)), reference = icb(bound);
    const Explored e = explore(*strategy, program, {.window = 4}), all = explore(*reference, program);
    EXPECT_TRUE(e.result.complete());
    EXPECT_EQ(e.result.claim.preemptions_completed, bound);
    EXPECT_EQ(known(e.result), known(all.result));
    EXPECT_LT(e.result.executions, 20'000u);
    std::vector<Schedule> seen = e.within(bound);
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    EXPECT_EQ(seen, all.sorted());
  }
}

TEST(Auto, LooksBeyondABoundThatNobodyAskedFor) {
  const auto strategy = made("auto");
  const Explored e = explore(*strategy, same_write(3, 5), {.window = 4});
  EXPECT_FALSE(e.result.complete());
  EXPECT_EQ(e.result.ending, Ending::DefaultBudget);
  EXPECT_EQ(known(e.result), "preemptions 2");
  EXPECT_EQ(e.result.claim.preemptions_completed, 2u);
  EXPECT_GE(e.result.executions, 20'000u);
  EXPECT_GT(e.result.preemptions_max, 4u);
}

TEST(Auto, MeetsInTheFirstDozensWhatAnyOfItsStrategiesMeetsSoon) {
  const auto strategy = made("auto");
  const Explored e = explore(*strategy, same_write(3, 5), {.window = 4}, at_most(100));
  for (const char* part : {"optimal-dpor", "chess", "seek", "pos", "surw", "random", "pct:depth=3"})
    EXPECT_NE(e.result.contributions.find(part), std::string::npos) << part << " in: " << e.result.contributions;
}

TEST(Auto, RepeatsItself) {
  for (const char* spec : {"auto:preemptions=none", "portfolio:preemptions=none"}) {
    const auto one = made(spec), two = made(spec);
    EXPECT_EQ(
        explore(*one, same_write(3, 5), {.window = 4}, at_most(5000)).seen.schedules,
        explore(*two, same_write(3, 5), {.window = 4, .timing = Timing::Backwards}, at_most(5000)).seen.schedules);
  }
}

// Those that plan far ahead must not take the turns of those that cannot.
TEST(Auto, GivesEveryStrategyItsShareHoweverManyExecutionsAreUnderWay) {
  for (const char* spec : {"auto", "portfolio"}) {
    const auto one = made(spec), many = made(spec);
    const Explored reference = explore(*one, same_write(3, 5), {.window = 1}, at_most(2000));
    const Explored e = explore(*many, same_write(3, 5), {.window = 256}, at_most(2000));
    EXPECT_EQ(e.result.contributions, reference.result.contributions);
  }
}

uint64_t executions_of(const std::string& part, const Explored& e) {
  const size_t end = e.result.contributions.find(" executions of " + part);
  if (end == std::string::npos) return e.result.contributions.find("1 execution of " + part) != std::string::npos;
  size_t begin = end;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(e.result.contributions[begin - 1]))) --begin;
  return std::stoull(e.result.contributions.substr(begin, end - begin));
}

// Where random executions repeat each other, a search that does not is through soon; elsewhere it would stay where it
// began.
TEST(Auto, SearchesSmallSpacesAndDrawsFromLargeOnes) {
  const auto one = made("auto"), other = made("auto");
  const Explored small = explore(*one, fetch_add(2, 5), {}, at_most(60));     // 252 traces
  const Explored large = explore(*other, same_write(3, 5), {}, at_most(60));  // 756,756
  EXPECT_GT(executions_of("optimal-dpor", small), 2 * executions_of("optimal-dpor", large))
      << small.result.contributions << "\n"
      << large.result.contributions;
  EXPECT_GT(executions_of("pos", large), executions_of("pos", small));
}

// One counter, every result into the same register: there is room for few.
Program counting(int threads, int times) {
  Program program = fetch_add(threads, 1);
  for (Code& code : program.threads) code.assign(static_cast<size_t>(times), code.front());
  program.final = nullptr;
  return program;
}

// What the search does over an execution must not take longer than the execution.
TEST(Auto, LeavesLongExecutionsToWhatPlansWithoutLookingAtThem) {
  const auto one = made("auto"), other = made("auto");
  const Explored brief = explore(*one, counting(2, 100), {}, at_most(16));
  const Explored lengthy = explore(*other, counting(2, 6000), {}, at_most(16));
  EXPECT_EQ(executions_of("seek", brief), 4u) << brief.result.contributions;
  EXPECT_EQ(executions_of("seek", lengthy), 1u) << lengthy.result.contributions;
  EXPECT_EQ(executions_of("pct:depth=3", lengthy), 3u);
}

TEST(Novelty, ShiftsSharesTowardsThePartsThatShowSomethingNew) {
  Novelty novelty(3);
  const auto drawn = [](const Program& program, uint64_t n) {
    Plan plan;
    plan.policy = Policy::Pos;
    plan.seed = seed_of(3, n);
    return execute(program, plan);
  };
  for (uint64_t i = 0; i < 100; ++i) {
    novelty.saw(drawn(same_write(3, 5), i), 0);  // 756,756 traces
    novelty.saw(drawn(same_write(2, 1), i), 1);  // 2
  }
  const std::vector<uint32_t> shares = novelty.share({{80, 10}, {80, 10}, {50, 50}});
  EXPECT_EQ(shares[0] + shares[1] + shares[2], 210u);
  EXPECT_GT(shares[0], 120u);
  EXPECT_GE(shares[1], 10u);
  EXPECT_LT(shares[1], 40u);
  EXPECT_EQ(shares[2], 50u);  // keeps what it has
  const std::vector<uint32_t> next = novelty.share({{80, 10}, {80, 10}, {50, 50}});
  EXPECT_EQ(next, (std::vector<uint32_t>{80, 80, 50})) << "a new round: nothing is known yet";
}

// Control: in a large space every execution is new by its fingerprint, but not by its states.
TEST(Novelty, RunsOutWhereFingerprintsDoNot) {
  Novelty novelty(1);
  TraceMeter meter;
  std::set<uint64_t> fingerprints;
  const auto seen = [&](uint64_t n) {
    Plan plan;
    plan.policy = Policy::Pos;
    plan.seed = seed_of(3, n);
    return execute(same_write(3, 5), plan);
  };
  for (uint64_t i = 0; i < 300; ++i) {
    const Trace trace = seen(i);
    novelty.saw(trace, 0);
    meter.read(trace);
    fingerprints.insert(meter.fingerprint());
  }
  EXPECT_GT(fingerprints.size(), 290u);
  EXPECT_LT(novelty.states(), 300u);
}

TEST(Repeats, TellsASpaceThatDrawsExhaustFromOneTheyDoNot) {
  const auto draw = [](const Program& program, int times) {
    Repeats repeats;
    for (int i = 0; i < times; ++i) {
      Plan plan;
      plan.policy = Policy::Pos;
      plan.seed = seed_of(3, static_cast<uint64_t>(i));
      repeats.saw(execute(program, plan), true);
    }
    return repeats.many();
  };
  EXPECT_TRUE(draw(fetch_add(2, 2), 8));   // 6 traces
  EXPECT_TRUE(draw(fetch_add(2, 4), 20));  // 70
  EXPECT_FALSE(draw(same_write(3, 5), 60));
  EXPECT_TRUE(draw(independent(3, 3), 2)) << "many schedules, one trace";
}

TEST(Repeats, WhatASearchRanIsNoDraw) {
  const Program program = fetch_add(2, 2);
  Repeats repeats;
  for (int i = 0; i < 5; ++i) repeats.saw(execute(program, {}), false);
  EXPECT_FALSE(repeats.many());
  repeats.saw(execute(program, {}), true);
  EXPECT_TRUE(repeats.many()) << "but draws repeat it";
}

TEST(Portfolio, RunsAllItsStrategiesFromTheStart) {
  const auto strategy = made("portfolio");
  const Explored e = explore(*strategy, philosophers(4), {}, at_most(8));
  EXPECT_EQ(
      e.result.contributions,
      "1 execution of optimal-dpor, 1 execution of chess, 1 execution of seek, 1 execution of pos, 1 execution of "
      "surw, 1 execution of random, 1 execution of pct:depth=2, 1 execution of pct:depth=3; last by "
      "pct:depth=3");
}

// The reduction, chess and seek all begin with the default schedule, which only the first of them runs.
TEST(Portfolio, DoesNotRunAgainWhatAnotherStrategyHasRun) {
  const auto strategy = made("portfolio");
  std::vector<Schedule> seen = explore(*strategy, philosophers(4), {}, at_most(3)).sorted();
  EXPECT_EQ(seen.size(), 3u);
  EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end());
}

TEST(KnownExecutions, AnswersOnlyForPlansThatLeadThereForSure) {
  const Program program = philosophers(3);
  Plan plan;
  plan.policy = Policy::Random;
  plan.seed = 7;
  const Trace trace = execute(program, plan);
  KnownExecutions known;
  known.add(trace);
  Plan same = plan_of(trace);
  ASSERT_TRUE(known.find(same));
  EXPECT_EQ(schedule_of(*known.find(same)), schedule_of(execute(program, same)));
  EXPECT_FALSE(known.find(Plan{})) << "another schedule";
  Plan other = same;
  other.sleep_at = 0;
  EXPECT_FALSE(known.find(other)) << "sleepers may cut it short";
  other = same;
  other.max_steps = 1;
  EXPECT_FALSE(known.find(other)) << "it would be cut off";
  other = same;
  other.policy = Policy::RoundRobin;
  EXPECT_FALSE(known.find(other));
  other = same;
  other.stacks = true;
  EXPECT_FALSE(known.find(other)) << "more is asked for than was recorded";
}

}  // namespace
}  // namespace lockstep::fake
