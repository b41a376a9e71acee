// Spilled executions: those to be run after everything in memory, on disk, in segments by rank. The newest segment of a
// rank is read first. An execution is stored by its deviations, without those it shares with the previous one.
#pragma once
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/plan.hpp"
#include "search/base/saved_state.hpp"

namespace lockstep {

class Spill {
 public:
  struct Item {
    uint16_t cost = 0;  // as in ExecutionTree::Node
    std::vector<Delta> deltas;
  };

  static std::string pack(std::span<const Item> items);
  static bool unpack(std::string_view in, uint64_t count, std::vector<Item>& items);  // false: the data are corrupt

  bool put(uint64_t rank, std::span<const Item> items);  // false: the disk is full
  // Reads the newest segment of the rank. False: it cannot be read.
  bool take(uint64_t rank, std::vector<Item>& items);

  bool empty() const { return segments_.empty(); }
  uint64_t lowest_rank() const { return segments_.begin()->first; }  // only if not empty
  uint64_t size() const { return size_; }

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  struct Segment {
    uint64_t offset, bytes, items;
  };
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  bool write(uint64_t rank, const std::string& bytes, uint64_t items);
  bool read(const Segment& segment, std::string& bytes) const;

  std::unique_ptr<std::FILE, Close> file_;  // an unnamed file, so it disappears with the process
  uint64_t end_ = 0;
  std::map<uint64_t, std::vector<Segment>> segments_;  // no list is empty; oldest first
  uint64_t size_ = 0;
};

}  // namespace lockstep
