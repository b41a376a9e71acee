// A reduction that is explored in units (docs/decisions/0019). It begins as a whole. Once it has had so many
// executions, its tree is divided. A unit is explored until it is finished or has had its executions; what it asks of
// the states above it is planned there when its result is counted.
#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "search/dpor/crown.hpp"
#include "search/dpor/dpor_search.hpp"

namespace lockstep::dpor {

struct DivisionSizes {
  uint64_t undivided = kUnitExecutions;        // executions of the whole before it is divided
  uint64_t unit_executions = kUnitExecutions;  // at most
  uint64_t spare = kUnitExecutions;            // instead of wakeup trees: redundant ones before these are used again
  unsigned lanes = 32;                         // of a unit; whoever explores it has room for as many executions
  bool forgets_requests = false;               // planted mistake
};

struct DividedParts {
  DporParts whole;
  std::function<DporParts()> unit;  // source sets, in lanes, without a bound
  DivisionSizes sizes;
};

class DividedDpor final : public Strategy, private Division {
 public:
  explicit DividedDpor(DividedParts parts)
      : parts_(std::move(parts)), whole_(std::move(parts_.whole)), crown_(whole_.tree(), whole_.objects()) {}

  std::optional<Plan> next() override;
  void learn(TraceView trace) override;
  Claim claim() const override { return whole_.claim(); }
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

  void recycle(Plan& plan) override { explorer().recycle(plan); }
  std::optional<Measures> measures() const override { return measures_; }
  bool counts(TraceView trace) override { return whole_.counts(trace); }
  SearchStatus status() const override;
  uint64_t memory_bytes() const override {
    return whole_.memory_bytes() + units_.memory_bytes() + (part_ ? part_->memory_bytes() : 0);
  }
  void limit_memory(uint64_t bytes) override;
  void stop_when(std::function<bool()> must_stop) override;
  bool spill(uint64_t bytes) override { return divided_ && units_.spill() && memory_bytes() <= bytes; }
  Division* division() override { return this; }

 private:
  bool at_border() const override { return divided_ && in_flight_ == 0 && !(part_ && part_->part_goes_on()); }
  UnitList& units() override;
  bool count(StateReader& totals, uint64_t executions) override;
  std::string after(const std::string&, uint64_t) const override { return {}; }
  void begin(const Unit& unit) override;
  std::vector<UnitPart> end(StateWriter& totals) override;

  DporSearch& explorer() { return part_ ? *part_ : whole_; }
  void divide(uint32_t top, size_t parts);
  void stop_dividing();
  bool enter_unit();
  void leave_unit();
  void start_part();
  bool begin_part(const std::string& unit);
  void end_part(StateWriter& out);

  DividedParts parts_;
  DporSearch whole_;  // once divided: what is above the units, and all counts
  Crown crown_;
  UnitList units_;
  std::unique_ptr<DporSearch> part_;             // of the unit being explored here
  uint32_t unit_node_ = kNone, unit_birth_ = 0;  // of its first node in the crown
  uint64_t unit_executed_ = 0, executions_ = 0;  // in the unit; in all that is counted
  uint64_t in_flight_ = 0, peak_ = 0;
  bool divided_ = false, divides_ = true;  // now; if it is worth while
  bool serves_ = false;                    // explores one unit for another process
  std::optional<Measures> measures_;
  uint64_t max_bytes_ = ~uint64_t{0};
  std::function<bool()> must_stop_;
};

}  // namespace lockstep::dpor
