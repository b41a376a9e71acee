// A set of 64-bit fingerprints, one for each trace seen. Beyond a memory limit the fingerprints go to disk in sorted
// runs. Their number is found by merging the runs, so the set never has to be in memory as a whole.
#pragma once
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "search/base/large_vector.hpp"
#include "search/base/saved_state.hpp"

namespace lockstep {

class TraceSet {
 public:
  static constexpr uint64_t kLeastLimit = 8 * 1024;

  void limit(uint64_t bytes);  // limits the memory, but not the use of the disk
  // `key` will be inserted soon: prefetches its place, which usually is not in the cache.
  void expect(uint64_t key) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[key & (slots_.size() - 1)], 1);
  }
  // False: the key is already in memory. Runs on disk are not searched.
  bool insert(uint64_t key) {
    if (key == 0) key = 1;
    ++inserted_;
    if (2 * (held_ + 1) > slots_.size()) make_room();
    if (!put(key)) return false;
    ++held_;
    return true;
  }
  // Reads all runs once some are on disk. nullopt: a run cannot be read.
  std::optional<uint64_t> size() const;
  uint64_t inserted() const { return inserted_; }  // including duplicates
  bool on_disk() const { return !runs_.empty(); }

  void save(StateWriter& out) const;
  void load(StateReader& in);
  uint64_t memory_bytes() const { return slots_.size() * sizeof(uint64_t); }

 private:
  struct Run {  // ascending, without duplicates
    uint64_t offset, count;
  };
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  bool put(uint64_t key) {
    size_t slot = key & (slots_.size() - 1);  // fingerprints need no further hashing
    for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1))
      if (slots_[slot] == key) return false;
    slots_[slot] = key;
    return true;
  }
  void make_room();
  void grow();
  void write_run();
  void give_up_disk();
  std::vector<uint64_t> sorted() const;
  // Visits every number once, ascending. False: the disk cannot be read.
  bool merge(const std::vector<uint64_t>& in_memory, const std::function<void(uint64_t)>& visit) const;

  LargeVector<uint64_t> slots_;  // 0: free; the size is a power of two
  uint64_t held_ = 0, inserted_ = 0;
  uint64_t limit_ = ~uint64_t{0};
  std::unique_ptr<std::FILE, Close> file_;  // an unnamed file, so it disappears with the process
  std::vector<Run> runs_;
  bool full_ = false;  // the disk is full: everything stays in memory from now on
  mutable bool lost_ = false;
};

}  // namespace lockstep
