// Computes the odds of alternatives and draws their clocks.
#include "search/ranks/odds.hpp"

#include <algorithm>
#include <cmath>

#include "search/base/seeds.hpp"

namespace lockstep {
namespace {

// Powers of two that divide the odds.
constexpr double kNothingNew = 6, kPromisedBefore = 0.5, kNoRace = 4, kDeviation = 3, kPreemption = -1;
constexpr double kRandomness = 0.5;
constexpr double kOffset = 32, kUnit = 512;  // maps the possible values to 16 bits

uint64_t mix(uint64_t state, uint32_t step, uint16_t value) {
  return seed_of(state ^ (uint64_t{step} << 16 | value), 0);
}

}  // namespace

void OddsRank::look(const ExecutionView& execution) {
  view_.look(execution);
  requests_.look(execution);
  path_ = seed_;
  for (const Delta& d : execution.deltas()) path_ = mix(path_, d.step, d.value);
}

uint64_t OddsRank::of(const ExecutionView& execution, const Alternative& a) {
  const uint64_t promise = view_.of(execution, a);
  double against = promise == ViewRank::kNothingNew ? kNothingNew : kPromisedBefore * static_cast<double>(promise);
  if (chooses_thread(execution, a) && !requests_.find(a.step, a.value)) against += kNoRace;
  against += kDeviation * static_cast<double>(execution.deltas().size()) + kPreemption * a.cost;
  const double u = (static_cast<double>(mix(path_, a.step, a.value) >> 11) + 0.5) * 0x1p-53;
  const double rings = against + kRandomness * std::log2(-std::log(u));
  return static_cast<uint64_t>(std::clamp((rings + kOffset) * kUnit, 0.0, 65535.0));
}

}  // namespace lockstep
