// Bounds on variables and threads: the figures of Bindal, Bansal & Lal (2013), the dynamic bound and the sets of `vb`
// against depth-first search on random programs, numbers of permutations, the distribution of `pctvb`.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "analysis/bounds.hpp"
#include "brute_force.hpp"
#include "frequencies.hpp"
#include "known.hpp"
#include "search/minimize/threads_needed.hpp"
#include "search/strategies/pct.hpp"
#include "search/strategies/pctvb.hpp"
#include "search/strategies/thread_bounding.hpp"
#include "search/strategies/vb.hpp"
#include "search/variables/survey.hpp"
#include "search/variables/thread_bound.hpp"
#include "trace_helpers.hpp"
#include "zoo.hpp"

namespace lockstep::fake {
namespace {

using R = const Registers&;
Instruction increment_of(int x) {
  return rmw(
      x, [](Value old, R) { return old + 1; }, 5);
}

Program figure1() {
  return {.name = "figure 1", .threads = {{ld(0, 0), check([](R r) { return r[0] == 0; }, "a")}, {increment_of(0)}}};
}
Program figure2() {
  return {.name = "figure 2",
          .threads = {{ld(0, 0), ld(0, 1), check([](R r) { return r[0] == r[1]; }, "a")}, {increment_of(0)}}};
}
Program figure3() {
  return {.name = "figure 3",
          .threads = {{ld(0, 0), ld(0, 1), check([](R r) { return r[0] == r[1]; }, "a")}, {st(0, 1), st(0, 0)}}};
}
Program figure4() {
  return {.name = "figure 4",
          .threads = {{ld(0, 0), ld(0, 1), ld(1, 2), check([](R r) { return r[0] == r[1] || r[2] != 1; }, "ab")},
                      {st(0, 1), st(1, 1), st(1, 0)}}};
}
Program figure8() {
  return {.name = "figure 8",
          .threads = {{increment_of(0)}, {increment_of(0)}, {ld(0, 0), check([](R r) { return r[0] != 2; }, "a")}}};
}
Program figure9() {  // as printed, the assertion cannot fail
  return {.name = "figure 9",
          .threads = {{ld(0, 0), ld(0, 1), check([](R r) { return r[1] <= r[0] + 1; }, "a")},
                      {increment_of(0)},
                      {increment_of(0)}}};
}
Program figure10() {
  return {.name = "figure 10",
          .threads = {
              {ld(0, 0), ld(0, 1), ld(1, 2), ld(1, 3), check([](R r) { return r[0] == r[1] || r[2] == r[3]; }, "ab")},
              {increment_of(0)},
              {increment_of(1)}}};
}

struct Figure {
  Program program;
  uint64_t schedules;
  uint32_t c, v, t;
};
std::vector<Figure> figures() {
  return {{figure1(), 2, 0, 0, 2}, {figure2(), 3, 1, 1, 2},  {figure3(), 6, 2, 1, 2},  {figure4(), 20, 2, 2, 2},
          {figure8(), 6, 0, 0, 3}, {figure9(), 12, 1, 1, 3}, {figure10(), 30, 2, 2, 3}};
}

// The first failing trace that a strategy comes to.
std::optional<Trace> first_failure(const Program& p, Search& strategy, uint64_t most = 100'000) {
  FakeExecutor executor(p);
  for (uint64_t n = 0; n < most; ++n) {
    auto plan = strategy.next();
    if (!plan) return std::nullopt;
    executor.submit(*plan);
    const TraceView trace = *executor.next([] { return false; });
    if (trace.outcome() == Outcome::Assertion) return Trace(trace);
    strategy.learn(trace);
  }
  return std::nullopt;
}

TEST(VariableBounds, FiguresNeedWhatThePaperSays) {
  for (const Figure& f : figures()) {
    EXPECT_EQ(total(count_schedules(f.program)), f.schedules) << f.program.name;
    const auto strategy = icb();
    const auto failing = first_failure(f.program, *strategy);
    ASSERT_TRUE(failing) << f.program.name;
    const ScheduleBounds b = bounds_of(*failing);
    EXPECT_EQ(std::tuple(b.preemptions, b.variables, b.threads), std::tuple(f.c, f.v, f.t)) << f.program.name;
  }
}

TEST(VariableBounds, FiguresAreFoundWithinTheirBoundsAndNotBelow) {
  for (const Figure& f : figures()) {
    const auto within = make_vb({.preemptions = f.c, .variables = f.v});
    EXPECT_TRUE(first_failure(f.program, *within)) << f.program.name;
    const auto dynamic = make_icb({.preemptions = f.c, .variables = f.v});
    EXPECT_TRUE(first_failure(f.program, *dynamic)) << f.program.name;
    if (f.v == 0) continue;
    const auto fewer = make_icb({.preemptions = {}, .variables = f.v - 1});
    EXPECT_FALSE(first_failure(f.program, *fewer)) << f.program.name;
    if (f.v < 2) continue;  // one variable fewer than one is no preemption at all
    const auto sets = make_vb({.preemptions = f.c, .variables = f.v - 1});
    EXPECT_FALSE(first_failure(f.program, *sets)) << f.program.name;
  }
}

template <class Body>
void for_small_programs(uint64_t most, Body&& body) {
  int used = 0;
  for (uint64_t seed = 0; seed < 210; ++seed) {
    const Program p = random_program(seed);
    if (seed % 7 == 5 || total(count_schedules(p)) > most) continue;  // yields make preemptions free
    ++used;
    body(p);
  }
  EXPECT_GT(used, 60);
}

TEST(VariableBounds, TheDynamicBoundIsDepthFirstSearchFiltered) {
  for_small_programs(1500, [](const Program& p) {
    std::map<uint32_t, std::vector<Schedule>> by_variables;
    const auto all = dfs();
    FakeExecutor executor(p);
    while (auto plan = all->next()) {
      executor.submit(*plan);
      const TraceView trace = *executor.next([] { return false; });
      by_variables[bounds_of(trace).variables].push_back(schedule_of(trace));
      all->learn(trace);
    }
    for (uint32_t v = 0; v <= 2; ++v) {
      std::vector<Schedule> expected;
      for (const auto& [variables, schedules] : by_variables)
        if (variables <= v) expected.insert(expected.end(), schedules.begin(), schedules.end());
      std::sort(expected.begin(), expected.end());
      const auto bounded = make_dfs({.preemptions = {}, .variables = v});
      ASSERT_EQ(explore(*bounded, p).sorted(), expected) << p.name << ", " << v << " variables";
    }
  });
}

// --- vb against all schedules whose preemptions lie next to accesses to few variables ---

// For every preemption the variables it is next to: what the preempted thread did last and what it does next.
std::vector<std::set<ObjectId>> places(TraceView trace) {
  std::vector<std::set<ObjectId>> found;
  LastAccess last;
  const auto steps = trace.steps();
  for (ScheduleCursor at(trace); !at.done(); at.advance()) {
    if (!at.step().is_note() && !at.step().is_choice() && at.cost(at.step().thread)) {
      std::set<ObjectId> near{last.of(at.running())};
      bool later = false;
      for (uint32_t i = at.index(); i < steps.size() && !later; ++i)
        if ((later = steps[i].thread == at.running() && !steps[i].is_note())) near.insert(steps[i].object);
      for (const Step& p : trace.pending())
        if (!later && p.thread == at.running()) near.insert(p.object);
      found.push_back(near);
    }
    last.step(at.step());
  }
  return found;
}

bool covered(const std::vector<std::set<ObjectId>>& places, const std::set<ObjectId>& chosen) {
  return std::all_of(places.begin(), places.end(), [&](const auto& near) {
    return std::any_of(near.begin(), near.end(), [&](ObjectId o) { return chosen.contains(o); });
  });
}

// The same block of a loop, wherever it lies: one variable. Blocks of the heap that say nothing go by their address.
TEST(VariableSurvey, HeapGoesByOriginAndIteration) {
  const auto execution = [](uint64_t shift, unsigned who) {
    TraceBuilder builder;
    for (uint32_t i = 0; i < 2; ++i) {
      Allocation a{};
      a.begin = 0x1000 + shift + 0x20 * i, a.size = 16, a.pc = a.origin = 77, a.iteration = i, a.thread = ThreadId{1};
      builder.allocations.push_back(a);
      for (const uint64_t at : {a.begin + 8, uint64_t{0x9000} + shift}) {
        Step step{};
        step.kind = OpKind::Store;
        step.flags = Step::kWrite;
        step.set_access(0, 4);
        step.object = ObjectId{at};
        step.thread = ThreadId(static_cast<uint16_t>(who));
        builder.steps.push_back(step);
      }
    }
    return builder.build();
  };
  VariableSurvey survey;
  survey.look(execution(0, 1));
  EXPECT_TRUE(survey.shared().empty());
  survey.look(execution(0x100, 2));
  survey.look(execution(0x200, 2));
  ASSERT_EQ(survey.shared().size(), 2u) << "one of each iteration; what has no name but an address is not known again";
  for (uint32_t i = 0; i < 2; ++i) {
    const SharedVariable& v = survey.shared()[i];
    EXPECT_EQ(v.id, (VariableId{77, i, ThreadId{1}, 8}));
    const uint64_t first = 0x1008 + 0x20 * i;
    EXPECT_EQ(v.where, (std::vector<TrackedRange>{{first, 4}, {first + 0x100, 4}, {first + 0x200, 4}}));
    EXPECT_TRUE(v.contains(first + 0x103));
    EXPECT_FALSE(v.contains(first + 4));
  }
}

TEST(VariableSurvey, WhatTheUserPointsAtComesFirst) {
  TraceBuilder builder;
  for (const uint64_t address : {0x100u, 0x200u, 0x300u})
    for (const uint16_t who : {1, 2}) {
      Step step{};
      step.kind = OpKind::Store;
      step.flags = Step::kWrite;
      step.set_access(0, 4);
      step.object = ObjectId{address};
      step.thread = ThreadId{who};
      builder.steps.push_back(step);
    }
  const auto first = [&](PointsAt focus) {
    VariableSurvey survey({}, HeapVariable::Element, std::move(focus));
    survey.look(builder.build());
    survey.settle();
    EXPECT_EQ(survey.count(), 3u) << "the others are not left out";
    return survey.shared()[0].id.at;
  };
  EXPECT_EQ(first({}), 0x100u);
  EXPECT_EQ(first([](TraceView, ObjectId object) { return object == ObjectId{0x300}; }), 0x300u);
}

TEST(VariableSurvey, AGlobalIsOneVariable) {
  TraceBuilder builder;
  for (const uint64_t address : {0x100u, 0x108u, 0x200u})
    for (const uint16_t who : {1, 2}) {
      Step step{};
      step.kind = OpKind::Store;
      step.flags = Step::kWrite;
      step.set_access(0, 4);
      step.object = ObjectId{address};
      step.thread = ThreadId{who};
      builder.steps.push_back(step);
    }
  const auto table = [](uint64_t address) { return TrackedRange{0x100, address < 0x140 ? 0x40u : 0u}; };
  VariableSurvey survey({}, HeapVariable::Block, {}, table);
  survey.look(builder.build());
  ASSERT_EQ(survey.count(), 2u);
  EXPECT_EQ(survey.shared()[0].where, (std::vector<TrackedRange>{{0x100, 0x40}}));
}

TEST(VariableSurvey, BlocksAndSitesAreCoarser) {
  TraceBuilder builder;
  for (uint32_t i = 0; i < 2; ++i) {
    Allocation a{};
    a.begin = 0x1000 + 0x20 * i, a.size = 16, a.pc = a.origin = 77, a.iteration = i, a.thread = ThreadId{1};
    builder.allocations.push_back(a);
    for (const uint64_t offset : {0u, 8u})
      for (const uint16_t who : {1, 2}) {
        Step step{};
        step.kind = OpKind::Store;
        step.flags = Step::kWrite;
        step.set_access(0, 4);
        step.object = ObjectId{a.begin + offset};
        step.thread = ThreadId{who};
        builder.steps.push_back(step);
      }
  }
  const Trace trace = builder.build();
  const std::pair<HeapVariable, size_t> rows[] = {
      {HeapVariable::Element, 4}, {HeapVariable::Block, 2}, {HeapVariable::Site, 1}};
  for (const auto& [heap, variables] : rows) {
    VariableSurvey survey({}, heap);
    survey.look(trace);
    EXPECT_EQ(survey.count(), variables);
    if (heap == HeapVariable::Block) {
      EXPECT_EQ(survey.shared()[0].where, (std::vector<TrackedRange>{{0x1000, 16}}));
    }
  }
}

TEST(VariableBounds, SetsOfVariablesMissNothingNextToThem) {
  static constexpr uint32_t kBound = 2;
  for_small_programs(800, [](const Program& p) {
    const auto vb = make_vb({.preemptions = kBound, .variables = 1});
    std::set<std::string> got;
    VariableSurvey survey;
    FakeExecutor executor(p);
    while (auto plan = vb->next()) {
      executor.submit(*plan);
      const TraceView trace = *executor.next([] { return false; });
      if (trace.outcome() != Outcome::Redundant) got.insert(end_of(p, trace));
      if (plan->policy == Policy::Blocks) survey.look(trace);
      vb->learn(trace);
    }
    ASSERT_TRUE(vb->claim().finished);
    const auto all = dfs(kBound);
    while (auto plan = all->next()) {
      executor.submit(*plan);
      const TraceView trace = *executor.next([] { return false; });
      const auto where = places(trace);
      for (const SharedVariable& v : survey.shared())
        if (covered(where, {ObjectId{v.where.front().address}})) {
          ASSERT_TRUE(got.contains(end_of(p, trace))) << p.name;
          break;
        }
      all->learn(trace);
    }
  });
}

// Variables of early iterations of loops first, whatever the number in a set; a bound leaves later ones out.
struct Looped {
  std::vector<std::vector<uint32_t>> sets;  // iterations of the variables in each set, as they come
  Claim claim;
};
Looped run_loop(VbOptions options) {
  const Program p = {.name = "three shared",
                     .threads = {{st(0, 1), st(1, 1), st(2, 1)}, {st(0, 2), st(1, 2), st(2, 2)}}};
  const auto vb = make_vb(options);
  FakeExecutor executor(p);
  Looped looped;
  std::vector<TrackedRange> last;
  while (auto plan = vb->next()) {
    executor.submit(*plan);
    const TraceView trace = *executor.next([] { return false; });
    TraceBuilder builder;  // as if each variable came from another round of a loop, the last one first
    builder.header = trace.header();
    builder.steps.assign(trace.steps().begin(), trace.steps().end());
    builder.pending.assign(trace.pending().begin(), trace.pending().end());
    builder.sets.assign(trace.sets().begin(), trace.sets().end());
    trace.for_each_block([&](const BlockRecord& block, std::span<const Touched> touched) {
      builder.blocks.emplace_back();
      std::memcpy(&builder.blocks.back(), &block, sizeof block);
      builder.blocks.insert(builder.blocks.end(), touched.begin(), touched.end());
    });
    std::map<uint64_t, uint32_t> rounds;
    for (const Step& s : trace.steps())
      if (s.kind == OpKind::Store) rounds.try_emplace(static_cast<uint64_t>(s.object), 0);
    uint32_t round = static_cast<uint32_t>(rounds.size());
    for (auto& [address, number] : rounds) {
      number = --round;
      Allocation a{};
      a.begin = address, a.size = 4, a.pc = a.origin = 77, a.iteration = number;
      builder.allocations.push_back(a);
    }
    if (plan->policy == Policy::Default && plan->tracked != last) {
      last = plan->tracked;
      std::vector<uint32_t> set;
      for (const TrackedRange& r : plan->tracked)
        if (r.size) set.push_back(rounds.at(r.address));
      if (!set.empty()) looped.sets.push_back(set);
    }
    vb->learn(builder.build());
  }
  EXPECT_TRUE(vb->claim().finished);
  looped.claim = vb->claim();
  return looped;
}

TEST(LoopIterations, EarlyOnesComeFirst) {
  using Sets = std::vector<std::vector<uint32_t>>;
  const Looped all = run_loop({.preemptions = 2, .variables = 2});
  EXPECT_EQ(all.sets, (Sets{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}}));
  EXPECT_EQ(all.claim.bounds.loop_iterations, std::nullopt);
  const Looped first = run_loop({.preemptions = 2, .variables = 2, .loop_iterations = 1});
  EXPECT_EQ(first.sets, (Sets{{0}, {1}, {0, 1}}));
  EXPECT_EQ(first.claim.bounds.loop_iterations, 1u);
  EXPECT_EQ(first.claim.bounds.variables, 2u);
  EXPECT_EQ(first.claim.shared_variables, 2u);
  const Looped by_preemptions = run_loop({.preemptions = 2, .variables = 2, .by_preemptions = true});
  EXPECT_EQ(by_preemptions.sets, (Sets{{0}, {1}, {2}, {0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}}));
}

// That the second variable is shared shows only where thread 2 looks in the middle of thread 1.
Program shared_late() {
  return {.name = "shared late",
          .threads = {{st(0, 1), ld(1, 0), ld(1, 1), check([](R r) { return r[0] == r[1]; }, "late"), st(0, 2)},
                      {ld(0, 0), jump([](R r) { return r[0] == 1 ? -1 : 3; }), st(1, 1)}}};
}

TEST(VariableBounds, AVariableThatIsSharedLateReopensTheSets) {
  // Preemptions only at the first variable show the sharing; one more, at the second, shows the failure.
  const auto vb = make_vb({.preemptions = 2, .variables = 2});
  EXPECT_TRUE(first_failure(shared_late(), *vb));
  Program harmless = shared_late();
  harmless.threads[0].erase(harmless.threads[0].begin() + 3);
  const auto all = make_vb({.preemptions = 2, .variables = 2});
  std::set<uint64_t> claimed;  // shared variables, wherever two of them are claimed to be explored
  FakeExecutor executor(harmless);
  while (auto plan = all->next()) {
    executor.submit(*plan);
    all->learn(*executor.next([] { return false; }));
    if (all->claim().bounds.variables == 2u) claimed.insert(*all->claim().shared_variables);
  }
  EXPECT_TRUE(all->claim().finished);
  claimed.insert(*all->claim().shared_variables);
  EXPECT_EQ(claimed, std::set<uint64_t>{2});
  EXPECT_EQ(all->claim().bounds.variables, 2u);
}

TEST(Pctvb, ExecutionsBeforeAVariableWasSharedDoNotCount) {
  const auto pctvb = make_pctvb({.depth = 2, .variables = 1, .seed = 3});
  Program p = shared_late();
  p.threads[0].erase(p.threads[0].begin() + 3);
  FakeExecutor executor(p);
  uint64_t objects = 0, executions = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto plan = pctvb->next();
    executor.submit(*plan);
    pctvb->learn(*executor.next([] { return false; }));
    const auto chance = pctvb->claim().chance;
    if (!chance) continue;
    const bool reopened = chance->objects > objects && objects > 0;
    EXPECT_TRUE(!reopened || chance->executions < executions);
    objects = chance->objects;
    executions = chance->executions;
  }
  EXPECT_EQ(objects, 2u);
}

