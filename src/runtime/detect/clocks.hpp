// Happens-before as C++ defines it, for telling data races: program order, thread creation and joining, locks, and
// atomics according to their memory orders. Not the order of the trace, in which every conflict is an edge.
//
// A thread's own component is twice the number of trace records at its last step, plus one once that step has
// published something; so an epoch (thread, clock) also says when it was.
#pragma once
#include "model/ids.hpp"
#include "runtime/base.hpp"

namespace lockstep::rt {

// Memory that is given back all at once, between executions.
class Pool {
 public:
  void init(size_t bytes) { base_ = next_ = static_cast<char*>(map_pages(bytes)), end_ = base_ + bytes; }
  void clear() { next_ = base_; }
  void* take(size_t bytes) {
    if (UNLIKELY(static_cast<size_t>(end_ - next_) < bytes)) die("the race detector ran out of memory");
    char* p = next_;
    next_ += (bytes + 15) & ~size_t{15};
    return p;
  }

 private:
  char* base_ = nullptr;
  char* next_ = nullptr;
  char* end_ = nullptr;
};

enum class Order : int { Relaxed, Consume, Acquire, Release, AcqRel, SeqCst };
constexpr bool acquires(Order o) { return o != Order::Relaxed && o != Order::Release; }  // consume is acquire
constexpr bool releases(Order o) { return o >= Order::Release; }

class Clocks {
 public:
  struct Message {  // what a reader of the object learns
    uintptr_t object;
    uint32_t generation;
    uint32_t width;     // 0: nothing
    uint32_t capacity;
    uint32_t* clock;
  };
  void init();
  void begin();  // a new execution: main has started
  void start(ThreadId child, ThreadId parent);
  void join(ThreadId joiner, ThreadId finished);

  // Locks, semaphores, once, barriers. `object` is any address that stands for the thing.
  void acquire(ThreadId t, uintptr_t object);
  void release(ThreadId t, uintptr_t object);        // forgets what was released before: a mutex
  void release_merge(ThreadId t, uintptr_t object);  // adds to it: a semaphore, readers
  void forget(uintptr_t object);

  // Atomics (C++20 release sequences: only read-modify-writes continue one).
  void load(ThreadId t, uintptr_t object, Order order);
  void store(ThreadId t, uintptr_t object, Order order);
  // A read-modify-write, in two halves: what is accessed in between has been acquired and will be released.
  Message& modify_begin(ThreadId t, uintptr_t object, Order order);
  void modify_end(ThreadId t, Message& message, Order order);
  void fence(ThreadId t, Order order);

  // The thread has done a step; `records` are in the trace now.
  void stepped(ThreadId t, uint32_t records) {
    uint32_t& own = clock(t)[index_of(t)];
    own = own < 2 * records ? 2 * records : own;
  }
  static uint32_t records_at(uint32_t when) { return when / 2; }
  uint32_t now(ThreadId t) const { return clock(t)[index_of(t)]; }
  bool ordered(ThreadId earlier, uint32_t when, ThreadId t) const { return when <= clock(t)[index_of(earlier)]; }

 private:
  struct Fences {
    uint32_t generation;
    bool acquire_pending, released;
    uint32_t* to_acquire;  // what relaxed loads have seen, for an acquire fence
    uint32_t* at_release;  // the clock at the last release fence, for relaxed stores
  };
  uint32_t* clock(ThreadId t) const { return clocks_ + index_of(t) * kMaxThreads; }
  static uint32_t slot_of(uintptr_t object, uint32_t size) {
    return static_cast<uint32_t>(static_cast<uint64_t>(object) * 0x9e3779b97f4a7c15ull >> 40) & (size - 1);
  }
  Message* find(uintptr_t object);
  Message& at(uintptr_t object) {
    Message& m = table_[slot_of(object, table_size_)];
    return LIKELY(m.generation == generation_ && m.object == object) ? m : at_slowly(object);
  }
  Message& at_slowly(uintptr_t object);
  void grow_table();
  void set(Message& m, const uint32_t* from);
  void merge(Message& m, const uint32_t* from);
  void learn(uint32_t* to, const Message& m) const;
  void read(ThreadId t, const Message& m, Order order);
  void widen(unsigned width);
  Fences& fences(ThreadId t);
  void published(ThreadId t) { ++clock(t)[index_of(t)]; }  // what comes now is not part of what was released

  uint32_t* clocks_ = nullptr;  // kMaxThreads rows of kMaxThreads, committed as used
  Fences* fences_ = nullptr;
  Message* table_ = nullptr;
  uint32_t table_size_ = 0, used_ = 0;
  uint32_t generation_ = 0;
  unsigned width_ = 0;  // components in use, a multiple of 8
  ThreadId started_[kMaxThreads];
  unsigned started_count_ = 0;
  Pool pool_;
};

}  // namespace lockstep::rt
