// Executions that end before everybody is done: by a failure, or because somebody ends the process. What the others
// would have done is not seen in them, and must be found all the same.
#include <gtest/gtest.h>

#include "analysis/happens_before.hpp"
#include "search/strategies/bpor.hpp"
#include "search/strategies/classic_dpor.hpp"
#include "search/strategies/optimal_dpor.hpp"
#include "search/strategies/source_dpor.hpp"
#include "trace_helpers.hpp"

namespace lockstep::fake {
namespace {

// What a reduction must not lose if executions fail: those that do not, and for those that do, what led to the failure.
// How far others had come by then does not matter.
class Histories final : public Analysis {
 public:
  const char* name() const override { return "histories"; }
  const char* summary() const override { return "collects what led to the end"; }
  std::optional<Finding> check(TraceView trace) override {
    if (trace.outcome() == Outcome::Redundant) return std::nullopt;
    HappensBefore order;
    Fingerprinter history;
    history.begin();
    for (const Step& step : trace.steps()) order.push(step);
    for (uint32_t i = 0; i < order.size(); ++i)
      if (trace.outcome() != Outcome::Assertion || order.ordered(i, order.last_of(trace.header().culprit)))
        history.add(trace.steps()[i]);
    seen.insert(history.value().low);
    return std::nullopt;
  }
  std::set<uint64_t> seen;
};

std::set<uint64_t> histories(std::unique_ptr<Search> strategy, const Program& p, size_t window = 3) {
  Histories histories;
  FakeExecutor executor(p, {.window = window});
  Analysis* analyses[] = {&histories};
  const Exploration result = Explorer(*strategy, executor, analyses, {}, false, {}).run();
  EXPECT_TRUE(result.complete()) << p.name << ": " << int(result.ending);
  return histories.seen;
}

void expect_all(const Program& p, size_t window = 3) {
  const std::set<uint64_t> all = histories(dfs(), p);
  ASSERT_EQ(histories(make_dpor({}), p, window), all) << p.name;
  ASSERT_EQ(histories(make_source_dpor({}), p, window), all) << p.name;
  ASSERT_EQ(histories(make_optimal_dpor({}), p, window), all) << p.name;
  SourceDporOptions lanes;
  lanes.lanes = 4;
  ASSERT_EQ(histories(make_source_dpor(lanes), p, window + 3), all) << p.name;
  OptimalDporOptions optimal_lanes;
  optimal_lanes.lanes = 4;
  optimal_lanes.before_lanes = 2;
  ASSERT_EQ(histories(make_optimal_dpor(optimal_lanes), p, window + 3), all) << p.name;
}

TEST(Endings, ProgramsThatFailOrExitWithThreadsUnderWay) {
  uint64_t used = 0;
  for (uint64_t seed = 0; seed < random_programs(700); ++seed) {
    const Program p = random_program_that_ends(seed);
    if (total(count_schedules(p)) > 2000) continue;
    ++used;
    expect_all(p, 1 + seed % 5);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(used, random_programs(700) / 2);
}

// Within a bound: all that depth-first search finds within it, and nothing beyond it.
TEST(Endings, BporFindsWhatEndsEarlyWithinItsBound) {
  uint64_t used = 0;
  for (uint64_t seed = 0; seed < random_programs(300); ++seed) {
    const Program p = random_program_that_ends(seed);
    if (total(count_schedules(p)) > 2000) continue;
    ++used;
    for (uint32_t c = 0; c <= 2; ++c)
      ASSERT_EQ(histories(make_bpor({.preemptions = c}), p, 1 + seed % 5), histories(dfs(c), p))
          << p.name << " within " << c;
  }
  EXPECT_GT(used, random_programs(300) / 2);
}

const Instruction kFails = check(0, "always");

// The unlock that fails seemed to cover what the third thread does, until it was run.
TEST(Endings, AStepThatFailsCoversNothing) {
  expect_all({.name = "read-lock; cas; unlock and fail || try-write-lock || write-lock; unlock; read-lock; ld; unlock",
              .threads = {{read_lock(0), cas(1, 0, 5, 0), read_unlock(0), kFails},
                          {try_write_lock(0, 5)},
                          {write_lock(0), write_unlock(0), read_lock(0), ld(1, 1), read_unlock(0)}}});
}

// Where others take the place of a failing step, some of those who sleep could begin what follows.
TEST(Endings, SleepersBesideAStepThatFails) {
  expect_all({.name = "ld || ld; st || st; ld and fail || ld",
              .threads = {{ld(0, 0)}, {ld(0, 1), st(0, 23)}, {st(0, 11), ld(0, 2), kFails}, {ld(0, 0)}}},
             1);
}

// A sleeper that has nothing to do with the second step has to do with the end of the process that follows it.
TEST(Endings, SleepersBesideTheEndOfTheProcess) {
  expect_all({.name = "cas and fail || st y || st x; exit",
              .threads = {{cas(1, 0, 5, 0), check([](const Registers& r) { return r[0] == 0; }, "failed")},
                          {st(2, 21)},
                          {st(1, 31), exit_process()}}});
}

}  // namespace
}  // namespace lockstep::fake
