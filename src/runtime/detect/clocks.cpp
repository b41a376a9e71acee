#include "runtime/detect/clocks.hpp"

#include <sys/mman.h>

#include <initializer_list>

namespace lockstep::rt {
namespace {

constexpr unsigned kStepWidth = 8;  // components are handled in blocks, so that the loops become vector instructions
constexpr uint32_t kFirstTable = 1u << 10;
constexpr size_t kPoolBytes = 4ull << 30;  // virtual

inline void join_into(uint32_t* to, const uint32_t* from, unsigned width) {
  for (unsigned i = 0; i < width; i += kStepWidth)
    for (unsigned k = i; k < i + kStepWidth; ++k) to[k] = to[k] > from[k] ? to[k] : from[k];
}
inline void copy_into(uint32_t* to, const uint32_t* from, unsigned width) {
  for (unsigned i = 0; i < width; i += kStepWidth)
    for (unsigned k = i; k < i + kStepWidth; ++k) to[k] = from[k];
}
inline void clear(uint32_t* to, unsigned from, unsigned width) {
  for (unsigned i = from; i < width; ++i) to[i] = 0;
}

}  // namespace

void Clocks::init() {
  clocks_ = static_cast<uint32_t*>(map_pages(sizeof(uint32_t) * kMaxThreads * kMaxThreads));
  fences_ = static_cast<Fences*>(map_pages(sizeof(Fences) * kMaxThreads));
  table_ = static_cast<Message*>(map_pages(sizeof(Message) * kFirstTable));
  table_size_ = kFirstTable;
  pool_.init(kPoolBytes);
}

void Clocks::begin() {
  ++generation_;
  used_ = 0;
  pool_.clear();
  width_ = kStepWidth;
  started_[0] = kMainThread;
  started_count_ = 1;
  clear(clock(kMainThread), 0, width_);
  clock(kMainThread)[0] = 1;  // 0 stands for the time before main, which is before everything
}

void Clocks::widen(unsigned width) {
  const unsigned wanted = (width + kStepWidth - 1) & ~(kStepWidth - 1);
  for (unsigned i = 0; i < started_count_; ++i) clear(clock(started_[i]), width_, wanted);
  for (unsigned i = 0; i < started_count_; ++i) {
    Fences& f = fences_[index_of(started_[i])];
    if (f.generation != generation_) continue;
    for (uint32_t** part : {&f.to_acquire, &f.at_release}) {
      auto* wide = static_cast<uint32_t*>(pool_.take(sizeof(uint32_t) * wanted));
      copy_into(wide, *part, width_);
      clear(wide, width_, wanted);
      *part = wide;
    }
  }
  width_ = wanted;
}

void Clocks::start(ThreadId child, ThreadId parent) {
  if (index_of(child) >= width_) widen(index_of(child) + 1);
  copy_into(clock(child), clock(parent), width_);
  clock(child)[index_of(child)] = clock(parent)[index_of(parent)];  // any value its earlier life cannot have had: it had none
  started_[started_count_++] = child;
  published(parent);
}

void Clocks::join(ThreadId joiner, ThreadId finished) { join_into(clock(joiner), clock(finished), width_); }

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
    m = {object, generation_, 0, 0, nullptr};
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
  sys(SYS_munmap, word(old), static_cast<long>(sizeof(Message) * old_size));
}

inline void Clocks::set(Message& m, const uint32_t* from) {
  if (UNLIKELY(m.capacity < width_)) {
    m.clock = static_cast<uint32_t*>(pool_.take(sizeof(uint32_t) * width_));
    m.capacity = width_;
  }
  m.width = width_;
  copy_into(m.clock, from, width_);
}

void Clocks::merge(Message& m, const uint32_t* from) {
  if (m.width < width_) {
    const Message before = m;
    m.capacity = 0;
    set(m, from);
    if (before.width) join_into(m.clock, before.clock, before.width);
    return;
  }
  join_into(m.clock, from, width_);
}

inline void Clocks::learn(uint32_t* to, const Message& m) const { join_into(to, m.clock, m.width); }

void Clocks::acquire(ThreadId t, uintptr_t object) {
  if (const Message* m = find(object)) learn(clock(t), *m);
}

void Clocks::release(ThreadId t, uintptr_t object) {
  set(at(object), clock(t));
  published(t);
}

void Clocks::release_merge(ThreadId t, uintptr_t object) {
  merge(at(object), clock(t));
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

inline void Clocks::read(ThreadId t, const Message& m, Order order) {
  if (!m.width) return;
  if (acquires(order)) {
    learn(clock(t), m);
  } else {
    Fences& f = fences(t);
    learn(f.to_acquire, m);
    f.acquire_pending = true;
  }
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
    set(at(object), f.at_release);
  else
    forget(object);
}

Clocks::Message& Clocks::modify_begin(ThreadId t, uintptr_t object, Order order) {
  Message& m = at(object);
  read(t, m, order);
  return m;
}

void Clocks::modify_end(ThreadId t, Message& m, Order order) {
  if (releases(order)) {
    if (acquires(order))
      set(m, clock(t));  // has just learned what was there
    else
      merge(m, clock(t));
    published(t);
    return;
  }
  const Fences& f = fences_[index_of(t)];
  if (f.generation == generation_ && f.released) merge(m, f.at_release);
}

void Clocks::fence(ThreadId t, Order order) {
  if (order == Order::Relaxed) return;
  Fences& f = fences(t);
  if (acquires(order) && f.acquire_pending) {
    join_into(clock(t), f.to_acquire, width_);
    f.acquire_pending = false;
    clear(f.to_acquire, 0, width_);
  }
  if (releases(order)) {
    copy_into(f.at_release, clock(t), width_);
    f.released = true;
    published(t);
  }
}

}  // namespace lockstep::rt
