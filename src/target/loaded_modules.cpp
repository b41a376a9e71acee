// Reports mapped files to libdwfl.
#include "target/loaded_modules.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>

namespace lockstep {
namespace {

// Finds debug information without debuginfod: the default lookup would query a configured server, which can take
// seconds.
int find_debuginfo(Dwfl_Module* module, void** data, const char* name, Dwarf_Addr base, const char* file,
                   const char* link, GElf_Word crc, char** found) {
  if (std::getenv("DEBUGINFOD_URLS") != nullptr)
    return dwfl_build_id_find_debuginfo(module, data, name, base, file, link, crc, found);
  return dwfl_standard_find_debuginfo(module, data, name, base, file, link, crc, found);
}

constexpr Dwfl_Callbacks kCallbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = nullptr,
};

}  // namespace

DwflHandle report_modules(const std::vector<Module>& modules) {
  DwflHandle dwfl(dwfl_begin(&kCallbacks));
  if (!dwfl) return dwfl;
  std::map<std::string, uint64_t> base;  // lowest mapping of each file
  for (const Module& module : modules) {
    if (module.path.empty() || module.path[0] != '/') continue;
    auto [at, fresh] = base.emplace(module.path, module.begin - module.file_offset);
    if (!fresh) at->second = std::min(at->second, module.begin - module.file_offset);
  }
  dwfl_report_begin(dwfl.get());
  for (const auto& [path, address] : base) dwfl_report_elf(dwfl.get(), path.c_str(), path.c_str(), -1, address, false);
  dwfl_report_end(dwfl.get(), nullptr, nullptr);
  return dwfl;
}

}  // namespace lockstep
