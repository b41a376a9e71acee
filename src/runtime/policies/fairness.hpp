// The fair scheduler (Musuvathi & Qadeer, PLDI 2008): a thread that yields without giving others a turn is not
// scheduled again before the threads it starved. It costs nothing until the first yield of an execution.
//
// Window::below of thread t holds the threads u with priority over t: t may not run while such a u is enabled. Three
// sets per thread describe the window since its last yield: continuously enabled, disabled by t, scheduled.
#pragma once
#include "runtime/base/thread_set.hpp"

namespace lockstep::rt {

class Fairness {
 public:
  void init();
  void begin();
  bool active() const { return active_; }
  void activate() { active_ = true; }  // at the first yield

  // A step of `t` was executed; `before` and `after` are the enabled sets around it. `loop` is the loop in which t
  // yielded, if the number of its rounds may matter.
  void step(ThreadId t, bool yielded, uint64_t loop, const ThreadSet& before, const ThreadSet& after,
            const ThreadSet& live, unsigned words);
  // Removes the candidates that must let another thread go first; true if there are any. Never empties a non-empty set.
  // Calls lost(loop) if this excludes rounds that may matter.
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
    uint64_t loop;        // the loop whose rounds `below` excludes; 0: none that matter
    uint32_t generation;  // the execution that initialised this window
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
