// Reads global variables from DWARF.
#include "target/variables.hpp"

#include <dwarf.h>
#include <algorithm>

#include "target/types.hpp"

namespace lockstep::debug_info {
namespace {

struct Piece {
  uint64_t address, size, offset;  // size 0: the whole variable
};

std::optional<uint64_t> address_of(Dwarf_Attribute* location, Dwarf_Op* op) {
  if (op->atom == DW_OP_addr) return op->number;
  Dwarf_Attribute resolved;
  Dwarf_Addr address = 0;  // DW_OP_addrx and similar operations index .debug_addr
  if (dwarf_getlocation_attr(location, op, &resolved) == 0 && dwarf_formaddr(&resolved, &address) == 0) return address;
  return std::nullopt;
}

// The fixed addresses of a variable; several, or only a part, if clang has split it.
std::vector<Piece> fixed_pieces(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  Dwarf_Op* ops = nullptr;
  size_t length = 0;
  std::vector<Piece> pieces;
  if (dwarf_attr(die, DW_AT_location, &attribute) == nullptr || dwarf_getlocation(&attribute, &ops, &length) != 0)
    return pieces;
  uint64_t address = 0, offset = 0;
  bool has_address = false;
  for (size_t i = 0; i < length; ++i) {
    if (ops[i].atom == DW_OP_piece) {
      if (has_address) pieces.push_back({address, ops[i].number, offset});
      offset += ops[i].number;
      has_address = false;
    } else if (has_address && ops[i].atom == DW_OP_plus_uconst) {
      address += ops[i].number;
    } else if (const auto begins = address_of(&attribute, &ops[i]); begins && !has_address) {
      address = *begins;
      has_address = true;
    } else {
      return {};
    }
  }
  if (has_address && pieces.empty() && offset == 0) pieces.push_back({address, 0, 0});
  return pieces;
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
  Variable variable;
  const std::vector<Piece> pieces = fixed_pieces(die);
  if (pieces.empty() || !type_of(die, &variable.type)) return;
  variable.name = name_of(die);
  if (variable.name.empty()) return;
  if (const char* file = dwarf_decl_file(die)) variable.file = file;
  for (const Piece& piece : pieces) {
    variable.begin = piece.address + bias;
    variable.offset = piece.offset;
    variable.size = piece.size ? piece.size : std::max<uint64_t>(size_of(&variable.type), 1);
    variables_.push_back(variable);
  }
}

std::optional<std::string> Variables::path_to(uint64_t address, Leaf* leaf) {
  auto after = std::upper_bound(variables_.begin(), variables_.end(), address,
                                [](uint64_t a, const Variable& v) { return a < v.begin; });
  if (after == variables_.begin()) return std::nullopt;
  Variable& variable = *std::prev(after);
  if (address - variable.begin >= variable.size) return std::nullopt;
  return variable.name + path_inside(&variable.type, variable.offset + address - variable.begin, leaf);
}

}  // namespace lockstep::debug_info
