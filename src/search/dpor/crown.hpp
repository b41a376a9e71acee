// The upper part of a search that is divided: the tree above its units. A unit is everything below a node that has been
// executed, or that is planned and has no sibling under way.
#pragma once
#include <vector>

#include "search/base/saved_state.hpp"
#include "search/base/unit_list.hpp"
#include "search/dpor/choice_tree.hpp"
#include "search/dpor/request.hpp"

namespace lockstep::dpor {

class Crown {
 public:
  Crown(ChoiceTree& tree, HappensBefore& objects) : tree_(tree), objects_(objects) {}

  // Takes what is open below a node out of the tree, and what does not wait for siblings any more: as new units.
  std::vector<UnitPart> divide(uint32_t top, size_t parts);
  // What came back of a unit, except for its counts. `forgets`: a planted mistake, requests are lost.
  void take_back(uint32_t top, StateReader& in, bool forgets);
  bool holds(uint32_t node, uint32_t birth) const { return tree_.holds(node) && tree_[node].birth == birth; }
  double explored() const;  // the share of the search that is finished, as far as this part of it shows
  uint64_t waiting() const { return waiting_.size(); }
  void clear() { waiting_.clear(); }

  void save(StateWriter& out) const { out.put_all(waiting_); }
  void load(StateReader& in);  // after the tree

 private:
  void plan(uint32_t top, const Request& request);
  UnitPart unit_of(uint32_t node);

  ChoiceTree& tree_;
  HappensBefore& objects_;
  std::vector<uint32_t> waiting_;  // planned nodes that are not in a unit, the oldest first
};

}  // namespace lockstep::dpor
