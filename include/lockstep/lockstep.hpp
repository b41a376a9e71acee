// The interface of Lockstep for tests: explore every interleaving of a piece of code, not just the one that happens to
// run.
//
//   lockstep::Result result = lockstep::explore([] {
//     Queue queue;                                     // plain std::thread, std::mutex, std::atomic...
//     std::thread producer([&] { queue.push(1); });
//     int value = queue.pop();
//     producer.join();
//     lockstep::require(value == 1, "popped the pushed value");
//   }, {.preemptions = 2});
//   EXPECT_TRUE(result) << result;                     // prints the failing interleaving
//
// The body runs many times. It must create and join its threads itself and behave the same when a schedule is repeated.
// Code compiled with lockstep-cxx (or linked to lockstep::lockstep in CMake) can be preempted at every atomic and racy
// access; other code only at calls of the thread library.
//
// All functions except explore() are hints to Lockstep and do nothing in a program that runs without Lockstep.
#pragma once
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

// Defined by liblockstep-rt.so. Weak: null in a program that is not linked with the library.
extern "C" {
__attribute__((weak)) int lockstep_rt_controlled(void);  // 1 if the calling thread is scheduled by Lockstep
__attribute__((weak)) int lockstep_rt_choose(int n);
__attribute__((weak)) void lockstep_rt_require_failed(const char* message, const char* file, int line);
__attribute__((weak)) void lockstep_rt_name(const void* object, unsigned long size, const char* name);
__attribute__((weak)) void lockstep_rt_atomic_begin(void);
__attribute__((weak)) void lockstep_rt_atomic_end(void);
__attribute__((weak)) void lockstep_rt_yield(void);
}

namespace lockstep {
inline namespace v1 {  // version of the API; also separates these types from Lockstep's own types for the linker

// What to explore and for how long. The names are those of the options of `lockstep run`, where they are documented.
struct Options {
  std::optional<uint32_t> preemptions = std::nullopt;                             // unset: depends on the strategy
  std::string strategy = "auto";                                                  // "icb", "dpor", "pct:depth=3"...
  std::optional<uint64_t> executions = std::nullopt;                              // stop after this many
  std::optional<std::chrono::milliseconds> time = std::nullopt;                   // stop after this time
  std::optional<uint64_t> seed = std::nullopt;                                    // random seed; unset: a fixed one
  uint32_t steps = 1'000'000;                                                     // per execution
  std::string isolation = "auto";                                                 // "loop", "reset" or "fork"
  bool keep_going = false;                                                        // do not stop at the first bug
  bool races = true;                                                              // a data race is a bug
  bool leaks = false, lock_discipline = false;                                    // report these as well
  std::string points = "auto";                                                    // "sync", "atomics", "racy" or "all"
  std::string timeouts = "cost";                                                  // "stuck" or "always"
  std::optional<uint32_t> spurious = std::nullopt;                                // spurious wakeups per execution
  std::optional<uint32_t> variables = std::nullopt, thread_bound = std::nullopt;  // bounds v and t
  std::vector<std::string> trust = {};       // functions and modules in which no thread is preempted
  std::vector<std::string> preempt_in = {};  // the only ones in which threads are preempted; empty: all
  // Called before and after every execution, in a separate process: to reset files and other things that executions
  // leave behind. Changes to memory are lost.
  std::function<void()> setup = {}, teardown = {};
  std::vector<std::string> errors = {};                // kinds of warnings to treat as bugs: "lock-order"...
  std::string suppressions = {};                       // file
  unsigned workers = 1;                                // processes
  std::string out = {};                                // directory for schedules; empty: lockstep-out/PROGRAM/explore-N
  std::optional<uint32_t> spin_rounds = std::nullopt;  // rounds of a spin loop, where their number matters
  // How long a thread that can run may be delayed while sleeps and timed waits of others end; unset: any time.
  std::optional<std::chrono::milliseconds> max_delay = std::chrono::milliseconds(10);
};

struct Bug {
  std::string kind;      // "deadlock", "assertion", "data-race"...: as in the JSON result
  std::string message;   // one sentence
  std::string story;     // the failing schedule, thread by thread, ready to print
  std::string schedule;  // file for `lockstep replay`; empty if none was written
};

// The result of an exploration. True if it found no bug.
struct Result {
  uint64_t executions = 0;
  bool complete = false;  // everything within the bounds has been explored
  std::string guarantee;  // what is proved: "every execution with at most 2 preemptions"
  std::vector<Bug> bugs;
  std::vector<std::string> warnings;
  std::string error;  // why the body could not be explored at all; empty if it could

  explicit operator bool() const { return bugs.empty() && error.empty(); }
};

inline std::ostream& operator<<(std::ostream& out, const Result& result) {
  if (!result.error.empty()) return out << "not explored: " << result.error << '\n';
  for (const Bug& bug : result.bugs) {
    out << bug.kind << ": " << bug.message << '\n' << bug.story;
    if (!bug.schedule.empty()) out << "  replay  lockstep replay " << bug.schedule << '\n';
  }
  if (result.bugs.empty()) {
    out << "no bug found: " << (result.guarantee.empty() ? "nothing" : result.guarantee) << '\n';
  }
  for (const std::string& warning : result.warnings) out << "warning: " << warning << '\n';
  return out << "(" << result.executions << " executions)\n";
}

// Runs `body` along one interleaving after another until one fails, a budget is used up, or all interleavings within
// the bounds are done. The search runs in the caller and the body in worker processes forked from the caller, so even a
// crash of the body does not end the test. In a program that is itself under `lockstep run`, the body runs once, as
// part of that program.
Result explore(std::function<void()> body, Options options = {});

// Is this thread scheduled by Lockstep right now?
inline bool controlled() { return lockstep_rt_controlled && lockstep_rt_controlled() != 0; }

// A value from 0 to n-1. All values are explored, like the choice of the thread that runs. Without Lockstep: 0.
inline int choose(int n) { return controlled() ? lockstep_rt_choose(n) : 0; }

// Fails this execution unless `condition` holds. Without Lockstep: prints the message and aborts.
inline void require(bool condition, const char* message = "requirement failed", const char* file = __builtin_FILE(),
                    int line = __builtin_LINE()) {
  if (condition) return;
  if (controlled()) lockstep_rt_require_failed(message, file, line);
  std::fprintf(stderr, "%s:%d: lockstep::require failed: %s\n", file, line, message);
  std::abort();
}
inline void require(bool condition, const std::string& message, const char* file = __builtin_FILE(),
                    int line = __builtin_LINE()) {
  if (!condition) require(false, message.c_str(), file, line);
}

// Gives an object its name in stories and reports: name(queue.head, "queue.head").
template <class T>
void name(const T& object, const char* text) {
  if (controlled()) lockstep_rt_name(std::addressof(object), sizeof(T), text);
}

// Lets another thread run. Never counts as a preemption.
inline void yield() {
  if (controlled()) lockstep_rt_yield();
}

// While an object of this class exists, its thread is not preempted: { lockstep::atomic_section section; ... }. In a
// run without Lockstep it excludes no other thread, so use it only around code that is known to be correct, to make the
// search smaller.
class [[nodiscard]] atomic_section {
 public:
  atomic_section() : active_(controlled()) {
    if (active_) lockstep_rt_atomic_begin();
  }
  ~atomic_section() {
    if (active_) lockstep_rt_atomic_end();
  }
  atomic_section(const atomic_section&) = delete;
  atomic_section& operator=(const atomic_section&) = delete;

 private:
  bool active_;
};

}  // namespace v1
}  // namespace lockstep
