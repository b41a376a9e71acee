// Promotion: racy accesses become scheduling points (CHESS, section 3.5). Whenever the set grows, the search starts
// over. The set only grows, so this ends.
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

  // Adds the places of the trace's races, without those left out. True if any of them is new.
  bool grow(TraceView trace, const std::function<bool(const DataRace&)>& left_out = nullptr);
  // The memory of the trace's races, if some of the accesses were not scheduling points.
  std::vector<TrackedRange> missing_points(TraceView trace, const std::function<bool(const DataRace&)>& left_out) const;
  // The scheduling points of the current search. start_over() adds those found since.
  const PromotedPoints& in_use() const { return in_use_; }
  const PromotedPoints& start_over();
  PromotedPoints found() const;  // in_use() and those found since
  // Continues with the scheduling points of an interrupted search.
  void go_on_with(PromotedPoints in_use, const PromotedPoints& found);
  bool wanted() const { return wanted_; }
  bool complete() const { return !full_; }  // false: there were more than the runtime supports

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
