// Source locations and variable names of the program under test, read from its ELF files with libdw.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/finding.hpp"
#include "target/target.hpp"

namespace lockstep {

// Heap memory of an execution comes from one arena for each thread (see ids.hpp), at these addresses.
inline constexpr uint64_t kArenaBase = 0x1000'0000'0000;
inline constexpr unsigned kArenaShift = 33;  // arena of thread t: kArenaBase + (t << kArenaShift)

struct SymbolsOptions {
  std::vector<Module> modules;  // as mapped in the worker; the addresses are stable because ASLR is off
  std::string cwd;              // files below this folder are shown relative to it
  std::function<std::string(uint64_t)> given_name = {};  // Target::given_name
};

// Uses what is available: DWARF, then the symbol table, then module + offset. All results are cached.
std::unique_ptr<Symbols> open_symbols(SymbolsOptions options);

}  // namespace lockstep
