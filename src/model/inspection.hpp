// A stop of an execution at which the driver reads the program's memory: only in executions whose plan asks for it
// (Plan::inspect). The program waits until the driver lets it go on.
#pragma once
#include <atomic>
#include <cstdint>

#include "model/ids.hpp"
#include "model/operation.hpp"

namespace lockstep {

// What a thread keeps across a call: from here the driver unwinds its frames.
struct ThreadRegisters {
  uint64_t pc, sp, rbx, rbp, r12, r13, r14, r15;
  ObjectId object;  // of the operation it will do next
  Companion second;
  ThreadId thread;
  OpKind kind;
  uint8_t runs;  // the thread that stopped
  uint32_t reserved;
};
static_assert(sizeof(ThreadRegisters) == 88, "wire format");

struct Inspection {
  enum Kind : uint32_t {
    Step,     // record `step` has been made and is about to be executed
    Race,     // a race on `object` was found
    Failure,  // the execution fails; `text` is the address of the message
    End,      // nobody can go on, or the process has ended
  };
  static constexpr uint32_t kMostThreads = 64;
  std::atomic<uint32_t> waiting;  // futex word: 1 while the program waits for the driver
  Kind kind;
  uint32_t pid;
  uint32_t step;
  ObjectId object;
  uint64_t text;
  uint32_t text_bytes;
  uint32_t threads;  // of those live, at most kMostThreads
  ThreadRegisters registers[kMostThreads];
};

}  // namespace lockstep
