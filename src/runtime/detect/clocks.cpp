// Vector clocks of threads and of synchronisation objects.
#include "runtime/detect/clocks.hpp"

#include <sys/mman.h>

#include <initializer_list>

namespace lockstep::rt {
namespace {

constexpr uint32_t kFirstTable = 1u << 10;
constexpr size_t kClockBytes = 4ull << 30;  // virtual memory

inline void clear(uint32_t* to, unsigned from, unsigned width) {
  for (unsigned i = from; i < width; ++i) to[i] = 0;
}

}  // namespace

void Clocks::init() {
  clocks_ = static_cast<uint32_t*>(map_pages(sizeof(uint32_t) * kMaxThreads * kMaxThreads));
  fences_ = static_cast<Fences*>(map_pages(sizeof(Fences) * kMaxThreads));
  table_ = static_cast<Message*>(map_pages(sizeof(Message) * kFirstTable));
  table_size_ = kFirstTable;
  pool_.init(kClockBytes);
}

void Clocks::begin() {
  ++generation_;
  used_ = 0;
  pool_.clear();
  // Starts as wide as the last execution became: otherwise rows would move in every execution.
  if (stride_ == 0) width_ = stride_ = kClockStep;
  started_[0] = kMainThread;
  started_count_ = 1;
  clear(clock(kMainThread), 0, width_);
  clock(kMainThread)[0] = kAlways;
  own_[0] = 1;  // 0 is the time before main, which happens before everything
}

void Clocks::widen(unsigned width) {
  const unsigned wanted = (width + kClockStep - 1) & ~(kClockStep - 1);
  if (wanted > stride_) {  // the rows move apart, starting with the last one
    const unsigned before = stride_;
    stride_ = wanted > 2 * before ? wanted : 2 * before;
    if (stride_ > kMaxThreads) stride_ = kMaxThreads;
    unsigned highest = 0;
    for (unsigned i = 0; i < started_count_; ++i)
      highest = index_of(started_[i]) > highest ? index_of(started_[i]) : highest;
    for (unsigned i = highest; i > 0; --i)
      for (unsigned k = width_; k-- > 0;) clocks_[i * stride_ + k] = clocks_[i * before + k];
  }
  for (unsigned i = 0; i < started_count_; ++i) clear(clock(started_[i]), width_, wanted);
  for (unsigned i = 0; i < started_count_; ++i) {
    Fences& f = fences_[index_of(started_[i])];
    if (f.generation != generation_) continue;
    for (uint32_t** part : {&f.to_acquire, &f.at_release}) {
      auto* wide = static_cast<uint32_t*>(pool_.take(sizeof(uint32_t) * wanted));
      copy_clock(wide, *part, width_);
      clear(wide, width_, wanted);
      *part = wide;
    }
  }
  width_ = wanted;
}

void Clocks::start(ThreadId child, ThreadId parent) {
  if (index_of(child) >= width_) widen(index_of(child) + 1);
  copy_clock(clock(child), clock(parent), width_);
  clock(child)[index_of(parent)] = now(parent);
  clock(child)[index_of(child)] = kAlways;
  own_[index_of(child)] = now(parent);  // the child has no earlier life, so any value is new
  started_[started_count_++] = child;
  published(parent);
}

void Clocks::join(ThreadId joiner, ThreadId finished) {
  join_clock(clock(joiner), clock(finished), width_);
  clock(joiner)[index_of(finished)] = now(finished);
}

void Clocks::learn_all(ThreadId t) {
  for (unsigned i = 0; i < started_count_; ++i) {
    if (started_[i] == t) continue;
    join(t, started_[i]);
    published(started_[i]);  // what it does from now on is not known
  }
}

Clocks::Message* Clocks::find(uintptr_t object) {
  for (uint32_t slot = slot_of(object, table_size_);; slot = (slot + 1) & (table_size_ - 1)) {
    Message& m = table_[slot];
    if (m.generation != generation_) return nullptr;
    if (m.object == object) return &m;
  }
}

Clocks::Message& Clocks::at_slowly(uintptr_t object) {
  for (uint32_t slot = slot_of(object, table_size_);; slot = (slot + 1) & (table_size_ - 1)) {
    Message& m = table_[slot];
    if (m.generation == generation_) {
      if (m.object == object) return m;
      continue;
    }
    if (UNLIKELY(2 * ++used_ > table_size_)) {
      grow_table();
      return at(object);
    }
    m.object = object;
    m.generation = generation_;
    m.by = kNoThread;
    m.width = 0;
    m.capacity = 0;
    return m;
  }
}

void Clocks::grow_table() {
  Message* old = table_;
  const uint32_t old_size = table_size_;
  table_size_ *= 4;
  table_ = static_cast<Message*>(map_pages(sizeof(Message) * table_size_));
  used_ = 0;
  for (uint32_t i = 0; i < old_size; ++i)
    if (old[i].generation == generation_) at(old[i].object) = old[i];
  unmap_pages(old, sizeof(Message) * old_size);
}

void Clocks::set_many(Message& m, const uint32_t* from) {
  if (m.capacity < width_) {
    m.many = static_cast<uint32_t*>(pool_.take(sizeof(uint32_t) * width_));
    m.capacity = width_;
  }
  copy_clock(m.many, from, width_);
  m.many[index_of(m.by)] = m.at;
}

void Clocks::merge(Message& m, const uint32_t* from, ThreadId by, uint32_t at) {
  const bool adds_all = m.by != kNoThread && from[index_of(m.by)] >= m.at;
  if (!m.width || adds_all) {
    set(m, from, by, at);
    return;
  }
  if (m.width < width_) {
    const Message before = m;
    m.capacity = 0;
    set(m, from, by, at);
    join_clock(m.many, before.clock(), before.width);
  } else {
    uint32_t& own = m.clock()[index_of(by)];
    const uint32_t known = own;  // may exceed `at`, if `at` is an old fence
    join_clock(m.clock(), from, width_);
    own = known > at ? known : at;
  }
  m.by = kNoThread;
}

void Clocks::acquire(ThreadId t, uintptr_t object) {
  if (const Message* m = find(object)) learn(clock(t), *m);
}

void Clocks::release(ThreadId t, uintptr_t object) {
  set(at(object), clock(t), t, now(t));
  published(t);
}

void Clocks::release_merge(ThreadId t, uintptr_t object) {
  merge(at(object), clock(t), t, now(t));
  published(t);
}

void Clocks::forget(uintptr_t object) {
  if (Message* m = find(object)) m->width = 0;
}

Clocks::Fences& Clocks::fences(ThreadId t) {
  Fences& f = fences_[index_of(t)];
  if (f.generation != generation_) {
    f.generation = generation_;
    f.acquire_pending = f.released = false;
    f.to_acquire = static_cast<uint32_t*>(pool_.take(sizeof(uint32_t) * width_));
    f.at_release = static_cast<uint32_t*>(pool_.take(sizeof(uint32_t) * width_));
    clear(f.to_acquire, 0, width_);
    clear(f.at_release, 0, width_);
  }
  return f;
}

void Clocks::remember_for_fence(ThreadId t, const Message& m) {
  Fences& f = fences(t);
  learn(f.to_acquire, m);
  f.acquire_pending = true;
}

void Clocks::load(ThreadId t, uintptr_t object, Order order) {
  if (const Message* m = find(object)) read(t, *m, order);
}

void Clocks::store(ThreadId t, uintptr_t object, Order order) {
  if (releases(order)) {
    release(t, object);
    return;
  }
  const Fences& f = fences_[index_of(t)];
  if (f.generation == generation_ && f.released)
    set(at(object), f.at_release, t, f.at_release[index_of(t)]);
  else
    forget(object);
}

void Clocks::fence(ThreadId t, Order order) {
  if (order == Order::Relaxed) return;
  Fences& f = fences(t);
  if (acquires(order) && f.acquire_pending) {
    join_clock(clock(t), f.to_acquire, width_);
    f.acquire_pending = false;
    clear(f.to_acquire, 0, width_);
  }
  if (releases(order)) {
    copy_clock(f.at_release, clock(t), width_);
    f.at_release[index_of(t)] = now(t);
    f.released = true;
    published(t);
  }
}

}  // namespace lockstep::rt
