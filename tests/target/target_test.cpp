// The target survives what happens to its workers.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "analysis/fingerprint.hpp"
#include "model/schedule.hpp"
#include "programs.hpp"

namespace lockstep {
namespace {

std::vector<pid_t> children() {
  std::vector<pid_t> pids;
  std::ifstream in("/proc/self/task/" + std::to_string(getpid()) + "/children");
  for (pid_t pid; in >> pid;) pids.push_back(pid);
  return pids;
}

TEST(Target, ReplacesAKilledWorkerAndLosesNothing) {
  TargetOptions options = options_for("counts-gcc-O2 faa 2 3");
  options.workers = 2;
  auto target = start(options);
  ASSERT_TRUE(target);
  uint64_t answered = 0;
  for (int round = 0; round < 20; ++round) {
    for (uint64_t i = 0; i < target->window(); ++i) {
      Plan plan;
      plan.id = answered + i;
      plan.policy = Policy::Random;
      plan.seed = plan.id;
      target->submit(plan);
    }
    if (round % 5 == 2) kill(children().at(0), SIGKILL);
    for (uint64_t i = 0; i < target->window(); ++i) {
      const auto trace = target->next(nullptr);
      ASSERT_TRUE(trace);
      EXPECT_EQ(trace->header().plan_id, answered) << "in order";
      EXPECT_EQ(trace->outcome(), Outcome::Ok);
      ++answered;
    }
  }
  EXPECT_FALSE(target->warnings().empty());
}

TEST(Target, NoWorkerOutlivesIt) {
  { auto target = start(options_for("counts-gcc-O2 faa 2 2")); }
  EXPECT_TRUE(children().empty());
}

TEST(Target, ForgetsWhatIsInFlightOnCancel) {
  auto target = start(options_for("counts-gcc-O2 faa 2 2"));
  ASSERT_TRUE(target);
  for (uint64_t i = 0; i < 50; ++i) target->submit(Plan{});
  target->cancel();
  Plan plan;
  plan.id = 77;
  EXPECT_EQ(run(*target, plan).view().header().plan_id, 77u);
}

TEST(Target, SaysWhenAPlanIsImpossible) {
  auto target = start(options_for("counts-gcc-O2 faa 2 2"));
  ASSERT_TRUE(target);
  Plan plan;
  plan.deltas.push_back({2, 9});
  EXPECT_EQ(run(*target, plan).view().outcome(), Outcome::Diverged);
}

TEST(Target, HandlesTracesLargerThanTheRing) {
  TargetOptions options = options_for("failures-gcc-O2 endless_steps");
  options.isolation = Isolation::Reset;
  auto target = start(options);
  ASSERT_TRUE(target);
  Plan plan;
  plan.max_steps = 200'000;
  for (int i = 0; i < 3; ++i) {
    const Trace trace = run(*target, plan);
    EXPECT_EQ(trace.view().outcome(), Outcome::StepLimit);
    EXPECT_GE(trace.view().steps().size(), 199'000u);
  }
}

TEST(Target, CountsLongRandomExecutionsInsteadOfKeepingThem) {
  for (const char* const program : {"counts-gcc-O2 faa 2 100000", "counts-gcc-O2 faa 70 2000"}) {
    auto target = start(options_for(program));
    ASSERT_TRUE(target);
    for (const Policy policy : {Policy::Random, Policy::Pct, Policy::Pos, Policy::Surw}) {
      Plan plan;
      plan.policy = policy;
      plan.seed = 5;
      plan.pct_horizon = 100;
      const Trace brief = run(*target, plan);
      plan.whole = true;
      const Trace whole = run(*target, plan);
      const TraceHeader &counted = brief.view().header(), &kept = whole.view().header();
      ASSERT_TRUE(brief.view().is_brief());
      ASSERT_FALSE(whole.view().is_brief());
      EXPECT_EQ(counted.outcome, Outcome::Ok);
      EXPECT_EQ(counted.steps, 0u);
      EXPECT_EQ(counted.decisions, kept.decisions);
      EXPECT_EQ(counted.fingerprint, fingerprint_of(whole).low);
      EXPECT_EQ(counted.preemptions, count_preemptions(whole));
    }
  }
}

TEST(Target, ManyThreads) {
  auto target = start(options_for("counts-gcc-O2 faa 200 2"));
  ASSERT_TRUE(target);
  Plan plan;
  plan.policy = Policy::Random;
  plan.seed = 5;
  const Trace trace = run(*target, plan);
  EXPECT_EQ(trace.view().outcome(), Outcome::Ok);
  EXPECT_EQ(trace.view().header().threads, 201u);
  const Plan again = plan_of(trace);
  EXPECT_TRUE(same(run(*target, again), trace));
}

}  // namespace
}  // namespace lockstep
