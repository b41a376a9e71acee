// The interface of the program under test: starts it, feeds it with plans and watches it. Implements Executor over
// worker processes.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/channel.hpp"
#include "model/executor.hpp"
#include "model/result.hpp"
#include "target/plain_code.hpp"
#include "target/remote_orders.hpp"
#include "target/standard_input.hpp"

namespace lockstep {

struct TargetOptions {
  std::vector<std::string> command;  // program and arguments
  std::string runtime_library;       // path of liblockstep-rt.so
  Isolation isolation = Isolation::Auto;
  Backend backend = Backend::Auto;
  Points points = Points::Auto;
  Timeouts timeouts = Timeouts::Cost;
  uint32_t spin_rounds = kDefaultSpinRounds;  // of a loop whose number of rounds may matter, while others could run
  uint32_t max_delay_ms = kAnyDelay;          // kDefaultMaxDelay unless the user says otherwise
  uint32_t spurious = 0;                      // most spurious wakeups per execution
  uint8_t expected_exit = 0;                  // exit code of an execution without a bug
  bool compares_output = false;               // TraceHeader::output
  std::string before_each, after_each;        // shell commands around every execution; empty: none
  uint32_t prime = 0;                         // without isolation: executions of each worker before its first plan
  bool detect_races = true;                   // in instrumented code
  bool check_locks = false;                   // does every shared variable have a lock? TraceView::locks_broken()
  bool check_yields = false;                  // Misuse::SpinsUnyielding among TraceView::races()
  bool find_leaks = false;                    // TraceView::allocations() with Allocation::kLeaked
  CheckpointUse checkpoints = CheckpointUse::Worthwhile;
  PromotedPoints promoted;  // see Target::promote
  unsigned workers = 1;
  uint32_t max_steps = kNoStepLimit;
  uint64_t max_records = 1 << 21;  // records of an execution that are kept
  // Time without a scheduling point after which the program counts as stuck outside control.
  std::chrono::milliseconds watchdog{10'000};
  std::shared_ptr<const ProgramInput> input;  // standard input; none: end of file
  std::vector<ThreadTable::Entry> threads;    // for a replay: thread names as recorded
  uint32_t explore_call = 0;                  // number of the command's call of lockstep::explore() to run; 0: its main
  std::string queue;          // address of the queue whose workers help; empty: none (work/queued_target.hpp)
  bool beside_queue = false;  // the queue is another's business: runs the program as workers of the queue do
  std::string output_folder;  // what is written there is no input of the program
  std::function<void(const std::string&)> notify;  // what a user should know at once; none: nobody listens
  // Where a program runs on several machines its environment and the lengths of paths are the same on all of them, so
  // that its stack is.
  std::optional<std::vector<std::string>> environment;    // none: ours
  std::string program_file;                               // the file to execute; empty: the one that command[0] names
  std::string library_folder;                             // folder of libraries that this machine lacks; empty: none
  uint32_t path_room = 0;                                 // length of all paths; 0: unchanged
  std::vector<uint64_t> native_loops;                     // found by other targets: see Target::native_loops()
  std::shared_ptr<InstrumentationCache> instrumentation;  // from earlier explorations; may be empty
  std::function<bool()> stop;  // true: the command has to end, and nothing is awaited; may be empty
  std::function<bool()> late;  // true: there is no time to start anything; may be empty
  // Instead of a command: workers are forks of this process and run this function, which never returns.
  std::function<void(int channel_fd, int table_fd)> body;

  bool must_stop() const { return stop && stop(); }
};

// Inspects the program where it stops (Plan::inspect).
class Inspector {
 public:
  virtual ~Inspector() = default;
  virtual void stopped(const Inspection& stop) = 0;
};

// A mapped file of the program, for symbols.
struct Module {
  uint64_t begin, end;   // addresses of the mapping
  uint64_t file_offset;  // of `begin`
  std::string path;
  bool executable = true;
};

struct TargetInfo {
  bool instrumented = false;
  bool fibers = true;
  Isolation isolation = Isolation::Reset;  // the isolation in use
  std::string isolation_reason;            // the reason if it is not the default
};

class Target : public Executor {
 public:
  // Starts the workers and waits until they accept plans.
  static Result<std::unique_ptr<Target>> start(TargetOptions options);

