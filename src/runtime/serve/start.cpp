// The start of the runtime: takes control before the program's constructors, then in place of its main.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/backend/backend.hpp"
#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/checks/locked_instructions.hpp"
#include "runtime/checks/plain_functions.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/process/facts.hpp"
#include "runtime/process/own_process.hpp"
#include "runtime/serve/constructors.hpp"
#include "runtime/serve/crash.hpp"
#include "runtime/serve/modules.hpp"
#include "runtime/serve/worker.hpp"
#include "runtime/threads/threads.hpp"
#include "runtime/tsan_abi/mem_functions.hpp"

extern "C" char __libc_single_threaded;

namespace lockstep::rt {

namespace {

constexpr unsigned kFirstPool = 9;  // main and eight more; grows on demand

// Removes the runtime's variables from the environment: the program's child processes are not controlled.
void remove_variable(char** environment, const char* prefix) {
  char** out = environment;
  for (char** e = environment; *e; ++e)
    if (!starts_with(*e, prefix)) *out++ = *e;
  *out = nullptr;
}

void activate(int channel_fd, int table_fd) {
  runtime.threads = static_cast<Thread*>(map_pages(sizeof(Thread) * (kMaxThreads + 1)));
  runtime.controller = runtime.threads + kMaxThreads;
  if (!attach_channel(channel_fd, table_fd)) die("the channel handed over by the driver is not usable");
  plain_functions.init();
  locked_instructions.init();
  runtime.active = true;
}

int parse_number(const char*& text) {
  int value = 0;
  for (; *text >= '0' && *text <= '9'; ++text) value = value * 10 + (*text - '0');
  return value;
}

// For the test that every wrapper is needed: makes the wrapper of this name jump to the real function.
void disable_wrapper(const char* name) {
#if defined(__x86_64__)
  auto* wrapper = static_cast<unsigned char*>(dlsym(RTLD_DEFAULT, name));
  void* real = dlsym(RTLD_NEXT, name);
  if (!wrapper || real == wrapper) return;
  const uintptr_t page = reinterpret_cast<uintptr_t>(wrapper) & ~uintptr_t{4095};
  sys(SYS_mprotect, static_cast<long>(page), 2 * 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
  if (!real) {  // only the runtime defines it: crash on a call, as the program would not start without it
    wrapper[0] = 0x0f, wrapper[1] = 0x0b;
    return;
  }
  wrapper[0] = 0x48, wrapper[1] = 0xb8;  // mov $real, %rax
  copy_bytes(wrapper + 2, &real, 8);
  wrapper[10] = 0xff, wrapper[11] = 0xe0;  // jmp *%rax
#else
  (void)name;
#endif
}

// The addresses may decide what the program does. Forks of one process (explore()) have the same layout.
void note_address_layout() {
  char setting = '2';
  const long fd = sys(SYS_openat, AT_FDCWD, word("/proc/sys/kernel/randomize_va_space"), O_RDONLY | O_CLOEXEC);
  if (fd >= 0) sys(SYS_read, fd, word(&setting), 1), sys(SYS_close, fd);
  const long how = sys(SYS_personality, 0xffffffff);
  const bool fixed = setting == '0' || (how >= 0 && how & ADDR_NO_RANDOMIZE);
  if (!fixed && !runtime.body) notice(FactKind::AddressesVary);
}

__attribute__((constructor)) void early(int, char**, char** environment) {
  for (char** e = environment; e && *e; ++e)
    if (starts_with(*e, "LOCKSTEP_TEST_DISABLE=")) disable_wrapper(*e + length("LOCKSTEP_TEST_DISABLE="));
  find_memory_functions();
  for (char** e = environment; e && *e; ++e) {
    if (!starts_with(*e, "LOCKSTEP_CHANNEL=")) continue;
    const char* value = *e + length("LOCKSTEP_CHANNEL=");
    const int channel_fd = parse_number(value);
    if (*value == ',') ++value;
    activate(channel_fd, parse_number(value));
    remove_variable(environment, "LOCKSTEP_CHANNEL=");
    return;
  }
}

unsigned count_threads() {
  struct stat task {};
  const long failed = sys(SYS_newfstatat, AT_FDCWD, word("/proc/self/task"), word(&task), 0);
  return failed < 0 || task.st_nlink < 3 ? 1 : static_cast<unsigned>(task.st_nlink - 2);
}

// A thread of an initialiser is not controlled, and main would wait for it forever. A thread that was joined may still
// be in the kernel for a moment. Constructors of the program can be part of the execution, those of libraries cannot.
void look_for_early_threads() {
  constexpr timespec kMoment{0, 1'000'000};
  for (int patience = 100; count_threads() > 1; --patience) {
    if (!patience && !runtime.channel->runs_constructors && !runtime.body) start_again_with_constructors();
    if (!patience)
      refuse(
          "a thread runs before main() begins, started when a library was initialised. "
          "Threads are controlled from the program's own constructors on: start it there, or when it is first used.");
    sys(SYS_nanosleep, word(&kMoment), 0);
  }
}

// Everything is loaded and initialised (except the program itself, if executions do that), and main has not begun: from
// here on executions can be started repeatedly.
__attribute__((noinline)) void take_control() {
  look_for_early_threads();
  const Channel& channel = *runtime.channel;
  runtime.uses_fsgsbase = fsgsbase_available() && !getenv("LOCKSTEP_TEST_NO_FSGSBASE");
  runtime.fibers = channel.backend != Backend::OsThread;
  runtime.isolation = channel.isolation == Isolation::Auto ? Isolation::Reset : channel.isolation;
  if (runtime.program_init && runtime.isolation == Isolation::Loop && !channel.debug)
    refuse(
        "a constructor of a static object starts a thread, so that every execution has to run the constructors: that "
        "needs memory as it was (--isolation reset or fork).");
  runtime.points = channel.points;
  runtime.current = runtime.controller;
  runtime.controller->id = kNoThread;
  runtime.controller->entry = serve_plans;
  start_modules();
  note_address_layout();
  // Breakpoints kill a thread that blocks their signal. From here on, signals that the program blocks are blocked only
  // in simulation.
  uint64_t trap = 1ull << (SIGTRAP - 1);
  sys(SYS_rt_sigprocmask, SIG_UNBLOCK, word(&trap), 0, 8);
  grow_pool(kFirstPool);
  __libc_single_threaded = 0;
  install_signal_handlers();
  take_initial_state();
  // The stack from this frame's page up belongs to the initial state. Executions begin well below. The space between
  // holds the frames in which the main thread of the OS-thread backend waits.
  const uintptr_t frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) & ~uintptr_t{4095};
  runtime.initial_stack = frame;
  runtime.threads[0].stack_top = reinterpret_cast<char*>(frame - (64 << 10));
  if (runtime.isolation == Isolation::Reset) snapshot.take();
  if (runtime.fibers) {
    fiber::prepare(*runtime.controller);
    static constinit Thread boot{};  // never resumed
    fiber::switch_to(boot, *runtime.controller);
  } else {
    os_thread::prepare(*runtime.controller);
    __atomic_store_n(&runtime.controller->go, 1, __ATOMIC_RELEASE);
    futex_wake(&runtime.controller->go);
    auto* skipped = static_cast<volatile char*>(__builtin_alloca(8192));
    *skipped = 0;
    os_thread::serve(runtime.threads[0]);
  }
}

int controlled_main(int argc, char** argv, char** environment) {
  if (!runtime.active) return runtime.program_main(argc, argv, environment);
  runtime.argc = argc;
  runtime.argv = argv;
  take_control();
  return 0;
}

}  // namespace
}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

// For explore(): turns this process, a fork of the test, into a worker that runs `body` for every plan.
LOCKSTEP_EXPORT void lockstep_rt_serve(int channel_fd, int table_fd, void (*body)(void*), void* argument) {
  runtime.body = body;
  runtime.body_argument = argument;
  activate(channel_fd, table_fd);
  adopt_keys();
  take_control();
}

LOCKSTEP_EXPORT int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(),
                                      void (*fini)(), void (*rtld_fini)(), void* stack_end) {
  using Start = int (*)(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*);
  runtime.program_main = main;
  auto real = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  if (runtime.active && runtime.channel->runs_constructors) {
    runtime.program_init = init ? reinterpret_cast<void (*)(int, char**, char**)>(init) : run_constructors;
    runtime.instrumented = runtime.channel->instrumented;
    init = [] {};
  }
  return real(controlled_main, argc, argv, init, fini, rtld_fini, stack_end);
}
