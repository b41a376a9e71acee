#include "work/control_executions.hpp"

#include <xxhash.h>

namespace lockstep {

TraceHash hash_of(TraceView trace) {
  XXH3_state_t* state = XXH3_createState();
  XXH3_128bits_reset(state);
  const TraceHeader& h = trace.header();
  // Without what differs by way of transport: the plan's number, and where the trace lies.
  const uint64_t facts[] = {uint64_t(h.outcome),
                            h.steps,
                            h.pending,
                            h.set_words,
                            h.decisions,
                            h.threads,
                            h.races,
                            h.reasons,
                            h.brief,
                            h.preemptions,
                            h.contested,
                            uint64_t(h.redundancy),
                            h.fingerprint,
                            h.output,
                            static_cast<uint64_t>(h.code),
                            static_cast<uint64_t>(h.culprit)};
  XXH3_128bits_update(state, facts, sizeof facts);
  XXH3_128bits_update(state, trace.steps().data(), trace.steps().size_bytes());
  XXH3_128bits_update(state, trace.pending().data(), trace.pending().size_bytes());
  XXH3_128bits_update(state, trace.sets().data(), trace.sets().size_bytes());
  const XXH128_hash_t hash = XXH3_128bits_digest(state);
  XXH3_freeState(state);
  return {hash.low64, hash.high64};
}

std::vector<Plan> control_plans() {
  std::vector<Plan> plans(1);
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    Plan& plan = plans.emplace_back();
    plan.policy = Policy::Random;
    plan.seed = seed;
    plan.whole = true;
  }
  return plans;
}

std::vector<TraceHash> run_controls(Target& target) {
  std::vector<TraceHash> hashes;
  const std::vector<Plan> plans = control_plans();
  for (const Plan& plan : plans) {
    target.submit(plan);
    const std::optional<TraceView> trace = target.next(nullptr);
    if (!trace || trace->outcome() == Outcome::Uncontrolled) break;
    hashes.push_back(hash_of(*trace));
  }
  target.cancel();
  return hashes;
}

}  // namespace lockstep
