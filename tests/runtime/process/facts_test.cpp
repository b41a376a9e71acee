// What the runtime notices about a program, for the claim.
#include <algorithm>

#include "programs.hpp"
#include "target/nondeterministic_instructions.hpp"

namespace lockstep {
namespace {

std::string name_of(FactKind kind) {
  switch (kind) {
    case FactKind::WeakOrder: return "weak order";
    case FactKind::ConditionWait: return "condition wait";
    case FactKind::CycleCounter: return "cycle counter";
    case FactKind::WritesFiles: return "writes files";
    default: return "fact " + std::to_string(static_cast<int>(kind));
  }
}

// "weak order" for each place where one was executed, in some random schedules.
std::vector<std::string> noticed(const std::string& program, uint32_t spurious = 0) {
  TargetOptions options = options_for(program);
  options.spurious = spurious;
  const auto target = start(options);
  std::vector<std::string> names;
  if (!target) return names;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Plan plan;
    plan.policy = seed ? Policy::Random : Policy::Default;
    plan.seed = seed;
    plan.max_steps = 10'000;
    EXPECT_EQ(run(*target, plan).view().outcome(), Outcome::Ok) << program;
  }
  for (const Fact& fact : target->facts()) names.push_back(name_of(fact.kind));
  return names;
}

class Facts : public testing::TestWithParam<const char*> {
 public:
  using Names = std::vector<std::string>;
  static Names of(const std::string& program, uint32_t spurious = 0) {
    return noticed(std::string("facts-") + GetParam() + " " + program, spurious);
  }
};

TEST_P(Facts, WeakOrdersAreNoticedWhereTheyAreExecuted) {
  for (const char* program : {"relaxed_add", "release_store", "acquire_byte_that_is_zero", "acquire_byte_that_is_one",
                              "acquire_word", "weak_fence", "clear_of_a_flag", "failed_exchange", "odd_size"})
    EXPECT_EQ(of(program), Names{"weak order"}) << program;
}

TEST_P(Facts, OrdersThatCannotMatterAreNot) {
  for (const char* program : {"seq_cst_only", "weak_while_alone", "exchange_that_never_fails", "guard_of_a_static",
                              "guard_set_before", "no_wait"})
    EXPECT_EQ(of(program), Names{}) << program;
}

TEST_P(Facts, AWaitThatWasNotWokenForNoReasonIsNoticed) {
  EXPECT_EQ(of("wait_for_change"), Names{"condition wait"});
  EXPECT_EQ(of("wait_for_change", 100), Names{});
}

TEST(NondeterministicInstructions, AreFoundWhereInstructionsBegin) {
  using Code = std::vector<uint8_t>;
  using Ends = std::vector<size_t>;
  const auto random = [](const Code& code) { return find_nondeterministic_instructions(code).random; };
  const auto counter = [](const Code& code) { return find_nondeterministic_instructions(code).counter; };
  EXPECT_EQ(random({0x90, 0x0f, 0xc7, 0xf0}), Ends{4});               // rdrand eax
  EXPECT_EQ(random({0x90, 0x48, 0x0f, 0xc7, 0xf1}), Ends{5});         // rdrand rcx
  EXPECT_EQ(random({0x0f, 0xc7, 0xfa, 0x90}), Ends{3});               // rdseed edx
  EXPECT_EQ(random({0x66, 0x0f, 0xc7, 0xf0}), Ends{4});               // rdrand ax
  EXPECT_EQ(random({0xf3, 0x0f, 0xc7, 0xf8}), Ends{});                // rdpid
  EXPECT_EQ(random({0xf0, 0x0f, 0xc7, 0x0e}), Ends{});                // lock cmpxchg8b [rsi]
  EXPECT_EQ(random({0xb8, 0x0f, 0xc7, 0xf0, 0x00}), Ends{});          // mov eax, 0xf0c70f
  EXPECT_EQ(counter({0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20}), Ends{2});  // rdtsc; shl rdx, 32
  EXPECT_EQ(counter({0x90, 0x0f, 0x01, 0xf9}), Ends{4});              // rdtscp
  EXPECT_EQ(counter({0x0f, 0x01, 0xd0}), Ends{});                     // xgetbv
  EXPECT_EQ(counter({0x68, 0x00, 0x0f, 0x31, 0x00}), Ends{});         // push 0x310f00
}

TEST(BuiltForLockstep, ProgramsOfTheWrapperAre) {
  EXPECT_TRUE(is_built_for_lockstep(LOCKSTEP_PROGRAMS "/facts-gcc-O2"));
  EXPECT_FALSE(is_built_for_lockstep(LOCKSTEP_PROGRAMS "/counts-plain"));
  EXPECT_FALSE(is_built_for_lockstep("/etc/passwd"));
  EXPECT_FALSE(is_built_for_lockstep("/no/such/file"));
}

INSTANTIATE_TEST_SUITE_P(Builds, Facts, testing::Values("gcc-O0", "gcc-O2", "clang-O0", "clang-O2"),
                         [](const auto& build) {
                           std::string name = build.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace lockstep
