// The strategies by name. A new strategy is one file in strategies/ and one line in registry.cpp.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "model/result.hpp"
#include "search/strategy.hpp"

namespace lockstep {

// What the command line says about the strategy.
struct StrategyOptions {
  std::string spec = "auto";  // name[:key=value,...]
  std::optional<uint32_t> preemptions;
  bool preemptions_none = false;  // explicitly unbounded
  uint64_t seed = 0;
  uint32_t max_steps = 1'000'000;
};

// Those options with the keys of `spec` read into them: what a strategy is made from.
struct StrategySettings {
  std::optional<uint32_t> preemptions;
  bool preemptions_given = false;  // a bound, or explicitly none
  std::optional<uint32_t> delays;
  uint64_t seed = 0;
  uint32_t max_steps = 1'000'000;
};

struct StrategyInfo {
  const char* name;
  const char* summary;  // one line for `lockstep list strategies`
  bool takes_preemptions;  // key `preemptions` and option --preemptions
  bool takes_seed;         // key `seed`
  bool takes_delays;       // key `bound`
  std::unique_ptr<Strategy> (*make)(const StrategySettings& settings);
};

std::span<const StrategyInfo> strategies();

Result<std::unique_ptr<Strategy>> make_strategy(const StrategyOptions& options);

}  // namespace lockstep
