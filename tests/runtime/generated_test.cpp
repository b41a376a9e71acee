// Random programs over the whole API: none hangs, none is reported, and both backends run them alike. A slice here;
// 10,000 of them when LOCKSTEP_TEST_ALL is set (./dev soak).
#include <cstdlib>

#include "programs.hpp"

namespace lockstep {
namespace {

Plan random_plan(uint64_t seed) {
  Plan plan;
  plan.policy = seed ? Policy::Random : Policy::Default;
  plan.seed = seed;
  plan.max_steps = 100'000;
  return plan;
}

class GeneratedPrograms : public testing::TestWithParam<unsigned> {};
constexpr unsigned kChunks = 40;

TEST_P(GeneratedPrograms, PassOnBothBackendsAlike) {
  const unsigned programs = std::getenv("LOCKSTEP_TEST_ALL") ? 250 : 2;
  for (unsigned i = 1; i <= programs; ++i) {
    const unsigned program = GetParam() * 250 + i;
    TargetOptions options = options_for("generated-gcc-O1 " + std::to_string(program));
    options.isolation = Isolation::Reset;
    options.max_steps = 100'000;
    auto fibers = start(options);
    options.backend = Backend::OsThread;
    auto threads = start(options);
    ASSERT_TRUE(fibers && threads);
    for (uint64_t seed = 0; seed <= 6; ++seed) {
      const Trace trace = run(*fibers, random_plan(seed));
      ASSERT_FALSE(trace.empty());
      ASSERT_EQ(trace.view().outcome(), Outcome::Ok)
          << "program " << program << ", seed " << seed << ": " << name_of(trace.view().outcome()) << " "
          << trace.view().message();
      EXPECT_TRUE(same(run(*threads, random_plan(seed)), trace))
          << "OS threads, program " << program << ", seed " << seed;
      EXPECT_TRUE(same(run(*fibers, plan_of(trace)), trace)) << "replayed, program " << program << ", seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, GeneratedPrograms, testing::Range(0u, kChunks));

}  // namespace
}  // namespace lockstep
