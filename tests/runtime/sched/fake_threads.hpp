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
void sleep_for(uint64_t milliseconds);
void wait_in_vain(int object, uint64_t milliseconds);  // for what nobody posts: times out

using Body = std::function<void()>;

// Runs the bodies as threads 1, 2, ... along the plan; thread 0 waits for them. The result is the outcome, and who did
// which step: "1 1 2 2".
struct FakeRun {
  Outcome outcome;
  Redundancy redundancy;
  std::string threads;
  std::vector<Step> steps;
  std::vector<uint64_t> offered;  // threads that could have been chosen, by bit, for each step
  Reasons reasons;
  LongestDelay delay;
};
FakeRun run(const Plan& plan, const std::vector<Body>& bodies, uint64_t max_delay = ~0ull);

}  // namespace lockstep::rt
