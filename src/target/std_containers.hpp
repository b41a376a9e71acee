// Elements of the standard library's containers, by the memory layouts of libstdc++. Private to the symbols library.
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
  bool pointee = false;  // the target of a smart pointer; `suffix` is empty
  bool array = false;    // the first element of an array
  uint64_t size = 0;     // 0: the size of its type
  bool own = false;      // the container's own memory, such as the links of a node
};

// Calls `visit` for each element and for what the container allocated for itself; in large containers only for the
// first few and those that contain `wanted`. False: the type is not a known container.
bool visit_elements(Dwarf_Die* container, uint64_t address, uint64_t wanted, const ProcessMemory& memory,
                    const std::function<void(const Element&)>& visit);

// The number of elements, for size(); nullopt: not known.
std::optional<uint64_t> element_count(Dwarf_Die* container, uint64_t address, const ProcessMemory& memory);

}  // namespace lockstep::debug_info
