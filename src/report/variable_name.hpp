// How variables are spelled: in reports, and by a user who points at one with --focus-variable.
//
//   counter, Account::total, table[2].balance          globals, down to the field
//   heap object allocated at bank.cpp:31+8             offset 8 in the first block from there
//   heap object allocated at bank.cpp:31 by thread 2 #3+8   in the third that thread 2 had from there
#pragma once
#include <span>
#include <string>
#include <vector>

#include "analysis/finding.hpp"
#include "model/variable.hpp"

namespace lockstep {

class VariableNames {
 public:
  // `stacks`: of the trace, TraceView::all_stacks(); empty if it has none.
  VariableNames(TraceView trace, std::span<const std::span<const uint64_t>> stacks, Symbols& symbols);

  std::string of(ObjectId object) const;
  const HeapBlocks& blocks() const { return blocks_; }

 private:
  HeapBlocks blocks_;
  std::span<const std::span<const uint64_t>> stacks_;
  Symbols& symbols_;
};

// Does `wanted`, as it is or as a glob, spell this variable or something it is part of? "table", "table[2]" and "t*"
// all name table[2].balance; brackets mean themselves first.
bool spells_variable(const std::string& wanted, const std::string& name);

inline constexpr const char* kHeapSpelling = "heap object allocated at ";

}  // namespace lockstep
