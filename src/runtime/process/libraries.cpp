// Finds the code of libraries and of the runtime.
#include "runtime/process/libraries.hpp"

#include <link.h>

#include "model/channel.hpp"

namespace lockstep::rt {
namespace {

// Finds the code of this library: the module that contains one of its functions.
void find_own_code() {
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void*) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
          const uintptr_t begin = info->dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
          const uintptr_t probe = reinterpret_cast<uintptr_t>(&find_own_code);
          if (probe >= begin && probe < end) libraries.own_code = {begin, end};
        }
        return 0;
      },
      nullptr);
}

void find_unwinder() {
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void*) {
        for (int i = 0; contains(info->dlpi_name, "libgcc_s") && i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
          libraries.unwinder_begin = info->dlpi_addr + segment.p_vaddr;
          libraries.unwinder_size = segment.p_memsz;
        }
        return 0;
      },
      nullptr);
}

}  // namespace

const char* base_name(const char* path) {
  const char* name = path;
  for (const char* p = path; *p; ++p)
    if (*p == '/') name = p + 1;
  return name;
}

bool is_system_module(const char* path) {
  const char* name = base_name(path);
  for (const char* part : {"libc.so", "libc-", "ld-linux", "libstdc++", "libgcc_s", "libm.so", "libpthread",
                           "liblockstep-rt", "linux-vdso", "libdl", "librt.so", "libatomic"})
    if (contains(name, part)) return true;
  return false;
}

bool is_own_code(uintptr_t pc) {
  if (!libraries.own_code.begin) find_own_code();
  return pc >= libraries.own_code.begin && pc < libraries.own_code.end;
}

void find_libraries() {
  find_unwinder();
  find_own_code();
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void*) {
        if (!is_system_module(info->dlpi_name) || !info->dlpi_name[0]) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) || libraries.count == Libraries::kMost) continue;
          const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
          libraries.code[libraries.count++] = {begin, begin + segment.p_memsz};
          const uintptr_t end = begin + segment.p_memsz;
          const uintptr_t known_end = libraries.begin + libraries.size;
          if (!libraries.begin || begin < libraries.begin) libraries.begin = begin;
          libraries.size = (end > known_end ? end : known_end) - libraries.begin;
        }
        return 0;
      },
      nullptr);
}

// True if the call before this return address is indirect. Libraries call each other's functions by name, so this was a
// callback of the program, which then jumped to the function it called last (a tail call).
static bool calls_back(const uint8_t* after) {
#if defined(__x86_64__)
  const bool by_name = after[-5] == 0xe8 || (after[-6] == 0xff && after[-5] == 0x15);
  return !by_name;
#else
  return (*reinterpret_cast<const uint32_t*>(after - 4) & 0xfffffc1f) == 0xd63f0000;
#endif
}

bool lies_in_library(const void* caller) {
  const uintptr_t pc = reinterpret_cast<uintptr_t>(caller);
  for (unsigned i = 0; i < libraries.count; ++i)
    if (pc >= libraries.code[i].begin + 8 && pc < libraries.code[i].end)
      return !calls_back(static_cast<const uint8_t*>(caller));
  return false;
}

bool is_library_code(const void* code) {
  const uintptr_t pc = reinterpret_cast<uintptr_t>(code);
  for (unsigned i = 0; i < libraries.count; ++i)
    if (pc >= libraries.code[i].begin && pc < libraries.code[i].end) return true;
  return false;
}

const Module libraries_module = {
    .name = "code of libraries",
    .start = find_libraries,
};

}  // namespace lockstep::rt
