// An ELF file on disk: its sections, and the functions that it names. Private to the symbols library.
#pragma once
#include <elf.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

class ElfFile {
 public:
  struct Function {
    uint64_t begin, end;   // as in the file
    std::string name;      // linkage name; empty if only its unwind information is left
    bool hidden = false;   // cannot be called from other modules
    bool unsized = false;  // the file does not say where it ends
  };

  explicit ElfFile(const std::string& path);

  bool good() const { return good_; }
  uint64_t entry() const { return header_.e_entry; }  // of an executable: _start
  bool position_independent() const { return header_.e_type == ET_DYN; }
  std::vector<Function> functions() const;  // ascending; from both symbol tables
  // functions(), with those of unknown size extended to the next one; from the unwind information if the file is
  // stripped.
  std::vector<Function> all_functions() const;
  struct Object {
    uint64_t begin, size;
  };
  std::vector<Object> objects() const;  // variables with a size, from both symbol tables
  // Where the loader stores the addresses of functions of other modules: place -> linkage name.
  std::map<uint64_t, std::string> imported_functions() const;
  std::vector<std::string> needed() const;  // names of the linked libraries

  std::string_view name(const Elf64_Shdr& section) const;
  std::optional<uint64_t> offset_of(uint64_t address) const;  // file offset of an address in a section

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
  std::optional<Elf64_Shdr> section(uint32_t index) const;
  std::string text(const Elf64_Shdr& strings, uint64_t offset) const;
  template <class F>
  void for_each_symbol(uint32_t type, F&& visit) const;  // visit(const Elf64_Sym&, const Elf64_Shdr& strings)
  std::vector<Function> unwound_functions() const;

  std::string bytes_;  // ends with a zero
  Elf64_Ehdr header_{};
  bool good_ = false;
};

}  // namespace lockstep
