// The same plan is the same execution: on both backends, in every isolation, in every worker, again and again.
#include <algorithm>
#include <array>
#include <cstdio>

#include "programs.hpp"

namespace lockstep {
namespace {

std::vector<std::string> output_lines(const std::string& command) {
  std::vector<std::string> lines;
  FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 256> line{};
  while (pipe && std::fgets(line.data(), line.size(), pipe)) {
    std::string text = line.data();
    while (!text.empty() && text.back() == '\n') text.pop_back();
    lines.push_back(text);
  }
  if (pipe) pclose(pipe);
  return lines;
}

std::vector<std::string> programs() {
  std::vector<std::string> all;
  for (const std::string program : {"primitives-gcc-O2", "language-gcc-O2"})
    for (const std::string& name : output_lines(LOCKSTEP_PROGRAMS "/" + program + " list"))
      all.push_back(program + " " + name);
  for (const char* name : {"faa 2 3", "philosophers 3", "condvar_signal 2", "semaphore 3", "detached"})
    all.push_back(std::string("counts-gcc-O2 ") + name);
  for (const char* name : {"ab_ba_deadlock", "bluetooth_driver", "bounded_buffer_if", "correct_queue", "lost_update",
                           "lost_wakeup", "work_stealing_queue"})
    all.push_back(std::string("example:") + name);
  all.push_back("whole-gcc-O2");
  for (const char* name : {"plain_write_read", "heap_shared", "free_early", "vector_growth", "stack_shared"})
    all.push_back(std::string("races_plain-gcc-O2 ") + name);
  for (const char* name : {"condvar_outside", "rwlock_reader_writes", "latch_late"})
    all.push_back(std::string("races_sync-gcc-O2 ") + name);
  return all;
}

// Default, and what random walks led to, written down as plans.
std::vector<Plan> some_plans(Target& target, unsigned count) {
  std::vector<Plan> plans(1);
  for (unsigned seed = 1; seed < count; ++seed) {
    Plan random;
    random.policy = Policy::Random;
    random.seed = seed;
    plans.push_back(plan_of(run(target, random)));
  }
  for (size_t i = 0; i < plans.size(); ++i) plans[i].id = i;
  return plans;
}

class Equivalence : public testing::TestWithParam<std::string> {};

TEST_P(Equivalence, BackendsIsolationsAndRepetitionsAgree) {
  TargetOptions options = options_for(GetParam());
  options.isolation = Isolation::Reset;
  auto reference = start(options);
  ASSERT_TRUE(reference);
  const std::vector<Plan> plans = some_plans(*reference, 12);
  std::vector<Trace> expected;
  for (const Plan& plan : plans) expected.push_back(run(*reference, plan));
  for (size_t i = 0; i < plans.size(); ++i)
    EXPECT_TRUE(same(run(*reference, plans[i]), expected[i])) << "again, plan " << i;

  options.backend = Backend::OsThread;
  auto threads = start(options);
  ASSERT_TRUE(threads);
  EXPECT_FALSE(threads->info().fibers);
  for (size_t i = 0; i < plans.size(); ++i)
    EXPECT_TRUE(same(run(*threads, plans[i]), expected[i])) << "OS threads, plan " << i;

  options.backend = Backend::Auto;
  options.isolation = Isolation::Fork;
  auto forks = start(options);
  ASSERT_TRUE(forks);
  for (size_t i = 0; i < plans.size(); ++i) EXPECT_TRUE(same(run(*forks, plans[i]), expected[i])) << "fork, plan " << i;

  options.isolation = Isolation::Auto;
  auto fresh = start(options);
  ASSERT_TRUE(fresh);
  EXPECT_EQ(fresh->info().isolation, Isolation::Reset) << "fell back: " << fresh->info().isolation_reason;
  EXPECT_TRUE(same(run(*fresh, plans.back()), expected.back())) << "another process";
}

std::string name_of_program(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Programs, Equivalence, testing::ValuesIn(programs()), name_of_program);

TEST(EquivalenceOfLoop, AgreesForIdempotentBodies) {
  for (const char* name : {"primitives-gcc-O2 mutex_counter", "primitives-gcc-O2 condvar_flag",
                           "primitives-gcc-O2 rwlock", "primitives-gcc-O2 latch", "language-gcc-O2 atomic_wait",
                           "language-gcc-O2 futures", "language-gcc-O2 exceptions_across_switches"}) {
    TargetOptions options = options_for(name);
    options.isolation = Isolation::Reset;
    auto reset = start(options);
    options.isolation = Isolation::Loop;
    auto loop = start(options);
    ASSERT_TRUE(reset && loop);
    for (const Plan& plan : some_plans(*reset, 8)) EXPECT_TRUE(same(run(*reset, plan), run(*loop, plan))) << name;
  }
}

TEST(EquivalenceOfSwitches, ArchPrctlFallback) {
  // Not chosen by an option: the runtime decides by what the kernel offers. The environment overrides it for tests.
  auto fast = start(options_for("language-gcc-O2 thread_locals"));
  ASSERT_TRUE(fast);
  const Trace expected = run(*fast, Plan{});
  setenv("LOCKSTEP_TEST_NO_FSGSBASE", "1", 1);
  auto slow = start(options_for("language-gcc-O2 thread_locals"));
  unsetenv("LOCKSTEP_TEST_NO_FSGSBASE");
  ASSERT_TRUE(slow);
  EXPECT_TRUE(same(run(*slow, Plan{}), expected));
}

TEST(Replay, AThousandTimesEachExample) {
  for (const char* name : {"ab_ba_deadlock", "bluetooth_driver", "bounded_buffer_if", "lost_update", "lost_wakeup",
                           "work_stealing_queue"}) {
    auto target = start(options_for(std::string("example:") + name));
    ASSERT_TRUE(target);
    Trace failure;
    for (uint64_t seed = 1; failure.empty() || failure.view().outcome() == Outcome::Ok; ++seed) {
      ASSERT_LT(seed, 20'000u) << name;
      Plan random;
      random.policy = Policy::Random;
      random.seed = seed;
      failure = run(*target, random);
    }
    const Plan plan = plan_of(failure);
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(same(run(*target, plan), failure)) << name << ", replay " << i;
  }
}

}  // namespace
}  // namespace lockstep
