// The strategies by name. A new strategy is one file here and one line in strategy_registry.cpp.
#pragma once
#include <memory>
#include <span>
#include <string_view>

#include "model/result.hpp"
#include "search/base/strategy.hpp"
#include "search/strategies/strategy_settings.hpp"

namespace lockstep {

struct StrategyInfo {
  const char* name;
  const char* summary;                                          // one line for `lockstep list strategies`
  unsigned takes;                                               // bits of Takes
  std::unique_ptr<Search> (*make)(StrategySettings& settings);  // which may lose its ranks to the search
};

std::span<const StrategyInfo> strategies();

// Does this strategy need to know which memory is touched, and whether that is a race? `spec` as in StrategyOptions.
bool watches_memory(std::string_view spec);

Result<std::unique_ptr<Search>> make_strategy(const StrategyOptions& options);

}  // namespace lockstep
