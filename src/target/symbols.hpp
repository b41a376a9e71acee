// Source locations and variable names of the program under test, read from its ELF files with libdw.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/finding.hpp"
#include "target/target.hpp"

namespace lockstep {

// Heap memory of an execution comes from one arena per thread (see ids.hpp), at these addresses.
inline constexpr uint64_t kArenaBase = 0x1000'0000'0000;
inline constexpr unsigned kArenaShift = 33;  // arena of thread t: kArenaBase + (t << kArenaShift)

struct SymbolsOptions {
  std::vector<Module> modules;  // as mapped in the worker; addresses are stable because ASLR is off
  std::string cwd;              // files below it are shown relative to it
  std::function<std::string(uint64_t)> given_name = {};  // Target::given_name
};

// Works with whatever there is: DWARF, else the symbol table, else module + offset. Every answer is cached.
std::unique_ptr<Symbols> open_symbols(SymbolsOptions options);

}  // namespace lockstep
