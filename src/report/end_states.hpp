// The states of all threads at the end of an execution.
#pragma once
#include <string>

#include "report/trace_names.hpp"
#include "report/wait_story.hpp"

namespace lockstep {

// "thread 1 finished; thread 2 could go on at pool.hpp:14: lock m_; main failed at test.cpp:59". For a deadlock, only
// the threads that do not wait; empty: there are none.
std::string end_states(const TraceNames& names);

// For a deadlock: "thread 1: lock b at bank.cpp:12 in transfer, called at bank.cpp:17 in main", and
// below each thread, indented, "holds a, taken at bank.cpp:11 in transfer".
std::vector<std::string> deadlock_lines(const TraceNames& names);

}  // namespace lockstep