// --- threads ---

// The order of three is needed, though two of them are in the usual one.
Program chain_of_three() {
  const auto from_to = [](Value from, Value to) {
    return rmw(
        0, [=](Value old, R) { return old == from ? to : old; }, 5);
  };
  Code last = {from_to(2, 3), ld(0, 0), check([](R r) { return r[0] != 3; }, "chain")};
  return {.name = "chain", .threads = {{from_to(1, 2)}, last, {from_to(0, 1)}, {st(9, 1)}}};
}
// One of five before another, wherever the rest comes.
Program one_before_another() {
  Code late = {ld(0, 0), check([](R r) { return r[0] != 0; }, "late")};
  return {.name = "pair", .threads = {{st(0, 1)}, {st(1, 1)}, {st(2, 1)}, late, {st(3, 1)}}};
}

TEST(ThreadBounds, NeededThreadsAreFoundByTrying) {
  const std::tuple<Program, uint32_t> rows[] = {{figure8(), 3}, {chain_of_three(), 3}, {one_before_another(), 2}};
  for (const auto& [program, needed] : rows) {
    const auto strategy = icb(0);
    const auto failing = first_failure(program, *strategy);
    ASSERT_TRUE(failing) << program.name;
    FakeExecutor executor(program);
    const auto same = [](const Trace& trace) { return trace.view().outcome() == Outcome::Assertion; };
    EXPECT_EQ(threads_needed(executor, *failing, 1000, same, {}), needed) << program.name;
  }
}

