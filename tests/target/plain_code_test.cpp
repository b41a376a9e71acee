// Code without instrumentation is named if it runs beside other threads, and only then.
#include <filesystem>

#include "programs.hpp"
#include "target/code_exemptions.hpp"
#include "target/instrumentation.hpp"
#include "target/memory_use.hpp"

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
    const Trace trace = run(*target, plan);
    EXPECT_EQ(trace.view().outcome(), Outcome::Ok) << options.command[1] << ": " << trace.view().message();
  }
  return names_of(target->plain_code());
}

class PlainCodeOf : public testing::TestWithParam<const char*> {
 protected:
  static std::string program(const std::string& way) { return "plain_code-" + way + "-" + GetParam(); }
  static std::string path(const std::string& file) {
    return std::string(LOCKSTEP_PROGRAMS) + "/" + file + "-" + GetParam();
  }
  static Names found(const std::string& way, const std::string& how) {
    return plain_code_of(options_for(program(way) + " " + how));
  }
};

TEST_P(PlainCodeOf, AnObject) {
  EXPECT_EQ(found("object", "thread"), Names{"Counter::add (counter.cpp)"});
  EXPECT_EQ(found("object", "inline"), Names{"Counter::add_inline (counter.cpp)"}) << "the linker took the plain copy";
  EXPECT_EQ(found("object", "unsanitized"), Names{"unsanitized_add (program.cpp)"});
  EXPECT_EQ(found("object", "unsanitized_with_calls"), Names{"unsanitized_with_calls (program.cpp)"});
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
  EXPECT_EQ(plain_code_of(options, 1), Names{std::string("libplain_code-") + GetParam() + ".so may run"})
      << "not yet looked at when it ran";
  options.isolation = Isolation::Fork;
  EXPECT_EQ(plain_code_of(options), Names{std::string("libplain_code-") + GetParam() + ".so may run"});
}

