// A number for the partial order of an execution: equal for executions that differ only in the order of independent
// steps (Mazurkiewicz traces), different otherwise but for collisions.
#pragma once
#include <cstdint>
#include <vector>

#include "model/trace.hpp"

namespace lockstep {

struct Fingerprint {
  uint64_t low = 0, high = 0;
  bool operator==(const Fingerprint&) const = default;
};

// The fingerprint of a growing prefix. The hash of a step covers what it did and the hashes of the steps it directly
// depends on, hence its whole causal past; the fingerprint of a prefix is the sum over its steps, so order matters only
// where one step depends on another. No allocation once all threads and objects have been seen.
class Fingerprinter {
 public:
  Fingerprinter();
  void begin();  // a new execution
  void add(const Step& step);
  const Fingerprint& value() const { return sum_; }

 private:
  struct Thread {
    Fingerprint last;  // of its last step; of the step that created it if it has none
    uint32_t execution = 0;
  };
  struct Object {
    ObjectId id = kNoObject;
    uint32_t execution = 0;
    Fingerprint write, reads;  // last write; sum over the reads since
  };
  Thread& thread(unsigned t);
  Object& object(ObjectId id);
  void grow();

  std::vector<Thread> threads_;
  std::vector<Object> objects_;  // open addressing; entries of earlier executions are reused, never removed
  size_t used_ = 0;
  uint32_t execution_ = 0;
  Fingerprint sum_;
};

Fingerprint fingerprint_of(TraceView trace);

}  // namespace lockstep
