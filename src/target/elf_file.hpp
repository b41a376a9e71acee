// An ELF file on disk: its sections and the functions it has names for. Private to the symbols library.
#pragma once
#include <elf.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lockstep {

class ElfFile {
 public:
  struct Function {
    uint64_t begin, end;  // as in the file
    std::string name;     // as the linker knows it
  };

  explicit ElfFile(const std::string& path);

  bool good() const { return good_; }
  bool position_independent() const { return header_.e_type == ET_DYN; }
  std::vector<Function> functions() const;  // ascending; from both symbol tables
  std::optional<uint64_t> offset_of(uint64_t address) const;  // in the file, of what is in a section there

  template <class F>
  void for_each_section(F&& visit) const {  // visit(const Elf64_Shdr&, std::span<const uint8_t>)
    for (unsigned i = 0; good_ && i < header_.e_shnum; ++i) {
      Elf64_Shdr section{};
      std::memcpy(&section, bytes_.data() + header_.e_shoff + i * sizeof section, sizeof section);
      if (section.sh_type == SHT_NOBITS || section.sh_offset + section.sh_size > bytes_.size()) continue;
      visit(section, std::span(reinterpret_cast<const uint8_t*>(bytes_.data()) + section.sh_offset, section.sh_size));
    }
  }

 private:
  std::string bytes_;  // keeps a zero at its end
  Elf64_Ehdr header_{};
  bool good_ = false;
};

}  // namespace lockstep
