// Every case of the conformance suite prints under control what it prints natively: on both backends, instrumented or
// not, and it passes under other schedules, too.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

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

bool must_fail(const std::string& name) { return name.starts_with("refuse_") || name.starts_with("fail_"); }
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
  if (must_fail(name)) return;
  for (const std::string build : {"plain", "gcc"}) {
    std::string expected = same_as_native(name) ? native(build, name) : "";
    for (Backend backend : {Backend::Fiber, Backend::OsThread}) {
      auto target = start(options_of(build, name, backend));
      ASSERT_TRUE(target);
      for (int round = 0; round < 2; ++round) {
        const Observed seen = observe(*target);
        EXPECT_EQ(seen.outcome, Outcome::Ok) << build << " " << name_of(seen.outcome) << ": " << seen.message;
        if (expected.empty()) expected = seen.output;
        EXPECT_EQ(seen.output, expected) << build << (backend == Backend::Fiber ? ", fibers" : ", OS threads")
                                         << ", round " << round;
      }
    }
  }
}

TEST_P(Conformance, FailsAsItShould) {
  const std::string name = GetParam();
  if (!must_fail(name)) return;
  for (Backend backend : {Backend::Fiber, Backend::OsThread}) {
    auto target = start(options_of("gcc", name, backend));
    ASSERT_TRUE(target);
    const Trace trace = run(*target, Plan{});
    ASSERT_FALSE(trace.empty());
    if (!name.starts_with("refuse_")) {
      EXPECT_TRUE(trace.view().outcome() != Outcome::Ok || misuses(trace) != "");
      continue;
    }
    EXPECT_EQ(trace.view().outcome(), Outcome::Uncontrolled);
    EXPECT_NE(trace.view().message().find(name.substr(7, 4)), std::string_view::npos) << trace.view().message();
    ASSERT_FALSE(trace.view().all_stacks().empty());
    EXPECT_GE(trace.view().all_stacks().back().size(), 2u) << "says where";
  }
}

TEST_P(Conformance, PassesUnderOtherSchedules) {
  if (must_fail(GetParam())) return;
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

struct Intercept {
  const char* name;
  const char* proof;
};
const Intercept kIntercepts[] = {
#define LOCKSTEP_INTERCEPT(family, name, proof) {#name, #proof},
#include "runtime/intercept/list.def"
};

// Those the race detector needs have tests of their own.
bool is_for_the_race_detector(std::string_view symbol) {
  for (const char* prefix :
       {"__tsan_", "Annotate", "lockstep_", "_Zd", "_Zn", "mem", "_ZNSt7__cxx1112basic_string",
        "_ZNKSt7__cxx1112basic_string", "_ZNSt8__detail15_List_node_base", "_ZNSo", "_ZStls", "_ZSt16__ostream_insert",
        "_ZNKSt7__cxx1118basic_stringstream", "_ZNKSt7__cxx1119basic_ostringstream",
        "_ZNKRSt7__cxx1118basic_stringstream", "_ZNKRSt7__cxx1119basic_ostringstream"})
    if (symbol.starts_with(prefix)) return true;
  for (const char* name : {"bcmp", "stpcpy", "sprintf", "snprintf", "vsprintf", "vsnprintf"})
    if (symbol == name) return true;
  return (symbol.starts_with("str") && symbol != "strtok") || symbol.find("_Rb_tree_") != symbol.npos;
}

TEST(Intercepts, AllAreListedAndHaveACase) {
  std::vector<std::string> listed, exported;
  const std::vector<std::string> known = cases();
  for (const Intercept& i : kIntercepts) {
    if (!std::string(i.name).starts_with("mem")) listed.emplace_back(i.name);
    EXPECT_NE(std::find(known.begin(), known.end(), i.proof), known.end()) << i.name << " has no case " << i.proof;
  }
  for (const std::string& symbol : words(output_of("nm -D --defined-only " LOCKSTEP_RUNTIME " | awk '{print $3}'")))
    if (!is_for_the_race_detector(symbol)) exported.push_back(symbol);
  std::sort(listed.begin(), listed.end());
  std::sort(exported.begin(), exported.end());
  EXPECT_EQ(listed, exported);
}

// What two rounds in two builds on two backends show.
std::string behaviour(const std::string& name) {
  std::string seen;
  for (const std::string build : {"plain", "gcc"})
    for (Backend backend : {Backend::Fiber, Backend::OsThread}) {
      TargetOptions options = options_of(build, name, backend);
      options.watchdog = std::chrono::milliseconds(300);
      auto target = Target::start(options);
      if (!target) return seen + "cannot start";
      for (int round = 0; round < 2; ++round) {
        const auto detailed = (*target)->run_detailed(Plan{});
        if (detailed.trace.empty()) return seen + "no trace";
        const TraceView trace = detailed.trace;
        seen += std::string(name_of(trace.outcome())) + " " + std::string(trace.message()) + " " + detailed.output;
        for (const Step& s : trace.steps()) seen += name_of(s.kind);
        if (trace.outcome() != Outcome::Ok) break;
      }
    }
  return seen;
}

// An intercept that is not missed when it is gone proves nothing. All of them take a while: a sample unless
// LOCKSTEP_TEST_ALL is set.
TEST(Intercepts, AreMissedWhenTheyAreGone) {
  const bool all = std::getenv("LOCKSTEP_TEST_ALL") != nullptr;
  unsigned missing = 0, tried = 0;
  // Book-keeping that only matters to code outside the program.
  const std::vector<std::string> unnoticed = {"munmap", "__cxa_finalize"};
  for (const Intercept& i : kIntercepts) {
    if (std::find(unnoticed.begin(), unnoticed.end(), i.name) != unnoticed.end()) continue;
    if (!all && (&i - kIntercepts) % 16 != 3) continue;
    // Bookkeeping that only a rare coincidence would show: a mapping forgotten, a thread left unpreemptible.
    if (std::string(i.name) == "munmap" || std::string(i.name) == "funlockfile") continue;
    const std::string with = behaviour(i.proof);
    setenv("LOCKSTEP_TEST_DISABLE", i.name, 1);
    const std::string without = behaviour(i.proof);
    unsetenv("LOCKSTEP_TEST_DISABLE");
    ++tried;
    if (with != without) continue;
    ++missing;
    ADD_FAILURE() << i.name << ": " << i.proof << " does not notice";
  }
  std::printf("%u intercepts tried, %u not missed\n", tried, missing);
}

INSTANTIATE_TEST_SUITE_P(Cases, Conformance, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<std::string>& info) { return info.param; });

}  // namespace
}  // namespace lockstep
