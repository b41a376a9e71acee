// What could be run next: bins by rank, each bin a stack. The lowest rank goes first; among equals the newest does,
// which is depth-first search and finishes parents early (GAMBIT, section 4).
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "search/execution_tree.hpp"

namespace lockstep {

class Frontier {
 public:
  void push(uint64_t rank, NodeIndex node);
  NodeIndex pop_best();                                          // of a frontier that is not empty
  uint64_t best_rank() const { return bins_.begin()->first; }    // likewise
  uint64_t size_of(uint64_t rank) const {  // if no lower rank is there
    return bins_.empty() || bins_.begin()->first != rank ? 0 : bins_.begin()->second.size();
  }

  // The older half of what would be run last, oldest first; all of it if something else is run before.
  std::vector<NodeIndex> give_up(uint64_t& rank);

  void save(StateWriter& out) const;
  void load(StateReader& in, const ExecutionTree& tree);

  bool empty() const { return size_ == 0; }
  uint64_t size() const { return size_; }
  uint64_t peak() const { return peak_; }
  uint64_t memory_bytes() const { return size_ * sizeof(NodeIndex); }

 private:
  using Bin = std::vector<NodeIndex>;
  std::map<uint64_t, Bin> bins_;  // none is empty
  Bin spare_;                     // room of a bin that ran empty: bins come and go often near a search's end
  uint64_t size_ = 0, peak_ = 0;
};

}  // namespace lockstep
