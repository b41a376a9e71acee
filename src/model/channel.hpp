// The contract between the driver and the runtime inside the program: one shared-memory file per worker, and one
// with the thread names that all workers of an exploration share. Both are inherited as descriptors.
//
// It has two byte rings with one writer and one reader each: plans go in, traces come out. A message never wraps: if it
// does not fit before the end of its ring, a filler word (kWrap) is written and the message starts at 0. Positions
// count bytes ever written, so a full ring differs from an empty one and wrap-around is arithmetic.
#pragma once
#include <atomic>
#include <cstdint>

#include "model/fact.hpp"
#include "model/ids.hpp"
#include "model/inspection.hpp"
#include "model/race.hpp"

namespace lockstep {

inline constexpr uint64_t kChannelMagic = 0x315045545353434cull;  // "LCSSTEP1"
inline constexpr uint32_t kChannelVersion = 13;
inline constexpr const char* kChannelVariable = "LOCKSTEP_CHANNEL";  // environment: "<channel fd>,<thread table fd>"
// Under a debugger: the descriptor of the program's input (Channel::rewinds_input). The program finds it as 0.
inline constexpr int kDebugInputFd = 243;
// Replaces kChannelVariable in a call of lockstep::explore(): "<channel fd>,<thread table fd>,<number of the call>"
inline constexpr const char* kExploreVariable = "LOCKSTEP_EXPLORE_CALL";

enum class Isolation : uint8_t { Auto, Loop, Reset, Fork };
enum class Backend : uint8_t { Auto, Fiber, OsThread };
enum class Points : uint8_t { Auto, Sync, Atomics, Racy, All };
// Whether executions may start from a checkpoint. Always makes as many as there is room for: for tests.
enum class CheckpointUse : uint8_t { Off, Worthwhile, Always };
// When a timed wait may give up. Stuck: only if no thread can run. Cost: also earlier, as a preemption. Always: any
// time.
enum class Timeouts : uint8_t { Stuck, Cost, Always };
// Rounds to try of a loop whose number of rounds may matter, before the other threads go first. Two, because the first
// round often leaves another state behind than the later ones. Each further round multiplies the executions.
inline constexpr uint32_t kDefaultSpinRounds = 2, kMostSpinRounds = 1'000'000;
// Milliseconds of virtual time for which sleeps and timed waits may delay a thread that can run.
inline constexpr uint32_t kDefaultMaxDelay = 10, kAnyDelay = 0xffff'ffff;

// Wake-ups are lazy, because a futex call costs as much as an execution. A reader that finds nothing stores the message
// at which it must be woken (`wake_at`). A writer also rings before it waits itself.
struct Ring {
  alignas(64) std::atomic<uint64_t> written;  // bytes written so far
  std::atomic<uint64_t> messages;             // messages published so far
  alignas(64) std::atomic<uint64_t> read;     // bytes read so far
  alignas(64) std::atomic<uint32_t> bell;     // futex word of the reader
  std::atomic<uint32_t> reader_sleeps;
  std::atomic<uint64_t> wake_at;            // ring when `messages` reaches this
  alignas(64) std::atomic<uint32_t> space;  // futex word of the writer, bumped by the reader when writer_sleeps
  std::atomic<uint32_t> writer_sleeps;
  uint64_t offset, capacity;  // of the ring's bytes in the channel's file
};
inline constexpr uint32_t kWrap = 0xffff'ffff;  // replaces a message's length: go on at the ring's start

// Names that the program gave to its objects (lockstep::name), for reports.
struct ObjectNames {
  static constexpr unsigned kMost = 256;
  struct Entry {
    uint64_t address, size;
    char text[48];  // null-terminated
  };
  std::atomic<uint32_t> busy;  // a thread is writing
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
  EarlyThread,  // a constructor of the program started a thread: start the program again with `runs_constructors`
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
    kTemplate,   // of the C++ library; ignored when a test framework calls it
    kFramework,  // of a test framework: ignored
  };
  uint64_t begin;
  uint32_t size;
  Kind kind;
};
inline constexpr unsigned kMaxPlainFunctions = 1 << 16;

