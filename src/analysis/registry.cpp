#include "analysis/registry.hpp"

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
    {"races", "data races: conflicting accesses that nothing orders (instrumented code)", make<RaceAnalysis>},
};

}  // namespace

std::span<const AnalysisInfo> analyses() { return kAnalyses; }

}  // namespace lockstep
