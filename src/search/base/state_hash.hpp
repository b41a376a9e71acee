// Abstract states of an execution: two are equal if the last operations of the threads are. Of an operation these
// count: its kind and object, whether it wrote, what a compare-and-swap expected, the kind of operation that wrote the
// value it found, and whether another thread has meanwhile written one of the two objects that its thread accessed
// last. So a thread that is about to swap a value that has changed, perhaps back, leads to a state of its own. Thread
// numbers do not count.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/trace.hpp"

namespace lockstep {

class StateHash {
 public:
  void begin() {
    threads_.clear();
    writers_.clear();
    sum_ = 0;
  }
  // The state after the step.
  uint64_t add(const Step& step) {
    if (index_of(step.thread) >= threads_.size()) threads_.resize(index_of(step.thread) + 1);
    PerThread& me = threads_[index_of(step.thread)];
    sum_ -= me.hash();
    me.did = mix(static_cast<uint64_t>(step.kind) << 8 | (step.flags & (Step::kWrite | Step::kTimedOut)),
                 static_cast<uint64_t>(step.object));
    if (step.kind == OpKind::Cas) me.did = mix(me.did, step.second.expected());
    const AccessList list = accesses(step.operation());
    for (const Access& access : list) {
      OpKind& writer = writers_[access.object];
      me.did = mix(me.did, static_cast<uint64_t>(writer));
      if (access.write) writer = step.kind;
      me.look(access.object);
    }
    sum_ += me.hash();
    for (const Access& access : list)
      if (access.write) overtake(step.thread, access.object);
    return sum_;
  }

 private:
  static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
    return hash ^ hash >> 29;
  }
  struct PerThread {
    uint64_t did = 0;                             // its last operation; 0: none
    ObjectId looked[2] = {kNoObject, kNoObject};  // what it accessed last
    bool changed[2] = {};                         // by another thread since

    uint64_t hash() const { return did == 0 ? 0 : mix(mix(did, changed[0] || changed[1]), 1); }
    void look(ObjectId object) {
      if (object != looked[0]) {
        looked[1] = looked[0];
        changed[1] = changed[0];
      }
      looked[0] = object;
      changed[0] = false;
    }
  };
  void overtake(ThreadId by, ObjectId object) {
    for (size_t t = 0; t < threads_.size(); ++t) {
      PerThread& other = threads_[t];
      if (t == index_of(by) || (other.looked[0] != object && other.looked[1] != object)) continue;
      sum_ -= other.hash();
      for (int i = 0; i < 2; ++i) other.changed[i] |= other.looked[i] == object;
      sum_ += other.hash();
    }
  }

  std::vector<PerThread> threads_;
  std::unordered_map<ObjectId, OpKind> writers_;  // the kind of operation that wrote an object last
  uint64_t sum_ = 0;
};

}  // namespace lockstep
