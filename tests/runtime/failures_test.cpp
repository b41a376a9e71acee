// Every way to fail is seen as what it is, and the next execution starts fresh all the same.
#include "programs.hpp"

namespace lockstep {
namespace {

struct Row {
  const char* how;
  Outcome outcome;
  const char* says;  // part of the message
};

const Row kRows[] = {
    {"assertion", Outcome::Assertion, "x.load() == 1"},
    {"abort", Outcome::Abort, "abort"},
    {"raise", Outcome::Abort, "abort"},
    {"exception", Outcome::Exception, "std::runtime_error"},
    {"exception_int", Outcome::Exception, "int"},
    {"noexcept", Outcome::Exception, "int"},
    {"segv", Outcome::Crash, "address 0x8"},
    {"division", Outcome::Crash, "SIGFPE"},
    {"overflow", Outcome::Crash, "stack overflow"},
    {"exit_code", Outcome::ExitCode, "3"},
    {"quick_exit", Outcome::ExitCode, "4"},
    {"self_deadlock", Outcome::Deadlock, "already holds"},
    {"deadlock", Outcome::Deadlock, ""},
    {"no_signal", Outcome::Deadlock, ""},
    {"unlock_unheld", Outcome::Ok, "is not locked"},  // the C library goes on after these, and so does the execution
    {"unlock_foreign", Outcome::Ok, "does not hold"},
    {"destroy_locked", Outcome::Ok, "destroyed while it is locked"},
    {"double_free", Outcome::DoubleFree, "twice"},
};

class Failures : public testing::TestWithParam<Row> {};

void expect_failure(const std::string& build, const Row& row, Backend backend, Isolation isolation) {
  TargetOptions options = options_for("failures-" + build + " " + row.how);
  options.backend = backend;
  options.isolation = isolation;
  auto target = start(options);
  ASSERT_TRUE(target);
  for (int round = 0; round < 3; ++round) {
    const Trace trace = run(*target, Plan{});
    ASSERT_FALSE(trace.empty());
    EXPECT_EQ(trace.view().outcome(), row.outcome) << build << " " << name_of(trace.view().outcome());
    const std::string said = std::string(trace.view().message()) + misuses(trace);
    EXPECT_NE(said.find(row.says), std::string::npos) << said;
  }
}

TEST_P(Failures, AreSeenAsWhatTheyAre) {
  for (const char* build : {"gcc-O0", "gcc-O2", "clang-O2", "plain"}) {
    // An uninstrumented load is no operation, but the failure is the same.
    expect_failure(build, GetParam(), Backend::Fiber, Isolation::Reset);
  }
  expect_failure("gcc-O2", GetParam(), Backend::OsThread, Isolation::Reset);
  expect_failure("gcc-O2", GetParam(), Backend::Fiber, Isolation::Fork);
  expect_failure("gcc-O2", GetParam(), Backend::Fiber, Isolation::Loop);
}

TEST_P(Failures, HaveStacksInDetailedExecutions) {
  auto target = start(options_for("failures-gcc-O0 " + std::string(GetParam().how)));
  ASSERT_TRUE(target);
  const auto detailed = target->run_detailed(Plan{});
  const TraceView trace = detailed.trace;
  EXPECT_EQ(trace.outcome(), GetParam().outcome);
  const auto stacks = trace.all_stacks();
  const size_t others = trace.steps().size() + trace.pending().size();
  ASSERT_EQ(stacks.size(), others + 1 + 2 * trace.races().size() + trace.allocations().size());
  if (trace.outcome() == Outcome::Ok) {
    ASSERT_FALSE(trace.races().empty());
    EXPECT_GE(stacks.at(trace.races()[0].second.stack - 1).size(), 2u) << "of the misuse";
  } else if (trace.outcome() != Outcome::Deadlock) {
    EXPECT_GE(stacks[others].size(), 2u) << "the failing stack";
  }
  for (size_t i = 0; i < trace.pending().size(); ++i)
    EXPECT_FALSE(stacks[trace.steps().size() + i].empty()) << "pending " << i;
}

INSTANTIATE_TEST_SUITE_P(Ways, Failures, testing::ValuesIn(kRows),
                         [](const testing::TestParamInfo<Row>& info) { return std::string(info.param.how); });

TEST(Output, OfTheDetailedExecutionIsCaptured) {
  auto target = start(options_for("failures-gcc-O2 exception"));
  ASSERT_TRUE(target);
  EXPECT_NE(target->run_detailed(Plan{}).output.find("nobody catches this"), std::string::npos);
  auto whole = start(options_for("whole-gcc-O2"));
  ASSERT_TRUE(whole);
  EXPECT_NE(whole->run_detailed(Plan{}).output.find("a string that is longer"), std::string::npos);
  EXPECT_EQ(whole->run_detailed(Plan{}).output, whole->run_detailed(Plan{}).output);
}

TEST(Endless, ProgramsEndAtTheStepLimit) {
  TargetOptions options = options_for("failures-gcc-O2 endless_steps");
  options.isolation = Isolation::Reset;
  auto target = start(options);
  ASSERT_TRUE(target);
  Plan plan;
  plan.max_steps = 1000;
  EXPECT_EQ(run(*target, plan).view().outcome(), Outcome::StepLimit);
}

TEST(Endless, AComputationGoesOnUntilItIsStopped) {
  TargetOptions options = options_for("failures-gcc-O0 endless_quiet");
  options.isolation = Isolation::Reset;
  options.watchdog = std::chrono::milliseconds(1);
  unsigned asked = 0;
  options.stop = [&asked] { return ++asked > 20; };
  auto target = start(options);
  ASSERT_TRUE(target);
  target->submit(Plan{});
  EXPECT_FALSE(target->next(nullptr));
  EXPECT_GT(asked, 20u) << "it was not the watchdog";
}

TEST(Endless, AnUncontrolledSystemCallIsNamedWithItsStack) {
  TargetOptions options = options_for("failures-gcc-O0 blocked_outside");
  options.isolation = Isolation::Reset;
  options.watchdog = std::chrono::milliseconds(600);
  auto target = start(options);
  ASSERT_TRUE(target);
  const Trace trace = run(*target, Plan{});
  EXPECT_EQ(trace.view().outcome(), Outcome::Uncontrolled);
  EXPECT_NE(trace.view().message().find("thread 1 is blocked in the system call read"), std::string_view::npos)
      << trace.view().message();
  ASSERT_FALSE(trace.view().all_stacks().empty());
  EXPECT_GE(trace.view().all_stacks()[0].size(), 2u);
}

}  // namespace
}  // namespace lockstep
