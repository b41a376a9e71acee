// Which locks only one thread uses (ExitBlock, section 5.2): leaving such a lock ends no block, because nobody waits
// for it. Known from the executions so far, so a lock may get a second user later. What was left out until then has to
// be explored: learn() says so.
#pragma once
#include <map>

#include "model/trace.hpp"
#include "search/base/saved_state.hpp"

namespace lockstep {

class LockUsers {
 public:
  // Operations that threads are about to do count as well. False: a lock that was taken for private has a second user.
  bool learn(TraceView trace);

  // Is this the exit of a lock that no other thread uses? If so, the search relies on it from now on.
  bool leaves_private_lock(const Step& step);

  // The search starts over: it relies on nothing.
  void forget_reliance();

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  struct Use {
    ThreadId thread = kNoThread;
    bool shared = false, relied_on = false;
  };
  bool note(const Step& step);

  std::map<ObjectId, Use> uses_;
};

}  // namespace lockstep
