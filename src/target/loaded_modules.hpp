// The mapped ELF files of a program, for libdwfl. Private to the symbols library.
#pragma once
#include <elfutils/libdwfl.h>
#include <memory>
#include <vector>

#include "target/target.hpp"

namespace lockstep {

struct DwflEnd {
  void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
};
using DwflHandle = std::unique_ptr<Dwfl, DwflEnd>;

// Files that cannot be read have no names; null: libdwfl cannot be used.
DwflHandle report_modules(const std::vector<Module>& modules);

}  // namespace lockstep