TEST(ThreadBounds, NumbersOfPermutations) {
  EXPECT_EQ(permutations_needed(600, 3, 0.01), 131u);
  EXPECT_EQ(permutations_needed(5, 1, 0.01), 1u);
  EXPECT_GT(permutations_needed(600, 4, 0.01), permutations_needed(600, 3, 0.01));
}

// All orders of all triples among eight, drawn as the search draws them.
TEST(ThreadBounds, SoManyPermutationsShowEveryOrder) {
  const uint64_t needed = permutations_needed(8, 3, 0.01);
  int incomplete = 0;
  for (uint64_t repetition = 0; repetition < 300; ++repetition) {
    ThreadBoundSearch search(
        {.threads = 3, .all_threads = 8, .preemptions = 0, .tracked = {}, .epsilon = 0.01, .seed = repetition});
    std::set<std::tuple<unsigned, unsigned, unsigned>> seen;
    uint64_t drawn = 0;
    for (; auto plan = search.next(); ++drawn) {
      const uint64_t* prio = plan->extra.data() + 1;
      for (unsigned a = 0; a < 8; ++a)
        for (unsigned b = 0; b < 8; ++b)
          for (unsigned c = 0; c < 8; ++c)
            if (a != b && b != c && a != c && prio[a] > prio[b] && prio[b] > prio[c]) seen.insert({a, b, c});
    }
    EXPECT_LE(drawn, needed);  // equal ones are run once
    incomplete += seen.size() != 8 * 7 * 6;
  }
  EXPECT_LE(incomplete, 9);  // 3 expected at most
}

