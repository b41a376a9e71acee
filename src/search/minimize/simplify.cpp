#include "search/minimize/simplify.hpp"

#include <unordered_map>

#include "model/schedule.hpp"
#include "search/base/failure_keys.hpp"
#include "search/minimize/threads_needed.hpp"

namespace lockstep {
namespace {

// The same memory has to be tracked in every attempt, otherwise records would not be comparable.
class Tracking final : public Executor {
 public:
  Tracking(Executor& executor, const std::vector<TrackedRange>& tracked) : executor_(executor), tracked_(tracked) {}
  size_t window() const override { return executor_.window(); }
  void submit(const Plan& plan) override {
    if (tracked_.empty()) return executor_.submit(plan);
    Plan copy = plan;
    copy.tracked = tracked_;
    executor_.submit(copy);
  }
  std::optional<TraceView> next(const std::function<bool()>& interrupted) override {
    return executor_.next(interrupted);
  }
  void cancel() override { executor_.cancel(); }

 private:
  Executor& executor_;
  const std::vector<TrackedRange>& tracked_;
};

}  // namespace

Finding simplify(Executor& executor, std::span<Analysis* const> analyses, const Finding& finding,
                 const std::function<std::optional<Finding>(Finding)>& confirm, std::optional<uint32_t> proved,
                 ShrinkBudget budget) {
  const uint32_t max_steps = finding.plan.max_steps;
  const auto replayed = [&](const Trace& trace) -> std::optional<Finding> {
    Finding simpler = finding;
    simpler.plan = plan_of(trace);
    simpler.plan.max_steps = max_steps;
    simpler.plan.tracked = finding.plan.tracked;
    std::optional<Finding> found = confirm(std::move(simpler));
    return found && found->fingerprint == finding.fingerprint ? found : std::nullopt;
  };
  // Fingerprints need stacks; what looks alike without them is looked at once.
  std::unordered_map<FailureKey, bool> known;
  const auto same = [&](const Trace& trace) {
    for (Analysis* analysis : analyses) {
      const std::optional<Finding> found = analysis->check(trace);
      if (!found || found->kind != finding.observed.value_or(finding.kind)) continue;
      const auto [place, fresh] = known.try_emplace(key_of(*found, trace), false);
      if (fresh) place->second = replayed(trace).has_value();
      return place->second;
    }
    return false;
  };
  Tracking tracking(executor, finding.plan.tracked);
  const std::optional<Shrunk> shrunk = shrink(tracking, finding.trace, max_steps, same, proved, budget);
  Finding simplest = shrunk ? replayed(shrunk->trace).value_or(finding) : finding;
  if (simplest.race && !simplest.race->misuse()) return simplest;  // between two accesses, whatever else is ordered
  if (const auto threads = threads_needed(tracking, simplest.trace, max_steps, same, budget))
    simplest.threads = *threads;
  return simplest;
}

}  // namespace lockstep
