// Computes and undoes the vector clocks of the happens-before order.
#include "analysis/happens_before.hpp"

#include <algorithm>
#include <cstring>

namespace lockstep {
namespace {

typedef int32_t Four __attribute__((vector_size(16)));

// Clocks grow in blocks of this number of components: a fixed number of vector instructions each.
constexpr unsigned kBlock = 8;

void maximum(int32_t* into, const int32_t* from, unsigned width) {
  for (const int32_t* end = from + width; from != end; from += kBlock, into += kBlock)
    for (unsigned i = 0; i < kBlock; i += 4) {
      Four a, b;
      std::memcpy(&a, into + i, sizeof a);
      std::memcpy(&b, from + i, sizeof b);
      a = a > b ? a : b;
      std::memcpy(into + i, &a, sizeof a);
    }
}

void copy(int32_t* into, const int32_t* from, unsigned width) {
  for (const int32_t* end = from + width; from != end; from += kBlock, into += kBlock)
    std::memcpy(into, from, kBlock * sizeof *into);
}

}  // namespace

void HappensBefore::make_room() {
  room_ = 2 * room_ + 64;
  events_.resize(room_);
  clocks_.resize(size_t{room_} * width_);
}

void HappensBefore::push(const Step& step) {
  const unsigned t = index_of(step.thread);
  const auto child = step.kind == OpKind::Create ? index_of(step.second.thread()) : 0;
  if (std::max(t, child) >= threads_.size()) widen(std::max(t, child) + 1);
  if (size_ == room_) make_room();
  const uint32_t record = size_++;
  Event& e = events_[record];
  Thread& thread = threads_[t];
  e.thread = step.thread;
  e.kind = step.kind;
  e.flags = step.flags;
  e.second = step.second;
  e.previous = thread.last;
  e.index = ++thread.records;
  e.uses = 0;
  e.condition = kNone;
  int32_t* clock = clock_at(record);
  if (e.previous != kNone)
    copy(clock, clock_at(e.previous), width_);
  else
    std::fill_n(clock, width_, 0);
  thread.last = record;
  if (step.is_note()) return note(step, e, clock);

  if (step.kind == OpKind::Reacquire && step.flags & Step::kTimed) e.condition = number_of(step.second.condition());
  for (const Access& a : accesses(step.operation())) {
    if (a.object == kNoObject) continue;
    const uint32_t number = number_of(a.object);
    const Object& o = objects_[number];
    const Use use{number, a.write, o.last_write, o.last_read};
    e.use[e.uses++] = use;
    if (use.last_write != kNone) join(clock, use.last_write);
    if (a.write)
      for (uint32_t read = use.last_read; read != kNone; read = events_[read].find(number)->last_read)
        join(clock, read);
  }
  for (unsigned i = 0; i < e.uses; ++i) {
    Object& o = objects_[e.use[i].object];
    if (e.use[i].write) {
      o.last_write = record;
      o.last_read = kNone;
    } else {
      o.last_read = record;
    }
  }
  if (step.kind == OpKind::ProcessExit)
    for (const Thread& other : threads_)
      if (other.last != kNone && other.last != record) join(clock, other.last);
  clock[t] = static_cast<int32_t>(e.index);
}

// A note races with no step. It orders the steps of a thread after its creation, the steps after a join after all steps
// of the joined thread, and the steps after a wait after the step that ended the wait.
void HappensBefore::note(const Step& step, Event& e, int32_t* clock) {
  const uint32_t record = size_ - 1;
  if (step.kind == OpKind::Join) {
    const uint32_t last = last_of(step.second.thread());
    if (last != kNone) join(clock, last);
  } else if (step.kind == OpKind::BarrierLeave || step.kind == OpKind::FutexBlocked) {  // part of the waking step
    uint32_t waker = record;
    while (waker-- > 0)
      if (!(events_[waker].flags & Step::kNote) && events_[waker].kind != OpKind::Choose) break;
    if (waker != kNone) join(clock, waker);
  }
  clock[index_of(step.thread)] = static_cast<int32_t>(e.index);
  if (step.kind != OpKind::Create) return;
  Thread& child = threads_[index_of(step.second.thread())];
  if (child.records == 0) child.last = record;
}

void HappensBefore::truncate(uint32_t size) {
  while (size_ > size) {
    const Event& e = events_[--size_];
    for (unsigned i = e.uses; i-- > 0;) {
      Object& o = objects_[e.use[i].object];
      o.last_write = e.use[i].last_write;
      o.last_read = e.use[i].last_read;
    }
    Thread& thread = threads_[index_of(e.thread)];
    thread.last = e.previous;
    --thread.records;
    if (e.kind == OpKind::Create) {
      Thread& child = threads_[index_of(e.second.thread())];
      if (child.records == 0) child.last = kNone;
    }
  }
}

void HappensBefore::join(int32_t* into, uint32_t record) { maximum(into, clock_at(record), width_); }

// Clocks get longer when a thread with a higher number appears. That is rare, so all clocks are laid out again.
void HappensBefore::widen(unsigned threads) {
  threads_.resize(threads);
  const unsigned width = (threads + kBlock - 1) / kBlock * kBlock;
  if (width <= width_) return;
  std::vector<int32_t> wider(size_t{room_} * width, 0);
  for (size_t i = 0; i < size_; ++i) std::copy_n(clocks_.data() + i * width_, width_, wider.data() + i * width);
  clocks_.swap(wider);
  width_ = width;
}

uint32_t HappensBefore::number_of(ObjectId id) {
  return index_.find_or_add(id, objects_, [&] { objects_.push_back({id}); });
}

uint64_t HappensBefore::memory_bytes() const {
  return events_.capacity() * sizeof(Event) + clocks_.capacity() * sizeof(int32_t) +
         objects_.capacity() * sizeof(Object) + index_.memory_bytes();
}

}  // namespace lockstep