// Fifteen priorities have 15! orders. They are met one by one, not written down beforehand.
TEST(ThreadBounds, ManyPreemptionsNeedNoListOfPermutations) {
  ThreadBoundSearch search({.threads = 3, .all_threads = 3, .preemptions = 12});
  EXPECT_TRUE(search.certain());
  std::set<std::vector<uint64_t>> orders;
  while (auto plan = search.next()) orders.insert(plan->extra);
  EXPECT_EQ(orders.size(), 6u);  // of three threads, before any was preempted
}

// With as many threads as there are, all orders are tried: nothing that sets of variables reach is missed.
TEST(ThreadBounds, OrdersOfAllThreadsMissNothing) {
  uint64_t with_threads = 0, without = 0;
  for_small_programs(200, [&](const Program& p) {
    const auto ends = [&](VbOptions options, uint64_t& executions) {
      const auto vb = make_vb(options);
      FakeExecutor executor(p);
      std::set<std::string> got;
      for (; auto plan = vb->next(); ++executions) {
        executor.submit(*plan);
        const TraceView trace = *executor.next([] { return false; });
        if (trace.outcome() != Outcome::Redundant) got.insert(end_of(p, trace));
        vb->learn(trace);
      }
      EXPECT_TRUE(vb->claim().finished) << p.name;
      EXPECT_EQ(vb->claim().certainty, 1) << p.name;
      return got;
    };
    const unsigned all = static_cast<unsigned>(p.threads.size()) + 1;
    const auto expected = ends({.preemptions = 1, .variables = 1}, without);
    const auto got = ends({.preemptions = 1, .variables = 1, .thread_bound = all}, with_threads);
    for (const std::string& end : expected) ASSERT_TRUE(got.contains(end)) << p.name << ": " << end;
  });
  EXPECT_LT(with_threads, 4 * without);
}

