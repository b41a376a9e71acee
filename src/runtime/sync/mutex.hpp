// The state of a mutex, stored in the bytes of the program's own pthread_mutex_t: restoring memory restores it, and a
// statically initialised mutex needs no registration. A pure state machine, without a list of waiting threads.
#pragma once
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "model/ids.hpp"

namespace lockstep::rt {

struct Mutex {
  uint32_t locked;   // 0 or 1, at the place of libc's lock word
  uint32_t depth;    // of a recursive mutex
  uint32_t owner;    // ThreadId + 1; 0: none
  uint32_t waiting;  // threads whose pending operation is to take this mutex
  int32_t kind;      // libc's, set by pthread_mutex_init or the static initialiser
  enum Recovery : uint32_t { kConsistent, kOwnerDied, kLost };
  Recovery recovery;   // of a robust mutex; kLost: unlocked without having been made consistent
  Mutex* next_robust;  // next in the list of robust mutexes held by the same thread
  uint64_t held_here;  // a mark while locked, valid only at this address

  static constexpr uint32_t kCeilingBits = 0xfff80000;
  static Mutex& of(pthread_mutex_t* m) { return *reinterpret_cast<Mutex*>(m); }

  enum class Type : int { Normal, Recursive, ErrorCheck, Adaptive };
  Type type() const { return static_cast<Type>(kind & 3); }
  bool robust() const { return kind & 16; }
  bool checks_owner() const { return type() == Type::ErrorCheck || type() == Type::Recursive || robust(); }
  bool destroyed() const { return kind == -1; }

  bool owned_by(ThreadId t) const { return owner == index_of(t) + 1; }
  bool can_lock() const { return owner == 0; }
  void lock(ThreadId t) {
    locked |= 1;  // the upper bits are the priority ceiling of a PTHREAD_PRIO_PROTECT mutex
    owner = index_of(t) + 1;
    depth = 1;
    held_here = held_mark();
  }
  void unlock() {
    locked &= kCeilingBits;  // also clears the bits of a child process that waits for it
    owner = 0;
    depth = 0;
    held_here = 0;
  }

  // For memory that is freed: it may contain mutexes, because std::mutex needs no destruction. The mark identifies
  // those that are held.
  bool marked_held() const { return held_here == held_mark(); }

 private:
  uint64_t held_mark() const { return reinterpret_cast<uint64_t>(this) * 0x9e3779b97f4a7c15ull | 1; }
};
static_assert(sizeof(Mutex) <= sizeof(pthread_mutex_t));
static_assert(offsetof(Mutex, kind) == offsetof(__pthread_mutex_s, __kind), "libc initialises the kind");

}  // namespace lockstep::rt
