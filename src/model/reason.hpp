// Reasons why the order of steps may matter in an execution although no pair of its operations shows it. The runtime
// lists the reasons of every execution (TraceHeader::reasons); search/judge decides what may be reduced in spite of
// them.
#pragma once
#include <cstdint>

namespace lockstep {

enum class Reason : uint8_t {
  Unknown,        // an unclassified operation or ending
  Unpreemptible,  // other threads could have run, but the thread was in an atomic section, trusted code or a library
  Fairness,       // an enabled thread was made to wait
  HiddenSync,     // a futex, or the guard of a static, in code whose atomics are not instrumented
  Interrupt,      // a thread cancelled another or sent it a signal
  Timeout,        // a wait gave up, or could have
  Delay,          // a sleep or timed wait could not end yet, because other threads had to run first
  EarlyExit,      // the process ended while other threads could run
  ThreadsAtExit,  // exit handlers ran beside threads that main had not joined
  Input,          // a thread waited for input that another thread may take
  LockMisuse,     // after a misuse, the behaviour of a lock depends on more than its operations
  Lifetime,       // memory was freed, or a stack frame left, in which another thread used an object, without an order
                  // between them
  kCount
};

class Reasons {
 public:
  constexpr Reasons() = default;
  constexpr explicit Reasons(uint32_t bits) : bits_(bits) {}
  constexpr void add(Reason reason) { bits_ |= 1u << static_cast<unsigned>(reason); }
  constexpr void add(Reasons other) { bits_ |= other.bits_; }
  constexpr bool has(Reason reason) const { return bits_ >> static_cast<unsigned>(reason) & 1; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr uint32_t bits() const { return bits_; }  // for the wire
  constexpr bool operator==(const Reasons&) const = default;

 private:
  uint32_t bits_ = 0;
};

}  // namespace lockstep
