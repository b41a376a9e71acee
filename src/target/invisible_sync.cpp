#include "target/invisible_sync.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "target/demangle.hpp"
#include "target/elf_file.hpp"
#include "target/own_modules.hpp"

namespace lockstep {
namespace {

// --- the length of x86-64 instructions, and what matters of them ---

enum Map : uint8_t { kOneByte, kTwoByte, k38, k3A };

struct Instruction {
  size_t length = 0;  // 0: not understood
  bool lock = false, memory = false;
  Map map = kOneByte;
  uint8_t opcode = 0, modrm = 0;
};

bool one_byte_has_modrm(uint8_t op) {
  if (op < 0x40) return (op & 7) < 4;
  switch (op) {
    case 0x63: case 0x69: case 0x6b: case 0xc0: case 0xc1: case 0xc6: case 0xc7: case 0xf6: case 0xf7: case 0xfe:
    case 0xff: return true;
    default: return (op >= 0x80 && op <= 0x8f) || (op >= 0xd0 && op <= 0xd3) || (op >= 0xd8 && op <= 0xdf);
  }
}

size_t one_byte_immediate(uint8_t op, uint8_t modrm, bool wide, bool narrow) {
  const size_t full = narrow ? 2 : 4;
  if (op < 0x40) return (op & 7) == 4 ? 1 : (op & 7) == 5 ? full : 0;
  if ((op >= 0x70 && op <= 0x7f) || (op >= 0xb0 && op <= 0xb7) || (op >= 0xe0 && op <= 0xe7)) return 1;
  if (op >= 0xb8 && op <= 0xbf) return wide ? 8 : full;
  if (op >= 0xa0 && op <= 0xa3) return 8;
  switch (op) {
    case 0x6a: case 0x6b: case 0x80: case 0x82: case 0x83: case 0xa8: case 0xc0: case 0xc1: case 0xc6: case 0xcd:
    case 0xeb: return 1;
    case 0x68: case 0x69: case 0x81: case 0xa9: case 0xc7: return full;
    case 0xe8: case 0xe9: return 4;
    case 0xc2: case 0xca: return 2;
    case 0xc8: return 3;
    case 0xf6: return (modrm & 0x38) < 0x10 ? 1 : 0;
    case 0xf7: return (modrm & 0x38) < 0x10 ? full : 0;
    default: return 0;
  }
}

bool two_byte_has_modrm(uint8_t op) {
  if ((op >= 0x30 && op <= 0x37) || (op >= 0x80 && op <= 0x8f) || (op >= 0xc8 && op <= 0xcf)) return false;
  switch (op) {
    case 0x05: case 0x06: case 0x07: case 0x08: case 0x09: case 0x0b: case 0x0e: case 0x77: case 0xa0: case 0xa1:
    case 0xa2: case 0xa8: case 0xa9: case 0xaa: return false;
    default: return true;
  }
}

size_t two_byte_immediate(uint8_t op) {
  if (op >= 0x80 && op <= 0x8f) return 4;
  switch (op) {
    case 0x70: case 0x71: case 0x72: case 0x73: case 0xa4: case 0xac: case 0xba: case 0xc2: case 0xc4: case 0xc5:
    case 0xc6: return 1;
    default: return 0;
  }
}

class Decoder {
 public:
  explicit Decoder(std::span<const uint8_t> code) : code_(code) {}

  Instruction decode() {
    bool wide = false, narrow = false, vector = false;
    for (;; ++at_) {
      const uint8_t b = peek();
      if (b == 0xf0) result_.lock = true;
      else if (b == 0x66) narrow = true;
      else if (b != 0x67 && b != 0xf2 && b != 0xf3 && b != 0x2e && b != 0x36 && b != 0x3e && b != 0x26 && b != 0x64 && b != 0x65) break;
    }
    if ((peek() & 0xf0) == 0x40) wide = next() & 8;
    if (peek() == 0xc5 || peek() == 0xc4 || peek() == 0x62) vector = vector_prefix();
    else if (peek() == 0x0f) escape();
    result_.opcode = next();
    const bool has_modrm = result_.map == kOneByte ? one_byte_has_modrm(result_.opcode)
                           : result_.map == kTwoByte ? (vector ? result_.opcode != 0x77 : two_byte_has_modrm(result_.opcode))
                                                     : true;
    if (has_modrm) operand();
    switch (result_.map) {
      case kOneByte: at_ += one_byte_immediate(result_.opcode, result_.modrm, wide, narrow); break;
      case kTwoByte: at_ += two_byte_immediate(result_.opcode); break;
      case k3A: at_ += 1; break;
      case k38: break;
    }
    result_.length = at_ <= code_.size() && !beyond_ ? at_ : 0;
    return result_;
  }

