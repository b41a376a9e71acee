// What a user gets who knows nothing of strategies: proofs and several ways to look around, in turns; why these, and in
// which shares, is in docs/decisions/0011-auto-takes-turns.md.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "search/base/strategy.hpp"

namespace lockstep {

struct AutoOptions {
  std::optional<uint32_t> preemptions;  // the bound to prove; none: everything
  bool bound_given = false;             // a bound, or explicitly none: proving that is all that is wanted
  bool budget_given = false;            // goes on until that is used up
  uint64_t seed = 0;
  uint32_t max_steps = kNoStepLimit;
};

std::unique_ptr<Search> make_auto(const AutoOptions& options);
std::unique_ptr<Search> make_portfolio(const AutoOptions& options);  // all of them side by side from the start

}  // namespace lockstep
