// What the runtime noticed about the program and a claim or a warning has to name. Each kind is noted once per place.
#pragma once
#include <atomic>
#include <compare>
#include <cstdint>

namespace lockstep {

enum class FactKind : uint8_t {
  PlainCode,          // a function without instrumentation ran beside other threads; the place is its entry
  WeakOrder,          // an atomic operation or a fence weaker than seq_cst; the place is its return address
  ConditionWait,      // a condition wait that could have woken spuriously and was not made to
  SpinRounds,         // a spin loop whose number of rounds may matter went round more often than was tried
  LockMisuse,         // nothing was seen of what follows this misuse
  CycleCounter,       // rdtsc, rdtscp: the values are one choice of many; the place is behind the instruction
  RandomInstruction,  // rdrand, rdseed: found in code that may run
  OutsideThread,      // a thread that the C library made runs outside the schedule (aio, mq_notify, getaddrinfo_a)
  SignalsBetweenThreads,
  WritesFiles,        // what it leaves behind is seen by other executions
  OutsideInput,       // it waited for something that is not one of its threads
  StartsProcesses,    // which run outside the schedule
  ReadsSystem,        // /proc or /sys
  AddressesVary,      // address randomisation could not be switched off
  CheckpointsDiffer,  // an execution from a checkpoint was not the one from the beginning
  RandomValues,       // getrandom, /dev/urandom, std::random_device, rand() in a thread: one choice of many
  FilesChange,        // an execution looked at a file or folder that had changed since the exploration began
  FailedAtStart,      // a thread failed before it, or one that it had just created, had a scheduling point
  TimedOperations,    // a sleep or timed wait beside other threads
  SpinsUnyielding,    // a loop that waits without ever yielding; the place is that of a read. 0: another loop yields
  ChangesLocale,      // setlocale beside other threads: when these format or convert text is not explored
  kCount
};

struct Fact {
  uint64_t place;  // address of code in the program; 0: none in particular
  FactKind kind;
  auto operator<=>(const Fact&) const = default;
};
static_assert(sizeof(Fact) == 16, "wire format");

// One writer, the worker; entries are never changed once `count` covers them. Beyond kMost only kinds are noted.
struct FactTable {
  static constexpr unsigned kMost = 1024, kRecent = 512;
  std::atomic<uint32_t> kinds;  // by bit
  std::atomic<uint32_t> count;
  Fact fact[kMost];
  uint64_t recent[kRecent];  // places noted last, by hash: most facts are noted again and again
};

}  // namespace lockstep