TEST(ThreadBounds, EquivalentExecutionsAreNotContinuedTwice) {
  uint64_t executions = 0;
  const Program p = figure10();
  const auto vb = make_vb({.preemptions = 2, .variables = 2, .thread_bound = 3});
  FakeExecutor executor(p);
  for (; auto plan = vb->next(); ++executions) {
    executor.submit(*plan);
    vb->learn(*executor.next([] { return false; }));
  }
  EXPECT_LT(executions, 600u);
}

// The orders of all threads with up to c preemptions anywhere are all executions with so many.
TEST(ThreadBounds, IcbWithAllThreadsMissesNothing) {
  for_small_programs(150, [](const Program& p) {
    const auto ends = [&](Search& strategy) {
      std::set<std::string> got;
      FakeExecutor executor(p);
      while (auto plan = strategy.next()) {
        executor.submit(*plan);
        const TraceView trace = *executor.next([] { return false; });
        got.insert(end_of(p, trace));
        strategy.learn(trace);
      }
      EXPECT_TRUE(strategy.claim().finished) << p.name;
      return got;
    };
    const unsigned all = static_cast<unsigned>(p.threads.size()) + 1;
    const auto plain = icb(1);
    const std::set<std::string> expected = ends(*plain);
    for (const bool cache : {false, true}) {
      const auto bounded = make_thread_bounding({.preemptions = 1, .threads = all, .cache = cache});
      const std::set<std::string> got = ends(*bounded);
      for (const std::string& end : expected) ASSERT_TRUE(got.contains(end)) << p.name << ": " << end;
    }
  });
}

