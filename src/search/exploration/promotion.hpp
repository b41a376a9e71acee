// The accesses that are scheduling points because they were found racy, and the searches they make necessary
// (CHESS section 3.5): whenever the set grows the search starts over; it only grows, so that ends.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/channel.hpp"
#include "search/exploration/explorer.hpp"

namespace lockstep {

class Promotion {
 public:
  explicit Promotion(bool wanted) : wanted_(wanted) {}

  // Takes down the places of the trace's races, but for those to be left out; true if there is anything new.
  bool grow(TraceView trace, const std::function<bool(const DataRace&)>& left_out = nullptr);
  // The memory of the trace's races, if some of the accesses were no scheduling points.
  std::vector<TrackedRange> missing_points(TraceView trace, const std::function<bool(const DataRace&)>& left_out) const;
  // What the search under way has as scheduling points; what was found since is added by start_over().
  const PromotedPoints& in_use() const { return in_use_; }
  const PromotedPoints& start_over();
  PromotedPoints found() const;  // these and those found since
  // With those of an interrupted search.
  void go_on_with(PromotedPoints in_use, const PromotedPoints& found);
  bool wanted() const { return wanted_; }
  bool complete() const { return !full_; }  // false: there were more than the runtime can take

 private:
  bool add_place(uint64_t pc);
  bool unite(uint64_t a, uint64_t b);
  uint64_t name_of(uint64_t word) const;

  const bool wanted_;
  bool full_ = false;
  std::set<uint64_t> places_;
  std::map<uint64_t, uint64_t> names_;  // word -> a smaller word of its class, or itself
  PromotedPoints in_use_;
};

}  // namespace lockstep
