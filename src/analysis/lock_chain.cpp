#include "analysis/lock_chain.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "model/blocks.hpp"

namespace lockstep {
namespace {

struct Taken {
  ObjectId lock = kNoObject;
  uint32_t record = 0;  // in which it was taken
};

struct Locks {
  std::vector<Taken> held;
  Taken last;  // released most recently
};

bool got(const Step& s) { return !(s.flags & Step::kTimedOut); }

class Chains {
 public:
  explicit Chains(TraceView trace) : steps_(trace.steps()) {
    for (uint32_t i = 0; i < steps_.size(); ++i)
      if (!steps_[i].is_choice()) ahead_[steps_[i].thread].push_back(i);
    for (const Step& p : trace.pending()) pending_[p.thread] = p;
  }

  std::vector<LockChain> find() {
    for (uint32_t i = 0; i < steps_.size(); ++i) {
      const Step& s = steps_[i];
      if (s.is_choice()) continue;
      ++done_[s.thread];
      apply(s, i);
      if (leaves_lock(s.kind) || (s.is_note() && s.kind == OpKind::ThreadExit)) look(i);
    }
    if (!steps_.empty()) look(static_cast<uint32_t>(steps_.size() - 1));
    return std::move(found_);
  }

 private:
  void apply(const Step& s, uint32_t record) {
    Locks& mine = locks_[s.thread];
    if (s.kind == OpKind::Create) {
      const ThreadId child{static_cast<uint16_t>(s.second)};
      owner_[thread_object(child)] = child;  // being alive is a lock that joining waits for
      locks_[child].held.push_back({thread_object(child), record});
    } else if (s.kind == OpKind::ThreadExit) {
      owner_.erase(thread_object(s.thread));
    } else if ((takes_lock(s.kind) || s.kind == OpKind::TryLock || s.kind == OpKind::TryWriteLock) && got(s)) {
      if ((s.flags & Step::kConditional) && !(s.flags & Step::kWrite)) return;
      mine.held.push_back({s.object, record});
      if (s.kind != OpKind::ReadLock) owner_[s.object] = s.thread;
    } else if (leaves_lock(s.kind)) {
      const ObjectId lock = s.kind == OpKind::CondWait ? s.second : s.object;
      for (size_t i = mine.held.size(); i-- > 0;) {
        if (mine.held[i].lock != lock) continue;
        mine.last = mine.held[i];
        mine.held.erase(mine.held.begin() + static_cast<std::ptrdiff_t>(i));
        break;
      }
      if (const auto o = owner_.find(lock); o != owner_.end() && o->second == s.thread) owner_.erase(o);
    }
  }

  // The next operation of `t` if it has to wait for an object that another thread has; kNoObject otherwise.
  ObjectId wanted_by(ThreadId t) {
    const std::vector<uint32_t>& records = ahead_[t];
    const size_t next = done_[t];
    const Step* step = nullptr;
    if (next < records.size())
      step = &steps_[records[next]];
    else if (const auto p = pending_.find(t); p != pending_.end())
      step = &p->second;
    if (!step || (step->flags & Step::kTimed)) return kNoObject;
    const bool waits = step->kind == OpKind::Lock || step->kind == OpKind::WriteLock ||
                       step->kind == OpKind::ReadLock || step->kind == OpKind::Reacquire || step->kind == OpKind::Join;
    return waits ? step->object : kNoObject;
  }

  void look(uint32_t record) {
    for (const auto& [t, mine] : locks_) {
      const bool holds = std::any_of(mine.held.begin(), mine.held.end(),
                                     [t = t](const Taken& h) { return h.lock != thread_object(t); });
      if (!holds) continue;
      if (const ObjectId wanted = wanted_by(t); wanted != kNoObject) follow(t, wanted, record);
    }
  }

  void follow(ThreadId t, ObjectId wanted, uint32_t record) {
    LockChain chain;
    std::map<ThreadId, uint32_t> stop;  // from which record on its steps are left out
    ObjectId held_by_first = kNoObject;
    std::set<ThreadId> seen;
    for (ObjectId lock = wanted;;) {
      const auto owner = owner_.find(lock);
      if (owner == owner_.end() || !seen.insert(owner->second).second) return;
      const ThreadId o = owner->second;
      if (o == t) {
        held_by_first = lock;
        break;
      }
      const Locks& theirs = locks_[o];
      const auto outer =
          std::find_if(theirs.held.begin(), theirs.held.end(), [lock](const Taken& h) { return h.lock == lock; });
      if (outer == theirs.held.end() || theirs.last.lock == kNoObject || theirs.last.record <= outer->record) return;
      chain.cycle.push_back({o, lock, theirs.last.lock});
      stop[o] = theirs.last.record;
      lock = theirs.last.lock;
    }
    if (chain.cycle.empty()) return;
    chain.cycle.insert(chain.cycle.begin(), {t, held_by_first, wanted});
    std::set<std::pair<uint64_t, uint64_t>> key;
    for (const LockNesting& n : chain.cycle) key.insert({index_of(n.thread), static_cast<uint64_t>(n.wanted)});
    if (!known_.insert(key).second) return;
    write_wishes(record, stop, chain.wishes);
    found_.push_back(std::move(chain));
  }

  void write_wishes(uint32_t record, const std::map<ThreadId, uint32_t>& stop, std::vector<Delta>& out) const {
    std::map<ThreadId, uint32_t> choices;
    for (uint32_t i = 0; i <= record; ++i) {
      const Step& s = steps_[i];
      if (s.is_note()) continue;
      if (s.is_choice()) {
        const uint32_t number = choices[s.thread]++;
        if (s.value != 0) out.push_back({number, s.value, static_cast<uint16_t>(index_of(s.thread) + 1)});
        continue;
      }
      if (const auto end = stop.find(s.thread); end != stop.end() && i >= end->second) continue;
      const auto who = static_cast<uint16_t>(index_of(s.thread));
      if (!out.empty() && out.back().reserved == 0 && out.back().value == who)
        ++out.back().step;
      else
        out.push_back({1, who});
    }
  }

  std::span<const Step> steps_;
  std::map<ThreadId, std::vector<uint32_t>> ahead_;
  std::map<ThreadId, Step> pending_;
  std::map<ThreadId, size_t> done_;
  std::map<ThreadId, Locks> locks_;
  std::map<ObjectId, ThreadId> owner_;
  std::set<std::set<std::pair<uint64_t, uint64_t>>> known_;
  std::vector<LockChain> found_;
};

}  // namespace

std::vector<LockChain> reverse_lock_chains(TraceView trace) { return Chains(trace).find(); }

}  // namespace lockstep
