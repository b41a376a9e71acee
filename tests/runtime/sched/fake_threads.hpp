// Threads of one process that run under the real scheduler, on contexts of their own, without a program around them.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "model/plan.hpp"
#include "runtime/sched/scheduler.hpp"

namespace lockstep::rt {

// What a fake thread can do. Every call is a scheduling point and returns when its step has been recorded.
void load(int object);
void store(int object);
void yield();

using Body = std::function<void()>;

// Runs the bodies as threads 1, 2, ... along the plan; thread 0 waits for them. The result is the outcome, and who did
// which step: "1 1 2 2".
struct FakeRun {
  Outcome outcome;
  Redundancy redundancy;
  std::string threads;
  std::vector<Step> steps;
  Reasons reasons;
};
FakeRun run(const Plan& plan, const std::vector<Body>& bodies);

}  // namespace lockstep::rt
