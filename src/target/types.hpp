// Types of variables as debug information describes them. Private to the symbols library.
#pragma once
#include <elfutils/libdw.h>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/observation.hpp"

namespace lockstep::debug_info {

bool type_of(Dwarf_Die* die, Dwarf_Die* type);  // without typedefs and qualifiers; false: it has none
uint64_t size_of(Dwarf_Die* type);              // 0: not known
// Types of the standard library are one thing to the reader: their insides are never named.
bool is_library_type(Dwarf_Die* type);
bool is_class(Dwarf_Die* type);
bool is_reference(Dwarf_Die* type);
bool is_pointer(Dwarf_Die* type);  // or reference
std::string plain_name(Dwarf_Die* type);

struct Member {
  std::string name;  // empty: a base class or an unnamed member
  uint64_t offset;
  Dwarf_Die type;
};
std::vector<Member> members_of(Dwarf_Die* type);

// The n-th type argument of a template's instance, and a type that a class defines.
std::optional<Dwarf_Die> template_argument(Dwarf_Die* type, unsigned n);
std::optional<Dwarf_Die> nested_type(Dwarf_Die* type, const char* name);

struct ArrayShape {
  Dwarf_Die element;
  uint64_t element_size;
  std::vector<uint64_t> counts;
};
std::optional<ArrayShape> shape_of(Dwarf_Die* array);

// The way from an object of this type to what lies at `offset` in it: ".slots[1].turn"; "" if it is the object itself
// or inside a library type. `leaf` gets the innermost type there.
std::string path_inside(Dwarf_Die* type, uint64_t offset, Dwarf_Die* leaf = nullptr);

// How values of this type are shown; library types (std::atomic) stand for the scalar they begin with.
ValueType value_type(Dwarf_Die* type);

}  // namespace lockstep::debug_info
