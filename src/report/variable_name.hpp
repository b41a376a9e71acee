// The names of variables, in reports and for --focus-variable.
//
//   counter, Account::total, table[2].balance          globals, including fields
//   heap object allocated at bank.cpp:31+8             offset 8 in the first block allocated there
//   heap object allocated at bank.cpp:31 by thread 2 #3+8   in the third block that thread 2 allocated there
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

// Does `wanted`, as it is or as a glob, name this variable or an object that contains it? "table", "table[2]" and "t*"
// all name table[2].balance; brackets are first read literally.
bool spells_variable(const std::string& wanted, const std::string& name);

inline constexpr const char* kHeapSpelling = "heap object allocated at ";

}  // namespace lockstep
