// What a thread does at a scheduling point, and when two such operations depend on each other. accesses() alone says
// what an operation reads and writes; dependent() and every analysis are built on it. A wrong independence silently
// loses executions, so there must be no second definition anywhere.
#pragma once
#include <cstdint>

#include "model/ids.hpp"
#include "model/primitives.hpp"

namespace lockstep {

// What a thread waits for in an operation of kind Io.
enum class IoWait : uint8_t { None, Input, Room, Any, Events, Several };

// What an operation of kind State is about.
enum class StateKind : uint8_t {
  Files,
  Descriptors,
  Environment,
  Keys,
  Locale,
  Limits,
  Signals,
  LibraryBuffers,
  Output,  // standard output and error, if outputs are compared
  kCount
};
const char* name_of(StateKind kind);  // "the file system", ...
inline constexpr uint64_t kStateObjects = 0xfffb'0000'0000'0000ull;
constexpr ObjectId state_object(StateKind kind) { return ObjectId{kStateObjects | static_cast<uint64_t>(kind) << 3}; }
constexpr StateKind state_kind(ObjectId object) {  // kCount: not a state object
  const uint64_t kind = (static_cast<uint64_t>(object) - kStateObjects) >> 3;
  return kind < static_cast<uint64_t>(StateKind::kCount) ? static_cast<StateKind>(kind) : StateKind::kCount;
}
// The position in an open file, shared by all users of one descriptor and its copies.
constexpr ObjectId position_object(uint64_t file) {
  return ObjectId{0xfffa'0000'0000'0000ull | (file << 3 & 0xffff'ffff'ffffull)};
}
constexpr bool is_position(ObjectId object) { return static_cast<uint64_t>(object) >> 48 == 0xfffa; }

// The second argument of an operation, besides its object. Its meaning depends on the kind; most kinds have none. The
// constructor function and the accessor of a meaning have the same name.
class Companion {
 public:
  Companion() = default;
  constexpr bool operator==(const Companion&) const = default;
  constexpr bool none() const { return raw_ == 0; }

  // CondWait: the mutex that it releases.
  static constexpr Companion mutex(ObjectId mutex) { return of(mutex); }
  constexpr ObjectId mutex() const { return object(); }
  // Reacquire: the condition variable on which it waited. None: the thread had given up or had been woken before.
  static constexpr Companion condition(ObjectId condition) { return of(condition); }
  constexpr ObjectId condition() const { return object(); }
  // Create, Join: the other thread.
  static constexpr Companion thread(ThreadId t) { return Companion(index_of(t)); }
  constexpr ThreadId thread() const { return ThreadId{static_cast<uint16_t>(raw_)}; }
  // CondSignal: the woken thread. kNoThread: no thread waited.
  static constexpr Companion woken(ThreadId t) { return Companion(index_of(t) + 1u); }
  constexpr ThreadId woken() const { return ThreadId{static_cast<uint16_t>(raw_ - 1)}; }
  // SemWait, SemTryWait, SemPost: the value of the semaphore before the operation.
  static constexpr Companion units(uint64_t before) { return Companion(before); }
  constexpr uint64_t units() const { return raw_; }
  // Cas: the expected value.
  static constexpr Companion expected(uint64_t value) { return Companion(value); }
  constexpr uint64_t expected() const { return raw_; }
  // PlainRead, PlainWrite: the name that overlapping accesses share (Alias). None: the object itself.
  static constexpr Companion alias(ObjectId name) { return of(name); }
  constexpr ObjectId alias() const { return object(); }
  // Load, Store, Rmw with Step::kBlocked: the one value that was changed before. None: several values.
  static constexpr Companion change(ObjectId changed) { return of(changed); }
  constexpr ObjectId change() const { return object(); }
  // FutexWake: the futex to which a requeue moves waiters. Cancel: the condition variable whose queue its target
  // leaves. Both operations write it.
  static constexpr Companion other_queue(ObjectId queue) { return of(queue); }
  constexpr ObjectId other_queue() const { return object(); }
  // Signal, TestCancel: what the receiver was waiting for. Both operations read it.
  static constexpr Companion waited_for(ObjectId object) { return of(object); }
  constexpr ObjectId waited_for() const { return object(); }
  // Io: the event and the descriptor. Reports use the pair as an object (io_name()).
  static constexpr Companion io(IoWait wait, uint32_t descriptor) {
    return Companion(static_cast<uint64_t>(wait) << 32 | descriptor);
  }
  constexpr IoWait io_wait() const { return static_cast<IoWait>(raw_ >> 32); }
  constexpr uint32_t descriptor() const { return static_cast<uint32_t>(raw_); }
  static constexpr Companion io(ObjectId name) { return of(name); }
  constexpr ObjectId io_name() const { return object(); }
  // State: a second object, and whether it is written. A file position also reads the descriptors.
  static constexpr Companion state(ObjectId object, bool write) {
    return Companion(static_cast<uint64_t>(object) | (write ? 1 : 0));
  }
  constexpr ObjectId state() const { return ObjectId{raw_ & ~uint64_t{1}}; }
  constexpr bool writes_state() const { return raw_ & 1; }
  // AtomicSection: whether it begins or ends here.
  static constexpr Companion section(bool begins) { return Companion(begins); }
  constexpr bool begins_section() const { return raw_ != 0; }

 private:
  constexpr explicit Companion(uint64_t raw) : raw_(raw) {}
  static constexpr Companion of(ObjectId object) { return Companion(static_cast<uint64_t>(object)); }
  constexpr ObjectId object() const { return ObjectId{raw_}; }
  uint64_t raw_;
};
static_assert(sizeof(Companion) == 8, "wire format");

struct Operation {
  ThreadId thread = kNoThread;
  OpKind kind = OpKind::Yield;
  bool writes = false;          // what a conditional operation (Cas, TryLock) did or would do now
  ObjectId object = kNoObject;  // what it is about
  Companion second{};
  bool timed_out = false;  // the wait gave up
};

struct Access {
  ObjectId object;
  bool write;
};

// The accesses of one operation, at most three. Token objects (one per thread: a wake writes it, the woken thread reads
// it) and the process-exit object are in an address range that no program can map.
struct AccessList {
  Access item[3];
  unsigned size = 0;
  void add(ObjectId object, bool write) { item[size++] = {object, write}; }
  const Access* begin() const { return item; }
  const Access* end() const { return item + size; }
};

constexpr ObjectId wake_token(ThreadId t) { return ObjectId{0xffff'0000'0000'0000ull | index_of(t)}; }
// Every broadcast on a condition variable writes this, and every thread that reacquires after waiting on it reads it: a
// broadcast wakes any number of threads, but an access list has at most three objects.
constexpr ObjectId broadcast_token(ObjectId condition) {
  return ObjectId{0xfffe'0000'0000'0000ull | static_cast<uint64_t>(condition)};
}
constexpr ObjectId thread_object(ThreadId t) { return ObjectId{0xffff'0001'0000'0000ull | index_of(t)}; }

AccessList accesses(const Operation& op);
constexpr bool accesses_only_its_object(OpKind kind) {  // accesses() names nothing else, whatever the second argument
  return kind == OpKind::Load || kind == OpKind::Store || kind == OpKind::Rmw || kind == OpKind::Cas ||
         kind == OpKind::Lock || kind == OpKind::Unlock;
}
bool dependent(const Operation& a, const Operation& b);
bool concerns(const Operation& op, ObjectId object);  // whether `op` accesses the object

}  // namespace lockstep