TEST(ThreadBounds, DataChoicesAreExplored) {
  const Program p = {.name = "choice",
                     .threads = {{st(0, 1), choice(3, 0), check([](R r) { return r[0] != 2; }, "c")}, {st(0, 2)}}};
  const auto vb = make_vb({.preemptions = 1, .variables = 1, .thread_bound = 2});
  EXPECT_TRUE(first_failure(p, *vb));
}

TEST(ThreadBounds, FiguresAreFoundWithTheirThreads) {
  for (const Figure& f : figures()) {
    const auto vb = make_vb({.preemptions = f.c, .variables = f.v, .thread_bound = f.t});
    EXPECT_TRUE(first_failure(f.program, *vb)) << f.program.name;
  }
}

// --- pctvb ---

double rate(const Program& p, Search& strategy, uint64_t executions) {
  FakeExecutor executor(p);
  uint64_t failed = 0, counted = 0;
  while (counted < executions) {
    auto plan = strategy.next();
    executor.submit(*plan);
    const TraceView trace = *executor.next([] { return false; });
    if (plan->policy == Policy::Pct) {
      ++counted;
      failed += trace.outcome() == Outcome::Assertion;
    }
    strategy.learn(trace);
  }
  return static_cast<double>(failed) / static_cast<double>(executions);
}

