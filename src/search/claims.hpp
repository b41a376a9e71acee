// The sentences a search may say about what it has explored.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace lockstep {

std::string count_of(uint64_t n, const char* thing);  // "1 preemption", "2 preemptions"

// Scheduling points lie at synchronisation only, so a claim holds for programs that synchronise all their accesses.
std::string without_proviso(std::string claim);  // once data races have been looked for in every execution
std::string but_for_atomics(std::string claim);  // where those are no scheduling points, because nobody sees them
std::string claim_every_execution();
std::string claim_every_trace(uint64_t traces);  // every execution, of which so many differ in more than order
std::string claim_block_orders(std::optional<uint32_t> preemptions);  // of atomic blocks
std::string claim_at_most(uint32_t bound, const char* unit = "preemption");
std::string claim_at_most(uint32_t bound, const char* unit, uint32_t variables);  // ... at so many variables
std::string claim_variables(uint32_t variables);
std::string claim_by_cost(uint32_t preemptions);  // see search/dpor/trace_bound.hpp

// Why something is missing: executions that did not repeat, ended with their worker, or were cut short. Empty if none.
std::string told_losses(uint64_t unrepeated, uint64_t lost, uint64_t cut);

}  // namespace lockstep
