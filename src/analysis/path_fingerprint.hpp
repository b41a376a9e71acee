// The low half of the fingerprint of a prefix whose order is known: the same number as BasicFingerprinter<uint64_t>
// gives, without finding out once more what each step accesses.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/happens_before.hpp"

namespace lockstep {

class PathFingerprint {
 public:
  // The newest record of `order`; every record that is not a note has to be added.
  void add(const Step& step, const HappensBefore& order);
  void truncate(uint32_t records);  // takes back all but the first so many
  uint64_t value() const { return sum_; }

 private:
  struct Object {
    uint64_t write = 0, reads = 0;  // last write; sum over the reads since
  };
  // What a record found, to be put back.
  struct Undo {
    uint32_t record;
    uint16_t thread, uses;
    uint64_t last;
    struct {
      uint32_t object;
      Object was;
    } use[3];
  };

  std::vector<uint64_t> threads_;  // by thread: its last step
  std::vector<Object> objects_;    // by their numbers in the order
  std::vector<Undo> undo_;         // the first steps_; the rest is spare
  uint32_t steps_ = 0;
  uint64_t sum_ = 0;
};

}  // namespace lockstep
