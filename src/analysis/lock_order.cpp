// Searches for cycles of nested locks (Goodlock).
#include "analysis/lock_order.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "model/schedule.hpp"

namespace lockstep {
namespace {

// A try-lock does not wait, so it closes no cycle. The lock that it took counts as held.
bool takes(const Step& s) { return is_lock(s.kind) && acquires(s.kind, s.flags); }
bool waits(const Step& s) { return is_acquire(s.kind) && !(s.flags & Step::kTimed); }

using Times = std::map<ThreadId, uint32_t>;  // clocks of creation and joining only

// A thread waited for `wanted` while it held `held` (and `others`).
struct Nesting {
  ThreadId thread;
  ObjectId held, wanted;
  std::vector<ObjectId> all_held;
  Times times;
  uint32_t held_step, step;
};

bool concurrent(const Nesting& a, const Nesting& b) {
  auto knows = [](const Nesting& x, const Nesting& y) {  // x is before y
    const auto at = y.times.find(x.thread);
    return at != y.times.end() && at->second >= x.times.at(x.thread);
  };
  return a.thread != b.thread && !knows(a, b) && !knows(b, a);
}

bool guarded(const Nesting& a, const Nesting& b) {
  return std::any_of(a.all_held.begin(), a.all_held.end(), [&](ObjectId o) {
    return std::find(b.all_held.begin(), b.all_held.end(), o) != b.all_held.end();
  });
}

std::vector<Nesting> nestings(TraceView trace) {
  std::map<ThreadId, std::vector<ObjectId>> held;
  std::map<std::pair<ThreadId, ObjectId>, uint32_t> since;
  uint32_t index = 0;
  std::map<ThreadId, Times> times;
  std::vector<Nesting> found;
  std::set<std::tuple<ThreadId, ObjectId, ObjectId, std::vector<ObjectId>, Times>> known;
  for (const Step& s : trace.steps()) {
    const uint32_t here = index++;
    Times& mine = times[s.thread];
    mine.try_emplace(s.thread, 1);
    const ThreadId other = s.second.thread();
    if (s.kind == OpKind::Create) {
      times[other] = mine;
      times[other][other] = 1;
      ++mine[s.thread];
    } else if (s.kind == OpKind::Join) {
      for (const auto& [t, when] : times[other]) mine[t] = std::max(mine[t], when);
    } else if (takes(s)) {
      std::vector<ObjectId>& locks = held[s.thread];
      if (waits(s))
        for (ObjectId lock : locks)
          if (lock != s.object && known.emplace(s.thread, lock, s.object, locks, mine).second)
            found.push_back({s.thread, lock, s.object, locks, mine, since[{s.thread, lock}], here});
      locks.push_back(s.object);
      since[{s.thread, s.object}] = here;
    } else if (leaves_lock(s.kind)) {
      std::vector<ObjectId>& locks = held[s.thread];
      if (auto at = std::find(locks.rbegin(), locks.rend(), held_object(s)); at != locks.rend())
        locks.erase(std::next(at).base());
    }
  }
  return found;
}

// A cycle held -> wanted = held -> ..., each edge by another thread; empty if there is none.
std::vector<Nesting> cycle_in(const std::vector<Nesting>& all) {
  std::map<ObjectId, std::vector<const Nesting*>> by_held;
  for (const Nesting& nesting : all) by_held[nesting.held].push_back(&nesting);
  std::vector<Nesting> path;
  std::function<bool()> extend = [&] {
    if (path.size() > 1 && path.back().wanted == path.front().held) return true;
    const auto held = by_held.find(path.back().wanted);
    if (held == by_held.end()) return false;
    for (const Nesting* at : held->second) {
      const Nesting& next = *at;
      if (std::any_of(path.begin(), path.end(),
                      [&](const Nesting& n) { return !concurrent(n, next) || guarded(n, next); }))
        continue;
      path.push_back(next);
      if (extend()) return true;
      path.pop_back();
    }
    return false;
  };
  for (const Nesting& first : all) {
    path = {first};
    if (extend()) return path;
  }
  return {};
}

}  // namespace

// Computes the key of the nestings. Runs after every execution, so it has to be cheap.
void NestedLocks::read(std::span<const Step> steps) {
  for (const Step& s : steps) {
    if (!is_lock(s.kind)) continue;  // most steps; in long executions nearly all
    const bool take = takes(s);
    if (!take && !leaves_lock(s.kind)) continue;
    const size_t thread = index_of(s.thread);
    if (thread >= 64) many = true;
    if (many) return;
    Depth& mine = depth[thread];
    if (!(known >> thread & 1)) mine = {0, kNoObject};
    known |= uint64_t{1} << thread;
    if (take && mine.locks++ > 0)  // a sum: independent of the order in which the threads did so
      key += ((static_cast<uint64_t>(mine.last) * 31 + static_cast<uint64_t>(s.object)) * 31 + thread + 1) *
             0x9e3779b97f4a7c15ull;
    if (take) mine.last = s.object;
    if (!take) --mine.locks;
  }
}

uint64_t LockOrderAnalysis::nesting_key(TraceView trace) {
  const std::span<const Step> steps = trace.steps();
  const uint32_t from = prefix_.of(
      trace, [&](NestedLocks& state, uint32_t begin, uint32_t end) { state.read(steps.subspan(begin, end - begin)); });
  NestedLocks nesting;
  if (from > 0) nesting = prefix_.state();
  nesting.read(steps.subspan(from));
  return nesting.many ? ~uint64_t{0} : nesting.key;
}

std::optional<Finding> LockOrderAnalysis::check(TraceView trace) {
  const uint64_t key = nesting_key(trace);
  if (key == 0 || trace.outcome() == Outcome::Deadlock || seen_.contains(key)) return std::nullopt;
  const std::vector<Nesting> cycle = cycle_in(nestings(trace));
  if (cycle.empty()) {
    seen_.insert(key);
    return std::nullopt;
  }
  Finding finding;
  finding.kind = FindingKind::LockOrder;
  finding.preemptions = count_preemptions(trace);
  finding.threads = static_cast<uint32_t>(cycle.size());
  finding.message = "locks are taken in opposite orders:";
  for (const Nesting& n : cycle) {
    finding.lock_cycle.push_back({n.thread, n.held, n.wanted, n.held_step, n.step});
    finding.message +=
        (finding.lock_cycle.size() > 1 ? ", " : " ") + name_of(n.thread) + " takes one while holding another";
  }
  return finding;
}

}  // namespace lockstep
