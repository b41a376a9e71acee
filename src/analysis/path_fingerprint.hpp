// The fingerprint of a prefix whose happens-before order is known: the same number as BasicFingerprinter<uint64_t>
// computes, without determining the accesses of each step again.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/happens_before.hpp"

namespace lockstep {

class PathFingerprint {
 public:
  // Adds the newest record of `order`. Every record that is not a note has to be added.
  void add(const Step& step, const HappensBefore& order);
  void truncate(uint32_t records);  // keeps the first `records`
  uint64_t value() const { return sum_; }

 private:
  struct Object {
    uint64_t write = 0, reads = 0;  // last write; sum over the reads since then
  };
  // What a record changed: enough to undo it.
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
  std::vector<Object> objects_;    // by their numbers in the happens-before order
  std::vector<Undo> undo_;         // the first steps_ are used
  uint32_t steps_ = 0;
  uint64_t sum_ = 0;
};

}  // namespace lockstep
