// The table of operation kinds: what each kind does to its object, to the threads that hold the object and to those
// that wait for it. The runtime, the analyses and the searches all read this table.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace lockstep {

enum class OpKind : uint8_t {
  // Thread life. Create, ThreadExit and Join are notes: recorded, never a decision (see Step::kNote).
  ThreadStart,  // first step of a thread of uninstrumented code; instrumented code has no such step
  Create,
  ThreadExit,
  Join,
  ProcessExit,  // the end of the process, after all exit handlers: depends on every other thread's operations
  // Atomics.
  Load,
  Store,
  Rmw,
  Cas,
  Fence,
  // Mutexes and spin locks.
  Lock,
  TryLock,
  Unlock,
  // Condition variables: CondWait releases the mutex and enqueues, Reacquire takes the mutex again after a wake.
  CondWait,
  Reacquire,
  CondSignal,
  CondBroadcast,
  // Readers-writer locks.
  ReadLock,
  WriteLock,
  TryReadLock,
  TryWriteLock,
  ReadUnlock,
  WriteUnlock,
  // Semaphores, barriers, once and guards.
  SemWait,
  SemTryWait,
  SemPost,
  BarrierArrive,
  BarrierLeave,  // only ever pending: leaving is part of the last arrival's step
  OnceEnter,
  OnceExit,
  // Futexes (std::atomic::wait, latch, counting_semaphore, future...).
  FutexWait,
  FutexBlocked,  // only ever pending: resuming is part of the wake's step
  FutexWake,
  // Independent of everything.
  Yield,
  Sleep,
  // A data choice. It belongs to the operation recorded just before it (which waiter, choose(n), ...).
  Choose,
  // Plain accesses promoted to scheduling points.
  PlainRead,
  PlainWrite,
  // A timed wait that gave up. It writes its object if the thread had to leave a queue there.
  Timeout,
  // Cancellation and signals between threads. Cancel and Signal write the target's wake token. A cancellation point
  // reads its own token, and the object it was waiting for (`second`) if a cancellation ended that wait.
  Cancel,
  TestCancel,
  Signal,
  // Pipes, sockets, eventfds between the program's own threads.
  Io,
  // Arming a timer, and the steps of its task until it fires. Firing itself is a Timeout.
  Timer,
  // The call that destroys a lock or similar object: conflicts with every other operation on it.
  Destroy,
  // The list of exit handlers: registering one, taking off the next one, finding the list empty.
  ExitHandler,
  // The beginning or end of code in which its thread is not preempted: a decision that depends on nothing.
  AtomicSection,
  // A call on state of the process or of the file system that is not memory of the program: reads or writes `object`,
  // and may use a second one.
  State,
  kCount
};

// The kind of object that an operation uses.
enum class Primitive : uint8_t {
  None,
  Atomic,
  Mutex,  // and spin lock
  Condition,
  RwLock,
  Semaphore,
  Barrier,
  Once,
  Futex,
  Variable,
  kCount
};
const char* name_of(Primitive primitive);  // "mutex", ...; null: None

// How an operation accesses its object. Conditional: writes if it succeeds, reads if it fails.
enum class AccessMode : uint8_t { Nothing, Read, Write, Conditional };

struct OpTraits {
  enum Flags : uint8_t {
    kWaits = 1,    // blocks until its object allows it
    kWakes = 2,    // may enable another thread
    kTakes = 4,    // holds its object afterwards, unless it timed out
    kTries = 8,    // holds its object afterwards if it succeeded (Step::kWrite)
    kGives = 16,   // no longer holds its object; CondWait: its mutex
    kShared = 32,  // shared: does not exclude other holders of its kind
  };
  const char* name;  // "lock", "cond-wait", ...: for messages and JSON
  AccessMode access;
  Primitive primitive = Primitive::None;
  uint8_t flags = 0;
};