// Both reads of thread 1 around the increment: it has to be first, and fall behind before its second access.
TEST(Pctvb, HitsWithTheExactProbability) {
  constexpr uint64_t kRuns = 30'000;
  const auto near = [](double p) { return 4 * std::sqrt(p * (1 - p) / kRuns); };
  const auto vb = make_pctvb({.depth = 2, .variables = 1, .seed = 1});
  EXPECT_NEAR(rate(figure2(), *vb, kRuns), 1.0 / 6, near(1.0 / 6));
  const auto shallow = make_pctvb({.depth = 1, .variables = 1, .seed = 1});
  EXPECT_EQ(rate(figure2(), *shallow, 5'000), 0);
  // A second variable with many accesses: it is chosen half of the time, and then it helps not at all.
  Program busy = figure2();
  for (int i = 0; i < 10; ++i) {
    busy.threads[0].insert(busy.threads[0].begin(), increment_of(1));
    busy.threads[1].push_back(increment_of(1));
  }
  const auto chosen = make_pctvb({.depth = 2, .variables = 1, .seed = 2});
  const auto everything = make_pct({.depth = 2, .seed = 2});
  const double with = rate(busy, *chosen, kRuns), without = rate(busy, *everything, kRuns);
  EXPECT_NEAR(with, 1.0 / 12, near(1.0 / 12));
  EXPECT_GT(with, 2 * without);
}

TEST(Pctvb, ChoosesAmongTheVariablesInFocus) {
  Program busy = figure2();
  for (int i = 0; i < 10; ++i) {
    busy.threads[0].insert(busy.threads[0].begin(), increment_of(1));
    busy.threads[1].push_back(increment_of(1));
  }
  const std::set<uint64_t> used = [&] {  // by figure2() alone
    const Program alone = figure2();
    FakeExecutor executor(alone);
    executor.submit(Plan{});
    std::set<uint64_t> objects;
    for (const Step& s : TraceView(*executor.next([] { return false; })).steps())
      objects.insert(static_cast<uint64_t>(s.object));
    return objects;
  }();
  constexpr uint64_t kRuns = 30'000;
  const auto pctvb = make_pctvb({.depth = 2, .variables = 1, .seed = 2, .focus = [&](TraceView, ObjectId object) {
                                   return used.contains(static_cast<uint64_t>(object));
                                 }});
  EXPECT_NEAR(rate(busy, *pctvb, kRuns), 1.0 / 6, 4 * std::sqrt(5.0 / 36 / kRuns)) << "as if there were no other";
  EXPECT_FALSE(pctvb->claim().chance) << "nothing is said of the others";
}

TEST(Pctvb, StatesItsProbability) {
  // One of five variables, four threads, ten accesses: 1 / (5 * 4 * 10) for each execution.
  EXPECT_NEAR(pctvb_miss_probability({.depth = 2, .variables = 1}, 5, 4, 10, 1), 1 - 1.0 / 200, 1e-9);
  EXPECT_NEAR(pctvb_miss_probability({.depth = 3, .variables = 2}, 5, 4, 10, 1), 1 - 1.0 / (10 * 4 * 100), 1e-9);
}

}  // namespace
}  // namespace lockstep::fake