 private:
  uint8_t peek() {
    if (at_ < code_.size()) return code_[at_];
    beyond_ = true;
    return 0x90;
  }
  uint8_t next() {
    const uint8_t b = peek();
    ++at_;
    return b;
  }
  void escape() {
    ++at_;
    result_.map = kTwoByte;
    if (peek() == 0x38) result_.map = k38, ++at_;
    else if (peek() == 0x3a) result_.map = k3A, ++at_;
  }
  bool vector_prefix() {
    const uint8_t kind = next();
    const uint8_t first = next();
    if (kind == 0xc5) {
      result_.map = kTwoByte;
      return true;
    }
    const uint8_t map = first & (kind == 0x62 ? 7 : 0x1f);
    at_ += kind == 0x62 ? 2 : 1;
    result_.map = map == 2 || map == 6 ? k38 : map == 3 ? k3A : kTwoByte;
    return true;
  }
  void operand() {
    const uint8_t m = result_.modrm = next();
    const uint8_t mode = m >> 6, low = m & 7;
    result_.memory = mode != 3;
    if (mode == 3) return;
    bool no_base = mode == 0 && low == 5;  // relative to the program counter
    if (low == 4) no_base = (next() & 7) == 5 && mode == 0;
    if (mode == 1) at_ += 1;
    if (mode == 2 || no_base) at_ += 4;
  }

  std::span<const uint8_t> code_;
  size_t at_ = 0;
  bool beyond_ = false;
  Instruction result_;
};

bool hands_over(const Instruction& i) {
  if (i.map == kTwoByte && i.opcode == 0xae && i.modrm == 0xf0) return true;                     // mfence
  if (!i.memory) return false;
  if (i.map == kOneByte && (i.opcode == 0x86 || i.opcode == 0x87)) return true;                  // xchg
  if (!i.lock) return false;
  if (i.map == kTwoByte) {
    const bool exchange = i.opcode == 0xb0 || i.opcode == 0xb1 || i.opcode == 0xc7;              // cmpxchg, cmpxchg16b
    const bool bit = i.opcode == 0xab || i.opcode == 0xb3 || i.opcode == 0xbb || i.opcode == 0xba;  // bts, btr, btc
    return exchange || bit;
  }
  if (i.map != kOneByte) return false;
  const unsigned logic = i.opcode < 0x40 ? i.opcode >> 3 : i.opcode <= 0x83 && i.opcode >= 0x80 ? i.modrm >> 3 & 7 : 0;
  return logic == 1 || logic == 4 || logic == 6;                                                 // or, and, xor
}

// Parts of the C++ library linked statically do not synchronise for the program; its atomics do.
bool is_library_function(const std::string& name) {
  const bool standard = name.starts_with("_ZNSt") || name.starts_with("_ZNKSt") || name.starts_with("_ZSt") ||
                        name.starts_with("_ZN9__gnu_cxx") || name.starts_with("_ZN10__cxxabiv1") || name.starts_with("__cxa_") ||
                        name.starts_with("_Unwind_");
  return standard && name.find("atomic") == std::string::npos;
}

bool is_system_library(const std::string& path) {
  const std::string base = path.substr(path.find_last_of('/') + 1);
  static constexpr std::array<const char*, 14> kNames = {
      "libc.so", "libc-", "libm.so", "libm-", "libstdc++.so", "libgcc_s.so", "ld-linux", "ld-", "libpthread", "libdl.so",
      "librt.so", "libatomic.so", "liblockstep-rt", "libresolv.so"};
  return std::any_of(kNames.begin(), kNames.end(), [&](const char* name) { return base.starts_with(name); });
}

std::optional<std::string> look_into(const std::string& path) {
  const ElfFile file(path);
  std::optional<std::string> found;
  std::vector<ElfFile::Function> functions;
  bool asked = false;
  const std::string module = path.substr(path.find_last_of('/') + 1);
  file.for_each_section([&](const Elf64_Shdr& section, std::span<const uint8_t> code) {
    if (!(section.sh_flags & SHF_EXECINSTR) || found) return;
    for (size_t at = 0; !found;) {
      const auto next = find_atomic_instruction(code.subspan(at));
      if (!next) return;
      if (!asked) functions = file.functions(), asked = true;
      const uint64_t address = section.sh_addr + at + *next;
      auto after = std::upper_bound(functions.begin(), functions.end(), address,
                                    [](uint64_t a, const ElfFile::Function& s) { return a < s.begin; });
      const ElfFile::Function* in = after != functions.begin() && address < std::prev(after)->end ? &*std::prev(after) : nullptr;
      if (!in || !is_library_function(in->name)) found = in ? readable_name(in->name) + " in " + module : module;
      at += *next + 1;  // the rest of the instruction decodes as something harmless or is found again
      if (in) at = std::max<size_t>(at, in->end - section.sh_addr);
    }
  });
  return found;
}

}  // namespace

std::optional<size_t> find_atomic_instruction(std::span<const uint8_t> code) {
  for (size_t at = 0; at < code.size();) {
    const Instruction i = Decoder(code.subspan(at, std::min<size_t>(code.size() - at, 24))).decode();
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
    if (auto found = look_into(module.path)) return *found;
  }
  return "";
}

}  // namespace lockstep
