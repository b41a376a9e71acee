// A hash of the partial order of an execution: equal for executions that differ only in the order of independent steps
// (Mazurkiewicz traces), different otherwise except for collisions.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/object_index.hpp"
#include "model/trace.hpp"

namespace lockstep {

struct Fingerprint {
  uint64_t low = 0, high = 0;
  bool operator==(const Fingerprint&) const = default;
};

// The fingerprint of a prefix that grows and shrinks at its end. The hash of a step covers its operation and the hashes
// of the steps it directly depends on, hence its whole causal past. The fingerprint of a prefix is the sum over its
// steps, so order matters only where one step depends on another. Allocates nothing once all threads and objects have
// been seen. Hash: Fingerprint, or uint64_t for its low half alone.
template <class Hash>
class BasicFingerprinter {
 public:
  void begin();  // a new execution
  void add(const Step& step);
  void truncate(uint32_t records);  // keeps the first `records`
  const Hash& value() const { return sum_; }

 private:
  struct Thread {
    Hash last{};  // of the thread's last step
    uint32_t execution = 0;
  };
  struct Object {
    ObjectId id = kNoObject;
    uint32_t execution = 0;
    Hash write{}, reads{};  // last write; sum over the reads since then
  };
  // What a step changed: enough to undo it.
  struct Undo {
    uint32_t record;
    uint16_t thread, uses;
    Hash last;
    struct {
      uint32_t object;
      Hash write, reads;
    } use[3];
  };

  Thread& thread(unsigned t);
  uint32_t object(ObjectId id);

  std::vector<Thread> threads_;
  std::vector<Object> objects_;  // entries of earlier executions are reused, never removed
  ObjectIndex<Object> index_;
  std::vector<Undo> undo_;  // size room_, of which the first steps_ are used
  uint32_t room_ = 0, steps_ = 0, records_ = 0;
  uint32_t execution_ = 1;
  Hash sum_{};
};
extern template class BasicFingerprinter<Fingerprint>;
extern template class BasicFingerprinter<uint64_t>;
using Fingerprinter = BasicFingerprinter<Fingerprint>;

Fingerprint fingerprint_of(TraceView trace);

}  // namespace lockstep
