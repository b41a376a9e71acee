// The wire format of a plan.
#include "model/plan.hpp"

#include <cstring>

namespace lockstep {

uint32_t wire_size(const Plan& plan) {
  size_t bytes = sizeof(PlanHeader) + sizeof(Delta) * plan.deltas.size() + sizeof(uint16_t) * plan.sleep.size();
  return static_cast<uint32_t>(((bytes + 7) & ~size_t{7}) + sizeof(uint64_t) * plan.extra.size() +
                               sizeof(TrackedRange) * plan.tracked.size() +
                               sizeof(RecordRange) * plan.described.size());
}

void write_wire(const Plan& plan, void* out) {
  PlanHeader header{};
  header.bytes = wire_size(plan);
  header.deltas = static_cast<uint32_t>(plan.deltas.size());
  header.id = plan.id;
  header.seed = plan.seed;
  header.max_steps = plan.max_steps;
  header.sleep_at = plan.sleep_at;
  header.sleepers = static_cast<uint32_t>(plan.sleep.size());
  header.policy = plan.policy;
  header.detail = plan.detail;
  header.inspect = plan.inspect;
  header.stacks = plan.stacks;
  header.origins = plan.origins;
  header.survey = plan.survey;
  header.whole = plan.whole;
  header.pct_depth = plan.pct_depth;
  header.pct_horizon = plan.pct_horizon;
  header.tracked = static_cast<uint32_t>(plan.tracked.size());
  header.extra_words = static_cast<uint32_t>(plan.extra.size());
  header.described = static_cast<uint32_t>(plan.described.size());
  header.focus = plan.focus;
  header.policy_at = plan.policy_at;
  header.policy_until = plan.policy_until;
  char* cursor = static_cast<char*>(out);
  std::memcpy(cursor, &header, sizeof header);
  cursor += sizeof header;
  if (!plan.deltas.empty()) std::memcpy(cursor, plan.deltas.data(), sizeof(Delta) * plan.deltas.size());
  cursor += sizeof(Delta) * plan.deltas.size();
  if (!plan.sleep.empty()) std::memcpy(cursor, plan.sleep.data(), sizeof(ThreadId) * plan.sleep.size());
  const size_t extra = sizeof(uint64_t) * plan.extra.size();
  const size_t tracked = sizeof(TrackedRange) * plan.tracked.size();
  const size_t described = sizeof(RecordRange) * plan.described.size();
  char* end = static_cast<char*>(out) + header.bytes;
  if (described) std::memcpy(end - described, plan.described.data(), described);
  end -= described;
  if (extra) std::memcpy(end - tracked - extra, plan.extra.data(), extra);
  if (tracked) std::memcpy(end - tracked, plan.tracked.data(), tracked);
}

}  // namespace lockstep
