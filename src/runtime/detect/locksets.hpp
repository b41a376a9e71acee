// Sets of locks with small numbers: equal sets have equal numbers. Numbers are valid for one execution.
#pragma once
#include "runtime/detect/clocks.hpp"

namespace lockstep::rt {

class LockSets {
 public:
  using Id = uint16_t;
  static constexpr Id kNone = 0;          // the empty set
  static constexpr Id kUnknown = 0x3fff;  // too many sets: treated as a set that is never empty

  void init();
  void begin();
  Id with(Id set, uint64_t lock);
  Id without(Id set, uint64_t lock);
  Id common(Id a, Id b);
  unsigned size(Id set) const { return set == kUnknown ? 0 : sets_[set].count; }
  const uint64_t* locks(Id set) const { return sets_[set].lock; }  // ascending

 private:
  struct Set {
    const uint64_t* lock;
    uint32_t count;
    uint32_t next;  // next set with the same hash
  };
  static constexpr unsigned kMost = kUnknown, kLargest = 64, kBuckets = 4096;
  Id number_of(const uint64_t* locks, unsigned count);

  Set* sets_ = nullptr;
  uint32_t* bucket_ = nullptr;  // first set with this hash, in this generation
  uint32_t* stamp_ = nullptr;
  unsigned count_ = 0;
  uint32_t generation_ = 0;
  struct Known {
    uint32_t generation, pair;
    Id result;
  };
  Known* known_ = nullptr;  // lossy cache of intersections, by pair
  Pool pool_;
};

}  // namespace lockstep::rt
