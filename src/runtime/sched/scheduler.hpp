// The one scheduling point, and the state of the execution under way.
//
// Every intercepted call publishes its operation with reach() and continues when it has been chosen. Each arriving
// thread takes the next decision: the plan's deltas first, then the plan's policy. Nothing here is valid between
// executions.
#pragma once
#include "model/channel.hpp"
#include "model/plan.hpp"
#include "model/trace.hpp"
#include "runtime/base/module.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/base/thread_set.hpp"
#include "runtime/policies/atomic_blocks.hpp"
#include "runtime/policies/fairness.hpp"
#include "runtime/policies/guided_schedule.hpp"
#include "runtime/policies/pct.hpp"
#include "runtime/policies/pos.hpp"
#include "runtime/policies/priorities.hpp"
#include "runtime/policies/surw.hpp"
#include "runtime/sched/client.hpp"
#include "runtime/sched/livelock.hpp"
#include "runtime/sched/step_counter.hpp"

namespace lockstep::rt {

// The record of an execution: the worker reads it when the execution is over. Reset when one begins.
struct ExecutionRecord {
  uint32_t log_size = 0, set_words = 0, stack_words = 0;  // used part of Scheduler::log, sets and stacks
  uint32_t first_kept = 0;                                // earlier records are no longer in the log, only counted
  uint32_t decisions = 0;
  uint32_t unjoined = 0;  // threads created and not joined; while 0, nothing needs a record
  uint32_t live_count = 0, created = 0;
  Outcome outcome = Outcome::Ok;
  int code = 0;
  ThreadId culprit = kNoThread;
  Redundancy redundancy = Redundancy::None;
  uint32_t last_rounds = 0;  // TraceHeader::last_rounds
  Reasons reasons;           // why the order of steps may matter beyond what operations show
  uint32_t message_size = 0;
  uint64_t fault_address = 0;
  uint64_t output = 0;  // TraceHeader::output
  bool detail = false, failure_recorded = false;
  uint64_t earliest_time = 0;  // of the possible next steps, while a thread sleeps or waits for a time
  LongestDelay delay{};        // TraceHeader::delay
  uint32_t spinners = 0;       // threads that are not enabled because they would only spin
};

// Steps of one thread in a row, without a yield, after which the default schedule lets others run. More than in any
// execution of a program whose number of schedules is known exactly.
inline constexpr uint32_t kLongTurn = 2'000;
inline constexpr uint32_t kFirstFairTurn = 1u << 17;  // record of a random execution: see Scheduler::change_policy()

// State that the next decision depends on. Reset when an execution begins.
struct DecisionState {
  uint32_t stop_at_ = 0;  // first record that needs choose_slow(): the next delta, the step limit, ...
  uint32_t save_at_ = kNoStep;
  uint32_t full_at_ = kNoStep;   // record at which room has to be made in the log
  uint32_t counted_ = 0;         // records counted, if they are not kept
  bool counts_records_ = false;  // counts records instead of keeping them, if there are too many
  bool simple_ = true;           // at most 64 threads, no timed waits, no fairness, no unpreemptible thread
  bool straight_ = true;         // simple, and the default schedule with nothing to check
  bool last_yielded_ = false;
  bool yield_is_fair_ = false;  // the last yield counts for fairness
  uint64_t loop_ = 0;           // the loop of that yield, if its rounds may matter; otherwise 0
  Policy policy_ = Policy::Default;
  uint32_t policy_at_ = kNoStep, policy_until_ = kNoStep;  // records at which the policy changes
  bool fair_turns_ = false;       // long executions follow the default schedule now and then: see change_policy()
  uint32_t turn_at_ = kLongTurn;  // record at which to check the length of the running thread's turn
  uint32_t turn_began_ = 0;       // first record of that turn
  CycleSearch cycles_;
  ThreadId last_ = kNoThread;  // thread of the last recorded step
  uint64_t offered_ = 0;       // candidates of the current decision, if simple
  unsigned words_ = 1;
  uint32_t unpreemptible_ = 0;
  bool surveys_ = false;         // Plan::survey
  uint64_t spinners_tried_ = 0;  // number of changes when all spinners last ran another round
  uint32_t tried_at_ = 0;        // record at that time
  uint64_t skipped_ = 0;         // operations that needed no record
  uint64_t random_state_ = 0;
  uint32_t delta_count_ = 0, delta_ = 0;
  uint32_t sleeper_count_ = 0, sleep_at_ = kNoStep;
  uint32_t decided_ = kNoStep;  // record of the last decision, if a thread is asleep or the policy needs it
  bool sleeping_ = false;
  bool chosen_only_ = false;        // --preempt-in
  uint32_t block_delta_count_ = 0;  // decisions of Policy::Blocks that differ from the default
  bool trusted_ = false;            // the current step began in code that is not preempted
  uint32_t max_steps_ = 0;
  uint32_t created_before_ = 0;  // threads created before the current step
  ObjectId focus_ = kNoObject;
};

// Thread sets of an execution and of its next decision. They are large and hardly used: only the words that the
// previous execution used are cleared.
struct ThreadSets {
  ThreadSet live{}, enabled{}, timed{}, dormant{};  // dormant: the next step is the end of a sleep
};
struct DecisionSets {
  ThreadSet asleep_{}, wide_offered_{}, wide_timed_{};
  ThreadSet waiting_{};            // the next step is the end of a sleep or timed wait
  ThreadId earliest_ = kNoThread;  // the thread whose next step has ExecutionRecord::earliest_time
  ThreadSet held_{}, due_{};       // sleeps and timed waits that may not end yet; timed waits that are due
  ThreadSet ready_{}, before_{};   // threads that can run, ignoring fairness: now, and at the previous decision
};

class Scheduler : public ExecutionRecord, public ThreadSets, private DecisionState, private DecisionSets {
 public:
  void init(size_t max_records);
  void connect(const SchedulerClient& client) { client_ = client; }

