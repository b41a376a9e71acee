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

// The fingerprint of a prefix that grows and shrinks at its end. The hash of a step covers what it did and the hashes
// of the steps it directly depends on, hence its whole causal past; the fingerprint of a prefix is the sum over its
// steps, so order matters only where one step depends on another. No allocation once all threads and objects have been
// seen.
class Fingerprinter {
 public:
  Fingerprinter();
  void begin();  // a new execution
  void add(const Step& step);
  void truncate(uint32_t steps);  // takes back all but the first so many
  const Fingerprint& value() const { return sum_; }

 private:
  struct Thread {
    Fingerprint last;  // of its last step
    uint32_t execution = 0;
  };
  struct Object {
    ObjectId id = kNoObject;
    uint32_t execution = 0;
    Fingerprint write, reads;  // last write; sum over the reads since
  };
  // What a step found, to be put back.
  struct Undo {
    uint32_t thread;  // kNone: a note
    uint32_t uses = 0;
    Fingerprint last;
    struct {
      uint32_t object;
      Fingerprint write, reads;
    } use[3];
  };
  static constexpr uint32_t kNone = 0xffff'ffff;

  Thread& thread(unsigned t);
  uint32_t object(ObjectId id);
  void grow();

  std::vector<Thread> threads_;
  std::vector<Object> objects_;  // entries of earlier executions are reused, never removed
  std::vector<uint32_t> index_;  // open addressing: numbers of objects
  std::vector<Undo> undo_;
  uint32_t execution_ = 1;
  Fingerprint sum_;
};

Fingerprint fingerprint_of(TraceView trace);

}  // namespace lockstep
