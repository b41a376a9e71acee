// The end of the process: exit handlers, exit, abort, failed assertions.
#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/process/dispositions.hpp"
#include "runtime/process/libraries.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/threads/threads.hpp"

namespace lockstep::rt {
namespace {

struct Handler {
  void (*function)(void*);
  void* argument;
  const void* module;  // an address in the module; nullptr: the program
  bool wants_code;     // registered with on_exit

  void call(int code) const {
    if (wants_code)
      reinterpret_cast<void (*)(int, void*)>(reinterpret_cast<void*>(function))(code, argument);
    else
      function(argument);
  }
  bool is_of_library() const {
    Dl_info info{};
    return module && dladdr(module, &info) && is_system_module(info.dli_fname);
  }
};
constexpr unsigned kMaxHandlers = 1u << 16;
struct HandlerList {
  Handler *all, *initial;
  unsigned count, at_snapshot;
  // Handlers of the C and C++ libraries, below all others. They do not matter to other threads, so running them is no
  // step.
  Handler* of_libraries;
  unsigned library_count, libraries_left;
  bool replaced;  // a handler of the snapshot has run, and another one has its place

  bool add(Handler h) {
    if (!all) all = static_cast<Handler*>(map_pages(sizeof(Handler) * kMaxHandlers));
    if (count == kMaxHandlers) return false;
    replaced |= count < at_snapshot;
    all[count++] = h;
    return true;
  }
  // Other threads run meanwhile: they may register more handlers, or call exit too.
  void run(int code) {
    const bool in_loop = runtime.isolation == Isolation::Loop;
    const unsigned keep = in_loop ? at_snapshot : 0;
    if (scheduler().live_count > 1) scheduler().reasons.add(Reason::ThreadsAtExit);
    for (;;) {
      scheduler().reach(OpKind::ExitHandler, this, Step::kWrite);
      race_detector.acquire(self().id, this);
      if (count <= keep) break;
      const Handler h = all[--count];
      h.call(code);
    }
    while (!in_loop && libraries_left > 0) of_libraries[--libraries_left].call(code);
  }
  void save() {
    if (!count) return;
    initial = static_cast<Handler*>(map_pages(sizeof(Handler) * count));
    of_libraries = static_cast<Handler*>(map_pages(sizeof(Handler) * count));
    for (unsigned i = 0; i < count; ++i) {
      if (all[i].is_of_library())
        of_libraries[library_count++] = all[i];
      else
        initial[at_snapshot++] = all[i];
    }
    replaced = true;
    restore();
  }
  void restore() {
    count = at_snapshot;
    libraries_left = library_count;
    if (replaced) copy_bytes(all, initial, sizeof(Handler) * at_snapshot);
    replaced = false;
  }
};
constexpr unsigned kMaxFinalizers = 256;
constinit struct {
  HandlerList at_exit, at_quick_exit;
  // Functions marked __attribute__((destructor)), of the program and its own libraries, in the order they run.
  void (*finalizer[kMaxFinalizers])();
  unsigned finalizers;
} handlers{};

// The registration of a handler happens before its call, whichever thread calls it.
bool add(HandlerList& list, Handler h) {
  if (controlled()) {
    scheduler().reach(OpKind::ExitHandler, &list, Step::kWrite);
    race_detector.release_merge(self().id, &list);
  }
  return list.add(h);
}

int collect_fini_array(dl_phdr_info* info, size_t, void*) {
  if (is_system_module(info->dlpi_name)) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    uintptr_t array = 0;
    size_t count = 0;
    for (auto* d = reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
         d->d_tag != DT_NULL; ++d) {
      if (d->d_tag == DT_FINI_ARRAY) array = info->dlpi_addr + d->d_un.d_ptr;
      if (d->d_tag == DT_FINI_ARRAYSZ) count = d->d_un.d_val / sizeof(void*);
    }
    // A single entry is the compiler's own. It only makes libc run the handlers that have already run.
    auto** functions = reinterpret_cast<void (**)()>(array);
    while (array && count > 1 && handlers.finalizers < kMaxFinalizers)
      handlers.finalizer[handlers.finalizers++] = functions[--count];
  }
  return 0;
}

// The type of the exception in flight when libstdc++ calls abort from its terminate handler; nullptr otherwise.
const char* uncaught_type(const void* caller) {
  Dl_info info{};
  if (!dladdr(caller, &info) || !info.dli_fname || !contains(info.dli_fname, "libstdc++")) return nullptr;
  using CurrentType = const void* (*)();
  auto current = reinterpret_cast<CurrentType>(dlsym(RTLD_DEFAULT, "__cxa_current_exception_type"));
  const void* type = current ? current() : nullptr;
  if (!type) return nullptr;
  const char* name = static_cast<const char* const*>(type)[1];
  if (*name == '*') ++name;
  using Demangle = char* (*)(const char*, char*, size_t*, int*);
  auto demangle = reinterpret_cast<Demangle>(dlsym(RTLD_DEFAULT, "__cxa_demangle"));
  char* readable = demangle ? demangle(name, nullptr, nullptr, nullptr) : nullptr;
  return readable ? readable : name;
}

}  // namespace

