// The strategies by name. A new strategy is one file in strategies/ and one line in registry.cpp.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/result.hpp"
#include "search/base/strategy.hpp"
#include "search/ranks/focus.hpp"

namespace lockstep {

// What the command line says about the strategy.
struct StrategyOptions {
  std::string spec = "auto";  // name[:key=value,...]
  std::optional<uint32_t> preemptions;
  bool preemptions_none = false;  // explicitly unbounded
  std::optional<uint32_t> variables, thread_bound, loop_iterations;
  uint64_t seed = 0;
  uint32_t max_steps = 1'000'000;
  unsigned workers = 1;
  bool budget_given = false;  // auto goes on until that is used up
  // best-first
  std::string rank = "mdpor,pb";
  FunctionFocus focus_function{};
  VariableFocus focus_variable{};
};

// Those options with the keys of `spec` read into them: what a strategy is made from.
struct StrategySettings {
  std::optional<uint32_t> preemptions;
  bool preemptions_given = false;  // a bound, or explicitly none
  std::optional<uint32_t> delays;
  uint64_t seed = 0;
  uint32_t max_steps = 1'000'000;
  uint32_t depth = 2;
  unsigned workers = 1;
  bool budget_given = false;
  std::optional<uint32_t> variables{}, thread_bound{}, loop_iterations{};
  bool locks_write = false, run_delayed = false, as_published = false;  // exitblock
  std::string rank{};                                                   // known to be right
  bool reduce = false;                                                  // best-first: expand=dpor
  FunctionFocus focus_function{};
  VariableFocus focus_variable{};
};

struct StrategyInfo {
  const char* name;
  const char* summary;     // one line for `lockstep list strategies`
  bool takes_preemptions;  // key `preemptions` and option --preemptions
  bool takes_seed;         // key `seed`
  bool takes_delays;       // key `bound`
  std::unique_ptr<Search> (*make)(const StrategySettings& settings);
  bool takes_depth = false;      // key `depth`
  bool takes_variables = false;  // key `variables` and option --variables
  bool takes_threads = false;    // keys `threads`, `iterations` and options --thread-bound, --loop-iterations
  bool takes_blocks = false;     // keys `locks-write`, `run-delayed`, `as-published`
  bool takes_expand = false;     // key `expand`
};

std::span<const StrategyInfo> strategies();

// Does this strategy need to know which memory is touched, and whether that is a race? `spec` as in StrategyOptions.
bool watches_memory(std::string_view spec);

Result<std::unique_ptr<Search>> make_strategy(const StrategyOptions& options);

}  // namespace lockstep
