// The elements of the standard library's containers, by the layouts of libstdc++. Private to the symbols library.
#pragma once
#include <elfutils/libdw.h>
#include <cstdint>
#include <functional>
#include <string>

#include "target/process_memory.hpp"

namespace lockstep::debug_info {

struct Element {
  uint64_t address;
  Dwarf_Die type;
  std::string suffix;    // "[3]", "[\"key\"]", ".use_count()"
  bool pointee = false;  // `suffix` is empty: it is what the smart pointer points to
  bool array = false;    // and the first of several
  uint64_t size = 0;     // 0: its type's
};

// Calls `visit` for each element; of many only for the first few and those that hold `wanted`. False: the type is no
// container that is known.
bool visit_elements(Dwarf_Die* container, uint64_t address, uint64_t wanted, const ProcessMemory& memory,
                    const std::function<void(const Element&)>& visit);

// How many elements there are, for size(); nullopt: not known.
std::optional<uint64_t> element_count(Dwarf_Die* container, uint64_t address, const ProcessMemory& memory);

}  // namespace lockstep::debug_info
