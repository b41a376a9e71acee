// A logical thread of the program: a fiber that borrows a pool thread's stack and TLS, or that pool thread itself.
#pragma once
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "model/trace.hpp"
#include "runtime/base/loop_rounds.hpp"
#include "runtime/base/system.hpp"

namespace lockstep::rt {

inline ObjectId object_at(const void* address) { return ObjectId(reinterpret_cast<uint64_t>(address)); }

// Destructors registered with __cxa_thread_atexit_impl.
struct ThreadDestructor {
  void (*function)(void*);
  void* object;
  ThreadDestructor* next;
};

// Thread-local blocks of one module in one pool thread; reset to `image` before a thread starts.
struct TlsBlock {
  char* address;
  const char* image;
  size_t image_size, size;
};

struct Mutex;

// A value whose change a spinning thread waits for.
struct Watch {
  uint64_t address, value;
  uint16_t size;
};
inline constexpr uint32_t kMostWatched = 16, kMostMisses = 64, kMostWritten = 4;

inline constexpr stack_t kNoSignalStack{nullptr, SS_DISABLE, 0};

// The position of a thread in a parallel region of OpenMP (intercept/openmp.cpp).
struct TeamPlace {
  struct Team* team;  // null: in no region
  unsigned index;
  uint64_t singles, constructs;  // so far
};

enum class Life : uint8_t { Unused, Live, Done };

struct alignas(64) Thread {
  // Its next operation, as it will be recorded; `enabled` is set at that time.
  Step pending;
  void* stack_pointer;   // while switched out (fibers)
  uintptr_t entry_sp;    // the program's stack pointer in calls that store it; else 0 (checks/frames.hpp)
  uintptr_t program_sp;  // while switched out: there are no frames of the program below
  uintptr_t shared_low;  // lowest address on its stack that another thread has used; all bits set: none
  uintptr_t section_sp;  // stack pointer at the entry of a trusted function; else 0 (sched/trusted_sections)
  uintptr_t chosen_sp;   // the same for a function that --preempt-in names
  uintptr_t tls;         // thread pointer of the borrowed pool thread
  Thread* resumer;       // runs for that thread's step up to its own next operation, then hands back
  ThreadId id;
  Life life;
  bool parked;  // `pending` is its next operation; false while it runs or is in the middle of a step
  bool woken;   // a signal, wake or barrier released it
  bool timed_out;
  bool detached, joined, join_waiting;
  bool start_is_step;   // its first step is a decision (uninstrumented code)
  uint32_t no_preempt;  // depth of unpreemptible regions: atomic_section, flockfile, dlopen
  uint16_t children;
  uint16_t fenced;  // Step::kAfterFence if it has executed a full fence since its last step
  ThreadId joiner;  // the thread that joins this one

  void (*entry)();  // what it runs, on its own stack with its own TLS
  void* (*function)(void*);
  void* argument;
  void* result;
  ThreadDestructor* destructors;
  uint64_t clock;           // virtual time in nanoseconds; depends on the thread's causal past only
  uint64_t deadline;        // of the current sleep or timed wait
  uint64_t polled;          // part of `clock` from polling since the clock last moved otherwise
  uint32_t polled_changes;  // number of changing steps at the last poll
  const void* waits_for;    // descriptors that it waits for (intercept/blocking_io.cpp); else null
  const void* queue;        // the condition variable or futex it is enqueued on
  uint32_t futex_mask;
  uint32_t random_calls;

