// The fair scheduler (Musuvathi & Qadeer, PLDI 2008): a thread that yields without giving others a turn is not
// scheduled again before those it starved. Costs nothing until the first yield of an execution.
//
// below_[t] holds the threads u with priority over t: t may not run while such a u is enabled. Per thread three sets
// describe the window since its last yield: continuously enabled, disabled by it, scheduled.
#pragma once
#include "runtime/sched/thread_set.hpp"

namespace lockstep::rt {

class Fairness {
 public:
  void init();
  void begin(unsigned words);
  bool active() const { return active_; }
  void activate() { active_ = true; }  // at the first yield

  // A step of `t` was executed; `before` and `after` are the enabled sets around it.
  void step(ThreadId t, bool yielded, const ThreadSet& before, const ThreadSet& after, const ThreadSet& live,
            unsigned words);
  // Removes from `candidates` whoever has to let somebody else go first: is there any? Never empties a non-empty set.
  bool restrict(ThreadSet& candidates, unsigned words) const;

 private:
  struct Window {
    ThreadSet below, enabled, disabled, scheduled;
    uint32_t generation;  // of the execution that initialised it
  };
  Window& window(ThreadId t, unsigned words);

  Window* windows_ = nullptr;
  bool active_ = false;
  uint32_t generation_ = 0;
};

}  // namespace lockstep::rt
