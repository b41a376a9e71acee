// What a program of language.hpp can do next: C++ and POSIX under sequential consistency, one state at a time.
//
// Written from the standards, without any of Lockstep's code. Where they, or the options of a run, leave something
// open, there are two sets of executions: those that must be explored and those that may be (Rules::may).
#pragma once
#include <cstdint>
#include <vector>

#include "language.hpp"

namespace falsifier {

struct Rules {
  int spurious = 0;      // wakeups of conditions without a notification, per execution
  bool timeouts = true;  // may fire while others can run; otherwise only when nobody can
  bool may = false;      // all that is allowed, rather than all that is promised
  // Milliseconds: a sleep or timed wait that ends at d ends before an operation of another thread only if that could
  // not have come longer ago than this; 0: any. Times are known within bounds only.
  int max_delay = 0;
};

enum Failure : uint8_t { kNone, kAssertion, kStuck, kRace, kUndefined, kAbort, kExitCode, kFailures };

using Clock = std::array<uint8_t, kThreads + 1>;  // the last one is time: at least so many milliseconds
constexpr int kTime = kThreads, kLatest = 200;

struct Variable {  // plain memory, with what is needed to see races
  int8_t value;
  uint8_t writer, written;  // thread and its time
  Clock reads;
};
struct Owned {                      // mutex, spin lock
  uint8_t owner, depth, destroyed;  // owner: thread + 1
  Clock clock;
};
struct ReadWrite {
  uint8_t writer, destroyed;
  std::array<uint8_t, kThreads> readers;
  Clock clock, read_clock;
};
struct Semaphore {
  uint8_t value, destroyed;
  Clock clock;
};
struct Atomic {
  int8_t value;
  Clock clock;
};
struct Heap {
  Variable life, p;  // life: written by free, read by every other use
  Atomic a;
  Owned m;
  Semaphore q;
  uint8_t freed;
};
struct Thread {
  uint8_t state;  // of: kUnborn, kLive, kDone
  uint8_t pc, phase, section, handler;
  int8_t r, extra;
  uint8_t holds;
  std::array<int8_t, kThreads> results;
  Clock clock;
  uint8_t latest;  // milliseconds: at most so late
};
enum : uint8_t { kUnborn, kLive, kDone };

// Trivially copyable and without padding that differs: states are compared as bytes.
struct State {
  std::array<Thread, kThreads> thread;
  std::array<Atomic, kObjects> a;
  std::array<Variable, kObjects> p;
  std::array<Owned, kObjects> m, s;
  std::array<ReadWrite, kObjects> w;
  std::array<Semaphore, kObjects> q;
  std::array<Heap, kObjects> h;
  std::array<uint8_t, kObjects> condition_destroyed, arrived;
  std::array<Clock, kObjects> barrier;
  uint8_t descriptors, files, mask, variable;  // open ones and existing ones by bit; of the environment
  uint8_t last, spurious, exiting, ended;      // last: who ran; exiting: thread + 1 that called exit
  int8_t exit_code;
  uint8_t latest;  // of all threads
};

struct Next {
  State state;
  Failure failure = kNone;
  bool race = false;
};

State first_state(const Program& program, std::vector<Next>& failed);
bool enabled(const Program& program, const State& state, int thread, const Rules& rules);
bool can_time_out(const Program& program, const State& state, int thread);
// When the sleep or timed wait of the thread ends, at the earliest and at the latest.
int earliest_end(const Program& program, const State& state, int thread);
int latest_end(const Program& program, const State& state, int thread);
// All that one step of the thread can lead to; `timeout`: its wait gives up instead.
std::vector<Next> step(const Program& program, const State& state, int thread, const Rules& rules, bool timeout);
// Wakes a thread that waits on a condition without a notification; false if it does not wait on one.
bool wake_spuriously(const Program& program, State& state, int thread);

}  // namespace falsifier
