// Counts an execution whose records are not kept: the numbers that the driver computes from a whole trace, its
// fingerprint (analysis/fingerprint.hpp), preemptions (model/schedule.hpp) and contested decisions.
#pragma once
#include "model/schedule.hpp"
#include "model/step_hash.hpp"
#include "model/trace.hpp"

namespace lockstep::rt {

class StepCounter {
 public:
  using Pages = void* (*)(size_t);
  static constexpr size_t kSlots = 1 << 21, kMostObjects = kSlots / 2;

  void begin(Pages pages) {
    if (!objects_) objects_ = static_cast<Object*>(pages(kSlots * sizeof(Object)));
    if (!threads_) threads_ = static_cast<uint64_t*>(pages(kMaxThreads * sizeof(uint64_t)));
    for (unsigned t = 0; t < most_threads_; ++t) threads_[t] = 0;
    ++execution_;
    used_ = most_threads_ = 0;
    sum_ = 0;
    preemptions_ = contested_ = 0;
    running_ = kNoThread;
    yielded_ = overflowed_ = false;
  }

  // `op`: the step's operation, with the object names that the driver uses.
  void add(const Step& step, const Operation& op, const ThreadSetView& enabled, const ThreadSetView& timed) {
    if (step.is_note()) return;
    if (!step.is_choice()) {
      preemptions_ += cost_of_switch(enabled, timed, running_, yielded_, step.thread);
      contested_ += enabled.size() > 1;
      running_ = step.thread;
      yielded_ = step.flags & Step::kYield;
    }
    add_to_fingerprint(step, accesses(op));
  }

  uint64_t fingerprint() const { return overflowed_ ? 0 : sum_ ? sum_ : 1; }  // 0: unknown (too many objects)
  uint32_t preemptions() const { return preemptions_; }
  uint32_t contested() const { return contested_; }

 private:
  struct Object {
    ObjectId id;
    uint64_t write, reads;  // the last write; the sum over the reads since then
    uint32_t execution;     // the execution that uses this entry; otherwise it is free
  };

  void add_to_fingerprint(const Step& step, const AccessList& list) {
    const unsigned t = index_of(step.thread);
    if (t >= most_threads_) most_threads_ = t + 1;
    uint64_t hash = threads_[t];
    absorb(hash, description(step));
    Object* found[3] = {};
    unsigned count = 0;
    for (const Access& a : list) {
      if (a.object == kNoObject) continue;
      Object* o = found[count++] = object(a.object);
      if (o) absorb(hash, a.write ? o->write + o->reads : o->write, access_name(a.object, a.write));
    }
    if (step.kind == OpKind::ProcessExit) absorb(hash, sum_, 0);
    count = 0;
    for (const Access& a : list) {
      if (a.object == kNoObject) continue;
      Object* o = found[count++];
      if (!o) continue;
      if (a.write) {
        o->write = hash;
        o->reads = 0;
      } else {
        o->reads += hash;
      }
    }
    threads_[t] = hash;
    sum_ += hash;
  }

  Object* object(ObjectId id) {
    size_t slot = static_cast<size_t>(static_cast<uint64_t>(id) * 0x9e3779b97f4a7c15ull >> 32) & (kSlots - 1);
    while (objects_[slot].execution == execution_ && objects_[slot].id != id) slot = (slot + 1) & (kSlots - 1);
    Object& o = objects_[slot];
    if (o.execution == execution_) return &o;
    if (used_ == kMostObjects) {
      overflowed_ = true;
      return nullptr;
    }
    ++used_;
    o = {id, 0, 0, execution_};
    return &o;
  }

  Object* objects_;
  uint64_t* threads_;  // hash of the last step of each thread
  uint64_t sum_;
  uint32_t execution_, preemptions_, contested_;
  size_t used_;
  unsigned most_threads_;
  ThreadId running_;
  bool yielded_, overflowed_;
};

}  // namespace lockstep::rt
