// Instructions that give every execution other values: rdrand and rdseed, which nothing can intercept, and rdtsc and
// rdtscp where the kernel does not let us. Found in the program's code before it runs.
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
  std::vector<uint64_t> random;   // where rdrand and rdseed end
  std::vector<uint64_t> counter;  // where rdtsc and rdtscp end
};
// In x86-64 code, walked through from its start.
NondeterministicInstructions find_nondeterministic_instructions(std::span<const uint8_t> code);
// In an ELF file, function by function; addresses as in the file.
NondeterministicInstructions find_nondeterministic_instructions(const std::string& path);

// In the program's own modules; places are addresses in the program, behind the instruction.
std::set<Fact> nondeterministic_facts(const std::vector<Module>& modules, bool counter_is_controlled,
                                      InstrumentationCache& files);

// Those facts of a program whose modules may grow in number.
class CodeFacts {
 public:
  // Besides what the runtime noticed; takes a doubt about the cycle counter away if the code does not read it.
  void add_to(std::set<Fact>& facts, const std::vector<Module>& modules, InstrumentationCache& files);

 private:
  std::set<std::string> paths_;  // of the modules looked into
  std::set<Fact> found_;
};

}  // namespace lockstep
