// Best-first search: ranks change the order of executions, never the set of them.
#include <gtest/gtest.h>

#include <set>

#include "known.hpp"
#include "search/ranks/dpor_requests.hpp"
#include "search/ranks/rank_registry.hpp"
#include "search/ranks/ss.hpp"
#include "search/ranks/view.hpp"
#include "search/strategies/strategy_registry.hpp"
#include "search_helpers.hpp"
#include "zoo.hpp"

namespace lockstep::fake {
namespace {

std::unique_ptr<Search> best_first(const std::string& rank, std::optional<uint32_t> bound = {}, uint64_t seed = 0) {
  StrategyOptions options;
  options.spec = "best-first";
  options.preemptions = bound;
  options.rank = rank;
  options.seed = seed;
  options.focus_variable.contains = [](TraceView, auto, ObjectId object) {
    return object == object_of(OpKind::Store, 0);
  };
  options.focus_function = [](std::span<const uint64_t>) { return true; };
  auto strategy = make_strategy(options);
  EXPECT_TRUE(strategy) << rank;
  return std::move(*strategy);
}

const char* const kRankings[] = {
    "dpor",       "fresh",         "mdpor", "method",   "odds",     "pb",      "rand",
    "ss",         "var",           "view",  "mdpor,pb", "ss,mdpor", "view,pb", "ss,mdpor,fresh,rand",
    "2*mdpor+pb", "3*pb+rand,view"};

TEST(BestFirst, RunsTheExecutionsOfDfsWhateverTheRank) {
  const Program programs[] = {increment(3),       philosophers(3),    lost_wakeup(), condition_flag(2, false),
                              choice_and_store(), try_lock_vs_lock(), last_zero(2),  readers(3)};
  for (const Program& program : programs)
    for (const std::optional<uint32_t> bound :
         {std::optional<uint32_t>{}, std::optional{0u}, std::optional{1u}, std::optional{2u}}) {
      const auto reference = dfs(bound);
      const std::vector<Schedule> expected = explore(*reference, program).sorted();
      for (const char* rank : kRankings) {
        const auto strategy = best_first(rank, bound);
        const Explored e = explore(*strategy, program, {.window = 3});
        EXPECT_EQ(e.sorted(), expected) << rank << " on " << program.name;
        EXPECT_TRUE(e.result.complete());
        EXPECT_EQ(e.result.claim.preemptions_completed, bound);
      }
    }
}

TEST(BestFirst, RunsTheExecutionsOfDfsOnRandomProgramsInAnyRandomOrder) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const Program program = random_program(seed);
    const auto reference = dfs(2);
    Budget budget;
    budget.executions = 3000;
    const Explored expected = explore(*reference, program, {}, budget);
    if (!expected.result.complete()) continue;
    const auto strategy = best_first("rand", 2, seed);
    EXPECT_EQ(explore(*strategy, program).sorted(), expected.sorted()) << seed;
  }
}

TEST(BestFirst, WithFewestPreemptionsFirstIsIterativeContextBounding) {
  const auto strategy = best_first("pb");
  const Explored e = explore(*strategy, philosophers(3));
  EXPECT_TRUE(std::is_sorted(e.seen.preemptions.begin(), e.seen.preemptions.end()));
}

TEST(BestFirst, AddsUpWeightedRanks) {
  const Program program = philosophers(2);
  const Trace trace = execute(program, {});
  ExecutionView execution;
  execution.look(trace, {});
  const Ranks sum = std::move(*make_ranks("5*pb+rand", {.seed = 3}));
  const Ranks alone = std::move(*make_ranks("pb,rand", {.seed = 3}));
  ASSERT_EQ(sum.size(), 1u);
  for (const auto& rank : {&sum, &alone})
    for (const auto& part : *rank) part->look(execution);
  for (uint32_t cost = 0; cost < 3; ++cost) {
    const Alternative a{1, 2, cost};
    EXPECT_EQ(sum[0]->of(execution, a), 5 * alone[0]->of(execution, a) + alone[1]->of(execution, a));
  }
}

