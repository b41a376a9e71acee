// Reads sections, symbols, imports and unwind information of an ELF file.
#include "target/elf_file.hpp"

#include <algorithm>
#include <fstream>

namespace lockstep {
namespace {

void sort_by_address(std::vector<ElfFile::Function>& functions) {
  std::stable_sort(functions.begin(), functions.end(),
                   [](const ElfFile::Function& a, const ElfFile::Function& b) { return a.begin < b.begin; });
}

template <class T>
T at(std::span<const uint8_t> bytes, size_t offset) {
  T value{};
  if (offset + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace

ElfFile::ElfFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = in ? static_cast<std::streamoff>(in.tellg()) : 0;
  if (size <= 0) return;
  bytes_.resize(static_cast<size_t>(size));
  in.seekg(0).read(bytes_.data(), size);
  if (!in || bytes_.size() < sizeof(Elf64_Ehdr)) return;
  std::memcpy(&header_, bytes_.data(), sizeof header_);
  good_ = std::memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0 && header_.e_machine == EM_X86_64 &&
          header_.e_shentsize == sizeof(Elf64_Shdr) &&
          header_.e_shoff + uint64_t{header_.e_shnum} * sizeof(Elf64_Shdr) <= bytes_.size();
}

std::optional<Elf64_Shdr> ElfFile::section(uint32_t index) const {
  if (!good_ || index >= header_.e_shnum) return std::nullopt;
  Elf64_Shdr found{};
  std::memcpy(&found, bytes_.data() + header_.e_shoff + index * sizeof found, sizeof found);
  return found;
}

std::string ElfFile::text(const Elf64_Shdr& strings, uint64_t offset) const {
  return strings.sh_offset + offset < bytes_.size() ? bytes_.data() + strings.sh_offset + offset : "";
}

std::string_view ElfFile::name(const Elf64_Shdr& of) const {
  const auto strings = section(header_.e_shstrndx);
  if (!strings || strings->sh_offset + of.sh_name >= bytes_.size()) return {};
  return bytes_.data() + strings->sh_offset + of.sh_name;
}

template <class F>
void ElfFile::for_each_symbol(uint32_t type, F&& visit) const {
  for_each_section([&](const Elf64_Shdr& header, std::span<const uint8_t> table) {
    const auto strings = section(header.sh_link);
    if (header.sh_type != type || !strings) return;
    for (size_t offset = 0; offset + sizeof(Elf64_Sym) <= table.size(); offset += sizeof(Elf64_Sym))
      visit(at<Elf64_Sym>(table, offset), *strings);
  });
}

std::vector<ElfFile::Function> ElfFile::functions() const {
  std::vector<Function> found = all_functions();
  std::erase_if(found, [](const Function& f) { return f.name.empty() || f.unsized; });
  return found;
}

std::vector<ElfFile::Function> ElfFile::all_functions() const {
  std::vector<Function> found;
  bool has_symbols = false;
  for (const uint32_t type : {uint32_t{SHT_SYMTAB}, uint32_t{SHT_DYNSYM}})
    for_each_symbol(type, [&](const Elf64_Sym& symbol, const Elf64_Shdr& strings) {
      has_symbols |= type == SHT_SYMTAB;
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) return;
      found.push_back({symbol.st_value, symbol.st_value + symbol.st_size, text(strings, symbol.st_name),
                       ELF64_ST_VISIBILITY(symbol.st_other) == STV_HIDDEN, symbol.st_size == 0});
    });
  if (!has_symbols) {
    std::vector<Function> unwound = unwound_functions();
    found.insert(found.end(), unwound.begin(), unwound.end());
  }
  sort_by_address(found);
  found.erase(std::unique(found.begin(), found.end(),
                          [](const Function& a, const Function& b) { return a.begin == b.begin && a.name == b.name; }),
              found.end());
  for (size_t i = 0; i < found.size(); ++i) {
    if (!found[i].unsized) continue;
    size_t next = i;
    while (next < found.size() && found[next].begin == found[i].begin) ++next;
    found[i].end = next < found.size() ? found[next].begin : found[i].begin + 1;
  }
  return found;
}

// Reads the sorted table of .eh_frame_hdr, in the form that all linkers write.
std::vector<ElfFile::Object> ElfFile::objects() const {
  std::vector<Object> found;
  for (const uint32_t type : {uint32_t{SHT_SYMTAB}, uint32_t{SHT_DYNSYM}})
    for_each_symbol(type, [&](const Elf64_Sym& symbol, const Elf64_Shdr&) {
      if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_shndx != SHN_UNDEF && symbol.st_size > 0)
        found.push_back({symbol.st_value, symbol.st_size});
    });
  return found;
}

std::vector<ElfFile::Function> ElfFile::unwound_functions() const {
  std::vector<Function> found;
  std::span<const uint8_t> frames;
  uint64_t frames_address = 0;
  for_each_section([&](const Elf64_Shdr& header, std::span<const uint8_t> bytes) {
    if (name(header) == ".eh_frame") frames = bytes, frames_address = header.sh_addr;
  });
  for_each_section([&](const Elf64_Shdr& header, std::span<const uint8_t> bytes) {
    // Encodings: version, relative to here, count, relative to the table.
    constexpr uint8_t kForm[] = {1, 0x1b, 0x03, 0x3b};
    if (name(header) != ".eh_frame_hdr" || bytes.size() < 12 || std::memcmp(bytes.data(), kForm, sizeof kForm) != 0)
      return;
    const uint32_t count = at<uint32_t>(bytes, 8);
    for (uint32_t i = 0; i < count && 12 + (i + 1) * 8ull <= bytes.size(); ++i) {
      const uint64_t begin = header.sh_addr + static_cast<uint64_t>(int64_t{at<int32_t>(bytes, 12 + i * 8ull)});
      const uint64_t entry = header.sh_addr + static_cast<uint64_t>(int64_t{at<int32_t>(bytes, 16 + i * 8ull)});
      const uint32_t size = at<uint32_t>(frames, entry - frames_address + 12);  // after length, CIE and begin
      if (size) found.push_back({begin, begin + size, ""});
    }
  });
  return found;
}

std::map<uint64_t, std::string> ElfFile::imported_functions() const {
  std::map<uint64_t, std::string> found;
  for_each_section([&](const Elf64_Shdr& header, std::span<const uint8_t> relocations) {
    const auto symbols = section(header.sh_link);
    const auto strings = symbols ? section(symbols->sh_link) : std::nullopt;
    if (header.sh_type != SHT_RELA || !strings) return;
    for (size_t offset = 0; offset + sizeof(Elf64_Rela) <= relocations.size(); offset += sizeof(Elf64_Rela)) {
      const auto relocation = at<Elf64_Rela>(relocations, offset);
      const auto type = ELF64_R_TYPE(relocation.r_info);
      if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
      const auto table = std::span(reinterpret_cast<const uint8_t*>(bytes_.data()), bytes_.size());
      const auto symbol = at<Elf64_Sym>(table, symbols->sh_offset + ELF64_R_SYM(relocation.r_info) * sizeof(Elf64_Sym));
      found.emplace(relocation.r_offset, text(*strings, symbol.st_name));
    }
  });
  return found;
}

std::vector<std::string> ElfFile::needed() const {
  std::vector<std::string> found;
  for_each_section([&](const Elf64_Shdr& header, std::span<const uint8_t> entries) {
    const auto strings = section(header.sh_link);
    if (header.sh_type != SHT_DYNAMIC || !strings) return;
    for (size_t offset = 0; offset + sizeof(Elf64_Dyn) <= entries.size(); offset += sizeof(Elf64_Dyn)) {
      const auto entry = at<Elf64_Dyn>(entries, offset);
      if (entry.d_tag == DT_NEEDED) found.push_back(text(*strings, entry.d_un.d_val));
    }
  });
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
