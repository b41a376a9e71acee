// Computes the preemptions, variables and threads that a failing schedule needed.
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
  uint32_t from, to;  // records during which the preempted thread waited to continue
};

using Accessed = std::map<ObjectId, bool>;  // true: also written

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

// The preempted threads, and the threads that meanwhile did something that the preempted thread depends on. If no
// thread did, the thread that ran instead.
std::set<ThreadId> around(std::span<const Step> steps, const std::vector<Preemption>& preemptions) {
  std::set<ThreadId> threads;
  std::map<ThreadId, Accessed> of_thread;
  for (const Preemption& p : preemptions) {
    threads.insert(p.thread);
    const auto [known, fresh] = of_thread.try_emplace(p.thread);
    if (fresh) known->second = accessed_by(steps, p.thread);
    const Accessed& mine = known->second;
    bool any = false;
    for (uint32_t i = p.from; i < p.to; ++i) {
      if (steps[i].is_note() || steps[i].is_choice() || !conflicts(steps[i], mine)) continue;
      threads.insert(steps[i].thread);
      any = true;
    }
    if (!any) threads.insert(steps[p.from].thread);
  }
  return threads;
}

// Groups of threads whose order can matter in a schedule without preemptions. Two threads belong to one group if both
// access an object, one of them writes, and no creation or join orders the accesses.
class Constraints {
 public:
  void step(const Step& s) {
    Times& mine = times_[s.thread];
    ++mine[s.thread];
    const ThreadId other = s.second.thread();
    if (s.kind == OpKind::Create) {
      times_[other] = mine;
    } else if (s.kind == OpKind::Join) {
      for (const auto& [t, when] : times_[other]) mine[t] = std::max(mine[t], when);
    }
    if (s.is_note() || s.is_choice()) return;
    for (const Access& a : accesses(s.operation())) {
      for (const auto& [t, use] : uses_[a.object])
        if (t != s.thread && (a.write || use.second) && mine[t] < use.first) group_of(t) = group_of(s.thread);
      auto& use = uses_[a.object][s.thread];
      use = {mine[s.thread], use.second || a.write};
    }
  }
  uint32_t connected_to(ThreadId culprit) {
    std::map<ThreadId, uint32_t> sizes;
    for (const auto& [t, times] : times_) ++sizes[group_of(t)];
    uint32_t largest = 0;
    for (const auto& [group, size] : sizes) largest = std::max(largest, size);
    // The main thread that checks the result after joining all others is ordered after all of them.
    const uint32_t own = culprit == kNoThread ? 0 : sizes[group_of(culprit)];
    return own > 1 ? own : largest;
  }

 private:
  using Times = std::map<ThreadId, uint32_t>;
  ThreadId& group_of(ThreadId t) {
    auto place = group_.try_emplace(t, t).first;
    while (place->second != place->first) place = group_.try_emplace(place->second, place->second).first;
    return place->second;
  }
  std::map<ThreadId, Times> times_;
  std::map<ObjectId, std::map<ThreadId, std::pair<uint32_t, bool>>> uses_;  // latest; was any a write
  std::map<ThreadId, ThreadId> group_;
};

// Counts the threads where the schedule departs from the default one without a preemption, because their order matters.
// If the schedule never departs, counts the group connected to the failure.
uint32_t threads_in_order(TraceView trace) {
  std::set<ThreadId> moved;
  for (ScheduleCursor at(trace); !at.done(); at.advance())
    if (!at.step().is_note() && !at.step().is_choice() && at.taken() != at.default_value())
      moved.insert({at.step().thread, ThreadId{at.default_value()}});
  if (!moved.empty()) return static_cast<uint32_t>(moved.size());
  Constraints constraints;
  HappensBefore order;
  for (const Step& s : trace.steps()) order.push(s);
  const ThreadId culprit = trace.header().culprit;
  const uint32_t end = culprit == kNoThread ? HappensBefore::kNone : order.last_of(culprit);
  for (uint32_t i = 0; i < order.size(); ++i)
    if (end == HappensBefore::kNone || order.ordered(i, end)) constraints.step(trace.steps()[i]);
  return constraints.connected_to(culprit);
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
  if (trace.is_brief()) return {trace.header().preemptions, 0, trace.header().threads};
  LastAccess last;
  std::set<ObjectId> variables;
  std::vector<Preemption> preemptions;
  const auto steps = trace.steps();
  for (ScheduleCursor at(trace); !at.done(); at.advance()) {
    const Step& step = at.step();
    if (!step.is_note() && !step.is_choice() && at.cost(step.thread) > 0 && at.running() != kNoThread) {
      Preemption p{at.running(), at.index(), static_cast<uint32_t>(steps.size())};
      for (uint32_t i = p.from; i < steps.size(); ++i)
        if (steps[i].thread == p.thread && !steps[i].is_note()) {
          p.to = i;
          break;
        }
      // A thread preempted before its first access: the preemption is charged to that first access.
      ObjectId object = last.of(at.running());
      if (object == kNoObject && p.to < steps.size()) object = steps[p.to].object;
      if (object != kNoObject) variables.insert(object);
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
  const auto threads =
      preemptions.empty() ? threads_in_order(trace) : static_cast<uint32_t>(around(steps, preemptions).size());
  bounds.threads = std::max(threads, std::min(2u, trace.header().threads));
  return bounds;
}

}  // namespace lockstep
