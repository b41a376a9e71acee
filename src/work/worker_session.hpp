// One worker in one exploration: takes units, runs their plans, sends the traces. In a process of its own, because it
// changes folder and limits.
#pragma once
#include <functional>
#include <string>

#include "target/target.hpp"
#include "work/queue_address.hpp"

namespace lockstep {

struct SessionOptions {
  QueueAddress address;
  std::string job;
  StartTarget start;                      // the program, with one process
  std::function<bool()> interrupted;      // leave, and give the unit back
  std::function<void(uint64_t)> counted;  // executions so far
};

struct SessionEnd {
  bool refused = false;  // this machine or this worker is of no use here
  std::string why;       // one sentence
};

SessionEnd run_session(const SessionOptions& options);

}  // namespace lockstep
