// Strategies against each other and against the truth, on random programs; then the same with a mistake put in on
// purpose, which must show.
#include <gtest/gtest.h>

#include "brute_force.hpp"
#include "search_helpers.hpp"
#include "zoo.hpp"

namespace lockstep::fake {
namespace {

constexpr uint64_t kPrograms = 350;
constexpr uint64_t kSmallEnough = 3000;

Explored explore_parts(TreeSearchParts parts, const Program& program, uint64_t most = ~uint64_t{0}) {
  TreeSearch search(std::move(parts));
  return explore(search, program, {}, {.executions = most, .time = {}});
}

TreeSearchParts icb_parts(uint32_t bound) {
  TreeSearchParts parts;
  parts.bound = bound;
  parts.rank = [](const Alternative& a) -> uint64_t { return a.cost; };
  parts.level_by_level = true;
  return parts;
}

// Runs `body(program, every execution of it)` over all random programs that are small enough.
template <class Body>
void for_random_programs(Body body) {
  uint64_t used = 0;
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    const Program p = random_program(seed);
    const auto counts = count_schedules(p);
    if (total(counts) > kSmallEnough) continue;
    ++used;
    const auto strategy = dfs();
    body(p, explore(*strategy, p), counts);
  }
  EXPECT_GT(used, kPrograms / 2);
}

TEST(Differential, DfsRunsEveryScheduleExactlyOnce) {
  for_random_programs([](const Program& p, const Explored& all, const auto& counts) {
    ASSERT_EQ(all.result.executions, total(counts)) << p.name;
    ASSERT_TRUE(all_distinct(all.sorted())) << p.name;
    for (const auto& [c, n] : counts) ASSERT_EQ(all.within(c).size(), total(counts, c)) << p.name << " within " << c;
  });
}

TEST(Differential, IcbWithinABoundIsDfsFiltered) {
  for_random_programs([](const Program& p, const Explored& all, const auto&) {
    for (uint32_t c = 0; c <= 3; ++c) {
      const auto icb_strategy = icb(c), dfs_strategy = dfs(c);
      ASSERT_EQ(explore(*icb_strategy, p).sorted(), all.within(c)) << p.name << " within " << c;
      ASSERT_EQ(explore(*dfs_strategy, p).sorted(), all.within(c)) << p.name << " within " << c;
    }
  });
}

TEST(Differential, TheOrderOfTheSearchDoesNotChangeWhatIsRun) {
  for_random_programs([](const Program& p, const Explored& all, const auto&) {
    for (uint64_t salt = 1; salt <= 2; ++salt) {
      TreeSearchParts parts;
      parts.rank = [salt](const Alternative& a) -> uint64_t {
        return (a.step * 2654435761u + a.value * 40503u + salt * 977) % 7;
      };
      ASSERT_EQ(explore_parts(parts, p).sorted(), all.sorted()) << p.name;
    }
  });
}

TEST(Differential, WideThreadSetsChangeNothing) {
  for_random_programs([](const Program& p, const Explored& all, const auto&) {
    const auto strategy = dfs();
    ASSERT_EQ(explore(*strategy, p, {.wide_sets = true}).sorted(), all.sorted()) << p.name;
  });
}

// Costs beyond what a node can store are counted again from the trace.
TEST(Differential, HugeCostsAreCountedRight) {
  for_random_programs([](const Program& p, const Explored& all, const auto&) {
    TreeSearchParts parts;
    parts.cost = [](const ScheduleCursor& at, ThreadId t) { return 70'000 * at.cost(t); };
    parts.bound = 140'000;
    ASSERT_EQ(explore_parts(parts, p).sorted(), all.within(2)) << p.name;
  });
}

// --- Negative controls: each plants one mistake and counts the programs on which it shows.

int programs_on_which_icb_differs(const std::function<uint32_t(const ScheduleCursor&, ThreadId)>& cost) {
  int differs = 0;
  for_random_programs([&](const Program& p, const Explored& all, const auto&) {
    for (uint32_t c = 0; c <= 2; ++c) {
      TreeSearchParts parts = icb_parts(c);
      parts.cost = cost;
      if (explore_parts(parts, p).sorted() == all.within(c)) continue;
      ++differs;
      return;
    }
  });
  return differs;
}

TEST(NegativeControl, TheRightCostShowsNoDifference) {
  EXPECT_EQ(programs_on_which_icb_differs([](const ScheduleCursor& at, ThreadId t) { return at.cost(t); }), 0);
}

TEST(NegativeControl, CountingSwitchesFromBlockedThreadsShows) {
  EXPECT_GT(programs_on_which_icb_differs([](const ScheduleCursor& at, ThreadId t) -> uint32_t {
              return at.running() != kNoThread && t != at.running();
            }),
            50);
}

TEST(NegativeControl, IgnoringTheYieldRuleShows) {
  EXPECT_GT(programs_on_which_icb_differs([](const ScheduleCursor& at, ThreadId t) -> uint32_t {
              if (at.running() == kNoThread || t == at.running() || at.step().flags & Step::kWide) return at.cost(t);
              return at.step().enabled >> index_of(at.running()) & 1;
            }),
            10);
}

// Expanding at its own step gives a node successors at that same step: of two deltas the later one counts.
class LastDeltaCounts final : public Strategy {
 public:
  explicit LastDeltaCounts(TreeSearchParts parts) : search_(std::move(parts)) {}
  std::optional<Plan> next() override {
    std::optional<Plan> plan = search_.next();
    if (!plan) return plan;
    std::vector<Delta> kept;
    for (const Delta& d : plan->deltas) {
      if (!kept.empty() && kept.back().step == d.step) kept.pop_back();
      kept.push_back(d);
    }
    plan->deltas = kept;
    return plan;
  }
  void learn(TraceView trace) override { search_.learn(trace); }
  Claim claim() const override { return search_.claim(); }
  void save(StateWriter& out) const override { search_.save(out); }
  void load(StateReader& in) override { search_.load(in); }

 private:
  TreeSearch search_;
};

TEST(NegativeControl, ExpandingAtTheNodesOwnStepNeverEnds) {
  TreeSearchParts parts;
  LastDeltaCounts right(parts);
  EXPECT_EQ(explore(right, same_write(2, 2)).result.executions, 6u);
  parts.expand_own_step = true;
  LastDeltaCounts wrong(parts);
  const Explored e = explore(wrong, same_write(2, 2), {}, {.executions = 200, .time = {}});
  EXPECT_EQ(e.result.executions, 200u);
  EXPECT_FALSE(all_distinct(e.sorted()));
  EXPECT_FALSE(e.result.complete());
}

}  // namespace
}  // namespace lockstep::fake
