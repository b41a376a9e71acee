// Bounds of the searches over the execution tree beside the plain preemption bound: phases of several preemptions
// (icb:csb=N), and depth.
#include <gtest/gtest.h>

#include <set>

#include "search/strategies/strategy_registry.hpp"
#include "search_helpers.hpp"
#include "zoo.hpp"

namespace lockstep::fake {
namespace {

std::unique_ptr<Search> made(const std::string& spec, std::optional<uint32_t> preemptions = {}) {
  StrategyOptions options;
  options.spec = spec;
  options.preemptions = preemptions;
  return std::move(*make_strategy(options));
}

// Phase p has the executions with p(csb+1) to p(csb+1)+csb preemptions, in any order.
TEST(Phases, HoldSeveralNumbersOfPreemptions) {
  const auto reference = icb();
  const Explored plain = explore(*reference, philosophers(3));
  for (const uint32_t csb : {0u, 1u, 2u}) {
    const auto strategy = made("icb:csb=" + std::to_string(csb));
    const Explored e = explore(*strategy, philosophers(3), {.window = 4});
    EXPECT_EQ(e.sorted(), plain.sorted()) << csb;
    EXPECT_TRUE(e.result.complete());
    std::vector<uint32_t> phases = e.seen.preemptions;
    for (uint32_t& p : phases) p /= csb + 1;
    EXPECT_TRUE(std::is_sorted(phases.begin(), phases.end())) << csb;
    EXPECT_EQ(std::is_sorted(e.seen.preemptions.begin(), e.seen.preemptions.end()), csb == 0) << csb;
  }
}

// Interrupted anywhere, a search by phases claims no bound of which an execution is missing.
TEST(Phases, ClaimOnlyWhatIsFinished) {
  const auto reference = dfs();
  const Explored all = explore(*reference, philosophers(2));
  for (const uint32_t csb : {1u, 2u})
    for (const std::optional<uint32_t> bound : {std::optional<uint32_t>{}, std::optional{1u}, std::optional{2u}})
      for (uint64_t executions = 1; executions <= all.seen.schedules.size(); ++executions) {
        const auto strategy = made("icb:csb=" + std::to_string(csb), bound);
        Budget budget;
        budget.executions = executions;
        const Explored e = explore(*strategy, philosophers(2), {}, budget);
        const auto proved = e.result.claim.preemptions_completed;
        if (!proved) continue;
        EXPECT_LE(*proved, bound.value_or(*proved));
        EXPECT_EQ(e.within(*proved), all.within(*proved)) << csb << ", " << executions << " executions";
      }
}

// Deviations from the default schedule, by the step they are at.
std::set<Schedule> with_deviations_up_to(const Program& program, uint32_t depth) {
  std::set<Schedule> schedules;
  std::vector<Plan> open{{}};
  while (!open.empty()) {
    const Plan plan = std::move(open.back());
    open.pop_back();
    const Trace trace = execute(program, plan);
    schedules.insert(schedule_of(trace));
    const uint32_t from = plan.deltas.empty() ? 0 : plan.deltas.back().step + 1;
    for (ScheduleCursor at(trace); !at.done(); at.advance()) {
      if (at.index() < from || at.index() >= depth || at.step().is_note() || at.step().is_choice()) continue;
      at.enabled().for_each([&](ThreadId t) {
        if (t == at.step().thread) return;
        Plan next = plan;
        next.deltas.push_back({at.index(), static_cast<uint16_t>(t)});
        open.push_back(std::move(next));
      });
    }
  }
  return schedules;
}

TEST(Depth, BoundsWhereASearchDeviates) {
  const Program program = philosophers(2);
  const auto reference = dfs();
  const Explored all = explore(*reference, program);
  for (uint32_t depth = 0; depth < 30; ++depth) {
    const auto strategy = made("dfs:depth=" + std::to_string(depth));
    const Explored e = explore(*strategy, program);
    const std::set<Schedule> expected = with_deviations_up_to(program, depth);
    EXPECT_EQ(e.sorted(), std::vector<Schedule>(expected.begin(), expected.end())) << depth;
    const bool everything = expected.size() == all.seen.schedules.size();
    EXPECT_EQ(e.result.claim.bounds.depth.has_value(), !everything) << depth;
    EXPECT_TRUE(e.result.complete());
  }
}

}  // namespace
}  // namespace lockstep::fake
