// The names of threads and objects, which all workers of an exploration share.
#pragma once
#include <string>
#include <vector>

#include "model/channel.hpp"
#include "target/shared_memory.hpp"

namespace lockstep {

// `threads`: those known from an earlier part of the exploration, or from a recording.
Result<SharedMemory> make_thread_table(const std::vector<ThreadTable::Entry>& threads);
// Gives threads of another table that this one lacks an id. True: there were some.
bool add_threads(const std::vector<ThreadTable::Entry>& threads, ThreadTable& table);
// What the program itself calls the object at this address (lockstep::name); empty if it said nothing.
std::string name_given_to(uint64_t address, const ThreadTable& table);

}  // namespace lockstep