// However much could be under way, the lowest rank of all that is known goes next: with `rand` that order depends on
// everything learned so far, so running ahead shows.
TEST(BestFirst, IsStrictInAWindowOfOne) {
  const Program program = philosophers(3);
  const auto order = [&](const std::string& spec, uint32_t window) {
    StrategyOptions options;
    options.spec = spec;
    options.rank = "rand";
    const auto strategy = std::move(*make_strategy(options));
    return explore(*strategy, program, {.window = window}).seen.schedules;
  };
  for (const std::string more : {"", ",expand=dpor"}) {
    EXPECT_EQ(order("best-first:window=1" + more, 8), order("best-first:window=1" + more, 1)) << more;
    EXPECT_NE(order("best-first:window=8" + more, 8), order("best-first:window=1" + more, 8)) << more;
  }
}

TEST(Portfolio, OfGivenRanksAndSeedsProvesWhatEachOfThemWould) {
  for (const std::optional<uint32_t> bound : {std::optional<uint32_t>{}, std::optional{1u}}) {
    StrategyOptions options;
    options.spec = "portfolio:rank=mdpor:pb,rank=rand,seed=1,seed=2";
    options.preemptions = bound;
    const auto strategy = std::move(*make_strategy(options));
    const auto reference = dfs(bound);
    const Explored all = explore(*reference, philosophers(3)), some = explore(*strategy, philosophers(3));
    EXPECT_TRUE(some.result.complete());
    EXPECT_EQ(some.result.claim.bounds.preemptions, bound);
    std::set<Schedule> seen(some.seen.schedules.begin(), some.seen.schedules.end());
    for (const Schedule& schedule : all.seen.schedules) EXPECT_TRUE(seen.contains(schedule));
  }
}

// Executions until the first failure.
uint64_t until_bug(Search& strategy, const Program& program) {
  FakeExecutor executor(program);
  OutcomeAnalysis outcome;
  Analysis* analyses[] = {&outcome};
  const Exploration result = Explorer(strategy, executor, analyses, {}, false, {}).run();
  EXPECT_EQ(result.verdict, Verdict::Bug);
  return result.executions;
}

TEST(BestFirst, FollowsRacesToABugThatManyIndependentStepsHide) {
  Program program = increment(2);
  for (Code& thread : program.threads)
    thread.insert(thread.begin(), 6, st([](const Registers&) -> Value { return 2; }, 0));
  program.threads[0].insert(program.threads[0].begin(), 6, ld(3, 1));
  program.threads[1].insert(program.threads[1].begin(), 6, ld(3, 1));
  const auto plain = icb();
  const auto ranked = best_first("mdpor,pb");
  EXPECT_LE(until_bug(*ranked, program), until_bug(*plain, program));
}

// Setters write a, then b; a checker at the end must not see the one without the other.
Program reorder(int setters) {
  Program program{"reorder", {}};
  for (int i = 0; i < setters; ++i) program.threads.push_back({st(0, 1), st(1, 1)});
  program.threads.push_back(
      {ld(0, 0), ld(1, 1), check([](const Registers& r) -> Value { return r[0] == r[1]; }, "both or none")});
  return program;
}

TEST(ViewRank, DoesNotMindHowManyThreadsDoTheSame) {
  for (const int setters : {3, 10, 40}) {
    const auto ranked = best_first("view,pb");
    EXPECT_EQ(until_bug(*ranked, reorder(setters)), 3u) << setters;
  }
}

TEST(ViewRank, ForetellsWhoWillSeeWhat) {
  const Trace trace = execute(reorder(2), {});
  std::vector<uint32_t> decisions;
  for (uint32_t i = 0; i < trace.view().steps().size(); ++i)
    if (!trace.view().steps()[i].is_note()) decisions.push_back(i);
  ExecutionView execution;
  execution.look(trace, {});
  ViewRank rank;
  rank.look(execution);
  const uint16_t other_setter = 2, checker = 3;
  EXPECT_EQ(rank.of(execution, {decisions[0], checker, 0}), 0u);                          // sees neither
  EXPECT_EQ(rank.of(execution, {decisions[1], checker, 1}), 0u);                          // sees a without b
  EXPECT_EQ(rank.of(execution, {decisions[1], checker, 1}), 1u);                          // has been promised
  EXPECT_EQ(rank.of(execution, {decisions[2], checker, 0}), ViewRank::kNothingNew);       // sees both, as it did
  EXPECT_EQ(rank.of(execution, {decisions[0], other_setter, 0}), ViewRank::kNothingNew);  // nobody can tell
}

