// The locks that only one thread uses (ExitBlock, section 5.2): leaving such a lock ends no block, because no thread
// waits for it. This is known from the executions so far, so a lock may get a second user later. The orders left out
// until then have to be explored: learn() reports this case.
#pragma once
#include <map>

#include "model/trace.hpp"
#include "search/base/saved_state.hpp"

namespace lockstep {

class LockUsers {
 public:
  // Pending operations count as uses. False: a lock that was treated as private has a second user.
  bool learn(TraceView trace);

  // Is this the exit of a lock that no other thread uses? If so, the search relies on it from now on.
  bool leaves_private_lock(const Step& step);

  // Called when the search starts over: it relies on no lock.
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
