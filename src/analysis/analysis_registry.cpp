// The list of all analyses.
#include "analysis/analysis_registry.hpp"

#include "analysis/leaks.hpp"
#include "analysis/lock_discipline.hpp"
#include "analysis/lock_misuse.hpp"
#include "analysis/lock_order.hpp"
#include "analysis/outcome.hpp"
#include "analysis/output.hpp"
#include "analysis/race_analysis.hpp"
#include "analysis/sc_violation.hpp"

namespace lockstep {
namespace {

template <class A>
std::unique_ptr<Analysis> make() {
  return std::make_unique<A>();
}

// In the order in which findings of one trace are reported: a misuse comes before its consequences.
constexpr AnalysisInfo kAnalyses[] = {
    {"lock-misuse",
     "locks unlocked by a thread that does not hold them, destroyed or freed while in use, or used after that",
     make<LockMisuseAnalysis>},
    {"outcome", "executions that fail: assertion, crash, deadlock, livelock, exit code", make<OutcomeAnalysis>},
    {"races", "data races and uses of freed memory, in instrumented code", make<RaceAnalysis>},
    {"lock-order", "locks taken in opposite orders: another schedule can deadlock", make<LockOrderAnalysis>},
    {"lock-discipline", "shared variables that no common lock protects", make<LockDisciplineAnalysis>},
    {"output", "executions whose output differs from --expect-output", make<OutputAnalysis>},
    {"leaks", "memory that is unreachable when the program ends (--leaks)", make<LeakAnalysis>},
    {"sc-violation", "loads that may read an older value on a processor with store buffers", make<ScViolationAnalysis>},
};

}  // namespace

std::span<const AnalysisInfo> analyses() { return kAnalyses; }

}  // namespace lockstep
