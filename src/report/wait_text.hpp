// Waits between threads in words, with names.
#pragma once
#include <string>

#include "analysis/deadlock.hpp"
#include "report/trace_names.hpp"

namespace lockstep {

// The waits of the cycle in order, or all waits if there is no cycle.
std::vector<WaitGraph::Edge> telling_edges(const WaitGraph& graph);

// "worker 1 waits for accounts[1] held by worker 2, worker 2 waits for accounts[0] held by worker 1".
std::string describe_waits(const WaitGraph& graph, const TraceNames& names);

// "worker 1 → accounts[1] → worker 2 → accounts[0] → worker 1"; empty without a cycle.
std::string cycle_text(const WaitGraph& graph, const TraceNames& names, std::string_view arrow);

// "locks taken in opposite orders: worker 1 takes b while holding a, worker 2 takes a while holding b".
std::string lock_order_text(const std::vector<LockNesting>& cycle, const TraceNames& names);

}  // namespace lockstep
