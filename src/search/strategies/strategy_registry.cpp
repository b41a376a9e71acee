// The list of all strategies, and how each is made from its settings.
#include "search/strategies/strategy_registry.hpp"

#include <string_view>

#include "search/blocks/block_search.hpp"
#include "search/mix/mixture.hpp"
#include "search/ranks/rank_registry.hpp"
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
#include "search/strategies/revisit.hpp"
#include "search/strategies/source_dpor.hpp"
#include "search/strategies/surw.hpp"
#include "search/strategies/thread_bounding.hpp"
#include "search/strategies/vb.hpp"
#include "search/strategies/view_search.hpp"

namespace lockstep {
namespace {

constexpr uint32_t kFewPreemptions = 2;  // most concurrency bugs need no more (Musuvathi & Qadeer 2007)

using Settings = StrategySettings;

AutoOptions auto_options(const Settings& s) {
  return {s.preemptions, s.preemptions_given, s.budget_given, s.seed, s.max_steps};
}

// A single worker shares a core with the search and needs enough lanes to avoid switching for every execution. Several
// workers need enough lanes not to wait for the search.
unsigned lanes(const Settings& s) { return s.workers > 1 ? 128 : 32; }

std::optional<dpor::DivisionSizes> in_units(bool divided) {
  return divided ? std::make_optional<dpor::DivisionSizes>() : std::nullopt;
}

std::unique_ptr<Search> by_preemptions(const Settings& s, bool cache) {
  if (s.thread_bound)
    return make_thread_bounding({s.preemptions, *s.thread_bound, cache, s.epsilon, s.seed, s.max_steps});
  const BoundedOptions options{s.preemptions, s.max_steps, s.variables, {}, s.csb, s.divided};
  return cache ? make_chess(options) : make_icb(options);
}

PointsAt pointed_at(const Settings& s) {
  if (!s.focus_variable.contains) return {};
  return
      [contains = s.focus_variable.contains](TraceView trace, ObjectId object) { return contains(trace, {}, object); };
}

std::unique_ptr<Search> exitblock(const Settings& s, bool conflicts, bool deadlocks) {
  return std::make_unique<BlockSearch>(BlockSearchParts{.preemptions = s.preemptions,
                                                        .operations = s.operations,
                                                        .max_steps = s.max_steps,
                                                        .conflicts = conflicts,
                                                        .deadlocks = deadlocks,
                                                        .locks_write = s.locks_write,
                                                        .run_delayed = s.run_delayed,
                                                        .forget_locks = s.as_published});
}

BestFirstOptions best_first_options(const Settings& s) {
  return {s.preemptions, s.max_steps, s.variables, s.reduce, s.sleep_sets.value_or(true), s.window};
}

// Several best-first searches take turns, one execution each. Each explores everything within the bound.
std::unique_ptr<Search> make_ranked_portfolio(Settings& s) {
  std::vector<MixturePart> parts;
  for (RankedSearch& member : s.ranked)
    parts.push_back({member.name, make_best_first(best_first_options(s), std::move(member.ranks)), 1,
                     s.preemptions ? MixturePart::Proof::Bounded : MixturePart::Proof::Full});
  return std::make_unique<Mixture>(std::move(parts), MixtureOptions{.bound = s.preemptions});
}

constexpr StrategyInfo kStrategies[] = {
    {"auto", "find bugs fast, then prove: seek, random strategies, chess and optimal-dpor in turns",
     kPreemptions | kSeed, [](Settings& s) { return make_auto(auto_options(s)); }},
    {"portfolio",
     "the strategies of auto, side by side from the start; rank=A:B,rank=C,seed=1,seed=2: best-first by each of these "
     "ranks with each seed",
     kPreemptions | kMembers,
     [](Settings& s) { return s.ranked.empty() ? make_portfolio(auto_options(s)) : make_ranked_portfolio(s); }},
    {"best-first",
     "every schedule within the bound, in the order of --rank; expand=dpor: every order of dependent operations; "
     "window=1: nothing is planned ahead",
     kPreemptions | kSeed | kVariables | kExpand | kSleep,
     [](Settings& s) { return make_best_first(best_first_options(s), std::move(s.ranked[0].ranks)); }},
    {"dfs",
     "depth-first search over all schedules, optionally within a preemption bound; depth=N: only the first N steps "
     "differ "
     "from the default schedule",
     kPreemptions | kVariables | kDeepest,
     [](Settings& s) {
       return make_dfs({s.preemptions, s.max_steps, s.variables, s.deepest, 0, s.divided});
     }},
    {"icb",
     "iterative context bounding: fewest preemptions first, optionally of few threads; csb=N: N more of them in each "
     "phase",
     kPreemptions | kVariables | kThreads | kPhases, [](Settings& s) { return by_preemptions(s, false); }},
    {"chess", "icb with happens-before state caching: explores no state twice", kPreemptions | kVariables | kThreads,
     [](Settings& s) { return by_preemptions(s, true); }},
    {"delay", "delay bounding: round-robin schedule, fewest delays first", kDelays | kPreemptions,
     [](Settings& s) {
       return make_delay({s.delays, s.max_steps});
     }},
    {"optimal-dpor", "every order of dependent operations exactly once, optionally within a preemption bound",
     kPreemptions,
     [](Settings& s) {
       return make_optimal_dpor({.preemptions = s.preemptions,
                                 .max_steps = s.max_steps,
                                 .lanes = lanes(s),
                                 .for_one_worker = s.workers <= 1,
                                 .division = in_units(s.divided && s.workers > 1)});
     }},
    {"source-dpor", "like optimal-dpor with less memory; some executions are redundant", kPreemptions,
     [](Settings& s) {
       return make_source_dpor({.preemptions = s.preemptions,
                                .max_steps = s.max_steps,
                                .lanes = lanes(s),
                                .for_one_worker = s.workers <= 1,
                                .division = in_units(s.divided)});
     }},
    {"dpor",
     "DPOR as first published (Flanagan and Godefroid); many redundant executions, for comparison; sleep=1: fewer, "
     "with "
     "sleep sets",
     kSleep,
     [](Settings& s) {
       return make_dpor({s.max_steps, s.sleep_sets.value_or(false)});
     }},
    {"bpor", "every order of dependent operations within a preemption bound (2); some executions are redundant",
     kPreemptions,
     [](Settings& s) {
       return make_bpor({s.preemptions.value_or(kFewPreemptions), s.max_steps});
     }},
    {"exitblock",
     "every order of atomic blocks, which end at unlocks; for programs that lock all shared data; "
     "operations=N: no preemption of a thread after its first N operations",
     kPreemptions | kEndpoints | kWatchesMemory, [](Settings& s) { return exitblock(s, false, false); }},
    {"exitblock-rw", "like exitblock, only for blocks that access the same memory",
     kPreemptions | kBlocks | kEndpoints | kWatchesMemory, [](Settings& s) { return exitblock(s, true, false); }},
    {"exitblock-dd", "exitblock plus predicted deadlocks, each confirmed by running it",
     kPreemptions | kEndpoints | kWatchesMemory, [](Settings& s) { return exitblock(s, false, true); }},
    {"exitblock-rwdd", "exitblock-rw plus predicted deadlocks", kPreemptions | kBlocks | kEndpoints | kWatchesMemory,
     [](Settings& s) { return exitblock(s, true, true); }},
    {"pct", "random thread priorities with depth-1 change points: known probability of hitting each bug of that depth",
     kSeed | kDepth,
     [](Settings& s) {
       return make_pct({s.depth, s.seed, s.max_steps});
     }},
    {"pctvb",
     "pct with change points only at accesses to a few chosen variables; all that one place allocates is one of them",
     kSeed | kDepth | kVariables | kSurvey | kWatchesMemory,
     [](Settings& s) {
       return make_pctvb({s.depth, s.variables.value_or(1), s.seed, s.max_steps, s.survey, pointed_at(s)});
     }},
    {"vb", "variable bounding: few preemptions (2) at few shared variables (2), optionally of few threads",
     kPreemptions | kVariables | kThreads | kSets | kSurvey | kSeed | kWatchesMemory,
     [](Settings& s) {
       return make_vb({.preemptions = s.preemptions.value_or(kFewPreemptions),
                       .variables = s.variables.value_or(2),
                       .thread_bound = s.thread_bound,
                       .loop_iterations = s.loop_iterations,
                       .seed = s.seed,
                       .max_steps = s.max_steps,
                       .by_preemptions = s.by_preemptions,
                       .whole_blocks = s.whole_blocks,
                       .survey = s.survey,
                       .focus = pointed_at(s),
                       .globals = s.global_at,
                       .epsilon = s.epsilon});
     }},
    {"pos", "partial order sampling: random priorities of operations, redrawn at conflicts", kSeed,
     [](Settings& s) {
       return make_pos({s.seed, s.max_steps, s.divided});
     }},
    {"surw", "selectively uniform random walk: every order of the operations on an object is equally likely", kSeed,
     [](Settings& s) {
       return make_surw({s.seed, s.max_steps});
     }},
    {"seek", "schedules in which a thread is expected to observe something new, fewest preemptions first", kSeed,
     [](Settings& s) {
       return make_view_search({s.seed, s.max_steps});
     }},
    {"revisit", "random executions that branch off rare states of earlier ones", kSeed,
     [](Settings& s) {
       return make_revisit({s.seed, s.max_steps});
     }},
    {"random", "random walk: every enabled thread is equally likely at every step", kSeed,
     [](Settings& s) {
       return make_random({s.seed, s.max_steps, s.divided});
     }},
};

// Ranks are made here, because errors in them can be reported here.
std::optional<Error> add_ranked_searches(const StrategyInfo& info, Settings& s) {
  const bool portfolio = info.takes & kMembers;
  if (portfolio && s.rank_lists.empty() && s.seeds.size() <= 1) return std::nullopt;
  if (s.rank_lists.empty()) s.rank_lists.push_back(s.rank);
  if (s.seeds.empty()) s.seeds.push_back(s.seed);
  for (const std::string& list : s.rank_lists)
    for (const uint64_t seed : s.seeds) {
      Result<Ranks> ranks = make_ranks(list, {seed, s.focus_function, s.focus_variable, s.load_rank});
      if (!ranks) return ranks.error();
      s.ranked.push_back({list + ", seed " + std::to_string(seed), std::move(*ranks)});
    }
  return std::nullopt;
}

std::string strategy_names() {
  std::string names;
  for (const StrategyInfo& s : kStrategies) names.append(names.empty() ? "" : ", ").append(s.name);
  return names;
}

}  // namespace

std::span<const StrategyInfo> strategies() { return kStrategies; }

const StrategyInfo* find_strategy(std::string_view spec) {
  const std::string_view name = spec.substr(0, spec.find(':'));
  for (const StrategyInfo& s : kStrategies)
    if (name == s.name) return &s;
  return nullptr;
}

bool watches_memory(std::string_view spec) {
  const StrategyInfo* info = find_strategy(spec);
  return info && info->takes & kWatchesMemory;
}

Result<std::unique_ptr<Search>> make_strategy(const StrategyOptions& options) {
  const std::string_view spec = options.spec;
  const size_t colon = spec.find(':');
  const StrategyInfo* info = find_strategy(spec);
  if (!info)
    return usage_error("unknown strategy " + quoted(spec.substr(0, colon)) + "; use one of: " + strategy_names());
  auto settings = read_settings(info->name, info->takes, options, colon == spec.npos ? "" : spec.substr(colon + 1));
  if (!settings) return settings.error();
  if (auto error = add_ranked_searches(*info, *settings)) return *error;
  return info->make(*settings);
}

}  // namespace lockstep
