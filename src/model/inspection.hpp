// A stop of an execution at which the driver reads the program's memory. Only executions whose plan requests it stop
// (Plan::inspect). The program waits until the driver lets it continue.
#pragma once
#include <atomic>
#include <cstdint>

#include "model/ids.hpp"
#include "model/operation.hpp"

namespace lockstep {

// The registers that a thread keeps across a call: the driver unwinds its frames from these.
struct ThreadRegisters {
  uint64_t pc, sp, rbx, rbp, r12, r13, r14, r15;
  ObjectId object;  // of its next operation
  Companion second;
  ThreadId thread;
  OpKind kind;
  uint8_t runs;  // 1 for the thread that stopped
  uint32_t reserved;
};
static_assert(sizeof(ThreadRegisters) == 88, "wire format");

struct Inspection {
  enum Kind : uint32_t {
    Step,     // record `step` has been made and is about to be executed
    Race,     // a race on `object` was found
    Failure,  // the execution fails; `text` is the address of the message
    End,      // no thread can run, or the process has ended
  };
  static constexpr uint32_t kMostThreads = 64;
  std::atomic<uint32_t> waiting;  // futex word: 1 while the program waits for the driver
  Kind kind;
  uint32_t pid;
  uint32_t step;
  ObjectId object;
  uint64_t text;
  uint32_t text_bytes;
  uint32_t threads;  // live threads listed below, at most kMostThreads
  ThreadRegisters registers[kMostThreads];
};

}  // namespace lockstep
