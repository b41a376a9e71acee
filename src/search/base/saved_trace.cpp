// Writes plans and traces to a saved search, and checks what is read.
#include "search/base/saved_trace.hpp"

#include <algorithm>

namespace lockstep {
namespace {

bool has_sets(TraceView trace, const Step& step) {
  if (!(step.flags & Step::kWide)) return true;
  const std::span<const uint64_t> sets = trace.sets();
  return step.enabled < sets.size() && sets[step.enabled] <= (sets.size() - step.enabled - 1) / 2;
}

bool is_sound(TraceView trace, uint64_t bytes) {
  const TraceHeader& h = trace.header();
  if (h.bytes != bytes || h.version != kTraceVersion || h.outcome >= Outcome::kCount || h.wire != 0) return false;
  const uint64_t sections = sizeof(TraceHeader) + sizeof(Step) * (uint64_t{h.steps} + h.pending) +
                            8 * (uint64_t{h.set_words} + h.stack_words) + h.message_bytes +
                            sizeof(Touched) * uint64_t{h.block_units} + sizeof(DataRace) * uint64_t{h.races} +
                            sizeof(Allocation) * uint64_t{h.allocations} + sizeof(StepValues) * uint64_t{h.values};
  if (uint64_t{h.steps} + h.pending > 0xffff'ffff || sections > bytes || bytes - sections >= 8) return false;
  const auto sound = [trace](const Step& step) { return has_sets(trace, step); };
  return std::ranges::all_of(trace.steps(), sound) && std::ranges::all_of(trace.pending(), sound);
}

}  // namespace

void put_plan(StateWriter& out, const Plan& plan) {
  std::vector<char> wire(wire_size(plan));
  write_wire(plan, wire.data());
  out.put_all(wire);
}

Plan get_plan(StateReader& in) {
  const std::vector<char> wire = in.get_all<char>();
  Plan plan;
  PlanHeader h{};
  if (wire.size() >= sizeof h) std::memcpy(&h, wire.data(), sizeof h);
  const uint64_t sleep_bytes = (2ull * h.sleepers + 7) & ~7ull;
  const uint64_t bytes = sizeof h + sizeof(Delta) * uint64_t{h.deltas} + sleep_bytes + 8 * uint64_t{h.extra_words} +
                         sizeof(TrackedRange) * uint64_t{h.tracked} + sizeof(RecordRange) * uint64_t{h.described};
  if (h.bytes != wire.size() || bytes != wire.size() || h.policy > Policy::Surw || h.tracked > kMaxTracked) {
    in.reject();
    return plan;
  }
  const auto& wired = *reinterpret_cast<const PlanHeader*>(wire.data());
  plan.id = h.id;
  plan.deltas.assign(wired.delta_list(), wired.delta_list() + h.deltas);
  plan.policy = h.policy;
  plan.policy_at = h.policy_at;
  plan.policy_until = h.policy_until;
  plan.detail = h.detail;
  plan.stacks = h.stacks;
  plan.origins = h.origins;
  plan.survey = h.survey;
  plan.whole = h.whole;
  plan.seed = h.seed;
  plan.pct_depth = std::min<uint16_t>(h.pct_depth, kMaxPctDepth);
  plan.pct_horizon = h.pct_horizon;
  plan.focus = h.focus;
  plan.max_steps = h.max_steps;
  plan.sleep_at = h.sleep_at;
  for (uint32_t i = 0; i < h.sleepers; ++i) plan.sleep.push_back(ThreadId{wired.sleeper_list()[i]});
  plan.extra.assign(wired.extra(), wired.extra() + h.extra_words);
  plan.tracked.assign(wired.tracked_list(), wired.tracked_list() + h.tracked);
  plan.described.assign(wired.described_list(), wired.described_list() + h.described);
  return plan;
}

void put_trace(StateWriter& out, TraceView trace) {
  out.put<uint64_t>(trace.header().bytes / 8);  // a multiple of 8
  out.put_bytes(&trace.header(), trace.header().bytes);
}

Trace get_trace(StateReader& in) {
  const auto words = in.get_all<uint64_t>();
  const TraceView view(words.data());
  if (8 * words.size() >= sizeof(TraceHeader) && is_sound(view, 8 * words.size())) return Trace(view);
  in.reject();
  return {};
}

}  // namespace lockstep
