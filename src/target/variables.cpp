#include "target/variables.hpp"

#include <dwarf.h>
#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace lockstep::debug_info {
namespace {

bool type_of(Dwarf_Die* die, Dwarf_Die* type) {
  Dwarf_Attribute attribute;
  if (dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), type) == nullptr) return false;
  return dwarf_peel_type(type, type) == 0;  // without typedefs and qualifiers
}

uint64_t size_of(Dwarf_Die* type) {
  Dwarf_Word size = 0;
  return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

// Types of the standard library are one thing to the reader: their insides are never named.
bool is_library_type(Dwarf_Die* type) {
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes_die(type, &scopes);
  bool library = false;
  for (int i = 1; i < count; ++i) {
    const char* name = dwarf_tag(&scopes[i]) == DW_TAG_namespace ? dwarf_diename(&scopes[i]) : nullptr;
    if (name && std::string_view(name) == "std") library = true;
  }
  if (count > 0) free(scopes);
  const char* own = dwarf_diename(type);
  return library || (own && (std::string_view(own).starts_with("__") || std::string_view(own).starts_with("pthread_")));
}

std::string inside(Dwarf_Die* type, uint64_t offset);

std::string inside_array(Dwarf_Die* array, uint64_t offset) {
  Dwarf_Die element, dimension;
  if (!type_of(array, &element)) return {};
  const uint64_t element_size = size_of(&element);
  if (element_size == 0 || dwarf_child(array, &dimension) != 0) return {};
  std::vector<uint64_t> counts;
  do {
    if (dwarf_tag(&dimension) != DW_TAG_subrange_type) continue;
    if (auto count = number(&dimension, DW_AT_count)) {
      counts.push_back(*count);
    } else if (auto last = number(&dimension, DW_AT_upper_bound)) {
      counts.push_back(*last + 1);
    } else {
      return {};
    }
  } while (dwarf_siblingof(&dimension, &dimension) == 0);
  uint64_t index = offset / element_size;
  std::string path;
  for (size_t i = counts.size(); i-- > 0;) {  // the last dimension varies fastest
    if (counts[i] == 0) return {};
    const uint64_t here = i == 0 ? index : index % counts[i];
    path = "[" + std::to_string(here) + "]" + path;
    index /= counts[i];
  }
  return path + inside(&element, offset % element_size);
}

std::string inside_struct(Dwarf_Die* type, uint64_t offset) {
  const bool library = is_library_type(type);
  Dwarf_Die child;
  if (dwarf_child(type, &child) != 0) return {};
  do {
    const int tag = dwarf_tag(&child);
    if (tag != DW_TAG_member && tag != DW_TAG_inheritance) continue;
    Dwarf_Die member;
    const auto at = number(&child, DW_AT_data_member_location);
    if (!at || !type_of(&child, &member)) continue;
    const uint64_t size = size_of(&member);
    if (offset < *at || offset - *at >= std::max<uint64_t>(size, 1)) continue;
    if (tag == DW_TAG_inheritance) return inside(&member, offset - *at);
    const char* name = dwarf_diename(&child);
    if (name == nullptr) return inside(&member, offset - *at);
    if (std::string_view(name) == "_M_elems") return inside(&member, offset - *at);  // std::array is its elements
    if (library && name[0] == '_') return {};
    return "." + std::string(name) + inside(&member, offset - *at);
  } while (dwarf_siblingof(&child, &child) == 0);
  return {};
}

std::string inside(Dwarf_Die* type, uint64_t offset) {
  switch (dwarf_tag(type)) {
    case DW_TAG_array_type: return inside_array(type, offset);
    case DW_TAG_structure_type:
    case DW_TAG_class_type: return inside_struct(type, offset);
    default: return {};
  }
}

std::optional<uint64_t> fixed_address(Dwarf_Die* die) {
  Dwarf_Attribute attribute, resolved;
  Dwarf_Op* expression = nullptr;
  size_t length = 0;
  if (dwarf_attr(die, DW_AT_location, &attribute) == nullptr) return std::nullopt;
  if (dwarf_getlocation(&attribute, &expression, &length) != 0 || length != 1) return std::nullopt;
  if (expression[0].atom == DW_OP_addr) return expression[0].number;
  Dwarf_Addr address = 0;  // DW_OP_addrx and its kin point into .debug_addr
  if (dwarf_getlocation_attr(&attribute, expression, &resolved) == 0 && dwarf_formaddr(&resolved, &address) == 0)
    return address;
  return std::nullopt;
}

}  // namespace

Variables::Variables(Units& units) {
  for (Dwarf_Die& unit : units.all()) collect(&unit, units.bias(), false);
  std::sort(variables_.begin(), variables_.end(),
            [](const Variable& a, const Variable& b) { return a.begin < b.begin; });
}

void Variables::collect(Dwarf_Die* parent, Dwarf_Addr bias, bool in_function) {
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0) return;
  do {
    switch (dwarf_tag(&child)) {
      case DW_TAG_variable: add(&child, bias); break;
      case DW_TAG_namespace: collect(&child, bias, in_function); break;
      case DW_TAG_subprogram: collect(&child, bias, true); break;
      case DW_TAG_lexical_block:
        if (in_function) collect(&child, bias, true);
        break;
      default: break;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

void Variables::add(Dwarf_Die* die, Dwarf_Addr bias) {
  const auto address = fixed_address(die);
  Variable variable;
  if (!address || !type_of(die, &variable.type)) return;
  variable.begin = *address + bias;
  variable.size = std::max<uint64_t>(size_of(&variable.type), 1);
  variable.name = name_of(die);
  if (variable.name.empty()) return;
  variables_.push_back(std::move(variable));
}

std::optional<std::string> Variables::path_to(uint64_t address) {
  auto after = std::upper_bound(variables_.begin(), variables_.end(), address,
                                [](uint64_t a, const Variable& v) { return a < v.begin; });
  if (after == variables_.begin()) return std::nullopt;
  Variable& variable = *std::prev(after);
  if (address - variable.begin >= variable.size) return std::nullopt;
  return variable.name + inside(&variable.type, address - variable.begin);
}

}  // namespace lockstep::debug_info
