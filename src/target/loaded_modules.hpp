// The mapped ELF files of a program as libdwfl knows them. Private to the symbols library.
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

// Files that cannot be read stay nameless; null: libdwfl cannot be used at all.
DwflHandle report_modules(const std::vector<Module>& modules);

}  // namespace lockstep