TEST(Seek, FindsWhatOtherSearchesNeedManyExecutionsForAndProvesNothing) {
  StrategyOptions options;
  options.spec = "seek";
  auto strategy = make_strategy(options);
  EXPECT_LE(until_bug(**strategy, reorder(40)), 4u);
  strategy = make_strategy(options);
  const Explored e = explore(**strategy, independent(3, 3));
  EXPECT_EQ(e.result.executions, 1u);  // threads that do not look at each other have one view each
  EXPECT_FALSE(e.result.complete());
  EXPECT_EQ(known(e.result), "sample");
  EXPECT_FALSE(e.result.claim.preemptions_completed);
}

TEST(TreeSearch, AdoptsExecutionsOfOthersWithAllTheirAlternatives) {
  const Program program = same_write(2, 2);
  TreeSearchParts parts;
  parts.most_open = 1000;
  TreeSearch search(parts);
  search.learn(execute(program, *search.next()));
  while (auto plan = search.next()) search.learn(execute(program, *plan));
  Plan wild;  // a b a b
  uint32_t first = 0;
  const Trace straight = execute(program, {});
  while (straight.view().steps()[first].is_note()) ++first;
  wild.deltas = {{first + 1, 2}, {first + 2, 1}};
  search.adopt(execute(program, wild));
  std::set<Schedule> seen;
  while (auto plan = search.next()) {
    const Trace trace = execute(program, *plan);
    ASSERT_EQ(trace.view().outcome(), Outcome::Ok);
    seen.insert(schedule_of(trace));
    search.learn(trace);
  }
  EXPECT_EQ(seen, (std::set<Schedule>{{2, 2, 1, 1}, {2, 1, 1, 2}, {2, 1, 2, 1}, {1, 1, 2, 2}, {1, 2, 2, 1}}));
  EXPECT_EQ(search.tree().live(), 0u);
}

TEST(DporRequests, NamesTheOtherThreadAtTheEarlierOperationOfARace) {
  const Program program = increment(2);  // a: load, store; b: load, store
  const Trace trace = execute(program, {});
  ExecutionView execution;
  execution.look(trace, {});
  DporRequests requests;
  requests.look(execution);
  std::vector<uint32_t> decisions;
  for (uint32_t i = 0; i < trace.view().steps().size(); ++i)
    if (!trace.view().steps()[i].is_note()) decisions.push_back(i);
  // a's store races with b's load; a's load is ordered before b's store by those two.
  EXPECT_FALSE(requests.find(decisions[0], 2));
  EXPECT_EQ(requests.find(decisions[1], 2), DporRequests::Request::Race);
  const Trace apart = execute(independent(2, 2), {});
  execution.look(apart, {});
  requests.look(execution);
  for (uint32_t i = 0; i < apart.view().steps().size(); ++i) EXPECT_FALSE(requests.find(i, 2)) << i;
}

TEST(SleepRank, DefersWhatAnElderSiblingLeadsTo) {
  // Independent threads: after b was let go first, a's turn is what the parent had already.
  const Program program = independent(2, 2);
  const Trace first = execute(program, {});
  uint32_t step = 0;
  while (first.view().steps()[step].is_note()) ++step;
  Plan plan;
  plan.deltas = {{step, 2}};
  const Trace trace = execute(program, plan);
  ExecutionView execution;
  execution.look(trace, plan.deltas);
  SleepRank rank;
  rank.look(execution);
  EXPECT_EQ(rank.of(execution, {step + 1, 1, 1}), 1u);
}

TEST(Ranks, AreListedAndRefuseWhatTheyDoNotKnow) {
  for (const RankInfo& info : ranks()) EXPECT_TRUE(make_ranks(info.name, {})) << info.name;
  const auto complaint = [](const char* list) { return make_ranks(list, {}).error().message; };
  EXPECT_EQ(
      complaint("pb,dp"),
      "unknown rank 'dp'; use one of: dpor, fresh, mdpor, method, odds, pb, rand, ss, var, view, or the path of a "
      "shared object");
  EXPECT_TRUE(complaint("").starts_with("unknown rank ''; use one of: "));
  EXPECT_EQ(complaint("0*pb"), "the weight in '0*pb' must be a number from 1 to 1000");
  EXPECT_EQ(complaint("x*pb"), "the weight in 'x*pb' must be a number from 1 to 1000");
  EXPECT_EQ(complaint("pb,pb,pb,pb,pb"), "at most 4 ranks can be combined");
}

}  // namespace
}  // namespace lockstep::fake
