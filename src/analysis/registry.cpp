#include "analysis/registry.hpp"

#include "analysis/outcome.hpp"

namespace lockstep {
namespace {

template <class A>
std::unique_ptr<Analysis> make() {
  return std::make_unique<A>();
}

constexpr AnalysisInfo kAnalyses[] = {
    {"outcome", "failed assertions, crashes, deadlocks: executions that ended badly", make<OutcomeAnalysis>},
};

}  // namespace

std::span<const AnalysisInfo> analyses() { return kAnalyses; }

}  // namespace lockstep
