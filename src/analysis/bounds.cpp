#include "analysis/bounds.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/deadlock.hpp"
#include "analysis/happens_before.hpp"

namespace lockstep {
namespace {

struct Preemption {
  ThreadId thread;
  uint32_t from, to;  // records while it waited to go on
};

using Accessed = std::map<ObjectId, bool>;  // and written

Accessed accessed_by(std::span<const Step> steps, ThreadId t) {
  Accessed objects;
  for (const Step& s : steps)
    if (s.thread == t && !s.is_note() && !s.is_choice())
      for (const Access& a : accesses(s.operation())) objects[a.object] |= a.write;
  return objects;
}

bool conflicts(const Step& s, const Accessed& objects) {
  for (const Access& a : accesses(s.operation()))
    if (const auto found = objects.find(a.object); found != objects.end() && (a.write || found->second)) return true;
  return false;
}

// Who was preempted, who went on instead, and whoever did something meanwhile that the preempted thread depends on.
std::set<ThreadId> around(std::span<const Step> steps, const std::vector<Preemption>& preemptions) {
  std::set<ThreadId> threads;
  for (const Preemption& p : preemptions) {
    threads.insert({p.thread, steps[p.from].thread});
    const Accessed mine = accessed_by(steps, p.thread);
    for (uint32_t i = p.from; i < p.to; ++i)
      if (!steps[i].is_note() && !steps[i].is_choice() && !threads.contains(steps[i].thread) && conflicts(steps[i], mine))
        threads.insert(steps[i].thread);
  }
  return threads;
}

// Without preemptions only the order of whole threads is left: those that the failure could not have happened without.
std::set<ThreadId> before_failure(TraceView trace) {
  std::set<ThreadId> threads;
  const ThreadId culprit = trace.header().culprit;
  HappensBefore order;
  for (const Step& s : trace.steps()) order.push(s);
  const uint32_t end = culprit == kNoThread ? HappensBefore::kNone : order.last_of(culprit);
  for (uint32_t i = 0; i < order.size(); ++i)
    if (!trace.steps()[i].is_note() && (end == HappensBefore::kNone || order.ordered(i, end))) threads.insert(trace.steps()[i].thread);
  return threads;
}

}  // namespace

void LastAccess::step(const Step& s) {
  if (s.is_note() || s.is_choice() || s.object == kNoObject) return;
  const unsigned t = index_of(s.thread);
  if (t >= last_.size()) last_.resize(t + 1, kNoObject);
  last_[t] = s.object;
}

ScheduleBounds bounds_of(TraceView trace) {
  ScheduleBounds bounds;
  LastAccess last;
  std::set<ObjectId> variables;
  std::vector<Preemption> preemptions;
  const auto steps = trace.steps();
  for (ScheduleCursor at(trace); !at.done(); at.advance()) {
    const Step& step = at.step();
    if (!step.is_note() && !step.is_choice() && at.cost(step.thread) > 0 && at.running() != kNoThread) {
      if (const ObjectId object = last.of(at.running()); object != kNoObject) variables.insert(object);
      Preemption p{at.running(), at.index(), static_cast<uint32_t>(steps.size())};
      for (uint32_t i = p.from; i < steps.size(); ++i)
        if (steps[i].thread == p.thread && !steps[i].is_note()) {
          p.to = i;
          break;
        }
      preemptions.push_back(p);
    }
    last.step(step);
  }
  bounds.preemptions = count_preemptions(trace);
  bounds.variables = static_cast<uint32_t>(variables.size());
  if (trace.outcome() == Outcome::Deadlock)
    if (const auto cycle = wait_graph(trace).cycle; !cycle.empty()) {
      bounds.threads = static_cast<uint32_t>(cycle.size());
      return bounds;
    }
  const std::set<ThreadId> threads = preemptions.empty() ? before_failure(trace) : around(steps, preemptions);
  bounds.threads = std::max<uint32_t>(static_cast<uint32_t>(threads.size()), std::min(2u, trace.header().threads));
  return bounds;
}

}  // namespace lockstep