// An atomic instruction of the program that is not a call of the instrumentation
// (runtime/checks/locked_instructions.hpp).
struct LockedInstruction {
  static constexpr uint8_t kNone = 0xff;  // no such register
  enum class Kind : uint8_t { Modify, CompareExchange };
  uint64_t address;
  int64_t displacement;  // the address of the operand is: displacement + base + (index << scale)
  uint8_t base, index;   // numbers of registers
  uint8_t scale;
  uint8_t size;          // of the operand
  uint8_t bit_register;  // holds the number of a bit, which may lie beyond the operand; kNone: no such register
  Kind kind;
  bool relative;  // the displacement is an address in the module
  uint8_t reserved;
  bool operator==(const LockedInstruction&) const = default;
};
static_assert(sizeof(LockedInstruction) == 24, "wire format");
inline constexpr unsigned kMaxLocked = 1024;
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
  uint32_t spin_rounds;   // rounds to try of a loop whose number of rounds may matter (kDefaultSpinRounds)
  uint32_t max_delay_ms;  // docs/decisions/0014-time.md; kAnyDelay: no limit
  uint32_t spurious;      // at most this many spurious wakeups of condition variables per execution
  uint8_t detect_races;   // in instrumented code
  uint8_t debug;          // under a debugger: output is not redirected, failures are breakpoints
  uint8_t check_locks;    // check that every shared variable has a lock (detect/eraser.hpp)
  uint8_t check_yields;   // report loops that spin without a yield (sched/spin.cpp)
  uint8_t find_leaks;     // report blocks that nothing points to when the program has ended
  CheckpointUse checkpoints;
  uint8_t rewinds_input;      // standard input is a file; every execution reads it from its beginning
  uint8_t expected_exit;      // exit code of an execution without a bug
  uint8_t compares_output;    // hash the output of every execution (TraceHeader::output); writing becomes an operation
  uint8_t runs_constructors;  // executions run the program's constructors, because these start threads
  uint32_t capture_fd;        // descriptor for the output of detailed executions; 0: none
  uint32_t prime;             // without isolation: unreported executions before the first plan
  uint64_t max_steps;
  uint64_t max_records;  // records of an execution that are kept
  uint64_t began;        // when the exploration began, in nanoseconds of the clock used for file times
  char before_each[kMaxOutsideCommand], after_each[kMaxOutsideCommand];  // shell commands around every execution
  std::atomic<uint32_t> stop;                                            // set by the driver: leave the service loop
  // Set by the runtime.
  std::atomic<WorkerState> state;
  std::atomic<uint32_t> pid;
  uint8_t instrumented;  // set by the driver if the constructors that would detect it have not run yet
  uint8_t fiber;         // the backend in use is fibers
  Isolation isolation_used;
  uint8_t reserved;
  FactTable facts;
  std::atomic<uint64_t> resumed;      // executions that started from a checkpoint
  std::atomic<uint64_t> executing;    // plan id + 1 while one is running, else 0
  std::atomic<uint64_t> stuck_steps;  // answer to the watchdog: steps so far; a standstill means stuck
  std::atomic<uint32_t> text_bytes;
  char text[4096];                    // the reason for WorkerState::Refused
  std::atomic<uint32_t> stuck_words;  // answer to the watchdog's signal: the running thread's stack
  uint32_t stuck_thread;
  uint64_t stuck_stack[64];
  // Backward jumps of spin loops in code without scheduling points (runtime/sched/native_loops.hpp): found by this
  // worker, and known to the driver.
  std::atomic<uint32_t> found_loops, native_loops;
  uint64_t found_loop[kMaxNativeLoops], native_loop[kMaxNativeLoops];
  // A trace too large for the ring is stored here, one at a time. The ring then has only its header
  // (TraceHeader::kElsewhere).
  uint64_t big_offset, big_capacity;
  std::atomic<uint32_t> big_busy;  // futex word: 1 while the driver has not read it
  std::atomic<uint32_t>
      settings_version;  // changes with the fields below, `spurious` and `max_delay_ms`: invalidates checkpoints
  // Return addresses of plain accesses that are scheduling points; changed only while no plan is under way.
  std::atomic<uint32_t> promoted_version;
  uint32_t promoted_count;
  uint64_t promoted[kMaxPromoted];
  std::atomic<uint32_t> trusted_version;
  uint32_t trusted_count;
  CodeRange trusted[kMaxTrusted];      // functions that are not preempted while on the stack; ascending
  uint32_t preemptible_count;          // part of trusted_version; 0: threads are preempted everywhere
  CodeRange preemptible[kMaxTrusted];  // functions that are preempted only while on the stack; ascending
  uint32_t alias_count;
  Alias alias[kMaxAliases];  // names of the words that promoted accesses touch
  // PlainFunction entries, ascending within each module. The driver only adds entries.
  uint64_t plain_offset;
  std::atomic<uint32_t> plain_count, locked_count;
  LockedInstruction locked[kMaxLocked];  // the driver only adds some
  // Paths of libraries that the program loaded itself. The count may exceed the room.
  std::atomic<uint32_t> libraries;
  char library[kMaxLibraries][256];
  Inspection inspection;
  Ring plans, traces;
};

}  // namespace lockstep
