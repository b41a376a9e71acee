#include "search/simplify.hpp"

#include <unordered_map>

#include "model/schedule.hpp"
#include "search/failure_keys.hpp"

namespace lockstep {

Finding simplify(Executor& executor, std::span<Analysis* const> analyses, const Finding& finding,
                 const std::function<std::optional<Finding>(Finding)>& confirm, std::optional<uint32_t> proved,
                 ShrinkBudget budget) {
  const uint32_t max_steps = finding.plan.max_steps;
  const auto replayed = [&](const Trace& trace) -> std::optional<Finding> {
    Finding simpler = finding;
    simpler.plan = plan_of(trace);
    simpler.plan.max_steps = max_steps;
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
  const std::optional<Shrunk> shrunk = shrink(executor, finding.trace, max_steps, same, proved, budget);
  if (!shrunk) return finding;
  return replayed(shrunk->trace).value_or(finding);
}

}  // namespace lockstep
