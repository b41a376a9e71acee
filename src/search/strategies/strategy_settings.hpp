// What strategies can be given: options of the command line, and settings in `name:key=value,...`. A new setting is a
// member of StrategySettings and one line in strategy_settings.cpp.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "search/ranks/rank_registry.hpp"

namespace lockstep {

// What the command line says about the strategy.
struct StrategyOptions {
  std::string spec = "auto";  // name[:key=value,...]
  std::optional<uint32_t> preemptions;
  bool preemptions_none = false;  // explicitly unbounded
  std::optional<uint32_t> variables, thread_bound, loop_iterations;
  uint64_t seed = 0;
  uint32_t max_steps = kNoStepLimit;
  unsigned workers = 1;
  bool divided = false;       // dfs, icb, random, pos: in units, which several workers can explore (base/division.hpp)
  bool budget_given = false;  // auto goes on until that is used up
  // best-first
  std::string rank = "mdpor,pb";
  FunctionFocus focus_function{};
  VariableFocus focus_variable{};
  std::function<TrackedRange(uint64_t address)> global_at{};  // the global variable there; of size 0: none
  RankLoader load_rank{};
};

// One best-first search: by these ranks, with this seed.
struct RankedSearch {
  std::string name;  // "mdpor,pb, seed 3"
  Ranks ranks;
};

// Those options with the settings of `spec` read into them: what a strategy is made from.
struct StrategySettings : StrategyOptions {
  bool preemptions_given = false;  // a bound, or explicitly none
  std::optional<uint32_t> delays{};
  uint32_t depth = 2;                                                   // pct
  std::optional<uint32_t> deepest{};                                    // dfs: depth
  std::optional<uint32_t> operations{};                                 // exitblock
  uint32_t csb = 0;                                                     // icb
  bool locks_write = false, run_delayed = false, as_published = false;  // exitblock
  bool reduce = false;                                                  // best-first: expand=dpor
  std::optional<bool> sleep_sets{};                                     // dpor, and best-first:expand=dpor
  bool by_preemptions = false;                                          // vb: order=c
  bool whole_blocks = false;                                            // vb: arrays=whole
  bool survey = true;                                                   // vb, pctvb
  double epsilon = 0.01;                                                // thread bounds
  uint32_t window = ~0u;                                                // best-first: most executions under way
  std::vector<std::string> rank_lists{};                                // portfolio
  std::vector<uint64_t> seeds{};                                        // likewise
  std::vector<RankedSearch> ranked{};                                   // best-first: one; portfolio: all of them
};

// Which settings a strategy takes, and the options of the same meaning; and what it needs.
enum Takes : unsigned {
  kNothing = 0,
  kPreemptions = 1,
  kSeed = 2,
  kDelays = 4,
  kDepth = 8,
  kBlocks = 16,
  kVariables = 32,
  kThreads = 64,
  kExpand = 128,  // and the other settings of best-first
  kSleep = 512,
  kMembers = 1024,
  kDeepest = 2048,
  kPhases = 4096,
  kSets = 8192,  // of variables
  kSurvey = 16384,
  kEndpoints = 32768,
  kWatchesMemory = 256,  // needs to know which memory is touched, and whether that is a race
};

// Reads `list` ("key=value,...") into the options. The error names `strategy`.
Result<StrategySettings> read_settings(const char* strategy, unsigned takes, const StrategyOptions& options,
                                       std::string_view list);

}  // namespace lockstep
