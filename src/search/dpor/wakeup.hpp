// Sequences of steps into the tree of what is to be explored, unless something there covers them already.
#pragma once
#include <span>
#include <vector>

#include "search/dpor/dpor_search.hpp"

namespace lockstep::dpor {

class Wakeup {
 public:
  using Item = DporSearch::Item;

  // Plans to run `sequence` instead of what was run from record `first` on.
  void insert(DporSearch& search, uint32_t first, std::span<const Item> sequence);

 private:
  bool covered_by_sleep(std::span<const Label> asleep, uint32_t state) const;
  void descend(uint32_t state);
  uint32_t descend_choices(uint32_t node, uint32_t record);
  bool hits(const Label& label, size_t& at) const;
  bool is_leaf(uint32_t node) const;
  bool is_choice(uint32_t record) const;
  void append(uint32_t state);
  void append_choices(uint32_t node, uint32_t record);
  void offer(uint32_t node);

  DporSearch* search_ = nullptr;
  uint32_t record_ = 0;  // of the state the sequence starts from
  uint32_t root_ = 0;    // that state
  std::vector<Item> rest_;  // of the sequence
};

}  // namespace lockstep::dpor
