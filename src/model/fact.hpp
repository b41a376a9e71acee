// Facts: what the runtime noticed about the program and a claim or a warning must mention. Each kind is noted once per
// place.
#pragma once
#include <atomic>
#include <compare>
#include <cstdint>

namespace lockstep {

enum class FactKind : uint8_t {
  PlainCode,          // a function without instrumentation ran beside other threads; the place is its entry
  WeakOrder,          // an atomic operation or a fence weaker than seq_cst; the place is its return address
  ConditionWait,      // a condition wait that was not made to wake spuriously, although it could have been
  SpinRounds,         // a spin loop whose number of rounds may matter ran more rounds than were tried
  LockMisuse,         // nothing after this misuse was explored
  CycleCounter,       // rdtsc, rdtscp: the values are one of many choices; the place is behind the instruction
  RandomInstruction,  // rdrand, rdseed: found in code that may run
  OutsideThread,      // a thread that the C library made runs outside the schedule (aio, mq_notify, getaddrinfo_a)
  SignalsBetweenThreads,
  WritesFiles,        // other executions see the files that one execution leaves behind
  OutsideInput,       // the program waited for something that is not one of its threads
  StartsProcesses,    // child processes, which run outside the schedule
  ReadsSystem,        // /proc or /sys
  AddressesVary,      // address randomisation could not be switched off
  CheckpointsDiffer,  // an execution from a checkpoint differed from the one from the beginning
  RandomValues,       // getrandom, /dev/urandom, std::random_device, rand() in a thread: one of many choices
  FilesChange,        // an execution looked at a file or folder that has changed since the exploration began
  FailedAtStart,      // a thread failed before it, or a thread it had just created, reached a scheduling point
  TimedOperations,    // a sleep or timed wait beside other threads
  SpinsUnyielding,    // a loop waits and never yields; the place is that of a read. 0: another loop yields
  ChangesLocale,      // setlocale beside other threads: the order against their formatting is not explored
  kCount
};

struct Fact {
  uint64_t place;  // address of code in the program; 0: no particular place
  FactKind kind;
  auto operator<=>(const Fact&) const = default;
};
static_assert(sizeof(Fact) == 16, "wire format");

// One writer, the worker. An entry never changes once `count` covers it. Beyond kMost only kinds are noted.
struct FactTable {
  static constexpr unsigned kMost = 1024, kRecent = 512;
  std::atomic<uint32_t> kinds;  // one bit per kind
  std::atomic<uint32_t> count;
  Fact fact[kMost];
  uint64_t recent[kRecent];  // places noted last, by hash: most facts are noted repeatedly
};

}  // namespace lockstep