void run_exit_handlers(int code) {
  handlers.at_exit.run(code);
  if (runtime.isolation == Isolation::Loop) return;
  for (unsigned i = 0; i < handlers.finalizers; ++i) handlers.finalizer[i]();
}
void save_exit_handlers() {
  handlers.at_exit.save();
  handlers.at_quick_exit.save();
  dl_iterate_phdr(collect_fini_array, nullptr);
}
void restore_exit_handlers() {
  handlers.at_exit.restore();
  handlers.at_quick_exit.restore();
}

// The last step of every execution that ends by itself. It conflicts with everything, so reductions run the other
// threads before it as far as possible; this is sound only because nothing follows it.
void end_process(int code, Flush flush) {
  Scheduler& s = scheduler();
  s.reach(OpKind::ProcessExit, nullptr, Step::kWrite);
  if (flush == Flush::Yes && s.detail) fflush(nullptr);
  const int status = code & 0xff;
  if (status == runtime.channel->expected_exit) s.end(Outcome::Ok);
  char text[64];
  format(text, sizeof text, "the program ended with exit code %d", int64_t{status});
  s.end(Outcome::ExitCode, status, text);
}

void finish_process(int code) {
  // Without a reset the main thread's variables remain for the next execution.
  if (runtime.isolation != Isolation::Loop) run_thread_local_destructors(self());
  run_exit_handlers(code);
  end_process(code, Flush::Yes);
}

const Module exit_module = {
    .name = "exit handlers",
    .at_snapshot = save_exit_handlers,
    .restore = restore_exit_handlers,
};

}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

extern "C" int __cxa_atexit(void (*)(void*), void*, void*) noexcept;
LOCKSTEP_EXPORT int __cxa_atexit(void (*function)(void*), void* argument, void* dso) noexcept {
  if (!keeps_registrations()) return LOCKSTEP_REAL(__cxa_atexit)(function, argument, dso);
  return add(handlers.at_exit, {function, argument, dso, false}) ? 0 : -1;
}
LOCKSTEP_EXPORT int on_exit(void (*function)(int, void*), void* argument) noexcept {
  if (!keeps_registrations()) return LOCKSTEP_REAL(on_exit)(function, argument);
  return add(handlers.at_exit,
             {reinterpret_cast<void (*)(void*)>(reinterpret_cast<void*>(function)), argument, nullptr, true})
             ? 0
             : -1;
}
extern "C" int __cxa_at_quick_exit(void (*)(void*), void*) noexcept;
LOCKSTEP_EXPORT int __cxa_at_quick_exit(void (*function)(void*), void* dso) noexcept {
  if (!keeps_registrations()) return LOCKSTEP_REAL(__cxa_at_quick_exit)(function, dso);
  return add(handlers.at_quick_exit, {function, nullptr, dso, false}) ? 0 : -1;
}
LOCKSTEP_EXPORT void _exit(int code);
LOCKSTEP_EXPORT void quick_exit(int code) noexcept {
  if (controlled()) {
    handlers.at_quick_exit.run(code);
    _exit(code);
  }
  LOCKSTEP_REAL(quick_exit)(code);
  __builtin_unreachable();
}

// Called by the compiler's finalizer of every module; its handlers are in the runtime's list.
extern "C" void __cxa_finalize(void*) noexcept;
LOCKSTEP_EXPORT void __cxa_finalize(void* dso) noexcept {
  if (!controlled()) LOCKSTEP_REAL(__cxa_finalize)(dso);
}

LOCKSTEP_EXPORT void exit(int code) noexcept {
  if (controlled()) finish_process(code);
  LOCKSTEP_REAL(exit)(code);
  __builtin_unreachable();
}

LOCKSTEP_EXPORT void _exit(int code) {
  if (controlled()) end_process(code, Flush::No);
  sys(SYS_exit_group, code);
  __builtin_unreachable();
}
LOCKSTEP_EXPORT void _Exit(int code) noexcept { _exit(code); }

LOCKSTEP_EXPORT void abort() noexcept {
  const void* caller = __builtin_return_address(0);
  if (!controlled()) {
    LOCKSTEP_REAL(abort)();
    __builtin_unreachable();
  }
  scheduler().record_failure();
  run_own_handler(SIGABRT);  // may leave by siglongjmp
  const char* type;
  {
    Uncontrolled guard;
    type = uncaught_type(caller);
  }
  if (type) {
    char text[256];
    format(text, sizeof text, "uncaught exception of type %s", type);
    scheduler().end(Outcome::Exception, SIGABRT, text);
  }
  scheduler().end(Outcome::Abort, SIGABRT, "abort() was called");
}

LOCKSTEP_EXPORT void __assert_fail(const char* expression, const char* file, unsigned line,
                                   const char* function) noexcept {
  if (!controlled()) {
    LOCKSTEP_REAL(__assert_fail)(expression, file, line, function);
    __builtin_unreachable();
  }
  char text[512];
  const size_t n =
      format(text, sizeof text, "%s:%u: %s: Assertion `%s' failed.\n", file, uint64_t{line}, function, expression);
  sys(SYS_write, 2, word(text), static_cast<long>(n));
  format(text, sizeof text, "assertion failed: %s", expression);
  scheduler().end(Outcome::Assertion, SIGABRT, text);
}
