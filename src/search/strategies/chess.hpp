// What CHESS does: iterative context bounding, and no state explored twice (happens-before state caching).
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "search/base/strategy.hpp"

namespace lockstep {

struct ChessOptions {
  std::optional<uint32_t> preemptions;  // last bound to explore; none: go on until nothing is left
  uint32_t max_steps = 1'000'000;
  std::optional<uint32_t> variables{};  // preemptions happen at accesses to so many variables at most
};

std::unique_ptr<Search> make_chess(const ChessOptions& options);

}  // namespace lockstep
