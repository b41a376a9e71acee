// A data race in words: the accesses, their places and calls.
#pragma once
#include <string>

#include "report/trace_names.hpp"

namespace lockstep {

// "write counter", "read queue.head", "free heap block of main #3".
std::string access_text(const RaceAccess& access, const TraceNames& names);

// "data race on counter: worker 1 writes it at count.cpp:12, worker 2 reads it at count.cpp:20".
std::string race_message(const DataRace& race, const TraceNames& names);

// "allocated by main at queue.cpp:30"; empty if the trace does not have it.
std::string allocation_text(uint64_t address, const TraceNames& names);

std::string double_free_text(const TraceNames& names);  // the first free, and where the block was allocated
std::string leak_message(const Allocation& first, const TraceNames& names);
std::string stale_load_message(uint32_t store, uint32_t load, const TraceNames& names);

// "Nothing orders the two accesses: main holds cache.mutex_ for reading, thread 1 holds no lock."; empty: something
// does, or it is no race.
std::string unordered_accesses(const Finding& finding, const TraceNames& names);

std::span<const uint64_t> stack_of(const RaceAccess& access, const TraceNames& names);

}  // namespace lockstep
