// Collects the variables of functions and blocks that cover an address.
#include "target/visible_variables.hpp"

#include <dwarf.h>
#include <algorithm>
#include <filesystem>
#include <string_view>

#include "target/types.hpp"

namespace lockstep::debug_info {
namespace {

bool is_system_file(const char* file) {
  const std::string path = std::filesystem::path(file ? file : "").lexically_normal();
  return path.starts_with("/usr/include/") || path.starts_with("/usr/lib/") || path.ends_with("/lockstep/lockstep.hpp");
}

// Modules in which nothing is named: the C and C++ libraries, and Lockstep.
bool is_system_module(Dwfl_Module* module) {
  const char* path = dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
  const std::string name = path ? std::filesystem::path(path).filename().string() : "";
  for (const char* prefix : {"liblockstep", "libc.", "libstdc++", "libc++", "libm.", "libgcc_s", "ld-linux", "[vdso"})
    if (name.starts_with(prefix)) return true;
  return false;
}

// Uses the declaring file, which for an inlined function only its abstract origin has.
bool is_users_function(Dwarf_Die* function) { return !is_system_file(dwarf_decl_file(function)); }

// Compilers add variables, such as __range1 and __for_begin, beside what a lambda has captured.
bool is_users_name(const std::string& name) {
  return !name.empty() && (!name.starts_with("__") || name == "__closure");
}

bool covers(Dwarf_Die* block, Dwarf_Addr pc) { return dwarf_haspc(block, pc) > 0; }

}  // namespace

VisibleVariables::Info& VisibleVariables::info(Dwfl_Module* module) {
  auto& slot = info_[module];
  if (!slot) slot = std::make_unique<Info>(module);
  return *slot;
}

// Collects the variables of the block around `pc` and of its inner blocks that cover `pc`, inner ones first. Inlined
// functions are handled separately.
void VisibleVariables::collect(Dwarf_Die* parent, Dwarf_Addr pc, std::vector<Declared>& out) {
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0) return;
  std::vector<Declared> own;
  do {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_lexical_block && covers(&child, pc)) collect(&child, pc, out);
    if (tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) continue;
    Declared variable{"", child, {}};
    if (const char* name = dwarf_diename(&child)) variable.name = name;
    if (is_users_name(variable.name) && type_of(&child, &variable.type)) own.push_back(variable);
  } while (dwarf_siblingof(&child, &child) == 0);
  out.insert(out.end(), own.begin(), own.end());
}

VisibleVariables::Scope VisibleVariables::find_scope(uint64_t pc) {
  Scope scope;
  Dwfl_Module* module = dwfl_addrmodule(dwfl_, pc);
  if (module == nullptr || is_system_module(module)) return scope;
  Info& known = info(module);
  Dwarf_Die* unit = known.units.at(pc);
  if (unit == nullptr) return scope;
  scope.bias = known.units.bias();
  std::vector<FunctionScope> chain = known.units.functions_at(unit, pc - scope.bias);
  if (chain.empty()) return scope;
  scope.function = chain.front().die;
  scope.users = is_users_function(&chain.back().die);
  for (auto f = chain.rbegin(); f != chain.rend(); ++f)
    if (is_users_function(&f->die)) collect(&f->die, pc - scope.bias, scope.variables);
  return scope;
}

const VisibleVariables::Scope& VisibleVariables::scope_at(uint64_t pc) {
  auto [at, fresh] = scopes_.try_emplace(pc);
  if (fresh) at->second = find_scope(pc);
  return at->second;
}

bool VisibleVariables::is_users(const StackFrame& frame) { return scope_at(frame.pc).users; }

std::vector<VisibleVariable> VisibleVariables::in_frame(const StackFrame& frame, const ProcessMemory& memory) {
  std::vector<VisibleVariable> visible;
  Scope scope = scope_at(frame.pc);
  FrameContext context{frame, memory, scope.bias, &scope.function};
  for (Declared& declared : scope.variables) {
    const std::optional<Place> place = place_of(&declared.die, context);
    if (!place) continue;
    VisibleVariable variable{declared.name, declared.type, *place};
    variable.is_closure = declared.name == "__closure";
    variable.is_this = declared.name == "this";
    const bool parameter = dwarf_tag(&declared.die) == DW_TAG_formal_parameter;
    variable.is_alias = is_reference(&declared.type) || (parameter && is_pointer(&declared.type));
    if (variable.is_this && dwarf_tag(&declared.type) == DW_TAG_pointer_type) {
      Dwarf_Die pointee;
      if (type_of(&declared.type, &pointee)) {
        const std::string type = plain_name(&pointee);
        variable.is_closure = type.empty() || type.starts_with("<lambda");
      }
    }
    visible.push_back(std::move(variable));
  }
  return visible;
}

const std::vector<Variables::Variable>& VisibleVariables::globals() {
  if (has_globals_) return globals_;
  has_globals_ = true;
  const auto add = [](Dwfl_Module* module, void**, const char*, Dwarf_Addr, void* argument) -> int {
    if (is_system_module(module)) return DWARF_CB_OK;
    auto& self = *static_cast<VisibleVariables*>(argument);
    Info& known = self.info(module);
    if (known.units.empty()) return DWARF_CB_OK;
    if (!known.variables) known.variables = std::make_unique<Variables>(known.units);
    for (const Variables::Variable& variable : known.variables->all())
      if (!is_system_file(variable.file.c_str())) self.globals_.push_back(variable);
    return DWARF_CB_OK;
  };
  dwfl_getmodules(dwfl_, add, this, 0);
  return globals_;
}

std::optional<std::string> VisibleVariables::global_at(uint64_t address, Leaf* leaf) {
  Dwfl_Module* module = dwfl_addrmodule(dwfl_, address);
  if (module == nullptr) return std::nullopt;
  Info& known = info(module);
  if (known.units.empty()) return std::nullopt;
  if (!known.variables) known.variables = std::make_unique<Variables>(known.units);
  return known.variables->path_to(address, leaf);
}

}  // namespace lockstep::debug_info
