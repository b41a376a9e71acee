// A set of 64-bit fingerprints: one per trace seen, so nothing but the numbers themselves. Beyond a limit they go to
// disk, sorted, a run at a time; how many there are is found by merging the runs, so nobody needs to have all at hand.
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

  void limit(uint64_t bytes);  // what stays in memory; of the file system's room nothing is known
  // Will be inserted soon: mostly its place is not in the processor's cache.
  void expect(uint64_t key) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[key & (slots_.size() - 1)], 1);
  }
  // False: it was there already, as far as what is in memory can tell.
  bool insert(uint64_t key) {
    if (key == 0) key = 1;
    ++inserted_;
    if (2 * (held_ + 1) > slots_.size()) make_room();
    if (!put(key)) return false;
    ++held_;
    return true;
  }
  // Takes as long as reading all of them, once some are on disk. nullopt: the disk has lost them.
  std::optional<uint64_t> size() const;
  uint64_t inserted() const { return inserted_; }  // equal ones included
  bool on_disk() const { return !runs_.empty(); }

  void save(StateWriter& out) const;
  void load(StateReader& in);
  uint64_t memory_bytes() const { return slots_.size() * sizeof(uint64_t); }

 private:
  struct Run {  // ascending, each number once
    uint64_t offset, count;
  };
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  bool put(uint64_t key) {
    size_t slot = key & (slots_.size() - 1);  // fingerprints are random already
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
  // Every number once, ascending; false if the disk cannot be read.
  bool merge(const std::vector<uint64_t>& in_memory, const std::function<void(uint64_t)>& visit) const;

  LargeVector<uint64_t> slots_;  // 0: free; a power of two of them
  uint64_t held_ = 0, inserted_ = 0;
  uint64_t limit_ = ~uint64_t{0};
  std::unique_ptr<std::FILE, Close> file_;  // has no name, so it is gone with the process
  std::vector<Run> runs_;
  bool full_ = false;  // the disk: from now on everything stays in memory
  mutable bool lost_ = false;
};

}  // namespace lockstep
