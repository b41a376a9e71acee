// Plans and traces in a saved search.
#pragma once
#include <deque>
#include <span>

#include "model/plan.hpp"
#include "model/trace.hpp"
#include "search/base/saved_state.hpp"

namespace lockstep {

void put_plan(StateWriter& out, const Plan& plan);
Plan get_plan(StateReader& in);

void put_trace(StateWriter& out, TraceView trace);
// Rejects data that is not a trace: everything that a TraceView reads must lie inside. Stacks and the memory that
// blocks touched are not checked.
Trace get_trace(StateReader& in);

template <class T>
void put_queue(StateWriter& out, const std::deque<T>& queue) {
  out.put_all(std::vector<T>(queue.begin(), queue.end()));
}
template <class T>
std::deque<T> get_queue(StateReader& in) {
  const std::vector<T> all = in.get_all<T>();
  return {all.begin(), all.end()};
}

}  // namespace lockstep
