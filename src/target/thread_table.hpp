// The table of thread and object names, shared by all workers of an exploration.
#pragma once
#include <string>
#include <vector>

#include "model/channel.hpp"
#include "target/shared_memory.hpp"

namespace lockstep {

// `threads`: known from an earlier part of the exploration, or from a recording.
Result<SharedMemory> make_thread_table(const std::vector<ThreadTable::Entry>& threads);
// Adds the threads of another table that this one lacks. True: some were new.
bool add_threads(const std::vector<ThreadTable::Entry>& threads, ThreadTable& table);
// The name that the program gave to the object at this address (lockstep::name); empty: none.
std::string name_given_to(uint64_t address, const ThreadTable& table);

}  // namespace lockstep
