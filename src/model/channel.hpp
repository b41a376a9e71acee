// The contract between the driver and the runtime inside the program: one shared-memory file per worker, and one
// with the thread names that all workers of an exploration share. Both are inherited as descriptors.
//
// Two byte rings with one writer and one reader each: plans go in, traces come out. Messages never wrap: when a
// message would not fit before the end of its ring, a filler word (kWrap) is written and the message starts at 0.
// Positions count bytes ever written, so full and empty differ and wrap-around is arithmetic.
#pragma once
#include <atomic>
#include <cstdint>

#include "model/fact.hpp"
#include "model/ids.hpp"
#include "model/inspection.hpp"
#include "model/race.hpp"

namespace lockstep {

inline constexpr uint64_t kChannelMagic = 0x315045545353434cull;  // "LCSSTEP1"
inline constexpr uint32_t kChannelVersion = 12;
inline constexpr const char* kChannelVariable = "LOCKSTEP_CHANNEL";  // environment: "<channel fd>,<thread table fd>"
// Under a debugger: the descriptor of the program's input (Channel::rewinds_input), which the program finds as 0.
inline constexpr int kDebugInputFd = 243;
// Instead of it, where a call of lockstep::explore() is to serve: "<channel fd>,<thread table fd>,<number of the call>"
inline constexpr const char* kExploreVariable = "LOCKSTEP_EXPLORE_CALL";

enum class Isolation : uint8_t { Auto, Loop, Reset, Fork };
enum class Backend : uint8_t { Auto, Fiber, OsThread };
enum class Points : uint8_t { Auto, Sync, Atomics, Racy, All };
// Whether executions may start from a checkpoint; Always makes as many as there is room for, for tests.
enum class CheckpointUse : uint8_t { Off, Worthwhile, Always };
// When a timed wait may give up: only if nobody else can run; also earlier, for the price of a preemption; any time.
enum class Timeouts : uint8_t { Stuck, Cost, Always };
// Rounds that are tried of a loop whose number of rounds may matter, until the others go first. Two, because the first
// round often leaves another state behind than all the others; every further one multiplies the executions.
inline constexpr uint32_t kDefaultSpinRounds = 2, kMostSpinRounds = 1'000'000;
// Milliseconds of virtual time that a thread which can run may be held up by the ends of sleeps and timed waits.
inline constexpr uint32_t kDefaultMaxDelay = 10, kAnyDelay = 0xffff'ffff;

//
// Wake-ups are lazy, because a futex call costs as much as an execution: a reader that finds nothing says at which
// message it wants to be woken (`wake_at`), and a writer also rings whenever it is about to wait itself.
struct Ring {
  alignas(64) std::atomic<uint64_t> written;  // bytes
  std::atomic<uint64_t> messages;             // published so far
  alignas(64) std::atomic<uint64_t> read;     // bytes
  alignas(64) std::atomic<uint32_t> bell;     // futex word of the reader
  std::atomic<uint32_t> reader_sleeps;
  std::atomic<uint64_t> wake_at;            // ring when `messages` reaches this
  alignas(64) std::atomic<uint32_t> space;  // futex word of the writer, bumped by the reader when writer_sleeps
  std::atomic<uint32_t> writer_sleeps;
  uint64_t offset, capacity;  // of the bytes, within the channel's file
};
inline constexpr uint32_t kWrap = 0xffff'ffff;  // instead of a message's length: goes on at the ring's start

// Names that the program gave to its objects (lockstep::name), for reports.
struct ObjectNames {
  static constexpr unsigned kMost = 256;
  struct Entry {
    uint64_t address, size;
    char text[48];  // ends with 0
  };
  std::atomic<uint32_t> busy;  // somebody is writing
  std::atomic<uint32_t> count;
  Entry entry[kMost];
};

// Thread names: entry i is the creation path of ThreadId i. Shared by all workers of an exploration, appended
// under `lock`, never changed. Entry 0 is main.
struct ThreadTable {
  struct Entry {
    uint16_t parent;
    uint16_t child;  // n-th child of the parent, from 0
  };
  std::atomic<uint32_t> lock;
  std::atomic<uint32_t> count;
  Entry entry[kMaxThreads];
  ObjectNames names;
};

enum class WorkerState : uint32_t {
  Starting,
  Ready,        // serves plans
  Refused,      // cannot control this program; `text` says why
  EarlyThread,  // a constructor of the program has started a thread: start it again with `runs_constructors`
  Exited,       // left the service loop on request
};

// Code from begin to end, as addresses in the program.
struct CodeRange {
  uint64_t begin, end;
};
inline constexpr unsigned kMaxTrusted = 1 << 14;

// A function that is not instrumented (runtime/checks/plain_functions.hpp).
struct PlainFunction {
  enum Kind : uint32_t {
    kProgram,
    kTemplate,   // of the C++ library; called by a test framework it is the framework's business
    kFramework,  // of a test framework: not of interest
  };
  uint64_t begin;
  uint32_t size;
  Kind kind;
};
inline constexpr unsigned kMaxPlainFunctions = 1 << 16;
inline constexpr unsigned kMaxLibraries = 32;
inline constexpr unsigned kMaxPromoted = 2048, kMaxAliases = 4096;
inline constexpr unsigned kMaxNativeLoops = 64;
inline constexpr unsigned kMaxOutsideCommand = 4096;

struct Channel {
  uint64_t magic;
  uint32_t version;
  uint32_t bytes_header;
  // Set by the driver before the program starts.
  Isolation isolation;
  Backend backend;
  Points points;
  Timeouts timeouts;
  uint32_t spin_rounds;   // of a loop whose number of rounds may matter, while others could run
  uint32_t max_delay_ms;  // docs/decisions/0014-time.md; kAnyDelay: no rule
  uint32_t spurious;      // most spurious wakeups of condition variables per execution
  uint8_t detect_races;   // in instrumented code
  uint8_t debug;          // under a debugger: output goes where it goes, failures are breakpoints
  uint8_t check_locks;    // has every shared variable a lock? (detect/eraser.hpp)
  uint8_t check_yields;   // is spinning without a yield to be written down? (sched/spin.cpp)
  uint8_t find_leaks;     // blocks that nothing points to when the program has ended
  CheckpointUse checkpoints;
  uint8_t rewinds_input;      // standard input is a file, read from its beginning by every execution
  uint8_t expected_exit;      // exit code of an execution without a bug
  uint8_t compares_output;    // every execution tells what it wrote, as TraceHeader::output; writing is an operation
  uint8_t runs_constructors;  // of the program, in every execution: they start threads
  uint32_t capture_fd;        // output of detailed executions; 0: none
  uint32_t prime;             // without isolation: executions before the first plan, not reported
  uint64_t max_steps;
  uint64_t max_records;  // of an execution, that are kept
  uint64_t began;        // the exploration, in nanoseconds of the clock that files are stamped with
  char before_each[kMaxOutsideCommand], after_each[kMaxOutsideCommand];  // shell commands around every execution
  std::atomic<uint32_t> stop;                                            // driver: leave the service loop
  // Set by the runtime.
  std::atomic<WorkerState> state;
  std::atomic<uint32_t> pid;
  uint8_t instrumented;  // by the driver, if the constructors, which tell, have not run yet
  uint8_t fiber;         // backend in use is fibers
  Isolation isolation_used;
  uint8_t reserved;
  FactTable facts;
  std::atomic<uint64_t> resumed;      // executions that started from a checkpoint
  std::atomic<uint64_t> executing;    // plan id + 1 while one is running, else 0
  std::atomic<uint64_t> stuck_steps;  // answer to the watchdog: steps so far; a standstill means stuck
  std::atomic<uint32_t> text_bytes;
  char text[4096];                    // why Refused
  std::atomic<uint32_t> stuck_words;  // answer to the watchdog's signal: the running thread's stack
  uint32_t stuck_thread;
  uint64_t stuck_stack[64];
  // Backward jumps of spin loops in code without scheduling points (runtime/sched/native_loops.hpp): those this worker
  // has found, and those the driver knows of.
  std::atomic<uint32_t> found_loops, native_loops;
  uint64_t found_loop[kMaxNativeLoops], native_loop[kMaxNativeLoops];
  // A trace too large for the ring lies here, one at a time; the ring then has only its header
  // (TraceHeader::elsewhere).
  uint64_t big_offset, big_capacity;
  std::atomic<uint32_t> big_busy;  // futex word: 1 while the driver has not read it
  std::atomic<uint32_t>
      settings_version;  // changes with what follows, `spurious` and `max_delay_ms`: checkpoints do not outlive it
  // Return addresses of plain accesses that are scheduling points; changed only while no plan is under way.
  std::atomic<uint32_t> promoted_version;
  uint32_t promoted_count;
  uint64_t promoted[kMaxPromoted];
  std::atomic<uint32_t> trusted_version;
  uint32_t trusted_count;
  CodeRange trusted[kMaxTrusted];      // functions: not preempted while on the stack; ascending
  uint32_t preemptible_count;          // part of trusted_version; 0: threads are preempted everywhere
  CodeRange preemptible[kMaxTrusted];  // functions: preempted only while one is on the stack; ascending
  uint32_t alias_count;
  Alias alias[kMaxAliases];  // names of the words they access
  // PlainFunction, ascending within each module; the driver adds some, nobody takes any away.
  uint64_t plain_offset;
  std::atomic<uint32_t> plain_count;
  // Paths of libraries that the program has loaded itself; the count may exceed what there is room for.
  std::atomic<uint32_t> libraries;
  char library[kMaxLibraries][256];
  Inspection inspection;
  Ring plans, traces;
};

}  // namespace lockstep
