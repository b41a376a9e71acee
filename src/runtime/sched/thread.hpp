// A logical thread of the program: a fiber that borrows a pool thread's stack and TLS, or that pool thread itself.
#pragma once
#include <pthread.h>

#include "model/trace.hpp"
#include "runtime/base.hpp"

namespace lockstep::rt {

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

enum class Life : uint8_t { Unused, Live, Done };

struct alignas(64) Thread {
  // The operation it will do next, as it will be recorded; `enabled` is filled when it is.
  Step pending;
  void* stack_pointer;  // while switched out (fibers)
  uintptr_t tls;        // thread pointer of the borrowed pool thread
  Thread* resumer;      // runs on behalf of this thread's step, up to its own next operation, then hands back
  ThreadId id;
  Life life;
  bool parked;          // `pending` is what it will do next; false while it is running or in the middle of a step
  bool woken;           // a signal, wake or barrier released it
  bool timed_out;
  bool detached, joined, join_waiting;
  bool start_is_step;   // its first step is a decision (uninstrumented code)
  uint32_t no_preempt;  // depth of regions that must not be left: atomic_section, flockfile, dlopen
  uint16_t children;
  ThreadId joiner;      // waits in join for this thread

  void* (*function)(void*);
  void* argument;
  void* result;
  ThreadDestructor* destructors;
  uint64_t clock;       // virtual time, nanoseconds; depends on the thread's causal past only
  uint64_t deadline;    // of the timed wait it is in
  const void* queue;    // condition variable or futex it is enqueued on
  uint32_t futex_mask;
  uint32_t spin_repeats;
  uint64_t spin_key[4];
  uint32_t spin_next;
  uint32_t random_calls;

  // The pool thread; set once.
  pthread_t handle;
  char* stack_low;
  char* stack_top;       // where a fiber's first frame goes
  TlsBlock tls_blocks[64];
  unsigned tls_block_count;
  uint32_t tls_generation;
  uint32_t go;           // OS threads: futex word, 1 = run
  uint32_t ready;
  bool restart;          // OS threads: leave whatever you were in and start over
  void* jump_buffer[5];

  const struct CallNode* calls;  // detailed executions: the innermost instrumented function
  Operation slumber;     // while asleep: `pending` as it stood before the step under way
  uint64_t* arrival;     // detailed executions: [n][stack...] where it published `pending`

  // Values of pthread keys.
  void** key_values;
  unsigned key_high;     // one above the largest key used
};

}  // namespace lockstep::rt