namespace op_traits {
using enum AccessMode;
using enum Primitive;
using enum OpTraits::Flags;
inline constexpr OpTraits kTable[] = {
    {"thread-start", Nothing},
    {"create", Write},
    {"thread-exit", Write},
    {"join", Read},
    {"process-exit", Nothing},  // handled by dependent(): conflicts with every other thread
    {"load", Read, Atomic},
    {"store", Write, Atomic},
    {"rmw", Write, Atomic},
    {"cas", Conditional, Atomic},
    {"fence", Nothing},
    {"lock", Write, Mutex, kWaits | kTakes},
    {"try-lock", Conditional, Mutex, kTries},
    {"unlock", Write, Mutex, kWakes | kGives},
    {"cond-wait", Write, Condition, kWakes | kGives},
    {"reacquire", Write, Mutex, kWaits | kTakes},
    {"cond-signal", Write, Condition, kWakes},
    {"cond-broadcast", Write, Condition, kWakes},
    {"read-lock", Read, RwLock, kWaits | kTakes | kShared},
    {"write-lock", Write, RwLock, kWaits | kTakes},
    {"try-read-lock", Read, RwLock, kTries | kShared},
    // A failed try-write-lock depends on the readers' locks and unlocks, which are reads: it must be a write.
    {"try-write-lock", Write, RwLock, kTries},
    {"read-unlock", Read, RwLock, kWakes | kGives | kShared},
    {"write-unlock", Write, RwLock, kWakes | kGives},
    {"sem-wait", Write, Semaphore, kWaits},  // a semaphore has no holder
    {"sem-try-wait", Conditional, Semaphore},
    {"sem-post", Write, Semaphore, kWakes},
    {"barrier-arrive", Write, Barrier, kWakes},
    {"barrier-leave", Read, Barrier, kWaits},
    {"once-enter", Conditional, Once, kWaits | kTries},  // held by the thread that runs the initialisation
    {"once-exit", Write, Once, kWakes | kGives},
    // The value and the order against wakes decide whether a futex wait sleeps or returns.
    {"futex-wait", Write, Futex},
    {"futex-blocked", Read, Futex, kWaits},
    {"futex-wake", Write, Futex, kWakes},
    {"yield", Nothing},
    {"sleep", Nothing},
    {"choose", Nothing},
    {"read", Read, Variable},
    {"write", Write, Variable},
    {"timeout", Conditional},
    {"cancel", Write, None, kWakes},
    {"test-cancel", Read},
    {"signal", Write, None, kWakes},
    {"io", Write, None, kWaits | kWakes},
    {"timer", Write, None, kWaits | kWakes},
    {"destroy", Write},
    {"exit-handler", Write},
    {"atomic-section", Nothing},
    {"state", Conditional},
};
static_assert(std::size(kTable) == static_cast<size_t>(OpKind::kCount), "one row per operation kind");
}  // namespace op_traits

constexpr const OpTraits& traits(OpKind kind) { return op_traits::kTable[static_cast<size_t>(kind)]; }
constexpr bool has(OpKind kind, unsigned flags) { return traits(kind).flags & flags; }

constexpr const char* name_of(OpKind kind) { return kind < OpKind::kCount ? traits(kind).name : "?"; }
constexpr bool is_acquire(OpKind kind) { return has(kind, OpTraits::kWaits); }
constexpr bool is_release(OpKind kind) { return has(kind, OpTraits::kWakes); }
constexpr bool is_atomic(OpKind kind) { return traits(kind).primitive == Primitive::Atomic; }
// Locks are held by threads. The run of a once-routine is like a lock, but only some callers count it.
constexpr bool is_lock(OpKind kind) {
  return has(kind, OpTraits::kTakes | OpTraits::kTries | OpTraits::kGives) && traits(kind).primitive != Primitive::Once;
}
constexpr bool takes_lock(OpKind kind) { return has(kind, OpTraits::kTakes); }
constexpr bool leaves_lock(OpKind kind) { return is_lock(kind) && has(kind, OpTraits::kGives); }

}  // namespace lockstep
