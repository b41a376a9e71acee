// The variables that code in a frame can name: parameters and locals of its function and of functions inlined there.
// Private to the symbols library.
#pragma once
#include <elfutils/libdwfl.h>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "target/debug_info.hpp"
#include "target/location.hpp"
#include "target/variables.hpp"

namespace lockstep::debug_info {

struct VisibleVariable {
  std::string name;
  Dwarf_Die type;
  Place place;
  bool is_this = false;     // of a member function
  bool is_closure = false;  // what a lambda has captured
  bool is_alias = false;    // a reference, or a parameter that points
};

class VisibleVariables {
 public:
  explicit VisibleVariables(Dwfl* dwfl) : dwfl_(dwfl) {}

  // Innermost scope first. Empty for frames of the standard library and of the runtime.
  std::vector<VisibleVariable> in_frame(const StackFrame& frame, const ProcessMemory& memory);
  bool is_users(const StackFrame& frame);  // the innermost function in the frame is not a library's
  // Globals of the program's own files, from all modules with debug information.
  const std::vector<Variables::Variable>& globals();
  std::optional<std::string> global_at(uint64_t address, Leaf* leaf);

 private:
  struct Declared {
    std::string name;
    Dwarf_Die die, type;
  };
  struct Scope {
    Dwarf_Addr bias = 0;
    Dwarf_Die function{};  // the function that is not inlined
    bool users = false;    // the innermost function is not a library's
    std::vector<Declared> variables;
  };
  struct Info {
    explicit Info(Dwfl_Module* module) : units(module) {}
    Units units;
    std::unique_ptr<Variables> variables;
  };
  const Scope& scope_at(uint64_t pc);
  Scope find_scope(uint64_t pc);
  void collect(Dwarf_Die* parent, Dwarf_Addr pc, std::vector<Declared>& out);
  Info& info(Dwfl_Module* module);

  Dwfl* dwfl_;
  std::map<Dwfl_Module*, std::unique_ptr<Info>> info_;
  std::unordered_map<uint64_t, Scope> scopes_;
  std::vector<Variables::Variable> globals_;
  bool has_globals_ = false;
};

}  // namespace lockstep::debug_info
