// A target with workers on other machines: plans go to them in units, by a queue, and to the processes here. Traces
// come back in the order of the plans, whoever ran them, so that a search sees what it would see with workers here
// alone (docs/decisions/0017-plans-through-a-queue.md).
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "target/target.hpp"

namespace lockstep {

// Starts the program here, by `start`, and puts the exploration into the queue (TargetOptions::queue). Without workers
// here (TargetOptions::workers is 0) one process is there all the same: for replays, and when Redis is gone.
Result<std::unique_ptr<Target>> start_queued_target(TargetOptions options, const StartTarget& start);

}  // namespace lockstep
