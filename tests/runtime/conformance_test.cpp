// Every case of the conformance suite prints under control what it prints natively: on both backends, instrumented or
// not, and it passes under other schedules, too.
#include <algorithm>
#include <cstdio>

#include "programs.hpp"

namespace lockstep {
namespace {

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  char buffer[4096];
  for (size_t n; pipe && (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  if (pipe) pclose(pipe);
  return text;
}

std::string native(const std::string& build, const std::string& name) {
  return output_of(std::string(LOCKSTEP_PROGRAMS) + "/conformance-" + build + " " + name);
}

std::vector<std::string> cases() { return words(native("plain", "list")); }

bool same_as_native(const std::string& name) { return !name.starts_with("repeat_"); }

struct Observed {
  Outcome outcome;
  std::string message, output;
};
Observed observe(Target& target) {
  const auto detailed = target.run_detailed(Plan{});
  if (detailed.trace.empty()) return {Outcome::WorkerDied, "", ""};
  const TraceView trace = detailed.trace;
  return {trace.outcome(), std::string(trace.message()), detailed.output};
}

TargetOptions options_of(const std::string& build, const std::string& name, Backend backend) {
  TargetOptions options = options_for("conformance-" + build + " " + name);
  options.backend = backend;
  options.isolation = Isolation::Reset;
  options.watchdog = std::chrono::milliseconds(3000);
  return options;
}

class Conformance : public testing::TestWithParam<std::string> {};

TEST_P(Conformance, PrintsUnderControlWhatItPrintsNatively) {
  const std::string name = GetParam();
  for (const std::string build : {"plain", "gcc"}) {
    std::string expected = same_as_native(name) ? native(build, name) : "";
    for (Backend backend : {Backend::Fiber, Backend::OsThread}) {
      auto target = start(options_of(build, name, backend));
      ASSERT_TRUE(target);
      for (int round = 0; round < 2; ++round) {
        const Observed seen = observe(*target);
        EXPECT_EQ(seen.outcome, Outcome::Ok) << build << " " << name_of(seen.outcome) << ": " << seen.message;
        if (expected.empty()) expected = seen.output;
        EXPECT_EQ(seen.output, expected) << build << (backend == Backend::Fiber ? ", fibers" : ", OS threads") << ", round " << round;
      }
    }
  }
}

TEST_P(Conformance, PassesUnderOtherSchedules) {
  for (const std::string build : {"plain", "gcc"}) {
    TargetOptions options = options_of(build, GetParam(), Backend::Fiber);
    auto target = start(options);
    ASSERT_TRUE(target);
    std::string expected;
    for (unsigned seed = 1; seed <= 60; ++seed) {
      Plan plan;
      plan.policy = Policy::Random;
      plan.seed = seed;
      plan.max_steps = 100'000;
      const Trace trace = run(*target, plan);
      ASSERT_FALSE(trace.empty());
      ASSERT_EQ(trace.view().outcome(), Outcome::Ok)
          << build << ", seed " << seed << ": " << name_of(trace.view().outcome()) << " " << trace.view().message();
      if (seed % 20) continue;
      const Plan again = plan_of(trace);
      const auto detailed = target->run_detailed(again);
      EXPECT_EQ(detailed.trace.view().outcome(), Outcome::Ok);
      EXPECT_TRUE(same(run(*target, again), trace)) << "replayed";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Conformance, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<std::string>& info) { return info.param; });

}  // namespace
}  // namespace lockstep
