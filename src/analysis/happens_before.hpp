// The happens-before order of one execution, by vector clocks (Mattern 1989): records are ordered by their threads'
// programs, by creation and join, and wherever they are dependent. Grows and shrinks at the end, so that a search that
// changes only the end of an execution need not look at its beginning again.
//
// This is the order of dependent operations that reductions and caches are built on; it contains edges between racing
// accesses and is of no use for finding data races.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/object_index.hpp"
#include "model/trace.hpp"

namespace lockstep {

class HappensBefore {
 public:
  static constexpr uint32_t kNone = 0xffff'ffff;  // no record

  // One access of a record, and what it found: enough to undo it, and to walk all accesses of an object backwards.
  struct Use {
    uint32_t object;  // see number_of()
    bool write;
    uint32_t last_write;  // before this access
    uint32_t last_read;   // newest read since that write
  };
  struct Event {
    ThreadId thread;
    OpKind kind;
    uint8_t flags;  // of the step
    uint8_t uses;
    uint32_t index;              // among the records of its thread, from 1
    uint32_t previous;           // whose clock the thread had before: its previous record, or the one that created it
    Companion second;            // of the step
    uint32_t condition = kNone;  // number of what a timed wait waited for, until it was woken
    Use use[3];

    const Use* find(uint32_t object) const {
      for (unsigned i = 0; i < uses; ++i)
        if (use[i].object == object) return &use[i];
      return nullptr;
    }
  };
  struct Object {
    ObjectId id;
    uint32_t last_write = kNone, last_read = kNone;  // now
  };

  uint32_t size() const { return size_; }
  void push(const Step& step);
  void truncate(uint32_t size);

  const Event& operator[](uint32_t record) const { return events_[record]; }

  // a is b, or came before b and could not have come after it.
  bool ordered(uint32_t a, uint32_t b) const { return clock(b)[index_of(events_[a].thread)] >= signed_index(a); }
  // The same for what `t` does next, as far as it follows from what t has done.
  bool known_to(uint32_t a, ThreadId t) const {
    const uint32_t last = last_of(t);
    return last != kNone && ordered(a, last);
  }

  // Components of a record's clock: how many records of each thread it has seen. width() of them.
  const int32_t* clock(uint32_t record) const { return clocks_.data() + size_t{record} * width_; }
  unsigned width() const { return width_; }

  // Newest record of a thread, or the one that created it; kNone if neither is there.
  uint32_t last_of(ThreadId t) const { return index_of(t) < threads_.size() ? threads_[index_of(t)].last : kNone; }

  // Objects by small numbers that never change.
  uint32_t number_of(ObjectId id);
  const Object& object(uint32_t number) const { return objects_[number]; }
  uint32_t objects() const { return static_cast<uint32_t>(objects_.size()); }

  uint64_t memory_bytes() const;

 private:
  struct Thread {
    uint32_t last = kNone;
    uint32_t records = 0;
  };
  int32_t signed_index(uint32_t record) const { return static_cast<int32_t>(events_[record].index); }
  int32_t* clock_at(uint32_t record) { return clocks_.data() + size_t{record} * width_; }
  void make_room();
  void note(const Step& step, Event& e, int32_t* clock);
  void join(int32_t* into, uint32_t record);
  void widen(unsigned threads);

  unsigned width_ = 8;  // components per clock, a multiple of 8
  uint32_t size_ = 0, room_ = 0;
  std::vector<Event> events_;  // room_, the first size_ in use; so it is with clocks
  std::vector<int32_t> clocks_;
  std::vector<Thread> threads_;
  std::vector<Object> objects_;
  ObjectIndex<Object> index_;
};

}  // namespace lockstep
