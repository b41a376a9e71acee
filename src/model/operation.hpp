// What a thread does at a scheduling point, and when two such operations depend on each other.
//
// One function, accesses(), says what an operation reads and writes; dependent() and every analysis are built on
// it. A wrong independence silently loses executions, so there must not be a second opinion anywhere.
#pragma once
#include <cstdint>

#include "model/ids.hpp"

namespace lockstep {

enum class OpKind : uint8_t {
  // Thread life. Create, ThreadExit and Join are notes: recorded, never a decision (see Step::kNote).
  ThreadStart,  // first step of a thread of uninstrumented code; instrumented code has no such step
  Create,
  ThreadExit,
  Join,
  ProcessExit,  // the end of the process, after all exit handlers: conflicts with every other thread's operations
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
  // Condition variables: CondWait releases the mutex and enqueues, Reacquire takes the mutex again once woken.
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
  BarrierLeave,  // only ever pending: leaving is glued to the last arrival
  OnceEnter,
  OnceExit,
  // Futexes (std::atomic::wait, latch, counting_semaphore, future...).
  FutexWait,
  FutexBlocked,  // only ever pending: resuming is glued to the wake
  FutexWake,
  // Independent of everything.
  Yield,
  Sleep,
  // A data choice; belongs to the operation recorded just before it (which waiter, choose(n), ...).
  Choose,
  // Plain accesses promoted to scheduling points.
  PlainRead,
  PlainWrite,
  // A timed wait that gave up; writes its object if it had to leave a queue there.
  Timeout,
  // Cancellation and signals between threads. Cancel and Signal write the target's wake token; a cancellation point
  // reads its own, and what it was waiting for (`second`) if a cancellation ended that wait.
  Cancel,
  TestCancel,
  Signal,
  // Pipes, sockets, eventfds between the program's own threads.
  Io,
  // Arming a timer, and what the task behind it does until it fires; firing itself is a Timeout.
  Timer,
  // The end of a lock or the like, by the call that destroys it: conflicts with everything else that is done to it.
  Destroy,
  // The list of exit handlers: registering one, taking the next one off, finding that there is none left.
  ExitHandler,
  // Where code begins or ends in which its thread is not preempted: a decision that depends on nothing.
  AtomicSection,
  // A call on state of the process or of the file system that is no memory of the program: reads or writes `object`,
  // and
  // maybe uses a second one.
  State,
  kCount
};

const char* name_of(OpKind kind);  // "lock", "cond-wait", ...: for messages and JSON

struct Operation {
  ThreadId thread = kNoThread;
  OpKind kind = OpKind::Yield;
  bool writes = false;          // what a conditional operation (Cas, TryLock) did or would do now
  ObjectId object = kNoObject;  // what it is about
  ObjectId second = kNoObject;  // CondWait: the mutex; Reacquire: the condition variable; see Step::second
  bool timed_out = false;       // gave up waiting instead of getting what it waited for
};

struct Access {
  ObjectId object;
  bool write;
};

// Accesses of one operation: never more than three. Token objects (one per thread, written by a wake and read by
// the woken) and the process-exit object live in an address range no program can map.
// What a thread waits for in an operation of kind Io: `second` is this times 2^32 plus the descriptor.
enum class IoWait : uint8_t { None, Input, Room, Any, Events, Several };

// What an operation of kind State is about; Step::value.
enum class StateKind : uint8_t {
  Files,
  Descriptors,
  Environment,
  Keys,
  Locale,
  Limits,
  Signals,
  LibraryBuffers,
  kCount
};
const char* name_of(StateKind kind);  // "the file system", ...
constexpr ObjectId state_object(StateKind kind) {
  return ObjectId{0xfffb'0000'0000'0000ull | static_cast<uint64_t>(kind) << 3};
}
// The position in an open file, which those share that use one descriptor or copies of it.
constexpr ObjectId position_object(uint64_t inode) {
  return ObjectId{0xfffa'0000'0000'0000ull | (inode << 3 & 0xffff'ffff'ffffull)};
}
constexpr bool is_position(ObjectId object) { return static_cast<uint64_t>(object) >> 48 == 0xfffa; }
// Operation::second of kind State: another object, and whether it is written. A position belongs to a descriptor, which
// is looked up.
constexpr ObjectId second_state(ObjectId object, bool write) {
  return ObjectId{static_cast<uint64_t>(object) | (write ? 1 : 0)};
}

struct AccessList {
  Access item[3];
  unsigned size = 0;
  void add(ObjectId object, bool write) { item[size++] = {object, write}; }
  const Access* begin() const { return item; }
  const Access* end() const { return item + size; }
};

constexpr ObjectId wake_token(ThreadId t) { return ObjectId{0xffff'0000'0000'0000ull | index_of(t)}; }
// Written by every broadcast on a condition variable, read by whoever reacquires after waiting on it: a broadcast
// wakes any number of threads, an access list names at most three objects.
constexpr ObjectId broadcast_token(ObjectId condition) {
  return ObjectId{0xfffe'0000'0000'0000ull | static_cast<uint64_t>(condition)};
}
constexpr ObjectId thread_object(ThreadId t) { return ObjectId{0xffff'0001'0000'0000ull | index_of(t)}; }

AccessList accesses(const Operation& op);
bool dependent(const Operation& a, const Operation& b);
bool concerns(const Operation& op, ObjectId object);  // does it access the object?

constexpr bool is_yield(OpKind k) { return k == OpKind::Yield || k == OpKind::Sleep; }
bool is_acquire(OpKind kind);  // blocks while its object is taken
bool is_release(OpKind kind);  // may enable another thread

}  // namespace lockstep
