// Searches code for atomic instructions.
#include "target/uninstrumented_sync.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "target/demangle.hpp"
#include "target/elf_file.hpp"
#include "target/instrumentation.hpp"
#include "target/own_modules.hpp"
#include "target/x86_instruction.hpp"

namespace lockstep {
namespace {

bool hands_over(const Instruction& i) {
  if (i.map == OpcodeMap::TwoByte && i.opcode == 0xae && i.modrm == 0xf0) return true;  // mfence
  if (!i.memory) return false;
  if (i.map == OpcodeMap::OneByte && (i.opcode == 0x86 || i.opcode == 0x87)) return true;  // xchg
  if (!i.lock) return false;
  if (i.map == OpcodeMap::TwoByte) {
    const bool exchange = i.opcode == 0xb0 || i.opcode == 0xb1 || i.opcode == 0xc7;  // cmpxchg, cmpxchg16b
    const bool bit = i.opcode == 0xab || i.opcode == 0xb3 || i.opcode == 0xbb || i.opcode == 0xba;  // bts, btr, btc
    return exchange || bit;
  }
  if (i.map != OpcodeMap::OneByte) return false;
  const unsigned logic = i.opcode < 0x40 ? i.opcode >> 3 : i.opcode <= 0x83 && i.opcode >= 0x80 ? i.modrm >> 3 & 7 : 0;
  return logic == 1 || logic == 4 || logic == 6;  // or, and, xor
}

// True for statically linked parts of the C++ library, which do not synchronise for the program; its atomics do.
bool is_library_function(const std::string& name) {
  const bool standard = name.starts_with("_ZNSt") || name.starts_with("_ZNKSt") || name.starts_with("_ZSt") ||
                        name.starts_with("_ZN9__gnu_cxx") || name.starts_with("_ZN10__cxxabiv1") ||
                        name.starts_with("__cxa_") || name.starts_with("_Unwind_");
  return standard && name.find("atomic") == std::string::npos;
}

}  // namespace

bool is_system_library(const std::string& path) {
  const std::string base = path.substr(path.find_last_of('/') + 1);
  static constexpr std::array<const char*, 14> kNames = {
      "libc.so", "libc-",      "libm.so",  "libm-",    "libstdc++.so", "libgcc_s.so",    "ld-linux",
      "ld-",     "libpthread", "libdl.so", "librt.so", "libatomic.so", "liblockstep-rt", "libresolv.so"};
  return std::any_of(kNames.begin(), kNames.end(), [&](const char* name) { return base.starts_with(name); });
}

namespace {

std::optional<std::string> atomic_code_in(const std::string& path) {
  const ElfFile file(path);
  std::optional<std::string> found;
  std::vector<ElfFile::Function> functions;
  std::set<uint64_t> followed;  // addresses of instructions
  bool asked = false;
  const std::string module = path.substr(path.find_last_of('/') + 1);
  file.for_each_section([&](const Elf64_Shdr& section, std::span<const uint8_t> code) {
    if (!(section.sh_flags & SHF_EXECINSTR) || found) return;
    for (size_t at = 0; !found;) {
      const auto next = find_atomic_instruction(code.subspan(at));
      if (!next) return;
      if (!asked) {
        functions = file.functions(), asked = true;
        for (const FollowedInstruction& f : find_uninstrumented(path).followed) followed.insert(f.instruction.address);
      }
      const uint64_t address = section.sh_addr + at + *next;
      if (followed.contains(address)) {
        at += *next + 1;
        continue;
      }
      auto after = std::upper_bound(functions.begin(), functions.end(), address,
                                    [](uint64_t a, const ElfFile::Function& s) { return a < s.begin; });
      const ElfFile::Function* in =
          after != functions.begin() && address < std::prev(after)->end ? &*std::prev(after) : nullptr;
      if (!in || !is_library_function(in->name)) found = in ? readable_name(in->name) + " in " + module : module;
      at += *next + 1;  // the rest decodes as something harmless, or is found again
      if (in) at = std::max<size_t>(at, in->end - section.sh_addr);
    }
  });
  return found;
}

}  // namespace

std::optional<size_t> find_atomic_instruction(std::span<const uint8_t> code) {
  for (size_t at = 0; at < code.size();) {
    const Instruction i = decode_instruction(code.subspan(at));
    if (i.length && hands_over(i)) return at;
    at += i.length ? i.length : 1;
  }
  return std::nullopt;
}

std::string invisible_synchronisation(const std::vector<Module>& modules) {
  std::vector<std::string> paths;
  for (const Module& module : modules)
    if (module.path.starts_with('/')) paths.push_back(module.path);
  std::set<std::string> seen = modules_of_lockstep(paths);
  for (const Module& module : modules) {
    if (!module.path.starts_with('/') || is_system_library(module.path) || !seen.insert(module.path).second) continue;
    if (auto found = atomic_code_in(module.path)) return *found;
  }
  return "";
}

}  // namespace lockstep
