// Finds functions, lines and names in DWARF.
#include "target/debug_info.hpp"

#include <dwarf.h>
#include <algorithm>
#include <string_view>

#include "target/demangle.hpp"

namespace lockstep::debug_info {
namespace {

bool may_hold_functions(int tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_module;
}

std::string absolute(Dwarf_Die* unit, const char* file) {
  std::string path = file;
  if (path.empty() || path[0] == '/') return path;
  Dwarf_Attribute attribute;
  const char* folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
  return folder ? std::string(folder) + "/" + path : path;
}

// The declaration of a function or variable: follows abstract origins and specifications.
Dwarf_Die declaration_of(Dwarf_Die die) {
  for (int hops = 0; hops < 8; ++hops) {
    Dwarf_Attribute attribute;
    Dwarf_Die next;
    Dwarf_Attribute* link = dwarf_attr(&die, DW_AT_abstract_origin, &attribute);
    if (link == nullptr) link = dwarf_attr(&die, DW_AT_specification, &attribute);
    if (link == nullptr || dwarf_formref_die(link, &next) == nullptr) break;
    die = next;
  }
  return die;
}

// Appends the chain of functions that are inlined below `parent` and cover `pc`. True if one was found.
bool collect_inlined(Dwarf_Die* parent, Dwarf_Addr pc, std::vector<FunctionScope>& chain) {
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0) return false;
  do {
    const int tag = dwarf_tag(&child);
    const bool inlined = tag == DW_TAG_inlined_subroutine;
    if (!inlined && tag != DW_TAG_lexical_block) continue;
    if (dwarf_haspc(&child, pc) <= 0) {
      if (collect_inlined(&child, pc, chain)) return true;
      continue;
    }
    if (inlined) chain.push_back({child});
    collect_inlined(&child, pc, chain);
    return true;
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

}  // namespace

Units::Units(Dwfl_Module* module) {
  if (dwfl_module_getdwarf(module, &bias_) == nullptr) return;
  Dwarf_Die* unit = nullptr;
  Dwarf_Addr bias = 0;
  while ((unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr) {
    const size_t index = units_.size();
    units_.push_back(*unit);
    Dwarf_Addr base = 0, begin = 0, end = 0;
    for (ptrdiff_t offset = 0; (offset = dwarf_ranges(unit, offset, &base, &begin, &end)) > 0;)
      if (begin < end) ranges_.push_back({begin, end, index});
  }
  std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
}

Dwarf_Die* Units::at(uint64_t pc) {
  const Dwarf_Addr address = pc - bias_;
  auto after = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                [](Dwarf_Addr a, const Range& r) { return a < r.begin; });
  if (after == ranges_.begin()) return nullptr;
  const Range& range = *std::prev(after);
  return address < range.end ? &units_[range.unit] : nullptr;
}

// The type of a lambda lies in the function that contains it; its code does not.
void Units::add_functions(Dwarf_Die* parent, std::vector<Function>& functions) {
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    const bool function = tag == DW_TAG_subprogram;
    Dwarf_Addr base = 0, begin = 0, end = 0;
    if (function)
      for (ptrdiff_t offset = 0; (offset = dwarf_ranges(&child, offset, &base, &begin, &end)) > 0;)
        if (begin < end) functions.push_back({begin, end, child});
    if (function || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block || may_hold_functions(tag))
      add_functions(&child, functions);
  } while (dwarf_siblingof(&child, &child) == 0);
}

std::vector<FunctionScope> Units::functions_at(Dwarf_Die* unit, Dwarf_Addr pc) {
  auto [at, fresh] = functions_.try_emplace(unit);
  std::vector<Function>& functions = at->second;
  if (fresh) {
    add_functions(unit, functions);
    std::sort(functions.begin(), functions.end(),
              [](const Function& a, const Function& b) { return a.begin < b.begin; });
  }
  auto after = std::upper_bound(functions.begin(), functions.end(), pc,
                                [](Dwarf_Addr address, const Function& f) { return address < f.begin; });
  if (after == functions.begin() || pc >= std::prev(after)->end) return {};
  std::vector<FunctionScope> chain = {{std::prev(after)->die}};
  collect_inlined(&chain.front().die, pc, chain);
  return chain;
}

std::optional<SourceLine> line_at(Dwarf_Die* unit, Dwarf_Addr pc) {
  Dwarf_Line* line = dwarf_getsrc_die(unit, pc);
  const char* file = line ? dwarf_linesrc(line, nullptr, nullptr) : nullptr;
  int number = 0;
  if (file == nullptr || dwarf_lineno(line, &number) != 0) return std::nullopt;
  // Line 0 marks code that belongs to no source line. The nearest line before it in the same unit is what a user looks
  // for.
  for (Dwarf_Addr back = pc; number == 0 && back + 64 > pc && back > 0; --back) {
    Dwarf_Line* earlier = dwarf_getsrc_die(unit, back);
    if (earlier && dwarf_lineno(earlier, &number) == 0 && number > 0) file = dwarf_linesrc(earlier, nullptr, nullptr);
  }
  return SourceLine{absolute(unit, file), number};
}

std::optional<SourceLine> call_site(Dwarf_Die* unit, Dwarf_Die* inlined) {
  const auto file = number(inlined, DW_AT_call_file), line = number(inlined, DW_AT_call_line);
  Dwarf_Files* files = nullptr;
  size_t count = 0;
  if (!file || !line || dwarf_getsrcfiles(unit, &files, &count) != 0 || *file >= count) return std::nullopt;
  const char* path = dwarf_filesrc(files, *file, nullptr, nullptr);
  if (path == nullptr) return std::nullopt;
  return SourceLine{absolute(unit, path), static_cast<int>(*line)};
}

std::vector<Dwarf_Die> scopes_around(Dwarf_Die die) {
  const Dwarf_Off offset = dwarf_dieoffset(&die);
  std::vector<Dwarf_Die> scopes(1);
  if (dwarf_diecu(&die, &scopes.front(), nullptr, nullptr) == nullptr) return {};
  while (true) {
    Dwarf_Die next;
    if (dwarf_child(&scopes.back(), &next) != 0) return {};
    Dwarf_Die holder = next;
    while (dwarf_dieoffset(&next) <= offset) {
      holder = next;
      if (dwarf_siblingof(&next, &next) != 0) break;
    }
    if (dwarf_dieoffset(&holder) >= offset) break;
    scopes.push_back(holder);
  }
  std::reverse(scopes.begin(), scopes.end());
  return scopes;
}

std::string name_of(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  for (unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
    if (const char* text = dwarf_formstring(dwarf_attr_integrate(die, name, &attribute))) return readable_name(text);
  const char* plain = dwarf_diename(die);
  if (plain == nullptr) return {};
  std::string result = plain;
  for (Dwarf_Die& scope : scopes_around(declaration_of(*die))) {
    const int tag = dwarf_tag(&scope);
    const char* name = dwarf_diename(&scope);
    const bool closure = name ? std::string_view(name).starts_with("<lambda") : result == "operator()";
    if (closure) {
      result = "lambda";  // the operator() of the lambda
    } else if (name == nullptr) {
      continue;
    } else if (tag == DW_TAG_subprogram || may_hold_functions(tag)) {
      result = shorten_name(name) + "::" + result;
    }
  }
  return result;
}

std::optional<uint64_t> number(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Word value = 0;
  if (dwarf_formudata(dwarf_attr_integrate(die, attribute, &found), &value) != 0) return std::nullopt;
  return value;
}

}  // namespace lockstep::debug_info
