// A rank says which of the executions known but not yet run goes first (GAMBIT, Coons, Musuvathi & McKinley 2010). It
// orders a search and never prunes it.
#pragma once
#include <cstdint>

#include "search/ranks/execution_view.hpp"
#include "search/tree/tree_search.hpp"

namespace lockstep {

inline constexpr uint64_t kHighestRank = 0xffff;  // higher values count as this

class Rank {
 public:
  virtual ~Rank() = default;

  // An execution was run; its alternatives are asked for next.
  virtual void look(const ExecutionView&) {}

  // Lower goes first.
  virtual uint64_t of(const ExecutionView& execution, const Alternative& alternative) = 0;

  virtual bool needs_stacks() const { return false; }

  // What an execution shows can put others before everything known so far, so only few are under way at a time.
  virtual bool follows_what_is_learned() const { return false; }
};

// Whether the decision at a step is between threads rather than between data alternatives.
inline bool chooses_thread(const ExecutionView& execution, const Alternative& a) {
  return !execution.operation(a.step).is_choice();
}

}  // namespace lockstep
