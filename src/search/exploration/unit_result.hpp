// What whoever explores a unit returns of it.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.hpp"
#include "model/executor.hpp"
#include "search/base/strategy.hpp"
#include "search/base/trace_meter.hpp"
#include "search/exploration/counts.hpp"

namespace lockstep {

struct UnitResult {
  uint64_t number = 0;
  std::string totals{};          // Division::end()
  std::vector<UnitPart> rest{};  // likewise
  std::string executions{};      // see ExecutionReader
  std::string target{};          // what the program showed, for the crew
  bool given_up = false;         // whoever explores it is ended by it: there is nothing else in here
};
void put_result(StateWriter& out, const UnitResult& result);
UnitResult get_result(StateReader& in);

// Fingerprint and preemptions of an execution just learned.
class ExecutionMeter {
 public:
  void measure(const Search& search, TraceView trace, ExecutionSummary& execution);

 private:
  TraceMeter meter_;
};

// The executions of a unit in their order. Those that fail or race come with plan and trace, unless a few of the same
// kind came before.
class ExecutionReader {
 public:
  explicit ExecutionReader(const std::string& bytes);
  bool good() const { return in_.good(); }
  const std::vector<ExecutionSummary>& executions() const { return executions_; }
  // The trace of that execution, if it was sent. Asked for in order.
  bool has_trace(uint64_t execution) const { return next_ == execution; }
  Trace trace(Plan& plan);

 private:
  void find_next();

  StateReader in_;
  std::vector<ExecutionSummary> executions_;
  std::optional<uint64_t> next_;  // execution with a trace
};

struct UnitSettings {
  std::span<Analysis* const> analyses;
  PromotedPoints points;  // plain accesses that are scheduling points already
  bool looks_for_points = true;
  bool count_traces = true;
};

// Explores one unit with a search made for it, until its end or until `hurry` says so. nullopt: the executor was
// stopped.
std::optional<UnitResult> explore_unit(const Unit& unit, Search& search, Executor& executor,
                                       const UnitSettings& settings, const std::function<bool()>& hurry);

// Workers, each a search with a program of its own, that explore units side by side.
class Crew {
 public:
  virtual ~Crew() = default;
  virtual bool has_room() const = 0;     // somebody has no unit
  virtual size_t under_way() const = 0;  // units
  virtual void submit(const Unit& unit) = 0;
  // What anybody has finished. nullopt: interrupted, or `failed()`.
  virtual std::optional<UnitResult> next(const std::function<bool()>& interrupted) = 0;
  // Takes over what the program showed. False: the unit has to be explored again when it is the first of all, because
  // it met threads that have no number yet.
  virtual bool accept(const UnitResult& result, bool is_first) = 0;
  virtual void hurry() = 0;         // who has a unit returns what there is of it
  virtual bool failed() const = 0;  // nobody can go on
};

}  // namespace lockstep