  virtual const TargetInfo& info() const = 0;
  virtual std::vector<Module> modules() = 0;              // as currently mapped
  virtual std::vector<ThreadTable::Entry> threads() = 0;  // names of all threads seen so far
  // The name that the program gave to the object at this address; empty: none.
  virtual std::string given_name(uint64_t address) = 0;
  // Makes these plain accesses scheduling points from now on. Discards plans in flight.
  virtual void promote(const PromotedPoints&) {}
  // Allows this many spurious wakeups per execution from now on. Discards plans in flight.
  virtual void allow_spurious(uint32_t /*wakeups*/) {}
  virtual void allow_delay(uint32_t /*max_delay_ms*/) {}
  // Code that is not preempted while it is on the stack; ascending. Call before the first plan.
  virtual void trust(const std::vector<CodeRange>&) {}
  // The only code in which threads are preempted; ascending. Call before the first plan.
  virtual void preempt_in(const std::vector<CodeRange>&) {}
  virtual std::vector<std::string> warnings() = 0;  // each once, in order
  virtual std::set<Fact> facts() { return {}; }     // noticed in all executions so far
  virtual std::set<Fact> noticed() { return {}; }   // the facts that the runtime itself reported
  // Uninstrumented code that ran beside other threads so far, or may have, in a fixed order. For a program without any
  // instrumentation, only the program's name.
  virtual std::vector<PlainCode> plain_code() { return {}; }
  virtual std::string dependence() { return {}; }              // what executions that do not repeat may depend on
  virtual std::vector<uint64_t> native_loops() { return {}; }  // jumps of spin loops in code without scheduling points
  virtual std::set<std::string> libraries() { return {}; }     // libraries that the program has loaded itself
  virtual uint64_t resumed() { return 0; }                     // executions that started from a checkpoint
  virtual size_t not_run() { return 0; }                       // plans in flight whose executions have not finished

  // --- results of the same program on other machines ---
  virtual void adopt(const std::set<Fact>&, const std::set<std::string>& /*libraries*/, uint64_t /*resumed*/) {}
  virtual void adopt_loops(const std::vector<uint64_t>&) {}
  // Adds the threads of another table, with new ids. True: some were new.
  virtual bool adopt_threads(const std::vector<ThreadTable::Entry>&) { return false; }
  virtual std::vector<MachineStatus> machines() { return {}; }  // that help; see TargetOptions::queue
  virtual uint64_t units_waiting() { return 0; }                // for them
  virtual RemoteOrders* remote_orders() { return nullptr; }     // that they take; nullptr: none
  // True, once: one of those differed from the same execution run from the beginning, so that none before it is to be
  // relied on. There are no checkpoints any more.
  virtual bool checkpoints_failed() { return false; }

  // Runs one plan alone, with stacks and captured output, outside the window of the search. Only when nothing is in
  // flight (see cancel()).
  struct Detailed {
    Trace trace;
    std::string output;
  };
  virtual Detailed run_detailed(Plan plan, Inspector* inspector = nullptr) = 0;
};

using StartTarget = std::function<Result<std::unique_ptr<Target>>(TargetOptions)>;

// Runs one plan under a debugger, on real threads: see WorkerProcess::debug.
Result<int> debug_target(const TargetOptions& options, const Plan& plan, const std::vector<std::string>& debugger);

// Finds the program's file and checks whether it can be run under control. Errors: it is missing, not executable,
// static, linked with libtsan, of another architecture, or not ELF.
// Returns the path to execute, looked up in PATH as a shell does.
Result<std::string> find_program(const std::string& name);
// Was this program built for Lockstep? The compiler wrappers and the CMake package link liblockstep-rt.so, which the
// ELF file lists. Such a program may be started because a recording names it; any other program only if the user names
// it.
bool is_built_for_lockstep(const std::string& path);

}  // namespace lockstep
