// The fair scheduler (Musuvathi & Qadeer, PLDI 2008): a thread that yields without giving others a turn is not
// scheduled again before those it starved. Costs nothing until the first yield of an execution.
//
// below_[t] holds the threads u with priority over t: t may not run while such a u is enabled. Per thread three sets
// describe the window since its last yield: continuously enabled, disabled by it, scheduled.
#pragma once
#include "runtime/base/thread_set.hpp"

namespace lockstep::rt {

class Fairness {
 public:
  void init();
  void begin();
  bool active() const { return active_; }
  void activate() { active_ = true; }  // at the first yield

  // A step of `t` was executed; `before` and `after` are the enabled sets around it. If it yielded in a loop whose
  // rounds may matter, `loop` says where.
  void step(ThreadId t, bool yielded, uint64_t loop, const ThreadSet& before, const ThreadSet& after,
            const ThreadSet& live, unsigned words);
  // Removes from `candidates` whoever has to let somebody else go first: is there any? Never empties a non-empty set.
  // Where that costs rounds that may matter, lost(loop) is called.
  template <class Lost>
  bool restrict(ThreadSet& candidates, unsigned words, Lost&& lost) const {
    bool any = false;
    ThreadSet allowed;
    allowed.copy(candidates, words);
    candidates.for_each(words, [&](ThreadId t) {
      const Window& w = windows_[index_of(t)];
      if (w.generation != generation_ || !meet(w.below, candidates, words)) return;
      allowed.remove(t);
      any = true;
      if (w.loop) lost(w.loop);
    });
    candidates.copy(allowed, words);
    return any;
  }

 private:
  struct Window {
    ThreadSet below, enabled, disabled, scheduled;
    uint64_t loop;        // whose rounds `below` costs; 0: none that matter
    uint32_t generation;  // of the execution that initialised it
  };
  static bool meet(const ThreadSet& a, const ThreadSet& b, unsigned words) {
    for (unsigned i = 0; i < words; ++i)
      if (a.word[i] & b.word[i]) return true;
    return false;
  }
  Window& window(ThreadId t);

  Window* windows_ = nullptr;
  bool active_ = false;
  uint32_t generation_ = 0;
};

}  // namespace lockstep::rt