  // --- one execution, from the controller's side ---
  void begin(const PlanHeader& plan, const Delta* deltas, const uint16_t* sleepers);
  // Continues with another plan, which has the same decisions so far.
  void follow(const PlanHeader& plan, const Delta* deltas, const uint16_t* sleepers) {
    take_plan(plan, deltas, sleepers);
    if (!in_blocks()) return;
    delta_ = block_delta_count_ = 0;
    while (delta_ < delta_count_ && deltas_[delta_].step < log_size) ++delta_;
    refresh_stop();
    blocks.follow(plan.extra(), plan.extra_words, plan.sleep_at);
  }
  // SchedulerClient::save_checkpoint() is called at the first decision from this record on, before the decision.
  void stop_to_save(uint32_t record) {
    save_at_ = record;
    refresh_stop();
  }
  // True if the decisions of each_delta_done() determine everything decided so far.
  bool repeatable() const {
    return !(sleeper_count_ && sleep_at_ == kNoStep) && !(delta_ && deltas_[delta_ - 1].step == kNextDecision) &&
           (!in_blocks() || (blocks.can_follow() && block_delta_count_ < kMostBlockDeltas));
  }
  // Calls `each(delta)` for the decisions so far, ordered by record: of the plan, and of the policy that runs atomic
  // blocks.
  template <class Each>
  void each_delta_done(Each&& each) const {
    uint32_t own = 0;
    for (uint32_t i = 0; i < delta_; ++i) {
      for (; own < block_delta_count_ && block_delta_[own].step < deltas_[i].step; ++own) each(block_delta_[own]);
      each(deltas_[i]);
    }
    for (; own < block_delta_count_; ++own) each(block_delta_[own]);
  }
  // Ends the execution; control goes to the controller and does not return.
  [[noreturn]] void end(Outcome outcome, int code = 0, const char* message = nullptr);

  [[noreturn]] void end_redundant(Redundancy why) {
    redundancy = why;
    end(Outcome::Redundant);
  }
  [[noreturn]] void end_waiting_for_itself(const void* lock, const char* message);
  void record_failure();  // stores the failing stack of a detailed execution; end() does it if not done before

  // Has the record a stack and a value? Only in a detailed execution; see Plan::described.
  bool describes(uint32_t record) {
    while (described_ != described_end_ && described_->to <= record) ++described_;
    return detail && (describes_all_ || (described_ != described_end_ && described_->from <= record));
  }
  bool describes() { return describes(log_size); }

  // --- scheduling points, from the running thread's side ---
  // Publishes the running thread's next operation. Returns when the thread may execute it or, for operations that a
  // signal can interrupt, when a signal has interrupted it (Thread::interrupted). Returns the record of this step, so
  // that the caller can store outcomes known only now (a compare-exchange that succeeded).
  Step& reach(OpKind kind, const void* object, uint8_t flags = 0, bool can_run = true, Companion second = {},
              uint16_t order = 0, uint16_t bytes = 0);
  // A data choice between 0 and n-1; belongs to the step just recorded.
  unsigned pick(unsigned n);
  void note(OpKind kind, ObjectId object, Companion second = {});

  // Runs `thread`, which the current step released, up to its next operation, as part of this step.
  void advance(Thread& thread);
  // Switches away from the running thread until another thread advances it. It is not enabled meanwhile.
  void wait_to_be_advanced(OpKind kind, const void* object, uint8_t flags, Companion second = {});
  void sleep_until(uint64_t deadline);  // of the running thread; returns when the sleep is over
  [[noreturn]] void leave();            // the running thread has ended
  void begin_thread();                  // first step of a thread whose start is a decision

  void enable(Thread& thread, bool can_run);
  void interrupt(Thread& thread);  // lets a waiting thread take a signal
  // Evaluates again which of the threads waiting for `object` can run.
  template <class CanRun>
  void update_waiters(const void* object, CanRun&& can_run);

  void add_thread(Thread& thread);     // becomes live
  void remove_thread(Thread& thread);  // has ended
  void time_has_moved() { straight_ = false; }
  void forbid_preemption(bool on);  // nestable, for the running thread
  // The same for code that other threads must not see half done. Its beginning and end are scheduling points.
  void begin_atomic_section();
  void end_atomic_section();
  // The step just recorded was a round of a spin loop, or `rounds` of them.
  void count_as_yield(Step& step, uint32_t rounds = 1);
  void begin_yield(Step& step, uint64_t duration);

