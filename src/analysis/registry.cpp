#include "analysis/registry.hpp"

#include "analysis/leaks.hpp"
#include "analysis/lock_discipline.hpp"
#include "analysis/lock_misuse.hpp"
#include "analysis/lock_order.hpp"
#include "analysis/outcome.hpp"
#include "analysis/races.hpp"
#include "analysis/sc_violation.hpp"

namespace lockstep {
namespace {

template <class A>
std::unique_ptr<Analysis> make() {
  return std::make_unique<A>();
}

// In the order in which what one trace shows is told: a misuse comes before what it leads to.
constexpr AnalysisInfo kAnalyses[] = {
    {"lock-misuse", "locks unlocked, destroyed or freed by those who must not, or used after that",
     make<LockMisuseAnalysis>},
    {"outcome", "failed assertions, crashes, deadlocks: executions that ended badly", make<OutcomeAnalysis>},
    {"races", "data races and uses of freed memory, in instrumented code", make<RaceAnalysis>},
    {"lock-order", "locks taken in opposite orders: deadlocks that this execution missed", make<LockOrderAnalysis>},
    {"lock-discipline", "shared variables that no lock protects at every access", make<LockDisciplineAnalysis>},
    {"leaks", "memory that nothing points to when the program ends (--leaks)", make<LeakAnalysis>},
    {"sc-violation", "loads that a processor with store buffers may answer with an older value",
     make<ScViolationAnalysis>},
};

}  // namespace

std::span<const AnalysisInfo> analyses() { return kAnalyses; }

}  // namespace lockstep
