// One loaded ELF file with its DWARF, read with libdw. Private to the symbols library.
#pragma once
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::debug_info {

// A function that covers an address; `die` is a subprogram or an inlined subroutine.
struct FunctionScope {
  Dwarf_Die die;
};

struct SourceLine {
  std::string file;
  int line = 0;
};

// Compile units of a module by address. Built from the units themselves: clang writes no .debug_aranges.
class Units {
 public:
  explicit Units(Dwfl_Module* module);

  bool empty() const { return units_.empty(); }
  Dwarf_Addr bias() const { return bias_; }
  std::vector<Dwarf_Die>& all() { return units_; }

  // The unit whose code covers `pc` (address in the process).
  Dwarf_Die* at(uint64_t pc);
  // Functions around `pc` (without bias), outermost first: the real one, then those inlined into it.
  std::vector<FunctionScope> functions_at(Dwarf_Die* unit, Dwarf_Addr pc);

 private:
  struct Function {
    Dwarf_Addr begin, end;
    Dwarf_Die die;
  };
  static void add_functions(Dwarf_Die* parent, std::vector<Function>& functions);

  struct Range {
    Dwarf_Addr begin, end;
    size_t unit;
  };
  std::vector<Dwarf_Die> units_;
  std::vector<Range> ranges_;                              // sorted by begin
  std::map<Dwarf_Die*, std::vector<Function>> functions_;  // by unit and address; built on first use
  Dwarf_Addr bias_ = 0;
};

std::optional<SourceLine> line_at(Dwarf_Die* unit, Dwarf_Addr pc);
std::optional<SourceLine> call_site(Dwarf_Die* unit, Dwarf_Die* inlined);

// Readable name of a function or variable: from its linkage name if there is one, otherwise its plain name with the
// scopes that declare it (gcc gives an inlined lambda no linkage name); empty if it has none.
std::string name_of(Dwarf_Die* die);
// What holds this entry, innermost first, as dwarf_getscopes_die() would say. That looks at every entry of the unit; as
// entries are ordered by their offsets, the siblings of the scopes are enough.
std::vector<Dwarf_Die> scopes_around(Dwarf_Die die);

// `attribute` as an unsigned number; follows abstract origins and specifications.
std::optional<uint64_t> number(Dwarf_Die* die, unsigned attribute);

}  // namespace lockstep::debug_info
