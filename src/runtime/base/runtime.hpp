// The one root of the runtime's state.
#pragma once
#include <dlfcn.h>
#include <sched.h>

#include "model/channel.hpp"
#include "runtime/checks/plain_functions.hpp"
#include "runtime/detect/call_sites.hpp"
#include "runtime/detect/eraser.hpp"
#include "runtime/detect/promoted.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/detect/tracked.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/memory/undo.hpp"
#include "runtime/process/trusted_code.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/virtual_clock.hpp"

namespace lockstep::rt {

// What the program's code calls, read from its symbol tables: decides what has to be a step, and must therefore be
// the same in every execution.
struct Imports {
  bool cancel;           // pthread_cancel
  bool try_join;         // pthread_tryjoin_np and the like
  bool contexts;         // makecontext: stacks of its own making
  bool outside_threads;  // aio_read and the like: the C library calls back in threads of its own
  bool runs_commands;    // system, popen, wordexp: the C library starts processes for it
};
Imports find_imports();

// dlopen during an execution: the library is loaded between executions, as part of the initial state, and the
// execution starts over.
struct LibraryWanted {
  char file[256];
  int flags;
};
void load_library(LibraryWanted& wanted);
void count_libraries();  // those that are there before the program begins

class Saving;

struct Runtime {
  bool running;  // an execution is under way
  bool fibers;   // backend in use
  bool fsgsbase;
  // Both rare, and looked at together after every step.
  union {
    uint16_t after_step;
    struct {
      bool time_moved;   // somebody's clock left the start; until then no happens-before of time is kept
      bool interrupted;  // a thread has a signal or an asynchronous cancellation to be delivered
    };
  };
  Thread* current;  // who runs; the controller between executions
  Scheduler scheduler;
  Clock clock;
  Races races;
  Eraser eraser;
  CallTree calls;
  Promoted promoted;
  Tracked tracked;
  CallSites sites;
  Watchpoints watchpoints;
  PlainFunctions plain_functions;
  Trust trust;
  Heap heap;
  Snapshot snapshot;
  Undo undo;
  Saving* saving;  // checkpoints (serve/saving.hpp)
  Thread* controller;
  Thread* threads;  // kMaxThreads of them, index is the ThreadId
  unsigned pool_size;
  unsigned pool_wanted;          // an execution needed more pool threads than there are
  LibraryWanted library_wanted;  // or a library that is not loaded yet
  bool instrumented;
  bool detects;           // data races are looked for
  bool leaves_out_races;  // but not in this execution
  bool checks_locks;      // and lock discipline
  bool watches_more;      // accesses are of interest to somebody besides the race detector
  bool keeps_origins;     // the call stacks in which blocks of the heap are asked for
  bool unusual_calls;     // somebody wants to know which functions are entered and left
  bool active;            // under a driver; otherwise everything passes through to the real functions
  Isolation isolation;
  Points points;
  Channel* channel;
  ThreadTable* thread_table;
  int (*program_main)(int, char**, char**);
  int argc;
  char** argv;
  void (*body)(void*);  // explore(): what to run instead of main
  void* body_argument;
  Imports imports;
  uint64_t state_versions[static_cast<size_t>(StateKind::kCount)];  // grow with every change of such state
  uint32_t spinners;                          // threads that are not enabled because they would only spin
  uint64_t process_signals;                   // sent to the process while everybody blocks them
  uint32_t spurious_left;                     // spurious wake-ups this execution may still have
  uintptr_t unwinder_begin, unwinder_size;    // code of libgcc_s
  uintptr_t libraries_begin, libraries_size;  // from the first of the C and C++ libraries to the end of the last
  cpu_set_t cpus;                             // where the process was started
  uintptr_t initial_stack;                    // the main thread's stack from here up is initial state
};
extern Runtime runtime;

// Notes a fact for the driver, each kind at each place once.
void add_fact(FactKind kind, const void* place);
inline uint64_t fact_key(FactKind kind, const void* place) {
  return reinterpret_cast<uint64_t>(place) << 5 | static_cast<uint64_t>(kind) | 1ull << 63;
}
inline uint64_t& recent_fact(uint64_t key) { return runtime.channel->facts.recent[key * 0x9e37'79b9'7f4a'7c15 >> 55]; }
inline bool recently_noticed(FactKind kind, const void* place) {
  const uint64_t key = fact_key(kind, place);
  return recent_fact(key) == key;
}
inline void settle_place(FactKind kind, const void* place) {  // it is noted, or there is nothing to be noted
  const uint64_t key = fact_key(kind, place);
  recent_fact(key) = key;
}
inline void notice(FactKind kind, const void* place = nullptr) {
  if (UNLIKELY(!recently_noticed(kind, place))) add_fact(kind, place);
}

// Is the caller a thread of the execution under way? Everybody else gets the real functions.
inline bool controlled() { return LIKELY(runtime.running) && LIKELY(thread_pointer() == runtime.current->tls); }

// Calls from the unwinder are not the program's synchronisation: they take effect without a scheduling point, and since
// nobody is switched out inside it, they never block.
inline bool from_unwinder(const void* caller) {
  return UNLIKELY(reinterpret_cast<uintptr_t>(caller) - runtime.unwinder_begin < runtime.unwinder_size);
}

// Before the kernel writes into the program's memory: it reports EFAULT, or a short read, instead of faulting on a page
// that is still read-only.
inline void about_to_write(void* buffer, size_t size) {
  if (buffer && controlled()) runtime.snapshot.touch(buffer, size);
}
// A lock that trusted code releases: its thread is not preempted before that. Before an acquisition it is, because
// nobody knows where a call of a library begins: others run before, between and after such calls.
class TrustedRelease {
 public:
  // Whoever has not been chosen yet, and only comes this far on another's behalf, waits here to be: nobody is
  // preempted.
  explicit TrustedRelease(const void* caller) : trusted_(is_trusted(caller) && !runtime.current->resumer) {
    if (UNLIKELY(trusted_)) runtime.scheduler.forbid_preemption(true);
  }
  ~TrustedRelease() {
    if (UNLIKELY(trusted_)) runtime.scheduler.forbid_preemption(false);
  }
  TrustedRelease(const TrustedRelease&) = delete;

 private:
  static bool is_trusted(const void* caller);
  bool trusted_;
};

// Is the caller libc, libstdc++ or another library whose own synchronisation is not seen? Defined in
// serve/backtrace.cpp.
bool lies_in_library(const void* code);
bool is_library_code(const void* code);  // any address in the code of those, of the runtime or of the vDSO
bool is_own_code(uintptr_t pc);

// Libraries lie together, far from the program: one comparison for nearly every call.
inline bool maybe_library(const void* caller) {
  return reinterpret_cast<uintptr_t>(caller) - runtime.libraries_begin < runtime.libraries_size;
}
inline bool from_library(const void* caller) { return UNLIKELY(maybe_library(caller)) && lies_in_library(caller); }
inline bool TrustedRelease::is_trusted(const void* caller) {
  if (UNLIKELY(runtime.trust.any()) && runtime.trust.contains(caller)) return true;
  // The runtime implements one function by another (C11 threads), for whoever called the first.
  return from_library(caller) && !is_own_code(reinterpret_cast<uintptr_t>(caller));
}

inline Scheduler& scheduler() { return runtime.scheduler; }
inline Thread& self() { return *runtime.current; }

// The function that would have been called without us.
#define LOCKSTEP_REAL(name)                                                                           \
  ([] {                                                                                               \
    static decltype(&::name) function;                                                                \
    if (UNLIKELY(!function)) function = reinterpret_cast<decltype(&::name)>(dlsym(RTLD_NEXT, #name)); \
    return function;                                                                                  \
  }())

// Lets code that may call intercepted functions run uncontrolled for a while.
class Uncontrolled {
 public:
  Uncontrolled() : was_(runtime.running) { runtime.running = false; }
  ~Uncontrolled() { runtime.running = was_; }
  Uncontrolled(const Uncontrolled&) = delete;

 private:
  bool was_;
};

}  // namespace lockstep::rt
