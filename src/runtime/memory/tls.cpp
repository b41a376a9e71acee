// Resets thread_local variables for every logical thread, because pool threads live on.
#include <link.h>

#include "runtime/base/runtime.hpp"
#include "runtime/memory/snapshot.hpp"

namespace {
struct TlsIndex {
  unsigned long module, offset;
};
}  // namespace
extern "C" void* __tls_get_addr(TlsIndex*);

namespace lockstep::rt {
namespace {

bool keeps_its_tls(const char* path) { return contains(path, "ld-linux") || contains(path, "liblockstep-rt"); }
bool is_libc(const char* path) { return contains(path, "libc.so") || contains(path, "/libc-"); }

int add_block(dl_phdr_info* info, size_t, void* data) {
  Thread& thread = *static_cast<Thread*>(data);
  if (!info->dlpi_tls_modid || keeps_its_tls(info->dlpi_name)) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_TLS || thread.tls_block_count == 64) continue;
    TlsIndex index{info->dlpi_tls_modid, 0};
    TlsBlock& block = thread.tls_blocks[thread.tls_block_count++];
    block.address = static_cast<char*>(__tls_get_addr(&index));
    block.image = reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);
    block.image_size = segment.p_filesz;
    block.size = segment.p_memsz;
    if (is_libc(info->dlpi_name)) {
      // libc initialises its own variables (locale, ctype tables) at thread birth: later births restore that state.
      char* copy = static_cast<char*>(map_unsaved_pages(block.size));
      copy_bytes(copy, block.address, block.size);
      block.image = copy;
      block.image_size = block.size;
    }
  }
  return 0;
}

}  // namespace

void capture_tls(Thread& thread) {
  thread.tls_block_count = 0;
  dl_iterate_phdr(add_block, &thread);
}

void fresh_tls(Thread& thread) {
  for (unsigned i = 0; i < thread.tls_block_count; ++i) {
    const TlsBlock& block = thread.tls_blocks[i];
    copy_bytes(block.address, block.image, block.image_size);
    if (block.size > block.image_size) zero_bytes(block.address + block.image_size, block.size - block.image_size);
  }
}

void save_main_tls(Thread& main) {
  for (unsigned i = 0; i < main.tls_block_count; ++i) {
    TlsBlock& block = main.tls_blocks[i];
    char* copy = static_cast<char*>(map_unsaved_pages(block.size));
    copy_bytes(copy, block.address, block.size);
    block.image = copy;
    block.image_size = block.size;
  }
}

void restore_main_tls(Thread& main) { fresh_tls(main); }

const Module tls_module = {
    .name = "thread-local variables",
    .at_snapshot = [] { save_main_tls(runtime.threads[0]); },
    .restore = [] { restore_main_tls(runtime.threads[0]); },
};

}  // namespace lockstep::rt
