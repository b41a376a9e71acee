// A search that was stopped anywhere and goes on elsewhere runs every execution once, and claims the same in the end.
#include <gtest/gtest.h>

#include "brute_force.hpp"
#include "known.hpp"
#include "search/blocks/block_search.hpp"
#include "search/strategies/auto.hpp"
#include "search/strategies/best_first.hpp"
#include "search/strategies/bounded.hpp"
#include "search/strategies/bpor.hpp"
#include "search/strategies/classic_dpor.hpp"
#include "search/strategies/delay.hpp"
#include "search/strategies/optimal_dpor.hpp"
#include "search/strategies/pct.hpp"
#include "search/strategies/pctvb.hpp"
#include "search/strategies/random.hpp"
#include "search/strategies/source_dpor.hpp"
#include "search/strategies/surw.hpp"
#include "search/strategies/thread_bounding.hpp"
#include "search/strategies/vb.hpp"
#include "search/strategies/view_search.hpp"
#include "search_helpers.hpp"
#include "zoo.hpp"

namespace lockstep::fake {
namespace {

std::unique_ptr<Search> exitblock(bool conflicts, bool deadlocks) {
  return std::make_unique<BlockSearch>(BlockSearchParts{.conflicts = conflicts, .deadlocks = deadlocks, .alone = 2});
}

struct Piece {
  Exploration result;
  std::string state;
};

// Runs until `most` executions in all, or until it is interrupted after `interrupt` of them; goes on from `state`
// unless it is empty.
Piece run_piece(Search& strategy, const Program& program, size_t window, const std::string& state,
                std::optional<uint64_t> most, Recorder& seen, uint64_t interrupt = ~uint64_t{0}) {
  FakeExecutor executor(program, {.window = window});
  std::vector<Analysis*> analyses = {&seen};
  Piece piece;
  ExplorerHooks hooks;
  hooks.save = [&piece](const auto& write) {
    StateWriter out;
    write(out);
    piece.state = out.bytes();
  };
  hooks.interrupted = [&] { return seen.schedules.size() >= interrupt && !strategy.claim().finished; };
  Budget budget;
  budget.executions = most;
  Explorer explorer(strategy, executor, analyses, budget, true, hooks);
  if (!state.empty()) explorer.resume_from(state);
  piece.result = explorer.run();
  return piece;
}

std::unique_ptr<Search> make(const std::string& name) {
  if (name == "dfs") return dfs();
  if (name == "icb") return icb();
  return icb(2);
}

class Resume : public testing::TestWithParam<const char*> {};

TEST_P(Resume, NothingIsLostAndNothingIsRunTwice) {
  for (const size_t window : {1, 7}) {
    const auto whole = make(GetParam());
    const Explored all = explore(*whole, last_zero(3), {.window = window});
    for (const uint64_t slice : {1, 13, 100}) {
      Recorder seen;
      std::string state;
      Exploration last;
      for (uint64_t most = slice;; most += slice) {
        const auto strategy = make(GetParam());  // another process
        Piece piece = run_piece(*strategy, last_zero(3), window, state, most, seen);
        last = piece.result;
        if (last.complete()) break;
        ASSERT_FALSE(piece.state.empty());
        ASSERT_EQ(last.executions, std::min<uint64_t>(most, all.result.executions));
        state = piece.state;
      }
      std::vector<Schedule> schedules = seen.schedules;
      std::sort(schedules.begin(), schedules.end());
      EXPECT_EQ(schedules, all.sorted()) << "slices of " << slice;
      EXPECT_EQ(known(last), known(all.result));
      EXPECT_EQ(last.traces, all.result.traces);
      EXPECT_EQ(last.steps_max, all.result.steps_max);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Strategies, Resume, testing::Values("dfs", "icb", "icb2"));

struct ReductionRow {
  const char* name;
  std::unique_ptr<Search> (*make)();
  bool counts = true;      // as many executions as in one go, whatever was under way
  bool any_order = false;  // goes on elsewhere, so it may begin others in vain
};
void PrintTo(const ReductionRow& row, std::ostream* out) { *out << row.name; }

const ReductionRow kReductions[] = {
    {"dpor", [] { return make_dpor({}); }},
    {"source_dpor", [] { return make_source_dpor({}); }},
    {"source_dpor_in_lanes",
     [] {
       SourceDporOptions options;
       options.lanes = 6;
       return make_source_dpor(options);
     },
     true, true},
    {"optimal_dpor_in_lanes",
     [] {
       OptimalDporOptions options;
       options.lanes = 6;
       options.before_lanes = 3;
       return make_optimal_dpor(options);
     },
     true, true},
    {"best_first_dpor",
     [] { return make_best_first({.preemptions = {}, .reduce = true}, std::move(*make_ranks("view,pb", {}))); }},
    {"optimal_dpor", [] { return make_optimal_dpor({}); }},
    {"optimal_dpor_1", [] { return make_optimal_dpor({.preemptions = 1}); }},
    {"bpor_1", [] { return make_bpor({.preemptions = 1}); }},
    {"chess", [] { return make_chess({}); }},
    {"delay_2", [] { return make_delay({.bound = 2}); }},
    {"exitblock", [] { return exitblock(false, false); }},
    {"exitblock_rw", [] { return exitblock(true, false); }},
    {"exitblock_dd", [] { return exitblock(false, true); }},
    {"exitblock_rwdd", [] { return exitblock(true, true); }},
    {"vb", [] { return make_vb({}); }},
    {"vb_threads_2", [] { return make_vb({.thread_bound = 2}); }},
    {"icb_threads_2", [] { return make_thread_bounding({.preemptions = 1, .threads = 2}); }},
};

// Orders of atomic blocks are all run, though the claim is not complete where the program goes beyond them.

class ResumeReduction : public testing::TestWithParam<ReductionRow> {};

TEST_P(ResumeReduction, StoppedAnywhereItFindsTheSameTraces) {
  std::vector<Program> programs = {last_zero(3), philosophers(3), condition_flag(2, false)};
  for (uint64_t seed = 0; seed < 40; ++seed)
    if (Program p = random_program(seed); total(count_schedules(p)) < 300) programs.push_back(std::move(p));
  for (const Program& program : programs) {
    for (const size_t window : {1, 7}) {
      const auto whole = GetParam().make();
      Recorder ignored;
      const Exploration all = run_piece(*whole, program, window, "", std::nullopt, ignored).result;
      ASSERT_TRUE(all.claim.finished) << program.name;
      for (const uint64_t slice : {1, 13}) {
        Recorder seen;
        std::string state;
        Exploration last;
        for (uint64_t most = slice;; most += slice) {
          const auto strategy = GetParam().make();
          Piece piece = run_piece(*strategy, program, window, state, most, seen);
          last = piece.result;
          if (last.claim.finished) break;
          ASSERT_FALSE(piece.state.empty()) << program.name;
          ASSERT_LE(most, 100 * all.executions + 100 * window) << program.name << ": no progress";
          state = piece.state;
        }
        ASSERT_EQ(last.traces, all.traces) << program.name << ", slices of " << slice << ", window " << window;
        ASSERT_EQ(known(last), known(all)) << program.name;
        ASSERT_EQ(last.complete(), all.complete()) << program.name;
        if (GetParam().any_order) continue;
        if (window == 1 || GetParam().counts) {
          ASSERT_EQ(last.executions, all.executions)
              << program.name << ", slices of " << slice << ", window " << window;
          ASSERT_EQ(last.redundant, all.redundant) << program.name << ", slices of " << slice << ", window " << window;
        }
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Strategies, ResumeReduction, testing::ValuesIn(kReductions),
                         [](const auto& info) { return std::string(info.param.name); });

// An interrupted search goes on exactly where it was, with what was under way, whatever it has learned.
struct AnyRow {
  const char* name;
  std::unique_ptr<Search> (*make)();
};
void PrintTo(const AnyRow& row, std::ostream* out) { *out << row.name; }

const AnyRow kSamples[] = {
    {"auto", [] { return make_auto({.preemptions = {}, .seed = 5}); }},
    {"auto_1", [] { return make_auto({.preemptions = 1, .bound_given = true, .seed = 5}); }},
    {"portfolio", [] { return make_portfolio({.preemptions = {}, .seed = 5}); }},
    {"seek", [] { return make_view_search({.seed = 3}); }},
    {"best_first", [] { return make_best_first({.preemptions = {}}, std::move(*make_ranks("mdpor,pb", {}))); }},
    {"random", [] { return make_random({.seed = 3}); }},
    {"pos", [] { return make_pos({.seed = 3}); }},
    {"surw", [] { return make_surw({.seed = 3}); }},
    {"pct", [] { return make_pct({.depth = 3, .seed = 3}); }},
    {"pctvb", [] { return make_pctvb({.depth = 2, .variables = 1, .seed = 3}); }},
};

std::vector<AnyRow> all_rows() {
  std::vector<AnyRow> rows(std::begin(kSamples), std::end(kSamples));
  // Ranks are not saved: one that depends on all executions before goes on differently.
  for (const ReductionRow& row : kReductions)
    if (std::string_view(row.name) != "best_first_dpor") rows.push_back({row.name, row.make});
  return rows;
}

class ResumeInterrupted : public testing::TestWithParam<AnyRow> {};

TEST_P(ResumeInterrupted, RunsTheSameExecutionsInTheSameOrder) {
  constexpr uint64_t kMost = 400;
  std::vector<Program> programs = {last_zero(3), philosophers(3), condition_flag(2, false)};
  for (uint64_t seed = 0; seed < 12; ++seed)
    if (Program p = random_program(seed); total(count_schedules(p)) < 300) programs.push_back(std::move(p));
  for (const Program& program : programs) {
    for (const size_t window : {1, 7}) {
      Recorder in_one_go;
      const Exploration all = run_piece(*GetParam().make(), program, window, "", kMost, in_one_go).result;
      for (const uint64_t slice : {1, 5, 61}) {
        Recorder seen;
        Piece piece;
        for (uint64_t stop = slice;; stop += slice) {
          piece = run_piece(*GetParam().make(), program, window, piece.state, kMost, seen, stop);
          ASSERT_FALSE(piece.result.refused);
          if (!piece.result.interrupted()) break;
          ASSERT_FALSE(piece.state.empty());
        }
        const std::string where = program.name + ", slices of " + std::to_string(slice);
        const size_t same = static_cast<size_t>(std::ranges::mismatch(seen.schedules, in_one_go.schedules).in1 -
                                                seen.schedules.begin());
        ASSERT_TRUE(seen.schedules == in_one_go.schedules)
            << "other executions from number " << same + 1 << " on, " << where << ", window " << window;
        ASSERT_EQ(piece.result.executions, all.executions) << where;
        ASSERT_EQ(piece.result.traces, all.traces) << where;
        ASSERT_EQ(piece.result.redundant, all.redundant) << where;
        ASSERT_EQ(known(piece.result), known(all)) << where;
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Strategies, ResumeInterrupted, testing::ValuesIn(all_rows()),
                         [](const auto& info) { return std::string(info.param.name); });

// After a budget nothing is under way, so the parts that look around go on a little differently; what is proved, and by
// which traces, is the same.
class ResumeMixture : public testing::TestWithParam<const char*> {};

TEST_P(ResumeMixture, StoppedAnywhereItProvesTheSame) {
  const bool portfolio = GetParam() == std::string("portfolio");
  const auto make_one = [&] {
    return portfolio ? make_portfolio({.preemptions = {}, .seed = 5}) : make_auto({.preemptions = {}, .seed = 5});
  };
  std::vector<Program> programs = {last_zero(3), philosophers(3), condition_flag(2, false)};
  for (uint64_t seed = 0; seed < 12; ++seed)
    if (Program p = random_program(seed); total(count_schedules(p)) < 300) programs.push_back(std::move(p));
  for (const Program& program : programs) {
    for (const size_t window : {1, 7}) {
      const auto whole = make_one();
      Recorder ignored;
      const Exploration all = run_piece(*whole, program, window, "", std::nullopt, ignored).result;
      ASSERT_TRUE(all.complete()) << program.name;
      for (const uint64_t slice : {3, 50}) {
        Recorder seen;
        std::string state;
        Exploration last;
        for (uint64_t most = slice;; most += slice) {
          const auto strategy = make_one();
          Piece piece = run_piece(*strategy, program, window, state, most, seen);
          last = piece.result;
          if (last.complete()) break;
          ASSERT_FALSE(piece.state.empty()) << program.name;
          ASSERT_LE(most, 20 * all.executions + 1000) << program.name << ": no progress";
          state = piece.state;
        }
        // By whichever proof ends first.
        EXPECT_EQ(last.claim.scope, all.claim.scope) << program.name;
        EXPECT_EQ(last.claim.bounds, all.claim.bounds) << program.name;
        EXPECT_EQ(last.complete(), all.complete()) << program.name;
        EXPECT_EQ(last.traces, all.traces) << program.name << ", slices of " << slice << ", window " << window;
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Strategies, ResumeMixture, testing::Values("auto", "portfolio"));

TEST(ResumeRandom, DrawsTheSameExecutionsAsInOneGo) {
  Recorder whole, pieces;
  const auto one = make_random({.seed = 3});
  run_piece(*one, philosophers(3), 7, "", 200, whole);
  const auto first = make_random({.seed = 3}), second = make_random({.seed = 3});
  const Piece piece = run_piece(*first, philosophers(3), 7, "", 80, pieces);
  run_piece(*second, philosophers(3), 7, piece.state, 200, pieces);
  EXPECT_EQ(pieces.schedules, whole.schedules);
}

TEST(ResumeRandom, PctvbGoesOnWithWhatItHasLearned) {
  Recorder whole, pieces;
  const auto one = make_pctvb({.depth = 2, .variables = 1, .seed = 3});
  const Exploration all = run_piece(*one, philosophers(3), 1, "", 200, whole).result;
  std::string state;
  Exploration last;
  for (uint64_t most = 3; most < 200; most += 67) {  // first while it prepares
    const auto piece = make_pctvb({.depth = 2, .variables = 1, .seed = 3});
    state = run_piece(*piece, philosophers(3), 1, state, most, pieces).state;
  }
  const auto end = make_pctvb({.depth = 2, .variables = 1, .seed = 3});
  last = run_piece(*end, philosophers(3), 1, state, 200, pieces).result;
  EXPECT_EQ(pieces.schedules, whole.schedules);
  EXPECT_EQ(known(last), known(all));
}

TEST(ResumeDamaged, IsRefusedWithoutCrashing) {
  Recorder seen;
  std::unique_ptr<Search> (*const makers[])() = {[] { return dfs(); }, [] { return exitblock(true, true); },
                                                 [] { return make_vb({}); }, [] { return make_pctvb({}); },
                                                 [] { return make_auto({.preemptions = {}, .seed = 5}); }};
  for (const auto make_one : makers) {
    const uint64_t begun = make_one == makers[1] ? 4 : 40;
    const auto strategy = make_one();
    const std::string good = run_piece(*strategy, philosophers(3), 7, "", begun, seen).state;
    ASSERT_FALSE(good.empty());
    for (size_t cut = 1; cut < good.size(); cut += 1 + good.size() / 60) {
      const auto fresh = make_one();
      EXPECT_TRUE(run_piece(*fresh, philosophers(3), 7, good.substr(0, cut), 100, seen).result.refused);
    }
  }
}

}  // namespace
}  // namespace lockstep::fake
