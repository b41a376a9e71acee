// The program under test: started, fed with plans, watched. Implements Executor over worker processes.
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
  uint64_t max_records = 1 << 21;              // of an execution, that are kept
  std::chrono::milliseconds watchdog{10'000};  // without a scheduling point: stuck outside control
  std::shared_ptr<const ProgramInput> input;   // standard input; none: end of file
  std::vector<ThreadTable::Entry> threads;     // replay: thread names as they were when recorded
  uint32_t explore_call = 0;  // the command's so-many-th call of lockstep::explore() is to be run; 0: its main
  std::string queue;          // address of the queue whose workers help; empty: none (work/queued_target.hpp)
  bool beside_queue = false;  // the queue is another's business: runs the program as workers of the queue do
  std::string output_folder;  // what is written there is no input of the program
  std::function<void(const std::string&)> notify;  // what a user should know at once; none: nobody listens
  // Where a program runs on several machines its environment and the lengths of paths are the same on all of them, so
  // that its stack is.
  std::optional<std::vector<std::string>> environment;    // none: ours
  std::string program_file;                               // what is executed; empty: what command[0] names
  std::string library_folder;                             // for libraries that the machine lacks; empty: none
  uint32_t path_room = 0;                                 // paths are this long; 0: as long as they are
  std::vector<uint64_t> native_loops;                     // that others found: see Target::native_loops()
  std::shared_ptr<InstrumentationCache> instrumentation;  // of explorations before this one; none: none
  std::function<bool()> stop;  // true: the command has to end, and whoever waits gives up; none: never
  std::function<bool()> late;  // true: there is no time left to begin anything; none: there always is
  // Instead of a command: workers are forks of this process, and this is what they do; never returns.
  std::function<void(int channel_fd, int table_fd)> body;

  bool must_stop() const { return stop && stop(); }
};

// Looks at the program where it stops, in executions that do (Plan::inspect).
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
  Isolation isolation = Isolation::Reset;  // what is used
  std::string isolation_reason;            // why not the default, if so
};

class Target : public Executor {
 public:
  // Starts the workers and waits until they serve plans.
  static Result<std::unique_ptr<Target>> start(TargetOptions options);

  virtual const TargetInfo& info() const = 0;
  virtual std::vector<Module> modules() = 0;              // as mapped now
  virtual std::vector<ThreadTable::Entry> threads() = 0;  // names of all threads seen so far
  // What the program itself calls the object at this address; empty if it said nothing.
  virtual std::string given_name(uint64_t address) = 0;
  // Plain accesses that are scheduling points from now on. Forgets what is in flight.
  virtual void promote(const PromotedPoints&) {}
  // From now on, allows this many spurious wakeups per execution. Forgets what is in flight.
  virtual void allow_spurious(uint32_t /*wakeups*/) {}
  virtual void allow_delay(uint32_t /*max_delay_ms*/) {}
  // Code that is not preempted while it is on the stack; ascending. Before the first plan.
  virtual void trust(const std::vector<CodeRange>&) {}
  // The only code in which threads are preempted; ascending. Before the first plan.
  virtual void preempt_in(const std::vector<CodeRange>&) {}
  virtual std::vector<std::string> warnings() = 0;  // said once each, in order
  virtual std::set<Fact> facts() { return {}; }     // what was noticed in all executions so far
  virtual std::set<Fact> noticed() { return {}; }   // those of them that the runtime itself reported
  // Code without instrumentation that ran beside other threads in the executions so far, or may have; in a fixed order.
  // Of a program without any instrumentation only its name.
  virtual std::vector<PlainCode> plain_code() { return {}; }
  virtual std::string dependence() { return {}; }              // what executions that do not repeat may depend on
  virtual std::vector<uint64_t> native_loops() { return {}; }  // jumps of spin loops in code without scheduling points
  virtual std::set<std::string> libraries() { return {}; }     // that the program has loaded itself
  virtual uint64_t resumed() { return 0; }                     // executions that started from a checkpoint
  virtual size_t not_run() { return 0; }                       // plans in flight whose execution is not finished

  // --- what other machines' executions of the same program showed ---
  virtual void adopt(const std::set<Fact>&, const std::set<std::string>& /*libraries*/, uint64_t /*resumed*/) {}
  virtual void adopt_loops(const std::vector<uint64_t>&) {}
  // Threads as another table has them. Gives those that were not known an id. True: there were some.
  virtual bool adopt_threads(const std::vector<ThreadTable::Entry>&) { return false; }
  virtual std::vector<MachineStatus> machines() { return {}; }  // that help; see TargetOptions::queue
  virtual uint64_t units_waiting() { return 0; }                // for them
  virtual RemoteOrders* remote_orders() { return nullptr; }     // that they take; nullptr: none
  // True, once: one of those differed from the same execution run from the beginning, so that none before it is to be
  // relied on. There are no checkpoints any more.
  virtual bool checkpoints_failed() { return false; }

  // Runs one plan by itself, with stacks and captured output, outside the window of the search. Only when nothing
  // is in flight (see cancel()).
  struct Detailed {
    Trace trace;
    std::string output;
  };
  virtual Detailed run_detailed(Plan plan, Inspector* inspector = nullptr) = 0;
};

using StartTarget = std::function<Result<std::unique_ptr<Target>>(TargetOptions)>;

// Runs one plan under a debugger, on real threads: see WorkerProcess::debug.
Result<int> debug_target(const TargetOptions& options, const Plan& plan, const std::vector<std::string>& debugger);

// Why this file cannot be run under control, found before starting it: missing, not executable, static, linked with
// libtsan, of another architecture, not ELF.
Result<std::string> find_program(const std::string& name);  // the path to execute, looked up in PATH like a shell does
// Was this program built for Lockstep? The compiler wrappers and the CMake package link liblockstep-rt.so, and the ELF
// file says so. Such a program may be started because a recording names it; any other only if the user names it.
bool is_built_for_lockstep(const std::string& path);

}  // namespace lockstep
