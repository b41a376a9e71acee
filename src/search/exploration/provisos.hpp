// The provisos of a claim: limitations that follow from what the executions reported. Only this file creates them.
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
  uint64_t cut_for_memory = 0;                  // decisions of the longest execution that was cut for lack of memory
  uint64_t diverged = 0, lost = 0;
  std::optional<uint64_t> distinct{};   // number of traces seen by all strategies
  bool failure_not_repeated = false;    // a failure did not repeat when its schedule was run again
  bool raced = false;                   // some execution had a data race, reported or not
  uint64_t without_race_detection = 0;  // executions in which only tracked variables were checked

  // Known to the code that started the program. Names are for users.
  bool instrumented = true;
  Points points = Points::Racy;
  bool points_given = false;                     // chosen by the user: then other accesses are out of scope
  bool detects_races = true;                     // in instrumented code
  bool promotes_races = true;                    // racy accesses become scheduling points
  bool too_many_racy_accesses = false;           // more than the runtime supports as scheduling points
  std::vector<std::string> unexplored_points{};  // points where a switch could matter and is never tried
  bool trusts_code = false;
  std::vector<std::string> preempts_in{};  // globs of the only code in which threads are preempted; empty: all code
  std::optional<uint32_t> max_delay_ms{};  // set if the program has sleeps or timed waits
  std::optional<uint32_t> preemption_bound{};
  std::vector<std::string> uninstrumented{}, native_loops{}, lock_misuses{};
  std::vector<std::string> spin_loops{};
  uint32_t spin_rounds = 0;
  bool spin_rounds_given = false;
  std::vector<std::string> weak_orders{};  // places in the program's own code
  std::string weak_order_headers{};        // in the standard library, which is assumed to be correct
  uint64_t weak_order_operations = 0;
  std::vector<std::string> condition_waits{};  // waits whose spurious wakeups were not explored
  // Sources of values of which an execution sees only one: the cycle counter, changing files.
  std::vector<std::string> depends_on{};
  std::string varies_with{};  // the possible reasons why executions did not repeat
};

void add_provisos(Claim& claim, const Evidence& evidence);

}  // namespace lockstep
