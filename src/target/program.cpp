// Checks before the start whether a file can be run under control, so that a problem is reported as a sentence.
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <vector>

#include "target/target.hpp"

namespace lockstep {
namespace {

Error uncontrolled(std::string message) { return {ExitCode::Uncontrolled, std::move(message)}; }

std::string in_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "";
  while (!rest.empty()) {
    const size_t colon = rest.find(':');
    std::string candidate = std::string(rest.substr(0, colon)) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  return name;
}

// The relevant parts of an ELF file. Reads only inside the file, whatever its headers claim.
struct ElfFacts {
  bool elf = false, right_machine = false, dynamic = false;
  bool program = false;  // has an interpreter, or is a static executable
  std::vector<std::string> needed;
};

template <class T>
bool read_at(std::ifstream& file, uint64_t offset, T* out, size_t count = 1) {
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(reinterpret_cast<char*>(out), static_cast<std::streamsize>(sizeof(T) * count));
  return static_cast<bool>(file);
}

std::string string_at(std::ifstream& file, uint64_t offset) {
  char text[256] = {};
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(text, sizeof text - 1);
  return text;
}

ElfFacts inspect(const std::string& path) {
  ElfFacts facts;
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  if (!read_at(file, 0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return facts;
  facts.elf = true;
#if defined(__x86_64__)
  constexpr unsigned kMachine = EM_X86_64;
#else
  constexpr unsigned kMachine = EM_AARCH64;
#endif
  facts.right_machine = header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == kMachine;
  if (!facts.right_machine || header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum > 512) return facts;
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  if (!read_at(file, header.e_phoff, segments.data(), segments.size())) return facts;
  auto file_offset = [&segments](uint64_t address) -> uint64_t {
    for (const Elf64_Phdr& s : segments)
      if (s.p_type == PT_LOAD && address >= s.p_vaddr && address < s.p_vaddr + s.p_filesz)
        return address - s.p_vaddr + s.p_offset;
    return 0;
  };
  for (const Elf64_Phdr& s : segments) {
    if (s.p_type == PT_INTERP) facts.dynamic = facts.program = true;
    if (s.p_type != PT_DYNAMIC || s.p_filesz > (1u << 20)) continue;
    std::vector<Elf64_Dyn> entries(s.p_filesz / sizeof(Elf64_Dyn));
    if (!read_at(file, s.p_offset, entries.data(), entries.size())) continue;
    uint64_t strings = 0;
    for (const Elf64_Dyn& d : entries)
      if (d.d_tag == DT_STRTAB) strings = file_offset(d.d_un.d_ptr);
    for (const Elf64_Dyn& d : entries)
      if (d.d_tag == DT_NEEDED && strings) facts.needed.push_back(string_at(file, strings + d.d_un.d_val));
  }
  return facts;
}

}  // namespace

bool is_built_for_lockstep(const std::string& path) {
  const ElfFacts facts = inspect(path);
  return facts.right_machine && facts.dynamic &&
         std::find(facts.needed.begin(), facts.needed.end(), "liblockstep-rt.so") != facts.needed.end();
}

Result<std::string> find_program(const std::string& name) {
  const std::string path = in_path(name);
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return Error{ExitCode::Usage, "cannot find the program '" + name + "'"};
  if (S_ISDIR(info.st_mode)) return Error{ExitCode::Usage, "'" + name + "' is a directory, not a program"};
  if (access(path.c_str(), X_OK) != 0)
    return Error{ExitCode::Usage, "'" + name + "' is not executable; build it, or use chmod +x"};
  const ElfFacts facts = inspect(path);
  if (!facts.elf)
    return uncontrolled("'" + name + "' is not a compiled program (a script?); pass the compiled program to lockstep");
  if (!facts.right_machine) return uncontrolled("'" + name + "' is built for another architecture");
  if (!facts.dynamic)
    return uncontrolled("'" + name +
                        "' is statically linked, so its calls cannot be intercepted; link it without -static");
  for (const std::string& library : facts.needed) {
    if (library.starts_with("libtsan"))
      return uncontrolled("'" + name +
                          "' is linked with libtsan; build it with lockstep-cxx instead of -fsanitize=thread");
    if (library.starts_with("libasan") || library.starts_with("libmsan"))
      return uncontrolled("'" + name + "' is linked with " + library +
                          ", whose allocator and shadow memory cannot be restored; build it without that sanitizer");
  }
  return path;
}

}  // namespace lockstep
