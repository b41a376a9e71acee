// Walks DWARF types: members, arrays, values.
#include "target/types.hpp"

#include <dwarf.h>
#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "target/debug_info.hpp"

namespace lockstep::debug_info {

bool type_of(Dwarf_Die* die, Dwarf_Die* type) {
  Dwarf_Attribute attribute;
  if (dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), type) == nullptr) return false;
  return dwarf_peel_type(type, type) == 0;  // removes typedefs and qualifiers
}

uint64_t size_of(Dwarf_Die* type) {
  Dwarf_Word size = 0;
  return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

static bool find_library_type(Dwarf_Die* type) {
  bool library = false;
  for (Dwarf_Die& scope : scopes_around(*type)) {
    const char* name = dwarf_tag(&scope) == DW_TAG_namespace ? dwarf_diename(&scope) : nullptr;
    if (name && (std::string_view(name) == "std" || std::string_view(name) == "__gnu_cxx")) library = true;
  }
  const char* own = dwarf_diename(type);
  return library || (own && (std::string_view(own).starts_with("__") || std::string_view(own).starts_with("pthread_")));
}

// Asked for every element of every array that is looked through.
bool is_library_type(Dwarf_Die* type) {
  static std::unordered_map<const void*, bool> known;
  const auto [at, fresh] = known.try_emplace(type->addr, false);
  if (fresh) at->second = find_library_type(type);
  return at->second;
}

bool is_class(Dwarf_Die* type) {
  const int tag = dwarf_tag(type);
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}
bool is_reference(Dwarf_Die* type) {
  const int tag = dwarf_tag(type);
  return tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}
bool is_pointer(Dwarf_Die* type) { return dwarf_tag(type) == DW_TAG_pointer_type || is_reference(type); }

std::string plain_name(Dwarf_Die* type) {
  const char* name = dwarf_diename(type);
  return name ? name : "";
}

std::vector<Member> members_of(Dwarf_Die* type) {
  std::vector<Member> members;
  Dwarf_Die child;
  if (dwarf_child(type, &child) != 0) return members;
  do {
    const int tag = dwarf_tag(&child);
    if (tag != DW_TAG_member && tag != DW_TAG_inheritance) continue;
    Member member;
    const auto at = number(&child, DW_AT_data_member_location);
    if (!at || !type_of(&child, &member.type)) continue;
    member.offset = *at;
    if (tag == DW_TAG_member) member.name = plain_name(&child);
    members.push_back(std::move(member));
  } while (dwarf_siblingof(&child, &child) == 0);
  return members;
}

std::optional<Dwarf_Die> template_argument(Dwarf_Die* type, unsigned n) {
  Dwarf_Die child, argument;
  if (dwarf_child(type, &child) != 0) return std::nullopt;
  do {
    if (dwarf_tag(&child) != DW_TAG_template_type_parameter || n-- > 0) continue;
    return type_of(&child, &argument) ? std::optional(argument) : std::nullopt;
  } while (dwarf_siblingof(&child, &child) == 0);
  return std::nullopt;
}

std::optional<Dwarf_Die> nested_type(Dwarf_Die* type, const char* name) {
  Dwarf_Die child, nested;
  if (dwarf_child(type, &child) != 0) return std::nullopt;
  do {
    if (dwarf_tag(&child) == DW_TAG_typedef && plain_name(&child) == name)
      return type_of(&child, &nested) ? std::optional(nested) : std::nullopt;
  } while (dwarf_siblingof(&child, &child) == 0);
  return std::nullopt;
}

std::optional<ArrayShape> shape_of(Dwarf_Die* array) {
  ArrayShape shape;
  Dwarf_Die dimension;
  if (!type_of(array, &shape.element)) return std::nullopt;
  shape.element_size = size_of(&shape.element);
  if (shape.element_size == 0 || dwarf_child(array, &dimension) != 0) return std::nullopt;
  do {
    if (dwarf_tag(&dimension) != DW_TAG_subrange_type) continue;
    if (auto count = number(&dimension, DW_AT_count)) {
      shape.counts.push_back(*count);
    } else if (auto last = number(&dimension, DW_AT_upper_bound)) {
      shape.counts.push_back(*last + 1);
    } else {
      return std::nullopt;
    }
  } while (dwarf_siblingof(&dimension, &dimension) == 0);
  return shape;
}

namespace {

std::string inside_array(Dwarf_Die* array, uint64_t offset, Leaf* leaf) {
  auto shape = shape_of(array);
  if (!shape) return {};
  uint64_t index = offset / shape->element_size;
  std::string path;
  for (size_t i = shape->counts.size(); i-- > 0;) {  // the last dimension varies fastest
    if (shape->counts[i] == 0) return {};
    const uint64_t here = i == 0 ? index : index % shape->counts[i];
    path = "[" + std::to_string(here) + "]" + path;
    index /= shape->counts[i];
  }
  return path + path_inside(&shape->element, offset % shape->element_size, leaf);
}

std::string inside_class(Dwarf_Die* type, uint64_t offset, Leaf* leaf) {
  const bool library = is_library_type(type);
  for (Member& member : members_of(type)) {
    const uint64_t size = size_of(&member.type);
    if (offset < member.offset || offset - member.offset >= std::max<uint64_t>(size, 1)) continue;
    std::string rest = path_inside(&member.type, offset - member.offset, leaf);
    if (member.name.empty() || (library && member.name[0] == '_')) {  // std::array stands for its elements
      if (leaf && rest.empty()) leaf->within += member.offset;
      return rest;
    }
    return "." + member.name + rest;
  }
  return {};
}

ValueType scalar_type(Dwarf_Die* type) {
  ValueType value;
  value.size = static_cast<uint8_t>(std::min<uint64_t>(size_of(type), 255));
  switch (number(type, DW_AT_encoding).value_or(0)) {
    case DW_ATE_boolean: value.kind = ValueType::Bool; break;
    case DW_ATE_signed: value.kind = ValueType::Signed; break;
    case DW_ATE_unsigned: value.kind = ValueType::Unsigned; break;
    case DW_ATE_signed_char:
    case DW_ATE_unsigned_char: value.kind = ValueType::Character; break;
    case DW_ATE_float: value.kind = ValueType::Float; break;
    default: break;
  }
  return value;
}

ValueType enum_type(Dwarf_Die* type) {
  ValueType value{ValueType::Enum, static_cast<uint8_t>(size_of(type)), {}};
  Dwarf_Die child;
  if (dwarf_child(type, &child) != 0) return value;
  do {
    if (dwarf_tag(&child) == DW_TAG_enumerator)
      value.enumerators.emplace_back(number(&child, DW_AT_const_value).value_or(0), plain_name(&child));
  } while (dwarf_siblingof(&child, &child) == 0);
  return value;
}

// True for atomics and smart pointers, which stand for a value. Other library objects only start with one.
bool stands_for_scalar(Dwarf_Die* type) {
  const std::string name = plain_name(type);
  for (const char* prefix : {"atomic<", "atomic_", "__atomic_", "unique_ptr<", "shared_ptr<", "weak_ptr<"})
    if (name.starts_with(prefix)) return is_library_type(type);
  return false;
}

ValueType first_scalar(Dwarf_Die* type) {
  for (Member& member : members_of(type)) {
    if (member.offset != 0) continue;
    ValueType value = is_class(&member.type) ? first_scalar(&member.type) : value_type(&member.type);
    if (value.kind != ValueType::Unknown) return value;
  }
  return {};
}

}  // namespace

std::string path_inside(Dwarf_Die* type, uint64_t offset, Leaf* leaf) {
  if (leaf) *leaf = {*type, offset};
  if (dwarf_tag(type) == DW_TAG_array_type) return inside_array(type, offset, leaf);
  return is_class(type) ? inside_class(type, offset, leaf) : std::string{};
}

ValueType value_type(Dwarf_Die* type) {
  switch (dwarf_tag(type)) {
    case DW_TAG_base_type: return scalar_type(type);
    case DW_TAG_enumeration_type: return enum_type(type);
    case DW_TAG_pointer_type: return {ValueType::Pointer, 8, {}};
    default: break;
  }
  return is_class(type) && stands_for_scalar(type) ? first_scalar(type) : ValueType{};
}

}  // namespace lockstep::debug_info
