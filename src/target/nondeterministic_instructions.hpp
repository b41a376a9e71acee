// Instructions with other results in every execution: rdrand and rdseed, which cannot be intercepted, and rdtsc and
// rdtscp where the kernel does not allow it. They are found in the program's code before it runs.
#pragma once
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "model/fact.hpp"

namespace lockstep {

class InstrumentationCache;
struct Module;

struct NondeterministicInstructions {
  std::vector<uint64_t> random;   // end addresses of rdrand and rdseed
  std::vector<uint64_t> counter;  // end addresses of rdtsc and rdtscp
};
// Searches x86-64 code, decoded from its start.
NondeterministicInstructions find_nondeterministic_instructions(std::span<const uint8_t> code);
// Searches an ELF file, function by function; addresses as in the file.
NondeterministicInstructions find_nondeterministic_instructions(const std::string& path);

// Searches the program's own modules; places are addresses in the program, after the instruction.
std::set<Fact> nondeterministic_facts(const std::vector<Module>& modules, bool counter_is_controlled,
                                      InstrumentationCache& files);

// These facts for a program that may load more modules.
class CodeFacts {
 public:
  // Adds them to what the runtime noticed. Removes a doubt about the cycle counter if the code does not read it.
  void add_to(std::set<Fact>& facts, const std::vector<Module>& modules, InstrumentationCache& files);

 private:
  std::set<std::string> paths_;  // of the modules searched so far
  std::set<Fact> found_;
};

}  // namespace lockstep
