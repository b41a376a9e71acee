// The happens-before order of one execution, by vector clocks (Mattern 1989). Program order, creation and join, and
// dependence order the records. The order grows and shrinks at the end, so a search that changes only the end of an
// execution need not process its beginning again.
//
// Reductions and caches use this order of dependent operations. It contains edges between racing accesses, so it cannot
// find data races.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/object_index.hpp"
#include "model/trace.hpp"

namespace lockstep {

class HappensBefore {
 public:
  static constexpr uint32_t kNone = 0xffff'ffff;  // no record

  // One access of a record and the previous accesses: enough to undo it, and to walk all accesses of an object
  // backwards.
  struct Use {
    uint32_t object;  // see number_of()
    bool write;
    uint32_t last_write;  // before this access
    uint32_t last_read;   // newest read since `last_write`
  };
  struct Event {
    ThreadId thread;
    OpKind kind;
    uint8_t flags;  // of the step
    uint8_t uses;
    uint32_t index;              // among the records of its thread, from 1
    uint32_t previous;           // whose clock this extends: the previous record of the thread, or its creation
    Companion second;            // of the step
    uint32_t condition = kNone;  // of a timed wait: the object waited for (see number_of()), until the thread was woken
    Use use[3];

    const Use* find(uint32_t object) const {
      for (unsigned i = 0; i < uses; ++i)
        if (use[i].object == object) return &use[i];
      return nullptr;
    }
  };
  struct Object {
    ObjectId id;
    uint32_t last_write = kNone, last_read = kNone;  // newest accesses
  };

  uint32_t size() const { return size_; }
  void push(const Step& step);
  void truncate(uint32_t size);

  const Event& operator[](uint32_t record) const { return events_[record]; }

  // a is b, or a came before b and could not have come after b.
  bool ordered(uint32_t a, uint32_t b) const { return clock(b)[index_of(events_[a].thread)] >= signed_index(a); }
  // As ordered(), for the next step of `t`, as far as the steps that t has done determine it.
  bool known_to(uint32_t a, ThreadId t) const {
    const uint32_t last = last_of(t);
    return last != kNone && ordered(a, last);
  }

  // The clock of a record: for each thread, the number of its records that happen before or at this record. width()
  // components.
  const int32_t* clock(uint32_t record) const { return clocks_.data() + size_t{record} * width_; }
  unsigned width() const { return width_; }

  // Newest record of a thread, or the record that created it; kNone if there is neither.
  uint32_t last_of(ThreadId t) const { return index_of(t) < threads_.size() ? threads_[index_of(t)].last : kNone; }

  // A small number for an object; it never changes.
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
  std::vector<Event> events_;  // size room_, of which the first size_ are used; clocks_ has the same layout
  std::vector<int32_t> clocks_;
  std::vector<Thread> threads_;
  std::vector<Object> objects_;
  ObjectIndex<Object> index_;
};

}  // namespace lockstep
