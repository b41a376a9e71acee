// Reading traces as schedules, and the wire formats.
#include <gtest/gtest.h>

#include "search_helpers.hpp"
#include "zoo.hpp"

namespace lockstep::fake {
namespace {

Step step(unsigned thread, uint64_t enabled, OpKind kind = OpKind::Store, uint8_t flags = 0) {
  Step s{};
  s.thread = ThreadId(thread);
  s.enabled = enabled;
  s.kind = kind;
  s.flags = flags;
  return s;
}

Trace trace_of(std::vector<Step> steps, std::vector<uint64_t> sets = {}) {
  TraceBuilder b;
  b.steps = std::move(steps);
  b.sets = std::move(sets);
  return b.build();
}

Plan random_plan(uint64_t seed) {
  Plan plan;
  plan.policy = Policy::Random;
  plan.seed = seed;
  return plan;
}

constexpr uint64_t kT1 = 1 << 1, kT2 = 1 << 2;

TEST(Preemptions, LeavingAThreadThatCouldGoOnIsOne) {
  EXPECT_EQ(count_preemptions(trace_of({step(1, kT1 | kT2), step(2, kT1 | kT2)})), 1u);
}

TEST(Preemptions, LeavingABlockedThreadIsFree) {
  EXPECT_EQ(count_preemptions(trace_of({step(1, kT1 | kT2), step(2, kT2), step(1, kT1 | kT2)})), 1u);
}

TEST(Preemptions, OnlyTheSwitchRightAfterAYieldIsFree) {
  const Step yielding = step(1, kT1 | kT2, OpKind::Yield, Step::kYield);
  EXPECT_EQ(count_preemptions(trace_of({yielding, step(2, kT1 | kT2)})), 0u);
  EXPECT_EQ(count_preemptions(trace_of({yielding, step(1, kT1 | kT2), step(2, kT1 | kT2)})), 1u);
}

TEST(Preemptions, NotesAndDataChoicesCostNothing) {
  Step choice = step(1, 0, OpKind::Choose);
  choice.set_choice(1, 2);
  const Step note = step(2, 0, OpKind::ThreadExit, Step::kNote);
  EXPECT_EQ(count_preemptions(trace_of({step(1, kT1 | kT2), choice, note, step(1, kT1 | kT2)})), 0u);
}

// Wide block: [words][set][timed set].
TEST(Preemptions, AnEarlyTimeoutCostsOneAndALastResortNothing) {
  const Step timing_out = step(2, 0, OpKind::Reacquire, Step::kWide);
  EXPECT_EQ(count_preemptions(trace_of({step(1, kT1), timing_out}, {1, kT1 | kT2, kT2})), 1u);
  EXPECT_EQ(count_preemptions(trace_of({step(1, kT1), timing_out}, {1, kT2, kT2})), 0u);
  // Somebody who could only time out is left for free.
  EXPECT_EQ(count_preemptions(trace_of({step(1, kT1), step(2, 0, OpKind::Store, Step::kWide)}, {1, kT1 | kT2, kT1})),
            0u);
}

TEST(Preemptions, ThreadsAbove63AreCountedAlike) {
  const std::vector<uint64_t> sets = {2, kT1, 1 << 6, 0, 0};  // threads 1 and 70
  const auto wide = [](unsigned t) { return step(t, 0, OpKind::Store, Step::kWide); };
  EXPECT_EQ(count_preemptions(trace_of({wide(70), wide(1), wide(70)}, sets)), 2u);
}

TEST(Default, KeepsTheRunningThreadElseTakesTheSmallest) {
  const uint64_t both = kT1 | kT2, second = kT2;
  const ThreadSetView nobody(nullptr, 0);
  EXPECT_EQ(default_thread({&both, 1}, nobody, kNoThread, false), ThreadId{1});
  EXPECT_EQ(default_thread({&both, 1}, nobody, ThreadId{2}, false), ThreadId{2});
  EXPECT_EQ(default_thread({&second, 1}, nobody, ThreadId{1}, false), ThreadId{2});
}

TEST(Default, GoesRoundAmongThreadsThatYield) {
  const uint64_t three = kT1 | kT2 | 1 << 3, alone = kT2;
  const ThreadSetView nobody(nullptr, 0);
  EXPECT_EQ(default_thread({&three, 1}, nobody, ThreadId{1}, true), ThreadId{2});
  EXPECT_EQ(default_thread({&three, 1}, nobody, ThreadId{3}, true), ThreadId{1});
  EXPECT_EQ(default_thread({&alone, 1}, nobody, ThreadId{2}, true), ThreadId{2});
}

TEST(Default, NeverPreempts) {
  for (uint64_t seed = 0; seed < 200; ++seed)
    EXPECT_EQ(count_preemptions(execute(random_program(seed), Plan{})), 0u) << "seed " << seed;
}

TEST(Cursor, StartedInTheMiddleSaysTheSameAsFromTheBeginning) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Trace trace = execute(random_program(seed), random_plan(seed + 1));
    for (ScheduleCursor at(trace); !at.done(); at.advance()) {
      const ScheduleCursor middle(trace, at.index(), at.preemptions());
      EXPECT_EQ(middle.running(), at.running());
      EXPECT_EQ(middle.default_value(), at.default_value());
      for (unsigned t = 1; t < 4; ++t) EXPECT_EQ(middle.cost(ThreadId(t)), at.cost(ThreadId(t)));
    }
  }
}

