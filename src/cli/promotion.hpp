// The accesses that are scheduling points because they were found racy, and the searches they make necessary
// (CHESS section 3.5): whenever the set grows the search starts over; it only grows, so that ends.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "model/channel.hpp"
#include "search/explorer.hpp"

namespace lockstep {

class Promotion {
 public:
  explicit Promotion(bool wanted) : wanted_(wanted) {}

  // Takes down the places of the trace's races; true if there are new ones.
  bool grow(TraceView trace);
  // What the search under way has as scheduling points; what was found since is added by start_over().
  const std::vector<uint64_t>& in_use() const { return in_use_; }
  const std::vector<uint64_t>& start_over() {
    in_use_.assign(places_.begin(), places_.end());
    return in_use_;
  }
  bool wanted() const { return wanted_; }
  bool complete() const { return !full_; }  // false: there were more than the runtime can take

 private:
  const bool wanted_;
  bool full_ = false;
  std::set<uint64_t> places_;
  std::vector<uint64_t> in_use_;
};

// `last` searched after `before` was given up: what both together amount to.
Exploration together(Exploration before, Exploration last);

}  // namespace lockstep
