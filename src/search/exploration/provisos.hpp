// What a claim has to be qualified by, from what the executions reported. The one place where provisos are made.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/channel.hpp"
#include "model/claim.hpp"

namespace lockstep {

struct Evidence {
  // Counted by the explorer.
  uint64_t executions = 0, ended = 0, cut = 0;  // ended: reached the end of the program
  uint64_t cut_for_memory = 0;                  // decisions of the longest that was cut for want of memory
  uint64_t diverged = 0, lost = 0;
  std::optional<uint64_t> distinct{};   // traces seen by anybody
  bool failure_not_repeated = false;    // a failure did not come back when its schedule was run again
  bool raced = false;                   // some execution had a data race, reported or not
  uint64_t without_race_detection = 0;  // executions in which only tracked variables were watched

  // Known to who started the program; names are for people.
  bool instrumented = true;
  Points points = Points::Racy;
  bool points_given = false;                     // by the user: then what they leave out is the scope
  bool detects_races = true;                     // in instrumented code
  bool promotes_races = true;                    // racy accesses become scheduling points
  bool too_many_racy_accesses = false;           // more than can be scheduling points
  std::vector<std::string> unexplored_points{};  // where a switch would matter and is never tried
  bool trusts_code = false;
  std::vector<std::string> preempts_in{};  // globs of the only code in which threads are preempted; empty: everywhere
  std::optional<uint32_t> max_delay_ms{};  // if the program has sleeps or timed waits
  std::optional<uint32_t> preemption_bound{};
  std::vector<std::string> uninstrumented{}, native_loops{}, lock_misuses{};
  std::vector<std::string> spin_loops{};
  uint32_t spin_rounds = 0;
  bool spin_rounds_given = false;
  std::vector<std::string> weak_orders{};  // places in the program's own code
  std::string weak_order_headers{};        // of the standard library, taken at their specification
  uint64_t weak_order_operations = 0;
  std::vector<std::string> condition_waits{};  // whose spurious wakeups were not explored
  std::vector<std::string> depends_on{};  // values that are one choice of many: the cycle counter, files that change
  std::string varies_with{};              // what executions that did not repeat may depend on
};

void add_provisos(Claim& claim, const Evidence& evidence);

}  // namespace lockstep