  // Spin loops (sched/spin.hpp).
  uint32_t effects;      // steps so far, plus groups of plain writes between them; excludes yields
  bool wrote;            // there is an uncounted plain write
  bool compares_writes;  // check whether plain writes change anything (sched/spin.hpp)
  uint8_t write_count;   // size of `written`: words written since the last count, with their old values
  uint32_t same_reads;   // consecutive reads of the same value, whatever was written in between
  Watch written[kMostWritten];
  uint32_t unchanging;    // part of `effects`: steps that changed nothing
  uint32_t lock_steps;    // part of `effects`: taking and releasing locks, which together change nothing
  uint32_t spin_effects;  // `effects` at the last read that changed nothing
  uint32_t spin_repeats;
  uint32_t spin_next;
  uint64_t spin_key[4];
  uint64_t volatile_read;  // hash of variable, value and state; then the number of equal reads in a row
  uint32_t volatile_reads;
  uint32_t yield_changes;  // number of changing steps when the current row of yields began
  uint8_t yields_in_row, yields_forgiven;
  Rounds rounds;                       // of the loops in which it yields
  uint32_t different_rounds;           // in a row, that were not like an earlier one
  uint64_t yields_at, yields_on_path;  // where that was looked at last
  uint64_t read_object, read_value;    // of its last read that changed nothing
  bool announced;        // no access has followed the last call for tracked memory (detect/call_sites.hpp)
  bool repeats_call;     // that would let it wait in the kernel (intercept/blocking_calls.cpp)
  bool spinning;         // the next round of its loop is useless until a watched value changes
  bool goes_round;       // the next round is useful, because a watched value has changed
  uint64_t change;       // address of that value; 0: several
  uint32_t spin_misses;  // states checked without success
  uint32_t spin_rounds, watch_count;
  uint32_t yields;  // calls that give way, whether they leave a step or not
  struct {
    uint64_t state;
    Watch watch;
    uint32_t yields;
  } round[kMostWatched];
  Watch watch[kMostWatched];

  // Cancellation and signals (threads/interrupt.hpp).
  bool cancel_pending;
  bool cancel_disabled, cancel_async;
  bool cancel_woke;  // a cancellation ended its wait
  uint64_t signals;  // bit set of signals that are sent and not yet delivered
  uint64_t signal_mask;
  uint64_t awaited_signals;  // signals that it waits for in sigwait
  bool signalled;            // a signal arrived during its wait: its next step takes it, then it waits on
  bool could_run;            // while `signalled`: whether the wait could end
  bool interrupted;          // a signal ended its wait
  bool restarts;             // all handlers that ran were installed with SA_RESTART
  uint32_t handled;          // number of signals handled so far
  stack_t signal_stack;      // set by the program; the runtime's handlers have their own stacks
  void* cleanup;             // innermost cleanup handler of C code (threads/cancel.cpp)
  Mutex* robust;             // list of the robust mutexes it holds, linked through their bytes
  char name[16];
  cpu_set_t cpus;  // its affinity mask, as the program sees it

  TeamPlace place;  // OpenMP

  // The pool thread. Set once.
  pthread_t handle;
  char* stack_low;
  char* stack_top;  // start of a fiber's first frame
  TlsBlock tls_blocks[64];
  unsigned tls_block_count;
  uint32_t go;  // OS threads: futex word, 1 = run
  uint32_t ready;
  bool restart;  // OS threads: abandon the current execution and start over
  void* jump_buffer[5];

  uint32_t unsettled;        // detailed executions: its last step + 1, while the value it writes is unknown
  bool looked;               // detailed executions: has used memory off its stack since its last step
  const void* library_call;  // the program's last call into the C++ library (stdcxx/forward.cpp)
  Operation asleep_before;   // while asleep: `pending` before the current step
  uint64_t local_state;      // hash of registers and stack when last switched out in a search for cycles; 0: none
  uint64_t* arrival;         // detailed executions: [n][stack...] at which it published `pending`

  // Values of pthread keys.
  void** key_values;
  unsigned key_high;  // largest key used + 1
};

// The next step of a parked thread: `pending`, unless it takes a signal first.
inline Step next_step(const Thread& thread) {
  if (LIKELY(!thread.signalled)) return thread.pending;
  Step step{};
  step.object = wake_token(thread.id);
  step.thread = thread.id;
  step.kind = OpKind::Signal;
  step.flags = Step::kWrite;
  return step;
}

}  // namespace lockstep::rt
