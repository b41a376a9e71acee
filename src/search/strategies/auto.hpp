// Strategy `auto`, the default: proofs and several ways to look for bugs take turns.
// docs/decisions/0011-auto-takes-turns.md explains the choice and the shares.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "search/base/strategy.hpp"

namespace lockstep {

struct AutoOptions {
  std::optional<uint32_t> preemptions;  // the bound to prove; none: everything
  bool bound_given = false;             // a bound, or explicitly none: only a proof is wanted
  bool budget_given = false;            // does not end before the user's budget
  uint64_t seed = 0;
  uint32_t max_steps = kNoStepLimit;
};

std::unique_ptr<Search> make_auto(const AutoOptions& options);
std::unique_ptr<Search> make_portfolio(const AutoOptions& options);  // all strategies side by side from the start

}  // namespace lockstep
