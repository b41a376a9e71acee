// Computes the preemptions, variables and threads that a failing schedule needed.
#include "analysis/bounds.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "analysis/deadlock.hpp"
#include "analysis/happens_before.hpp"

namespace lockstep {
namespace {

struct Preemption {
  ThreadId thread;
  uint32_t from, to;  // records during which the preempted thread waited to continue
};

// What the preempted threads access in the whole execution, by object.
struct User {
  ThreadId thread;
  bool writes;
};
using Users = std::unordered_map<uint64_t, std::vector<User>>;

Users users_among(std::span<const Step> steps, const std::set<ThreadId>& preempted) {
  Users users;
  for (const Step& s : steps) {
    if (s.is_note() || s.is_choice() || !preempted.contains(s.thread)) continue;
    for (const Access& a : accesses(s.operation())) {
      std::vector<User>& of_object = users[static_cast<uint64_t>(a.object)];
      const auto known = std::ranges::find(of_object, s.thread, &User::thread);
      if (known == of_object.end())
        of_object.push_back({s.thread, a.write});
      else
        known->writes |= a.write;
    }
  }
  return users;
}

// The preempted threads, and the threads that meanwhile did something that the preempted thread depends on. If no
// thread did, the thread that ran instead. One pass, because a long execution may have as many preemptions as steps.
class Surroundings {
 public:
  Surroundings(std::span<const Step> steps, const std::vector<Preemption>& preemptions) : steps_(steps) {
    for (const Preemption& p : preemptions) threads_.insert(p.thread);
    users_ = users_among(steps, threads_);
    auto next = preemptions.begin();
    for (uint32_t i = 0; i < steps.size(); ++i) {
      if (const auto over = waiting_.find(steps[i].thread); over != waiting_.end() && !steps[i].is_note()) end(over);
      for (; next != preemptions.end() && next->from == i; ++next) begin(*next);
      if (!steps[i].is_note() && !steps[i].is_choice()) look_at(steps[i]);
    }
    while (!waiting_.empty()) end(waiting_.begin());
  }
  size_t size() const { return threads_.size(); }

 private:
  struct Wait {
    uint32_t from;
    bool met;  // a thread did something that this one depends on
  };
  using Waiting = std::map<ThreadId, Wait>;

  void begin(const Preemption& p) {
    if (const auto earlier = waiting_.find(p.thread); earlier != waiting_.end()) end(earlier);
    waiting_[p.thread] = {p.from, false};
    ++unmet_;
  }
  void end(Waiting::iterator over) {
    if (!over->second.met) {
      --unmet_;
      threads_.insert(steps_[over->second.from].thread);
    }
    waiting_.erase(over);
  }
  void look_at(const Step& s) {
    if (waiting_.empty() || (unmet_ == 0 && threads_.contains(s.thread))) return;  // nothing would change
    for (const Access& a : accesses(s.operation())) {
      const auto users = users_.find(static_cast<uint64_t>(a.object));
      if (users == users_.end()) continue;
      for (const User& user : users->second) {
        const auto wait = waiting_.find(user.thread);
        if (wait == waiting_.end() || !(a.write || user.writes)) continue;
        threads_.insert(s.thread);
        unmet_ -= !wait->second.met;
        wait->second.met = true;
      }
    }
  }

  std::span<const Step> steps_;
  std::set<ThreadId> threads_;
  Users users_;
  Waiting waiting_;
  size_t unmet_ = 0;  // of those that wait
};

// Sets where each preempted thread goes on, in one pass from the end.
void find_ends(std::span<const Step> steps, std::vector<Preemption>& preemptions) {
  std::map<ThreadId, uint32_t> next;
  auto last = preemptions.rbegin();
  for (auto i = static_cast<uint32_t>(steps.size()); i-- > 0 && last != preemptions.rend();) {
    if (!steps[i].is_note()) next[steps[i].thread] = i;
    for (; last != preemptions.rend() && last->from == i; ++last)
      if (const auto found = next.find(last->thread); found != next.end()) last->to = found->second;
  }
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
  constexpr size_t kMostClocks = 64u << 20;  // a clock per step and thread
  if (trace.steps().size() * trace.header().threads > kMostClocks) return trace.header().threads;
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
  std::vector<size_t> early;  // preemptions of a thread before its first access: charged to that access
  const auto steps = trace.steps();
  for (ScheduleCursor at(trace); !at.done(); at.advance()) {
    const Step& step = at.step();
    if (!step.is_note() && !step.is_choice() && at.cost(step.thread) > 0 && at.running() != kNoThread) {
      preemptions.push_back({at.running(), at.index(), static_cast<uint32_t>(steps.size())});
      const ObjectId object = last.of(at.running());
      if (object != kNoObject)
        variables.insert(object);
      else
        early.push_back(preemptions.size() - 1);
    }
    last.step(step);
  }
  find_ends(steps, preemptions);
  for (const size_t i : early)
    if (const uint32_t to = preemptions[i].to; to < steps.size() && steps[to].object != kNoObject)
      variables.insert(steps[to].object);
  bounds.preemptions = count_preemptions(trace);
  bounds.variables = static_cast<uint32_t>(variables.size());
  if (trace.outcome() == Outcome::Deadlock)
    if (const auto cycle = wait_graph(trace).cycle; !cycle.empty()) {
      bounds.threads = static_cast<uint32_t>(cycle.size());
      return bounds;
    }
  const auto threads =
      preemptions.empty() ? threads_in_order(trace) : static_cast<uint32_t>(Surroundings(steps, preemptions).size());
  bounds.threads = std::max(threads, std::min(2u, trace.header().threads));
  return bounds;
}

}  // namespace lockstep
