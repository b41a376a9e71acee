// Happens-before as C++ defines it, for finding data races: program order, thread creation and joining, locks, and
// atomics according to their memory orders. The order of the trace does not count, because there every conflict is an
// edge.
//
// A thread's own component is twice the number of trace records at its last step, plus one once that step has published
// something. So an epoch (thread, clock) also gives the time of an access. The own component changes often and is
// therefore stored apart from the others, which are read as vectors: a vector load is slow after a store to part of the
// vector.
#pragma once
#include "model/ids.hpp"
#include "runtime/base/system.hpp"

namespace lockstep::rt {

// An allocator whose memory is released all at once, between executions.
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
  static constexpr unsigned kFew = 8;
  struct Message {  // the clock that a reader of the object joins
    uintptr_t object;
    uint32_t generation;
    // If only one thread released: the thread, and its time. A thread that knows of this time knows the whole clock.
    ThreadId by;     // kNoThread: several threads
    uint16_t width;  // 0: empty
    uint32_t at;
    uint32_t capacity;
    uint32_t few[kFew];
    uint32_t* many;
    uint32_t* clock() { return width <= kFew ? few : many; }
    const uint32_t* clock() const { return width <= kFew ? few : many; }
  };
  void init();
  void begin();  // a new execution: main has started
  void start(ThreadId child, ThreadId parent);
  void join(ThreadId joiner, ThreadId finished);
  void learn_all(ThreadId t);  // everything that any thread has done so far

  // Locks, semaphores, once, barriers. `object` is any address that identifies the object.
  void acquire(ThreadId t, uintptr_t object);
  void release(ThreadId t, uintptr_t object);        // replaces what was released before: a mutex
  void release_merge(ThreadId t, uintptr_t object);  // adds to what was released before: a semaphore, readers
  void forget(uintptr_t object);

  // Atomics (C++20 release sequences: only read-modify-writes continue one).
  void load(ThreadId t, uintptr_t object, Order order);
  void store(ThreadId t, uintptr_t object, Order order);
  // A read-modify-write in two halves: an access in between has been acquired and will be released.
  Message& modify_begin(ThreadId t, uintptr_t object, Order order);
  void modify_end(ThreadId t, Message& message, Order order);
  void fence(ThreadId t, Order order);

  // The thread has done a step. `records`: length of the trace now.
  void stepped(ThreadId t, uint32_t records) {
    uint32_t& own = own_[index_of(t)];
    own = own < 2 * records ? 2 * records : own;
  }
  static uint32_t records_at(uint32_t when) { return when / 2; }
  uint32_t now(ThreadId t) const { return own_[index_of(t)]; }
  // Does everything that `other` did up to `when` happen before the present of thread t?
  bool knows(ThreadId t, ThreadId other, uint32_t when) const { return when <= clock(t)[index_of(other)]; }

 private:
  struct Fences {
    uint32_t generation;
    bool acquire_pending, released;
    uint32_t* to_acquire;  // joined clocks of relaxed loads, for an acquire fence
    uint32_t* at_release;  // the clock at the last release fence, for relaxed stores
  };
  uint32_t* clock(ThreadId t) const { return clocks_ + index_of(t) * stride_; }
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
  // `from` is the clock of thread `by` when its own component was `at`.
  void set(Message& m, const uint32_t* from, ThreadId by, uint32_t at);
  void merge(Message& m, const uint32_t* from, ThreadId by, uint32_t at);
  static void learn(uint32_t* to, const Message& m);
  void read(ThreadId t, const Message& m, Order order);
  void remember_for_fence(ThreadId t, const Message& m);
  void set_many(Message& m, const uint32_t* from);
  void widen(unsigned width);
  Fences& fences(ThreadId t);
  void published(ThreadId t) { ++own_[index_of(t)]; }  // later accesses are not part of the release

  uint32_t* clocks_ = nullptr;  // kMaxThreads rows of kMaxThreads, committed as used; the own component is kAlways
  static constexpr uint32_t kAlways = ~uint32_t{0};
  uint32_t own_[kMaxThreads]{};
  Fences* fences_ = nullptr;
  Message* table_ = nullptr;
  uint32_t table_size_ = 0, used_ = 0;
  uint32_t generation_ = 0;
  unsigned width_ = 0;   // components in use, a multiple of 8
  unsigned stride_ = 0;  // distance of rows: few threads have adjacent rows
  ThreadId started_[kMaxThreads]{};
  unsigned started_count_ = 0;
  Pool pool_;
};

// Processes components in blocks, as vectors.
inline constexpr unsigned kClockStep = Clocks::kFew;
inline void join_clock(uint32_t* to, const uint32_t* from, unsigned width) {
  typedef uint32_t Part __attribute__((vector_size(16)));
  for (unsigned i = 0; i < width; i += 4) {
    Part mine, theirs;
    __builtin_memcpy(&mine, to + i, sizeof mine);
    __builtin_memcpy(&theirs, from + i, sizeof theirs);
    mine = mine > theirs ? mine : theirs;
    __builtin_memcpy(to + i, &mine, sizeof mine);
  }
}
inline void copy_clock(uint32_t* to, const uint32_t* from, unsigned width) {
  for (unsigned i = 0; i < width; i += kClockStep) __builtin_memcpy(to + i, from + i, sizeof(uint32_t) * kClockStep);
}

inline __attribute__((always_inline)) void Clocks::learn(uint32_t* to, const Message& m) {
  if (m.by != kNoThread && to[index_of(m.by)] >= m.at) return;
  if (LIKELY(m.width == kFew))
    join_clock(to, m.few, kFew);
  else
    join_clock(to, m.many, m.width);
}

inline __attribute__((always_inline)) void Clocks::read(ThreadId t, const Message& m, Order order) {
  if (!m.width) return;
  if (LIKELY(acquires(order)))
    learn(clock(t), m);
  else
    remember_for_fence(t, m);
}

inline __attribute__((always_inline)) void Clocks::set(Message& m, const uint32_t* from, ThreadId by, uint32_t at) {
  m.width = static_cast<uint16_t>(width_);
  m.by = by;
  m.at = at;
  if (LIKELY(width_ == kFew)) {
    copy_clock(m.few, from, kFew);
    m.few[index_of(by)] = at;
    return;
  }
  set_many(m, from);
}

inline __attribute__((always_inline)) Clocks::Message& Clocks::modify_begin(ThreadId t, uintptr_t object, Order order) {
  Message& m = at(object);
  read(t, m, order);
  return m;
}

inline __attribute__((always_inline)) void Clocks::modify_end(ThreadId t, Message& m, Order order) {
  if (LIKELY(releases(order))) {
    if (LIKELY(acquires(order)))
      set(m, clock(t), t, now(t));  // just joined the old content
    else
      merge(m, clock(t), t, now(t));
    published(t);
    return;
  }
  const Fences& f = fences_[index_of(t)];
  if (f.generation == generation_ && f.released) merge(m, f.at_release, t, f.at_release[index_of(t)]);
}

}  // namespace lockstep::rt
