// Writes and reads findings.
#include "search/exploration/saved_finding.hpp"

#include "search/base/saved_trace.hpp"

namespace lockstep {
namespace {

constexpr uint32_t kLongest = 1 << 20;  // bytes of a trace

template <class T>
void put_if(StateWriter& out, const std::optional<T>& value) {
  out.put(value.has_value());
  if (value) out.put(*value);
}
template <class T>
std::optional<T> get_if(StateReader& in) {
  if (!in.get<bool>()) return std::nullopt;
  return in.get<T>();
}

void put_short_trace(StateWriter& out, const Trace& trace) {
  const bool kept = !trace.empty() && trace.view().header().bytes <= kLongest;
  out.put(kept);
  if (kept) put_trace(out, trace);
}

}  // namespace

void put_finding(StateWriter& out, const Finding& f) {
  out.put(f.kind);
  put_if(out, f.observed);
  for (const std::string* text :
       {&f.message, &f.test, &f.doubt, &f.fingerprint, &f.schedule, &f.location.function, &f.location.file})
    out.put_text(*text);
  out.put(f.location.line);
  out.put(f.execution);
  out.put(f.preemptions);
  put_if(out, f.variables);
  out.put(f.threads);
  put_if(out, f.race);
  put_if(out, f.allocation);
  out.put_all(f.lock_cycle);
  out.put_all(f.steps);
  out.put(f.stored);
  out.put_all(f.plan.deltas);
  out.put_all(f.plan.extra);
  out.put(f.plan.policy);
  out.put(f.plan.seed);
  out.put(f.plan.max_steps);
  out.put_all(f.plan.tracked);
  put_short_trace(out, f.trace);
}

Finding get_finding(StateReader& in) {
  Finding f;
  f.kind = in.get<FindingKind>();
  f.observed = get_if<FindingKind>(in);
  for (std::string* text :
       {&f.message, &f.test, &f.doubt, &f.fingerprint, &f.schedule, &f.location.function, &f.location.file})
    *text = in.get_text();
  f.location.line = in.get<int>();
  f.execution = in.get<uint64_t>();
  f.preemptions = in.get<uint32_t>();
  f.variables = get_if<uint32_t>(in);
  f.threads = in.get<uint32_t>();
  f.race = get_if<DataRace>(in);
  f.allocation = get_if<Allocation>(in);
  f.lock_cycle = in.get_all<LockNesting>();
  f.steps = in.get_all<uint32_t>();
  f.stored = in.get<bool>();
  f.plan.deltas = in.get_all<Delta>();
  f.plan.extra = in.get_all<uint64_t>();
  f.plan.policy = in.get<Policy>();
  f.plan.seed = in.get<uint64_t>();
  f.plan.max_steps = in.get<uint32_t>();
  f.plan.tracked = in.get_all<TrackedRange>();
  if (in.get<bool>()) f.trace = get_trace(in);
  if (f.kind >= FindingKind::kCount || f.observed.value_or(f.kind) >= FindingKind::kCount) in.reject();
  return f;
}

}  // namespace lockstep
