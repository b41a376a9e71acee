// Code without instrumentation is named if it runs beside other threads, and only then.
#include <filesystem>

#include "programs.hpp"
#include "target/instrumentation.hpp"

namespace lockstep {
namespace {

using Names = std::vector<std::string>;

Names names_of(const std::vector<PlainCode>& found) {
  Names names;
  for (const PlainCode& code : found) names.push_back(in_words(code) + (code.may_run ? " may run" : ""));
  return names;
}

Names plain_code_of(const TargetOptions& options, int executions = 3) {
  auto target = start(options);
  if (!target) return {"not started"};
  for (int i = 0; i < executions; ++i) {
    Plan plan;
    plan.policy = i ? Policy::Random : Policy::Default;
    plan.seed = static_cast<uint64_t>(i);
    EXPECT_EQ(run(*target, plan).view().outcome(), Outcome::Ok);
  }
  return names_of(target->plain_code());
}

class PlainCodeOf : public testing::TestWithParam<const char*> {
 protected:
  static std::string program(const std::string& way) { return "plain_code-" + way + "-" + GetParam(); }
  static std::string path(const std::string& file) { return std::string(LOCKSTEP_PROGRAMS) + "/" + file + "-" + GetParam(); }
  static Names found(const std::string& way, const std::string& how) { return plain_code_of(options_for(program(way) + " " + how)); }
};

TEST_P(PlainCodeOf, AnObject) {
  EXPECT_EQ(found("object", "thread"), Names{"Counter::add (counter.cpp)"});
  EXPECT_EQ(found("object", "inline"), Names{"Counter::add_inline (counter.cpp)"}) << "the linker took the plain copy";
  EXPECT_EQ(found("object", "unsanitized"), Names{"unsanitized_add (program.cpp)"});
  EXPECT_EQ(found("object", "detached"), Names{"Counter::add (counter.cpp)"}) << "main goes on beside it";
  EXPECT_EQ(found("object", "harmless"), Names{}) << "nothing that could be shared";
  const Names two = found("object", "two");
  EXPECT_NE(std::find(two.begin(), two.end(), "Counter::add (counter.cpp)"), two.end());
  EXPECT_NE(std::find(two.begin(), two.end(), "helper (counter.cpp)"), two.end()) << "a static function";
}

TEST_P(PlainCodeOf, MainAloneDoesNotCount) {
  EXPECT_EQ(found("object", "alone"), Names{});
  EXPECT_EQ(found("object", "left"), Names{}) << "has returned when the thread is created";
  EXPECT_EQ(found("object", "beside"), Names{"Counter::add (counter.cpp)"}) << "not what it called only alone";
}

TEST_P(PlainCodeOf, WhatIsOnTheStackWhenAThreadIsCreated) {
  EXPECT_EQ(found("object", "on_stack"), Names{"with_counter (counter.cpp)"});
}

TEST_P(PlainCodeOf, AStaticLibraryWithoutDebugInformation) {
  EXPECT_EQ(found("static", "thread"), Names{"Counter::add (" + program("static") + ")"});
  EXPECT_EQ(found("static", "inline"), Names{}) << "the linker took the instrumented copy";
}

TEST_P(PlainCodeOf, ASharedLibrary) {
  TargetOptions options = options_for(program("shared") + " thread");
  EXPECT_EQ(plain_code_of(options), Names{"Counter::add (counter.cpp)"});
  auto target = start(options);
  ASSERT_TRUE(target);
  run(*target, Plan{});
  ASSERT_EQ(target->plain_code().size(), 1u);
  EXPECT_EQ(target->plain_code()[0].module, std::string("libplain_code-") + GetParam() + ".so");
}

TEST_P(PlainCodeOf, AStrippedProgram) {
  EXPECT_EQ(found("stripped", "thread"), Names{program("stripped")}) << "as a whole";
  EXPECT_EQ(found("stripped", "alone"), Names{});
}

TEST_P(PlainCodeOf, APlugin) {
  const std::string plugin = std::string(LOCKSTEP_PROGRAMS) + "/libplain_code-" + GetParam() + ".so";
  TargetOptions options = options_for(program("object") + " plugin " + plugin);
  for (const Isolation isolation : {Isolation::Auto, Isolation::Reset}) {
    options.isolation = isolation;
    EXPECT_EQ(plain_code_of(options), Names{"plugin_add (counter.cpp)"});
  }
  EXPECT_EQ(plain_code_of(options, 1), Names{std::string("libplain_code-") + GetParam() + ".so may run"}) << "not yet looked at when it ran";
  options.isolation = Isolation::Fork;
  EXPECT_EQ(plain_code_of(options), Names{std::string("libplain_code-") + GetParam() + ".so may run"});
}

TEST_P(PlainCodeOf, EveryWayToRun) {
  for (const Isolation isolation : {Isolation::Loop, Isolation::Reset, Isolation::Fork})
    for (const Backend backend : {Backend::Fiber, Backend::OsThread})
      for (const unsigned workers : {1u, 2u}) {
        TargetOptions options = options_for(program("object") + " beside");
        options.isolation = isolation;
        options.backend = backend;
        options.workers = workers;
        EXPECT_EQ(plain_code_of(options, 8), Names{"Counter::add (counter.cpp)"});
        options.command.back() = "alone";
        EXPECT_EQ(plain_code_of(options, 8), Names{});
      }
  TargetOptions options = options_for(program("object") + " beside");
  options.isolation = Isolation::Reset;
  options.checkpoints = CheckpointUse::Always;
  EXPECT_EQ(plain_code_of(options, 50), Names{"Counter::add (counter.cpp)"});
}

INSTANTIATE_TEST_SUITE_P(Compilers, PlainCodeOf, testing::Values("gcc-O0", "gcc-O2", "clang-O0", "clang-O2"), [](const auto& info) {
  std::string name = info.param;
  name.erase(name.find('-'), 1);
  return name;
});

TEST(PlainCode, NoneInLibrariesAndFrameworks) {
  EXPECT_EQ(plain_code_of(options_for("library_user-gcc-O1")), Names{});
  EXPECT_EQ(plain_code_of(options_for("framework_user-gcc-O1")), Names{});
}

TEST(PlainCode, OfAProgramWithoutInstrumentationOnlyItsName) {
  EXPECT_EQ(plain_code_of(options_for("counts-plain faa 2 2")), Names{"counts-plain may run"});
}

// Every program that the wrappers built from sources alone.
TEST(PlainCode, NoInstrumentedFunctionIsTakenForPlain) {
  int programs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(LOCKSTEP_PROGRAMS)) {
    const std::string name = entry.path().filename().string();
    const bool instrumented = name.find("-gcc-O") != std::string::npos || name.find("-clang-O") != std::string::npos;
    if (!instrumented || name.find("plain_code") != std::string::npos || name.starts_with("framework_user")) continue;
    ++programs;
    for (const UninstrumentedFunction& f : find_uninstrumented(entry.path().string()).functions)
      ADD_FAILURE() << name << ": " << f.name << " in " << f.file;
  }
  EXPECT_GT(programs, 50);
}

}  // namespace
}  // namespace lockstep