TEST_P(PlainCodeOf, EveryWayToRun) {
  for (const Isolation isolation : {Isolation::Loop, Isolation::Reset, Isolation::Fork})
    for (const Backend backend : {Backend::Fiber, Backend::OsThread})
      for (const unsigned workers : {1u, 2u}) {
        if (isolation == Isolation::Fork && backend == Backend::OsThread) continue;  // a fork has no other OS threads
        SCOPED_TRACE(testing::Message() << "isolation " << int(isolation) << " backend " << int(backend) << " workers "
                                        << workers);
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

INSTANTIATE_TEST_SUITE_P(Compilers, PlainCodeOf, testing::Values("gcc-O0", "gcc-O2", "clang-O0", "clang-O2"),
                         [](const auto& info) {
                           std::string name = info.param;
                           name.erase(name.find('-'), 1);
                           return name;
                         });

TEST(PlainCode, NoneInLibrariesAndFrameworks) {
  EXPECT_EQ(plain_code_of(options_for("library_user-gcc-O1")), Names{});
  EXPECT_EQ(plain_code_of(options_for("library_user_static-gcc-O1")), Names{});
  EXPECT_EQ(plain_code_of(options_for("framework_user-gcc-O1")), Names{});
}

TEST(PlainCode, OfAProgramWithoutInstrumentationOnlyItsName) {
  EXPECT_EQ(plain_code_of(options_for("counts-plain faa 2 2")), Names{"counts-plain may run"});
}

TEST(PlainCode, MemoryThatThreadsCouldShare) {
  using Code = std::vector<uint8_t>;
  constexpr uint64_t kAddress = 0x1000;
  MemoryUseOptions options;
  options.constant = [](uint64_t address) { return address >= 0x2000 && address < 0x3000; };
  const auto touches = [&](const Code& code) { return may_touch_shared_memory(code, kAddress, options); };
  EXPECT_FALSE(touches({0x8d, 0x04, 0x37, 0xc3})) << "lea (%rdi,%rsi), %eax; ret";
  EXPECT_FALSE(touches({0x55, 0x48, 0x89, 0xe5, 0x8b, 0x45, 0xf8, 0x5d, 0xc3})) << "mov -8(%rbp), %eax in a frame";
  EXPECT_TRUE(touches({0x8b, 0x45, 0xf8, 0xc3})) << "without a frame rbp is a register like others";
  EXPECT_FALSE(touches({0x48, 0x8b, 0x44, 0x24, 0x08, 0xc3})) << "mov 8(%rsp), %rax";
  EXPECT_TRUE(touches({0x8b, 0x07, 0xc3})) << "mov (%rdi), %eax";
  EXPECT_TRUE(touches({0x41, 0x8b, 0x04, 0x24, 0xc3})) << "mov (%r12), %eax: not the stack";
  EXPECT_TRUE(touches({0xf0, 0xff, 0x07, 0xc3})) << "lock incl (%rdi)";
  EXPECT_TRUE(touches({0xe8, 0, 0, 0, 0, 0xc3})) << "call";
  EXPECT_TRUE(touches({0xf3, 0xa4, 0xc3})) << "rep movsb";
  EXPECT_TRUE(touches({0x0f, 0x05, 0xc3})) << "syscall";
  EXPECT_FALSE(touches({0x8b, 0x05, 0xfa, 0x0f, 0, 0, 0xc3})) << "mov 0xffa(%rip), %eax: a constant at 0x2000";
  EXPECT_TRUE(touches({0x8b, 0x05, 0xfa, 0x1f, 0, 0, 0xc3})) << "a variable at 0x3000";
  EXPECT_FALSE(touches({0x64, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0, 0xc3})) << "mov %fs:0x28, %eax";
  EXPECT_FALSE(touches({0xe9, 0, 1, 0, 0})) << "jmp to another function";
  EXPECT_TRUE(touches({0x89, 0x44, 0x24, 0x08, 0xe9, 0, 1, 0, 0})) << "the same, with something in the frame";
  EXPECT_TRUE(touches({0x8b})) << "cut off";
  const Code table = {0x48, 0x8d, 0x05, 0xf9, 0x0f, 0,
                      0,    0x8b, 0x04, 0xb8, 0xc3};  // lea of a constant; mov (%rax,%rdi,4)
  EXPECT_TRUE(touches(table));
  options.trust_tables = true;
  EXPECT_FALSE(touches(table));
}

TEST(PlainCode, Exemptions) {
  EXPECT_EQ(exempts_module("libc.so.6"), Exemption::Always);
  EXPECT_EQ(exempts_module("libcounter.so"), Exemption::None);
  EXPECT_EQ(exempts_module("libgtest_main.so.1.12.1"), Exemption::Framework);
  EXPECT_EQ(exempts_function("_ZN7testing4Test3RunEv"), Exemption::Framework);
  EXPECT_EQ(exempts_function("_ZZN7testing8internal3runEvENKUlvE_clEv"), Exemption::Framework) << "a lambda in it";
  EXPECT_EQ(exempts_function("_ZNSt6vectorIPN7testing8TestInfoESaIS2_EE9push_backEv"), Exemption::Framework);
  EXPECT_EQ(exempts_function("_Z5checkRKN7testing8TestInfoE"), Exemption::None) << "a function of the program";
  EXPECT_EQ(exempts_function("_ZN7Counter3addEv"), Exemption::None);
  EXPECT_EQ(exempts_function("_ZN13testing_utils3addEv"), Exemption::None);
  EXPECT_EQ(exempts_function("frame_dummy"), Exemption::Always);
  EXPECT_EQ(exempts_source("/build/_deps/googletest-src/googletest/src/gtest-all.cc"), Exemption::Framework);
  EXPECT_EQ(exempts_source("/home/me/queue.cpp"), Exemption::None);
  EXPECT_TRUE(is_standard_function("_ZNKSt6vectorIiSaIiEE4sizeEv"));
  EXPECT_FALSE(is_standard_function("_ZN5StackC2Ev"));
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
