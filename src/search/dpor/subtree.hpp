// Parts of a tree as bytes, for whoever explores them elsewhere. Objects are named by their identifiers, because
// everybody numbers them differently.
#pragma once
#include "search/base/saved_state.hpp"
#include "search/dpor/choice_tree.hpp"
#include "search/dpor/request.hpp"

namespace lockstep::dpor {

// The node and everything below it.
void put_subtree(StateWriter& out, const ChoiceTree& tree, uint32_t top, const HappensBefore& objects);
// Into a node without children.
void get_subtree(StateReader& in, ChoiceTree& tree, uint32_t top, HappensBefore& objects);

// The decisions that lead to a node, each with its siblings, but without what is below them.
void put_way(StateWriter& out, const ChoiceTree& tree, uint32_t top, const HappensBefore& objects);
// Into an empty tree; returns the node. Nothing on the way finishes.
uint32_t get_way(StateReader& in, ChoiceTree& tree, HappensBefore& objects);

void put_requests(StateWriter& out, const std::vector<Request>& requests, const HappensBefore& objects);
std::vector<Request> get_requests(StateReader& in, HappensBefore& objects);

}  // namespace lockstep::dpor
