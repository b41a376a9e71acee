#include "runtime/memory/code.hpp"

#include <sys/mman.h>

namespace lockstep::rt {

bool write_code(uintptr_t address, const uint8_t* code, size_t size) {
  constexpr uintptr_t kPage = 4096;
  const uintptr_t first = address & ~(kPage - 1), end = (address + size + kPage - 1) & ~(kPage - 1);
  const auto protect = [&](long rights) {
    return sys(SYS_mprotect, static_cast<long>(first), static_cast<long>(end - first), rights) >= 0;
  };
  if (!protect(PROT_READ | PROT_WRITE | PROT_EXEC)) return false;
  copy_bytes(reinterpret_cast<void*>(address), code, size);
  protect(PROT_READ | PROT_EXEC);
  return true;
}

}  // namespace lockstep::rt
