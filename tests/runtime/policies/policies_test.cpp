// The random schedulers inside a real program: the same exact probabilities as on paper.
#include <algorithm>

#include "frequencies.hpp"
#include "model/policy_input.hpp"
#include "programs.hpp"
#include "runtime/policies/pct.hpp"
#include "runtime/policies/surw.hpp"

namespace lockstep {
namespace {

constexpr uint64_t kExecutions = 40'000;

Frequencies sample(const std::string& program, Plan plan) {
  Frequencies seen;
  auto target = start(options_for("counts-gcc-O2 " + program));
  if (!target) return seen;
  uint64_t sent = 0;
  for (uint64_t got = 0; got < kExecutions; ++got) {
    for (; sent < kExecutions && sent - got < target->window(); ++sent) {
      plan.id = plan.seed = sent;
      target->submit(plan);
    }
    seen[letters_of(*target->next(nullptr))] += 1.0 / kExecutions;
  }
  return seen;
}

TEST(RuntimePct, DrawsEveryScheduleAsOftenAsEnumeratingAllDrawsSays) {
  for (const uint16_t depth : {1, 2, 3}) {
    Plan plan;
    plan.policy = Policy::Pct;
    plan.pct_depth = depth;
    plan.pct_horizon = 5;
    expect_frequencies(sample("faa 2 3", plan), ExactPct(3, 3, depth, 5).frequencies(), kExecutions);
  }
}

TEST(RuntimePos, RedrawsAtConflictsOnly) {
  Plan plan;
  plan.policy = Policy::Pos;
  expect_frequencies(sample("faa 2 2", plan), exact_pos_conflicting(), kExecutions);
  expect_frequencies(sample("indep 2 2", plan), exact_pos_independent(), kExecutions);
}

TEST(RuntimeSurw, TakesEveryOrderEquallyOften) {
  Plan plan;
  plan.policy = Policy::Surw;
  for (const ThreadId t : {ThreadId{1}, ThreadId{2}}) plan.extra.push_back(ExpectedOperations{t, 3}.word());
  Frequencies exact;
  std::string order = "aaabbb";
  do exact[order] = 1 / 20.0;
  while (std::next_permutation(order.begin(), order.end()));
  expect_frequencies(sample("faa 2 3", plan), exact, kExecutions);
}

// Threads 1 and 2 take turns without an end, thread 3 can run all the time.
TEST(RuntimePct, StarvesNobodyForEver) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    rt::Pct pct;
    pct.begin(seed, 3, 10);
    uint32_t turns = 0;
    ThreadId first{1};
    for (uint32_t i = 0; i < 10 * rt::kPctPatience; ++i) {
      const auto both = [&](auto&& visit) {
        visit(first);
        visit(ThreadId{3});
      };
      if (pct.choose(both, kNoThread) == ThreadId{3})
        ++turns;
      else
        first = ThreadId{static_cast<uint16_t>(3 - index_of(first))};
    }
    EXPECT_GT(turns, 0u) << "seed " << seed;
    EXPECT_LT(turns, 10 * rt::kPctPatience) << "seed " << seed;
  }
}

// Thread 1 is expected on the object first, but polls for what thread 2 does there: with and without having been
// expected.
TEST(RuntimeSurw, DoesNotWaitForAThreadThatPolls) {
  for (const uint32_t polls : {1u, 1'000'000u}) {
    rt::Surw surw;
    const uint64_t expected[] = {ExpectedOperations{ThreadId{1}, polls}.word(),
                                 ExpectedOperations{ThreadId{2}, 1}.word()};
    for (uint64_t seed = 0; seed < 20; ++seed) {
      surw.begin(seed, expected, 2);
      const auto both = [](auto&& visit) {
        visit(ThreadId{1});
        visit(ThreadId{2});
      };
      const auto chosen = [](ThreadId t) { return t == ThreadId{2}; };
      uint32_t done = 0;
      for (uint32_t i = 0; i < 5 * kSurwPatience; ++i) done += surw.choose(both, chosen) == ThreadId{2};
      EXPECT_GT(done, kSurwPatience) << "seed " << seed;
    }
  }
}

TEST(RuntimePolicies, AreReplayedByTheDeviationsTheyLedTo) {
  for (const char* program : {"philosophers 3", "condvar_signal 2", "trylock", "lost_wakeup"}) {
    auto target = start(options_for(std::string("counts-gcc-O2 ") + program));
    ASSERT_TRUE(target);
    for (const Policy policy : {Policy::Pct, Policy::Pos, Policy::Surw})
      for (uint64_t seed = 0; seed < 50; ++seed) {
        Plan plan;
        plan.policy = policy;
        plan.seed = seed;
        plan.pct_depth = 3;
        plan.pct_horizon = 10;
        const Trace random = run(*target, plan);
        EXPECT_TRUE(same(random, run(*target, plan_of(random)))) << program;
      }
  }
}

}  // namespace
}  // namespace lockstep
