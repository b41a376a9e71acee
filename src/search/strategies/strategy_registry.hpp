// The strategies by name. To add one: one file in this folder and one line in strategy_registry.cpp.
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
  std::unique_ptr<Search> (*make)(StrategySettings& settings);  // may move the ranks out of the settings
};

std::span<const StrategyInfo> strategies();

// Does this strategy depend on accesses to memory and on races? `spec` as in StrategyOptions.
bool watches_memory(std::string_view spec);

Result<std::unique_ptr<Search>> make_strategy(const StrategyOptions& options);

}  // namespace lockstep
