// Names for addresses inside global variables: "accounts[1]", "queue.head". Private to the symbols library.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "target/debug_info.hpp"
#include "target/types.hpp"

namespace lockstep::debug_info {

// The variables of a module with a fixed address: globals, class statics, function statics.
class Variables {
 public:
  struct Variable {
    uint64_t begin, size;  // in the process
    uint64_t offset = 0;   // of this piece in the variable, because clang splits structs
    std::string name;
    std::string file;  // the declaring file; empty: not known
    Dwarf_Die type;
  };
  explicit Variables(Units& units);

  // The path to what lies at `address` (in the process), as deep as the user's own types go; `leaf` gets its type.
  std::optional<std::string> path_to(uint64_t address, Leaf* leaf = nullptr);
  const std::vector<Variable>& all() const { return variables_; }

 private:
  void collect(Dwarf_Die* parent, Dwarf_Addr bias, bool in_function);
  void add(Dwarf_Die* die, Dwarf_Addr bias);
  std::vector<Variable> variables_;  // sorted by begin
};

}  // namespace lockstep::debug_info