  Thread& thread(ThreadId t) { return threads_[index_of(t)]; }
  const Thread& thread(ThreadId t) const { return threads_[index_of(t)]; }
  unsigned words() const { return words_; }
  uint64_t progress() const { return log_size + skipped_; }  // grows with every scheduling point
  const StepCounter& counted() const { return counter_; }    // valid if first_kept is not 0
  void need_room() {                                         // call between steps
    if (UNLIKELY(log_size >= full_at_)) make_room();
  }

  // Buffers for the records of an execution, and settings of all executions.
  Step* log = nullptr;  // indexed by record, from first_kept on
  uint64_t* sets = nullptr;
  uint64_t* stacks = nullptr;
  ThreadId born[kMaxThreads];  // the `created` threads of this execution
  char message[512];
  Timeouts timeouts = Timeouts::Cost;
  uint64_t max_delay = ~0ull;  // nanoseconds
  uint32_t spin_rounds = kDefaultSpinRounds;
  uint64_t process_signals = 0;  // sent to the process while every thread blocks them
  Blocks blocks;
  static constexpr uint32_t kMostBlockDeltas = 1024;
  Delta block_delta_[kMostBlockDeltas];
  // Is there a signal that the thread would take now?
  bool has_signals(const Thread& t) const {
    return (t.signals | process_signals) & ~t.signal_mask & ~t.awaited_signals;
  }
  bool in_blocks() const { return policy_ == Policy::Blocks; }
  bool records_memory() const { return in_blocks() || surveys_; }  // of the accesses of each thread

 private:
  friend struct SchedulerTest;
  Thread* choose();
  void after_step(Thread& me, const Step& step);
  Thread* choose_slow();
  Thread* choose_among(ThreadSet& candidates);
  bool planned(uint16_t* value);
  [[noreturn]] void diverge();
  [[noreturn]] void refuse(uint16_t wanted);
  void fall_asleep();
  void note_sleepers(ThreadId chosen);
  void wake_sleepers();
  void order_by_time();
  void note_delay(const Thread& chosen);
  void begin_timed();
  bool waits_for_time(const Thread& t) const;
  bool created_since_decision() const;
  void end_turn();
  void change_policy();
  Thread* choose_among_spinners();
  Thread* pick_default(const ThreadSet& candidates);
  ThreadId pick_random(const ThreadSet& candidates);
  ThreadId pick_pct(const ThreadSet& candidates);
  ThreadId pick_pos(const ThreadSet& candidates);
  Thread* pick_by_priority(const ThreadSet& candidates);
  Thread* pick_block(const ThreadSet& candidates);
  void observe_block();
  ThreadId pick_surw(const ThreadSet& candidates);
  uint64_t random();
  void switch_to(Thread& next);
  void park(Thread& me, bool can_run);
  void border_of_section(bool begins);
  void hand_back(Thread& me, bool can_run);
  bool wait_for_turn(Thread& me, bool can_run);
  Step& record(Thread& me);
  void record_wide(Thread& me, Step& step);
  void capture_arrival(Thread& me, bool described);
  static void mark_reads(Thread& me);
  void add_stack(const uint64_t* block);
  void add_race_stacks();
  void begin_policy(const PlanHeader& plan);
  void take_plan(const PlanHeader& plan, const Delta* deltas, const uint16_t* sleepers);
  void refresh_stop();
  void refresh_simple();
  void make_room();
  void count_records();
  bool is_outside_chosen(const Thread& t) const;
  void find_candidates(ThreadSet& set);

  SchedulerClient client_{};
  Thread* threads_ = nullptr;
  Step* log_memory_ = nullptr;
  size_t max_log_ = 0;
  StepCounter counter_;
  const Delta* deltas_ = nullptr;
  const uint16_t* sleepers_ = nullptr;
  const RecordRange *described_ = nullptr, *described_end_ = nullptr;  // those that are not over
  bool describes_all_ = true;
  Fairness fairness_;
  Guided guided_;
  Pct pct_;
  Pos pos_;
  Priorities priorities_;
  Surw surw_;
  uint64_t failure_stack_[65];
  Step unrecorded_;  // reach() returns this when a step needs no record
};

// Constructors must not run when the library is loaded: start_modules() constructs the scheduler.
union SchedulerStorage {
  char nothing = 0;
  Scheduler object;
};
inline constinit SchedulerStorage scheduler_storage{};
inline Scheduler& scheduler() { return scheduler_storage.object; }
extern const Module scheduler_module;

template <class CanRun>
void Scheduler::update_waiters(const void* object, CanRun&& can_run) {
  const Thread* running = runtime.current;  // its `pending` is the operation that it is executing
  live.for_each(words_, [&](ThreadId t) {
    Thread& other = thread(t);
    if (&other != running && other.pending.object == ObjectId(reinterpret_cast<uint64_t>(object)) &&
        is_acquire(other.pending.kind))
      enable(other, can_run(other));
  });
}

}  // namespace lockstep::rt