// Every execution is repeated by the plan read off its trace, whatever led to it.
TEST(PlanOf, RepeatsTheExecution) {
  for (const bool wide : {false, true})
    for (uint64_t seed = 0; seed < 300; ++seed) {
      const Program p = random_program(seed);
      const Trace once = execute(p, random_plan(seed * 7 + 1), wide);
      const Trace again = execute(p, plan_of(once), wide);
      ASSERT_EQ(once.view().header().bytes, again.view().header().bytes);
      EXPECT_EQ(std::memcmp(&once.view().header(), &again.view().header(), once.view().header().bytes), 0) << p.name;
      EXPECT_EQ(first_difference(once, again), std::nullopt);
    }
}

TEST(PlanOf, IsEmptyForTheDefaultExecution) {
  for (uint64_t seed = 0; seed < 100; ++seed)
    EXPECT_TRUE(plan_of(execute(random_program(seed), Plan{})).deltas.empty());
}

TEST(FirstDifference, IsWhereTwoExecutionsPart) {
  const Program p = same_write(2, 2);
  const Trace a = execute(p, Plan{});
  Plan other;
  other.deltas = {{3, 2}};  // after two notes and one step
  EXPECT_EQ(first_difference(a, execute(p, other)), 3u);
}

TEST(Wire, APlanIsWrittenWhole) {
  Plan plan;
  plan.id = 7;
  plan.seed = 9;
  plan.policy = Policy::Random;
  plan.detail = true;
  plan.max_steps = 11;
  plan.sleep_at = 3;
  plan.deltas = {{3, 2}, {8, 1}};
  plan.sleep = {ThreadId{1}, ThreadId{4}, ThreadId{5}};
  std::vector<char> bytes(wire_size(plan), '\x55');
  ASSERT_EQ(bytes.size() % 8, 0u);
  write_wire(plan, bytes.data());
  PlanHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  EXPECT_EQ(header.bytes, bytes.size());
  EXPECT_EQ(header.id, 7u);
  EXPECT_EQ(header.seed, 9u);
  EXPECT_EQ(header.policy, Policy::Random);
  EXPECT_EQ(header.detail, 1);
  EXPECT_EQ(header.max_steps, 11u);
  EXPECT_EQ(header.sleep_at, 3u);
  ASSERT_EQ(header.deltas, 2u);
  ASSERT_EQ(header.sleepers, 3u);
  Delta deltas[2];
  std::memcpy(deltas, bytes.data() + sizeof header, sizeof deltas);
  EXPECT_EQ(deltas[1], (Delta{8, 1}));
  uint16_t sleep[3];
  std::memcpy(sleep, bytes.data() + sizeof header + sizeof deltas, sizeof sleep);
  EXPECT_EQ(sleep[2], 5);
}

TEST(Wire, ATraceIsReadAsWritten) {
  TraceBuilder b;
  b.steps = {step(1, kT1 | kT2), step(2, 0, OpKind::Store, Step::kWide)};
  b.pending = {step(1, 0, OpKind::Lock, Step::kBlocked)};
  b.sets = {1, kT1 | kT2, kT2};
  b.stacks = {2, 0x11, 0x12, 1, 0x21, 0, 0};
  b.message = "five!";
  b.header.outcome = Outcome::Assertion;
  const Trace trace = b.build();
  const TraceView v = trace;
  EXPECT_EQ(v.header().bytes % 8, 0u);
  ASSERT_EQ(v.steps().size(), 2u);
  ASSERT_EQ(v.pending().size(), 1u);
  EXPECT_EQ(v.pending()[0].kind, OpKind::Lock);
  EXPECT_EQ(v.message(), "five!");
  EXPECT_TRUE(v.enabled(v.steps()[1]).contains(ThreadId{1}));
  EXPECT_TRUE(v.timed(v.steps()[1]).contains(ThreadId{2}));
  EXPECT_FALSE(v.timed(v.steps()[1]).contains(ThreadId{1}));
  const auto stacks = v.all_stacks();
  ASSERT_EQ(stacks.size(), 4u);
  EXPECT_EQ(stacks[0][1], 0x12u);
  EXPECT_TRUE(stacks[3].empty());
  EXPECT_EQ(Trace(v).view().message(), "five!");
}

TEST(Names, EveryKindAndOutcomeHasOne) {
  for (unsigned k = 0; k < static_cast<unsigned>(OpKind::kCount); ++k)
    EXPECT_STRNE(name_of(static_cast<OpKind>(k)), "?");
  for (unsigned k = 0; k < static_cast<unsigned>(Outcome::kCount); ++k)
    EXPECT_STRNE(name_of(static_cast<Outcome>(k)), "?");
  for (unsigned k = 0; k < static_cast<unsigned>(FindingKind::kCount); ++k)
    EXPECT_STRNE(name_of(static_cast<FindingKind>(k)), "?");
}

}  // namespace
}  // namespace lockstep::fake
