// The interface of a rank: decides which of the known executions runs next (GAMBIT: Coons, Burckhardt & Musuvathi
// 2010). A rank orders a search and never prunes it.
#pragma once
#include <cstdint>

#include "search/ranks/execution_view.hpp"
#include "search/tree/tree_search.hpp"

namespace lockstep {

inline constexpr uint64_t kHighestRank = 0xffff;  // higher values count as this value

class Rank {
 public:
  virtual ~Rank() = default;

  // An execution was run; `of` is called for its alternatives next.
  virtual void look(const ExecutionView&) {}

  // Lower goes first.
  virtual uint64_t of(const ExecutionView& execution, const Alternative& alternative) = 0;

  virtual bool needs_stacks() const { return false; }

  // True: learning an execution can put alternatives before all known ones, so only few executions are in flight.
  virtual bool follows_what_is_learned() const { return false; }
};

// Is the decision at the step between threads (true) or between data alternatives (false)?
inline bool chooses_thread(const ExecutionView& execution, const Alternative& a) {
  return !execution.operation(a.step).is_choice();
}

}  // namespace lockstep
