// Types of variables, from debug information. Private to the symbols library.
#pragma once
#include <elfutils/libdw.h>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/observation.hpp"

namespace lockstep::debug_info {

bool type_of(Dwarf_Die* die, Dwarf_Die* type);  // without typedefs and qualifiers; false: there is no type
uint64_t size_of(Dwarf_Die* type);              // 0: not known
// True for types of the standard library, whose members are never named.
bool is_library_type(Dwarf_Die* type);
bool is_class(Dwarf_Die* type);
bool is_reference(Dwarf_Die* type);
bool is_pointer(Dwarf_Die* type);  // or reference
std::string plain_name(Dwarf_Die* type);

struct Member {
  std::string name;  // empty: a base class or unnamed member
  uint64_t offset;
  Dwarf_Die type;
};
std::vector<Member> members_of(Dwarf_Die* type);

// The n-th type argument of a template instance; a type that a class defines.
std::optional<Dwarf_Die> template_argument(Dwarf_Die* type, unsigned n);
std::optional<Dwarf_Die> nested_type(Dwarf_Die* type, const char* name);

struct ArrayShape {
  Dwarf_Die element;
  uint64_t element_size;
  std::vector<uint64_t> counts;
};
std::optional<ArrayShape> shape_of(Dwarf_Die* array);

// What a path leads to.
struct Leaf {
  Dwarf_Die type{};
  uint64_t within = 0;  // offset in the object that the path names
};

// The path from an object of this type to what lies at `offset` in it: ".slots[1].turn"; "" for the object itself and
// for what lies inside a library type.
std::string path_inside(Dwarf_Die* type, uint64_t offset, Leaf* leaf = nullptr);

// How values of this type are shown. Library types (std::atomic) stand for the scalar that they start with.
ValueType value_type(Dwarf_Die* type);

}  // namespace lockstep::debug_info
