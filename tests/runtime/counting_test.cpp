// Programs in which traces were lost or miscounted once: every reduction against depth-first search, within bounds,
// too.
#include "reduced.hpp"

namespace lockstep {
namespace {

constexpr const char* kPrograms[] = {
    "main_exits",      "main_returns",        "thread_exits",       "exits_beside_a_timed_wait",
    "timed_join",      "timed_semaphore",     "timed_c11",          "exits_beside_a_blocked_thread",
    "chosen_at_birth", "chosen_after_a_join", "two_joins_in_a_row", "chosen_at_birth_in_the_middle",
    "opposite_locks",  "barrier_of_three",    "timed_future",       "chosen_after_two_joins",
};

class Counting : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Counting, AgreesWithDepthFirstSearch) {
  const auto [build, program] = GetParam();
  TargetOptions options = options_for(std::string("counting-") + build + " " + program);
  options.max_steps = 2000;
  auto target = start(options);
  ASSERT_TRUE(target);
  const Explored all = explore(*target, "dfs");
  ASSERT_TRUE(all.result.complete) << all.result.stopped_by;
  for (const char* strategy : {"dpor", "source-dpor", "optimal-dpor", "best-first:expand=dpor", "chess"}) {
    const Explored e = explore(*target, strategy);
    EXPECT_EQ(e.traces.within(~0u), all.traces.within(~0u)) << strategy;
    EXPECT_TRUE(e.result.complete) << strategy << ": " << e.result.stopped_by;
    // Uninstrumented, the value of a futex changes unseen: nothing is reduced then.
    const bool reduced = build != std::string("plain") ||
                         (program != std::string("timed_future") && program != std::string("timed_semaphore") &&
                          program != std::string("exits_beside_a_timed_wait"));
    if (reduced && strategy == std::string("optimal-dpor")) {
      EXPECT_EQ(e.result.executions, all.traces.cost.size());
    }
  }
  for (const uint32_t bound : {0u, 1u, 2u}) {
    const std::set<uint64_t> wanted = all.traces.within(bound);
    EXPECT_EQ(explore(*target, "dfs", bound).traces.within(~0u), wanted) << bound;
    EXPECT_EQ(explore(*target, "chess", bound).traces.within(~0u), wanted) << bound;
    const Explored bpor = explore(*target, "bpor", bound);
    EXPECT_EQ(bpor.traces.within(~0u), wanted) << bound;
    EXPECT_TRUE(bpor.result.complete) << bpor.result.stopped_by;
    for (const char* strategy : {"source-dpor", "optimal-dpor"})
      EXPECT_EQ(explore(*target, strategy, bound).result.traces, wanted.size()) << strategy << " within " << bound;
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, Counting,
                         testing::Combine(testing::Values("gcc-O1", "plain"), testing::ValuesIn(kPrograms)),
                         [](const auto& info) {
                           std::string name = std::get<0>(info.param);
                           name.resize(name.find('-') == std::string::npos ? name.size() : name.find('-'));
                           return name + "_" + std::get<1>(info.param);
                         });

}  // namespace
}  // namespace lockstep
