// The settings of strategies: options of the command line, and `name:key=value,...`. To add a setting: a member of
// StrategySettings and a line in strategy_settings.cpp.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "search/ranks/rank_registry.hpp"

namespace lockstep {

// Options of the command line for the strategy.
struct StrategyOptions {
  std::string spec = "auto";  // name[:key=value,...]
  std::optional<uint32_t> preemptions;
  bool preemptions_none = false;  // explicitly unbounded
  std::optional<uint32_t> variables, thread_bound, loop_iterations;
  uint64_t seed = 0;
  uint32_t max_steps = kNoStepLimit;
  unsigned workers = 1;
  bool divided = false;       // may be explored in units by several workers (base/division.hpp)
  bool budget_given = false;  // auto does not end before the user's budget
  // For best-first.
  std::string rank = "mdpor,pb";
  FunctionFocus focus_function{};
  VariableFocus focus_variable{};
  std::function<TrackedRange(uint64_t address)> global_at{};  // the global variable at the address; size 0: none
  RankLoader load_rank{};
};

// One best-first search, with these ranks and this seed.
struct RankedSearch {
  std::string name;  // "mdpor,pb, seed 3"
  Ranks ranks;
};

// The options together with the settings of `spec`: a strategy is made from these.
struct StrategySettings : StrategyOptions {
  bool preemptions_given = false;  // a bound, or explicitly none
  std::optional<uint32_t> delays{};
  uint32_t depth = 2;                                                   // for pct
  std::optional<uint32_t> deepest{};                                    // for dfs: depth
  std::optional<uint32_t> operations{};                                 // for exitblock
  uint32_t csb = 0;                                                     // for icb
  bool locks_write = false, run_delayed = false, as_published = false;  // for exitblock
  bool reduce = false;                                                  // for best-first: expand=dpor
  std::optional<bool> sleep_sets{};                                     // for dpor, and best-first:expand=dpor
  bool by_preemptions = false;                                          // for vb: order=c
  bool whole_blocks = false;                                            // for vb: arrays=whole
  bool survey = true;                                                   // for vb and pctvb
  double epsilon = 0.01;                                                // for thread bounds
  uint32_t window = ~0u;                                                // for best-first: limit of executions in flight
  std::vector<std::string> rank_lists{};                                // for portfolio
  std::vector<uint64_t> seeds{};                                        // for portfolio
  std::vector<RankedSearch> ranked{};                                   // for best-first: one; for portfolio: all
};

// The settings that a strategy takes, the options with the same meaning, and its needs.
enum Takes : unsigned {
  kNothing = 0,
  kPreemptions = 1,
  kSeed = 2,
  kDelays = 4,
  kDepth = 8,
  kBlocks = 16,
  kVariables = 32,
  kThreads = 64,
  kExpand = 128,  // expand, and the other settings of best-first
  kSleep = 512,
  kMembers = 1024,
  kDeepest = 2048,
  kPhases = 4096,
  kSets = 8192,  // sets of variables
  kSurvey = 16384,
  kEndpoints = 32768,
  kWatchesMemory = 256,  // depends on accesses to memory and on races
};

// Reads `list` ("key=value,...") into the options. The error names `strategy`.
Result<StrategySettings> read_settings(const char* strategy, unsigned takes, const StrategyOptions& options,
                                       std::string_view list);

}  // namespace lockstep
