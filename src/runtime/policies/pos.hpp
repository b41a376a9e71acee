// POS, partial order sampling (Yuan, Yang & Gu 2018): every pending operation has a random priority, and the highest
// one runs. An operation that conflicts with the one just executed draws a new priority. So the order of conflicting
// operations is sampled, and the order of independent ones wastes no probability.
#pragma once
#include "model/ids.hpp"
#include "runtime/base/random_draw.hpp"

namespace lockstep::rt {

class Pos {
 public:
  void begin(uint64_t seed) {
    draw_ = Draw(seed);
    known_ = 0;
  }

  // `each(visit)` visits the candidates, ascending, at least one.
  template <class Each>
  ThreadId choose(Each&& each) {
    ThreadId best = kNoThread;
    each([&](ThreadId t) {
      if (best == kNoThread || priority(t) > priority(best)) best = t;
    });
    return best;
  }

  // `done` executed an operation. `each(visit)` visits every unfinished thread, also blocked ones; `depends(t)`: does
  // its next operation depend on that one?
  template <class Each, class Depends>
  void executed(ThreadId done, Each&& each, Depends&& depends) {
    each([&](ThreadId t) {
      if (t == done || depends(t)) priority(t) = draw_.next();
    });
  }

 private:
  uint64_t& priority(ThreadId t) {
    for (; known_ <= index_of(t); ++known_) priority_[known_] = draw_.next();
    return priority_[index_of(t)];
  }

  Draw draw_;
  unsigned known_ = 0;  // threads below this index have a priority
  uint64_t priority_[kMaxThreads] = {};
};

}  // namespace lockstep::rt
