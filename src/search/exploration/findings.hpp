// The failures of an exploration: distinguishes, confirms and keeps them.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.hpp"
#include "search/base/failure_keys.hpp"
#include "search/base/saved_state.hpp"

namespace lockstep {

struct FindingHooks {
  // Replays a new finding with detail, completes it (trace, output, location, fingerprint) and returns it; nullopt if
  // it did not repeat. Called with nothing in flight.
  std::function<std::optional<Finding>(Finding)> confirm;
  // Adds the places of a new warning by a replay. Called with nothing in flight.
  std::function<void(Finding&)> complete_warning;
  std::function<void(const Finding&)> found;  // a new, confirmed, distinct bug
  // Called after `found`: does the exploration go on? Empty: only if it goes on after every bug.
  std::function<bool(const Finding&)> goes_on;
  std::set<FindingKind> errors;              // kinds of warnings that count as bugs
  std::set<std::string> known;               // fingerprints of bugs reported already
  std::optional<uint32_t> preemption_bound;  // failures that need more preemptions are only warnings
};

// True if the program continues after such a failure, so that it may cause a more specific one.
bool may_be_cause(FindingKind kind);

class Findings {
 public:
  // `stop_executor`: called before each confirming replay.
  Findings(std::span<Analysis* const> analyses, const FindingHooks& hooks, bool keep_going,
           std::function<void()> stop_executor)
      : analyses_(analyses), hooks_(hooks), keep_going_(keep_going), stop_executor_(std::move(stop_executor)) {}

  // Checks one execution. `counts`: it lies within the bounds of the search. False: a bug ends the exploration.
  bool check(TraceView trace, const Plan& plan, uint64_t execution, const std::function<bool()>& counts);
  // Adds warnings for failures beyond the bound.
  void warn_of_failures_beyond_bound();

  bool any_beyond_bound() const { return !beyond_.empty(); }
  bool failure_not_repeated() const { return !unrepeated_.empty(); }
  std::vector<Finding> bugs, warnings;

  void save(StateWriter& out, size_t warnings_kept) const;
  void load(StateReader& in);

 private:
  struct Failure {
    Finding finding;
    FailureKey key;
    bool above_bound;  // this schedule has too many preemptions
  };
  void note(Finding finding, TraceView trace, const Plan& plan, uint64_t execution, Trace& kept,
            std::vector<Failure>& failures);
  bool handle(Failure failure);
  void warn(Failure failure);

  const std::span<Analysis* const> analyses_;
  const FindingHooks& hooks_;
  const bool keep_going_;
  const std::function<void()> stop_executor_;
  FailureKeys keys_;
  std::set<FailureKey> unrepeated_;
  unsigned completed_ = 0;                    // warnings
  std::map<FailureKey, FindingKind> beyond_;  // failures beyond the bound
  std::set<std::string> fingerprints_;
};

}  // namespace lockstep
