#include "analysis/registry.hpp"

#include "analysis/lock_order.hpp"
#include "analysis/outcome.hpp"
#include "analysis/races.hpp"

namespace lockstep {
namespace {

template <class A>
std::unique_ptr<Analysis> make() {
  return std::make_unique<A>();
}

constexpr AnalysisInfo kAnalyses[] = {
    {"outcome", "failed assertions, crashes, deadlocks: executions that ended badly", make<OutcomeAnalysis>},
    {"races", "data races and uses of freed memory, in instrumented code", make<RaceAnalysis>},
    {"lock-order", "locks taken in opposite orders: deadlocks that this execution missed", make<LockOrderAnalysis>},
};

}  // namespace

std::span<const AnalysisInfo> analyses() { return kAnalyses; }

}  // namespace lockstep
