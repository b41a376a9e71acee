// Runs the constructors of the program.
#include "runtime/serve/constructors.hpp"

#include <link.h>

#include "runtime/base/runtime.hpp"
#include "runtime/process/own_process.hpp"

namespace lockstep::rt {
namespace {

using Constructor = void (*)(int, char**, char**);

struct Constructors {
  uintptr_t first;  // DT_INIT, which runs before the array
  uintptr_t array;
  size_t count;
};

// The first module is the program itself.
int look_at_program(dl_phdr_info* info, size_t, void* found) {
  auto& constructors = *static_cast<Constructors*>(found);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    for (auto* d = reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
         d->d_tag != DT_NULL; ++d) {
      if (d->d_tag == DT_INIT) constructors.first = info->dlpi_addr + d->d_un.d_ptr;
      if (d->d_tag == DT_INIT_ARRAY) constructors.array = info->dlpi_addr + d->d_un.d_ptr;
      if (d->d_tag == DT_INIT_ARRAYSZ) constructors.count = d->d_un.d_val / sizeof(Constructor);
    }
  }
  return 1;
}

}  // namespace

void run_constructors(int argc, char** argv, char** environment) {
  Constructors constructors{};
  dl_iterate_phdr(look_at_program, &constructors);
  if (constructors.first) reinterpret_cast<Constructor>(constructors.first)(argc, argv, environment);
  auto* functions = reinterpret_cast<const Constructor*>(constructors.array);
  for (size_t i = 0; i < constructors.count; ++i) functions[i](argc, argv, environment);
}

void start_again_with_constructors() {
  Channel& channel = *runtime.channel;
  channel.instrumented = runtime.instrumented;
  channel.state.store(WorkerState::EarlyThread, std::memory_order_release);
  ring_bell(channel.traces);
  sys(SYS_exit_group, 98);
  __builtin_unreachable();
}

}  // namespace lockstep::rt
