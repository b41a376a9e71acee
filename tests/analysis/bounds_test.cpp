// The bounds of a failing schedule, against their definition.
#include "analysis/bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "fake_trace.hpp"

namespace lockstep::fake {
namespace {

constexpr unsigned kThreads = 4;

Trace random_trace(uint32_t seed) {
  std::mt19937 random(seed);
  FakeTrace trace;
  for (int i = 0; i < 60; ++i) {
    const unsigned thread = random() % kThreads;
    const bool write = random() % 3 == 0;
    const uint64_t enabled = (random() % 16) | 1u << thread;
    trace.step(thread, write ? OpKind::Store : OpKind::Load, 0x1000 + 8 * (random() % 5), enabled, {},
               {{}, write ? Step::kWrite : 0});
  }
  return trace.end(Outcome::Assertion, 1);
}

// Each preempted thread, and who meanwhile did what it depends on; nobody: who ran instead. Step by step.
size_t threads_around_preemptions(TraceView trace) {
  const auto steps = trace.steps();
  const auto conflict = [](const Step& a, const Step& b) {
    return a.object == b.object && (a.kind == OpKind::Store || b.kind == OpKind::Store);
  };
  std::set<ThreadId> threads;
  for (ScheduleCursor at(trace); !at.done(); at.advance()) {
    if (at.cost(at.step().thread) == 0) continue;
    const ThreadId preempted = at.running();
    threads.insert(preempted);
    bool any = false;
    for (uint32_t i = at.index(); i < steps.size() && steps[i].thread != preempted; ++i) {
      const bool matters = std::ranges::any_of(
          steps, [&](const Step& own) { return own.thread == preempted && conflict(own, steps[i]); });
      if (matters) threads.insert(steps[i].thread);
      any |= matters;
    }
    if (!any) threads.insert(at.step().thread);
  }
  return threads.size();
}

TEST(Bounds, ThreadsOfRandomExecutions) {
  int fewer = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const Trace trace = random_trace(seed);
    const ScheduleBounds bounds = bounds_of(trace);
    ASSERT_GT(bounds.preemptions, 0u);
    EXPECT_EQ(bounds.threads, std::max<size_t>(2, threads_around_preemptions(trace))) << seed;
    fewer += bounds.threads < kThreads;
  }
  EXPECT_LT(fewer, 300);
}

// Not all threads take part.
TEST(Bounds, AThreadThatNobodyDependsOn) {
  FakeTrace trace;
  const auto step = [&](unsigned thread, OpKind kind, uint64_t object) {
    trace.step(thread, kind, object, 0b1111, {}, {{}, kind == OpKind::Store ? Step::kWrite : 0});
  };
  step(1, OpKind::Load, 0x1000);
  step(2, OpKind::Store, 0x1000);  // preempts thread 1
  step(1, OpKind::Load, 0x1000);   // preempts thread 2, which does nothing afterwards
  step(3, OpKind::Store, 0x2000);  // preempts thread 1, which depends on nothing of it, but ran instead
  const ScheduleBounds bounds = bounds_of(trace.end(Outcome::Assertion, 1));
  EXPECT_EQ(bounds.preemptions, 3u);
  EXPECT_EQ(bounds.variables, 1u);
  EXPECT_EQ(bounds.threads, 3u);
}

}  // namespace
}  // namespace lockstep::fake
