#include "target/elf_file.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace lockstep {

ElfFile::ElfFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  bytes_.assign(std::istreambuf_iterator<char>(in), {});
  if (bytes_.size() < sizeof(Elf64_Ehdr)) return;
  std::memcpy(&header_, bytes_.data(), sizeof header_);
  good_ = std::memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0 && header_.e_machine == EM_X86_64 &&
          header_.e_shentsize == sizeof(Elf64_Shdr) &&
          header_.e_shoff + uint64_t{header_.e_shnum} * sizeof(Elf64_Shdr) <= bytes_.size();
}

std::vector<ElfFile::Function> ElfFile::functions() const {
  std::vector<Function> found;
  for_each_section([&](const Elf64_Shdr& section, std::span<const uint8_t> table) {
    if ((section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) || section.sh_link >= header_.e_shnum) return;
    Elf64_Shdr strings{};
    std::memcpy(&strings, bytes_.data() + header_.e_shoff + section.sh_link * sizeof strings, sizeof strings);
    for (size_t at = 0; at + sizeof(Elf64_Sym) <= table.size(); at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol{};
      std::memcpy(&symbol, table.data() + at, sizeof symbol);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size == 0 || symbol.st_shndx == SHN_UNDEF) continue;
      if (strings.sh_offset + symbol.st_name >= bytes_.size()) continue;
      found.push_back({symbol.st_value, symbol.st_value + symbol.st_size, bytes_.data() + strings.sh_offset + symbol.st_name});
    }
  });
  std::sort(found.begin(), found.end(), [](const Function& a, const Function& b) { return a.begin < b.begin; });
  found.erase(std::unique(found.begin(), found.end(), [](const Function& a, const Function& b) { return a.begin == b.begin && a.name == b.name; }),
              found.end());
  return found;
}

std::optional<uint64_t> ElfFile::offset_of(uint64_t address) const {
  std::optional<uint64_t> offset;
  for_each_section([&](const Elf64_Shdr& section, std::span<const uint8_t>) {
    if (section.sh_flags & SHF_ALLOC && address >= section.sh_addr && address - section.sh_addr < section.sh_size)
      offset = address - section.sh_addr + section.sh_offset;
  });
  return offset;
}

}  // namespace lockstep
