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

// Thread-local blocks of one module in one pool thread; made equal to `image` before a thread starts.
struct TlsBlock {
  char* address;
  const char* image;
  size_t image_size, size;
};

struct Mutex;

// A value that a spinning thread waits to see changed.
struct Watch {
  uint64_t address, value;
  uint16_t size;
};
inline constexpr uint32_t kMostWatched = 16, kMostMisses = 64, kMostWritten = 4;

inline constexpr stack_t kNoSignalStack{nullptr, SS_DISABLE, 0};

// Where a thread is in a parallel region of OpenMP (intercept/openmp.cpp).
struct TeamPlace {
  struct Team* team;  // null: in none
  unsigned index;
  uint64_t singles, constructs;  // so far
};

enum class Life : uint8_t { Unused, Live, Done };

struct alignas(64) Thread {
  // The operation it will do next, as it will be recorded; `enabled` is filled when it is.
  Step pending;
  void* stack_pointer;  // while switched out (fibers)
  uintptr_t entry_sp;  // in a call of the program that says so: the program's stack pointer; else 0 (checks/frames.hpp)
  uintptr_t program_sp;  // while switched out: below it no frame of the program is left
  uintptr_t shared_low;  // lowest address on its stack that another thread has used; all bits: none
  uintptr_t section_sp;  // in a call of a trusted function: its stack pointer at entry; else 0 (sched/trusted_sections)
  uintptr_t chosen_sp;   // likewise of a function that --preempt-in names
  uintptr_t tls;         // thread pointer of the borrowed pool thread
  Thread* resumer;       // runs on behalf of this thread's step, up to its own next operation, then hands back
  ThreadId id;
  Life life;
  bool parked;  // `pending` is what it will do next; false while it is running or in the middle of a step
  bool woken;   // a signal, wake or barrier released it
  bool timed_out;
  bool detached, joined, join_waiting;
  bool start_is_step;   // its first step is a decision (uninstrumented code)
  uint32_t no_preempt;  // depth of regions that must not be left: atomic_section, flockfile, dlopen
  uint16_t children;
  uint16_t fenced;  // Step::kAfterFence if it has executed a full fence since its last step
  ThreadId joiner;  // waits in join for this thread

  void (*entry)();  // what it runs, on its own stack with its own TLS
  void* (*function)(void*);
  void* argument;
  void* result;
  ThreadDestructor* destructors;
  uint64_t clock;           // virtual time, nanoseconds; depends on the thread's causal past only
  uint64_t deadline;        // of the sleep or timed wait it is in
  uint64_t polled;          // of `clock`, by polling since it last moved otherwise
  uint32_t polled_changes;  // steps that changed something, when it last polled
  const void* waits_for;    // descriptors, while it waits for one (intercept/blocking_io.cpp)
  const void* queue;        // condition variable or futex it is enqueued on
  uint32_t futex_mask;
  uint32_t random_calls;

  // Spin loops (sched/spin.hpp).
  uint32_t effects;      // steps so far, and rows of plain writes between them; yields do not count
  bool wrote;            // a plain write that is not yet counted
  bool compares_writes;  // whether one changed anything is looked at (sched/spin.hpp)
  uint8_t write_count;   // of these: words written since they were last counted, and what they held
  uint32_t same_reads;   // of the same value in a row, whatever was written in between
  Watch written[kMostWritten];
  uint32_t unchanging;    // of them, steps that changed nothing
  uint32_t lock_steps;    // of them, taking and releasing locks: together they change nothing
  uint32_t spin_effects;  // `effects` at the last read that changed nothing
  uint32_t spin_repeats;
  uint32_t spin_next;
  uint64_t spin_key[4];
  uint64_t volatile_read;  // which variable, value and state, and how often in a row
  uint32_t volatile_reads;
  uint32_t yield_changes;  // steps that changed something, when its present row of yields began
  uint8_t yields_in_row, yields_forgiven;
  Rounds rounds;                       // of the loops in which it gives way
  uint32_t fruitless_rounds;           // since a round that changed nothing
  uint64_t yields_at, yields_on_path;  // where that was looked at last
  uint64_t read_object, read_value;    // of its last read that changed nothing
  bool announced;        // the last call for tracked memory has not been followed by an access (detect/call_sites.hpp)
  bool repeats_call;     // that would let it wait in the kernel (intercept/blocking_calls.cpp)
  bool spinning;         // the next round of its loop is useless until a watched value changes
  bool goes_round;       // it is not, because one has changed
  uint64_t change;       // which
  uint32_t spin_misses;  // states looked at in vain
  uint32_t spin_rounds, watch_count;
  struct {
    uint64_t state;
    Watch watch;
  } round[kMostWatched];
  Watch watch[kMostWatched];

  // Cancellation and signals (threads/interrupt.hpp).
  bool cancel_pending;
  bool cancel_disabled, cancel_async;
  bool cancel_woke;  // a cancellation, not what it waited for, ended its wait
  uint64_t signals;  // sent to it and not yet delivered, by number
  uint64_t signal_mask;
  uint64_t awaited_signals;  // it is in sigwait for these
  bool signalled;            // a signal came while it waited: its next step is to take it, then it waits on
  bool could_run;            // meanwhile: whether what it waits for is there
  bool interrupted;          // its wait was ended by a signal
  bool restarts;             // all the handlers that ran were installed with SA_RESTART
  uint32_t handled;          // signals so far
  stack_t signal_stack;      // that the program gave; the runtime's handlers have stacks of their own
  void* cleanup;             // innermost cleanup handler of C code (threads/cancel.cpp)
  Mutex* robust;             // the robust mutexes it holds, linked through their bytes
  char name[16];
  cpu_set_t cpus;  // where it may run, as far as it knows

  TeamPlace place;  // OpenMP

  // The pool thread; set once.
  pthread_t handle;
  char* stack_low;
  char* stack_top;  // where a fiber's first frame goes
  TlsBlock tls_blocks[64];
  unsigned tls_block_count;
  uint32_t go;  // OS threads: futex word, 1 = run
  uint32_t ready;
  bool restart;  // OS threads: leave whatever you were in and start over
  void* jump_buffer[5];

  uint32_t unsettled;        // detailed executions: its last step, plus one, while what it writes is not yet known
  bool looked;               // detailed executions: has used memory that is not on its stack since its last step
  const void* library_call;  // where the program last called the C++ library (stdcxx/forward.cpp)
  Operation asleep_before;   // while asleep: `pending` as it stood before the step under way
  uint64_t local_state;      // registers and stack when it last ran while somebody looked for cycles; 0: it has not
  uint64_t* arrival;         // detailed executions: [n][stack...] where it published `pending`

  // Values of pthread keys.
  void** key_values;
  unsigned key_high;  // one above the largest key used
};

// What a parked thread will do next: `pending`, unless there is a signal to be taken first.
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
