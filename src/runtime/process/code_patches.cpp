// Writes to the program's code.
#include "runtime/process/code_patches.hpp"

#include <sys/mman.h>

namespace lockstep::rt {

bool make_code_writable(uintptr_t begin, uintptr_t end) {
  const uintptr_t first = begin & ~(kPage - 1), last = (end + kPage - 1) & ~(kPage - 1);
  return sys(SYS_mprotect, static_cast<long>(first), static_cast<long>(last - first),
             PROT_READ | PROT_WRITE | PROT_EXEC) >= 0;
}

bool write_code(uintptr_t address, const uint8_t* code, size_t size) {
  if (!make_code_writable(address, address + size)) return false;
  copy_bytes(reinterpret_cast<void*>(address), code, size);
  return true;
}

}  // namespace lockstep::rt
