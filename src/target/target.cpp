// Implements the target over worker processes. A plan goes to the worker with the least left to do, and traces return
// in the order of their plans. So the search depends on the number of workers, never on timing.
#include "target/target.hpp"

#include <sys/wait.h>
#include <algorithm>
#include <cstring>
#include <deque>

#include "model/schedule.hpp"
#include "target/captured_output.hpp"
#include "target/cpu_affinity.hpp"
#include "target/fact_text.hpp"
#include "target/mapped_modules.hpp"
#include "target/nondeterministic_instructions.hpp"
#include "target/thread_table.hpp"
#include "target/watchdog.hpp"
#include "target/worker_slot.hpp"

namespace lockstep {
namespace {

constexpr size_t kWindowPerWorker = 256;
constexpr auto kCancelPatience = std::chrono::milliseconds(20);
constexpr unsigned kKilledBefore = 3;  // how often a plan may be under way when its worker is killed from outside
constexpr int kPoll = 50;              // milliseconds between checks of clocks, signals and dead children

class WorkerTarget final : public Target {
 public:
  explicit WorkerTarget(TargetOptions options) : options_(std::move(options)), plain_code_(options_.instrumentation) {}

  Result<bool> start() {
    auto table = make_thread_table(options_.threads);
    if (!table) return table.error();
    table_ = std::move(*table);
    if (!capture_.create()) return Error{ExitCode::Uncontrolled, "cannot create shared memory"};
    if (options_.input && !options_.input->warning().empty()) warn(options_.input->warning());
    std::string path = "the body";
    if (!options_.body) {
      auto found = find_program(options_.program_file.empty() ? options_.command.at(0) : options_.program_file);
      if (!found) return found.error();
      path = *found;
    }
    launch_ = launch_options(options_, path, table_.fd(), capture_.fd(), core_.everywhere());
    if (auto started = start_workers(1); !started) return started.error();
    if (info_.instrumented) watch_plain_functions();
    if (options_.isolation == Isolation::Auto) {
      if (auto verified = verify_reset(); !verified) return verified.error();
    }
    // An execution may read files that another one writes, so they must not run side by side.
    if (slots_[0]->channel().facts().contains({0, FactKind::WritesFiles})) options_.workers = 1;
    if (is_sequential_ || options_.must_stop()) return true;
    if (auto started = start_workers(options_.workers); !started) return started.error();
    return true;
  }

  size_t window() const override { return kWindowPerWorker * std::max(1u, options_.workers); }
  const TargetInfo& info() const override { return info_; }
  std::string dependence() override { return lockstep::dependence(facts(), info_.isolation); }
  std::set<Fact> facts() override {
    std::set<Fact> all = noticed();
    (void)modules();
    code_facts_.add_to(all, modules_, plain_code_.files());
    return all;
  }
  std::vector<PlainCode> plain_code() override {
    const std::string program = options_.command.empty() ? "the program" : options_.command[0];
    if (!info_.instrumented) return {{"", "", program.substr(program.find_last_of('/') + 1), true}};
    return plain_code_.ran(facts(), libraries());
  }
  std::set<Fact> noticed() override {
    std::set<Fact> all = elsewhere_.facts;
    for (auto& slot : slots_) all.insert(slot->channel().facts().begin(), slot->channel().facts().end());
    return all;
  }
  std::set<std::string> libraries() override {
    std::set<std::string> all = elsewhere_.libraries;
    for (auto& slot : slots_) all.merge(std::set(slot->channel().libraries()));
    return all;
  }
  std::vector<uint64_t> native_loops() override { return launch_.native_loops; }
  std::vector<std::string> warnings() override {
    for (const std::string& text : in_words(facts())) warn(text);
    return warnings_;
  }

  uint64_t resumed() override {
    uint64_t sum = elsewhere_.resumed;
    for (auto& slot : slots_) sum += slot->channel().resumed();
    return sum;
  }
  size_t not_run() override {
    size_t sum = 0;
    for (auto& slot : slots_) sum += slot->channel().not_run() + slot->queue.size() - slot->sent;
    return sum;
  }

  void adopt(const std::set<Fact>& facts, const std::set<std::string>& libraries, uint64_t resumed) override {
    elsewhere_.facts.insert(facts.begin(), facts.end());
    elsewhere_.libraries.insert(libraries.begin(), libraries.end());
    elsewhere_.resumed += resumed;
  }
  void adopt_loops(const std::vector<uint64_t>& loops) override {
    for (const uint64_t loop : loops)
      if (!std::ranges::count(launch_.native_loops, loop)) launch_.native_loops.push_back(loop);
    for (auto& slot : slots_) slot->channel().know_loops(launch_.native_loops);
  }
  bool adopt_threads(const std::vector<ThreadTable::Entry>& threads) override {
    return add_threads(threads, *static_cast<ThreadTable*>(table_.data()));
  }

  bool checkpoints_failed() override {
    if (launch_.checkpoints == CheckpointUse::Off || !has(noticed(), FactKind::CheckpointsDiffer)) return false;
    launch_.checkpoints = CheckpointUse::Off;
    cancel();
    for (auto& slot : slots_) slot->process.kill();
    return true;
  }

  void submit(const Plan& plan) override {
    const unsigned number = slots_.size() == 1 ? 0 : least_busy_(slots_);
    WorkerSlot& slot = *slots_[number];
    dealt_.push_back(number);
    ++slot.to_do;
    slot.queue.push_back(plan);
    modules_are_current_ = false;
    if (slot.process.pid() < 0 && slot.queue.size() == 1 && !slot.restart()) return;  // next() reports the failure
    slot.feed();
  }

  std::optional<TraceView> next(const std::function<bool()>& interrupted) override {
    release();
    if (dealt_.empty()) return std::nullopt;
    WorkerSlot& slot = *slots_[dealt_.front()];
    if (slot.queue.empty()) return std::nullopt;
    if (slot.channel().has_trace()) return hold(slot);
    Watchdog watchdog(options_.watchdog);
    while (!slot.channel().has_trace()) {
      if ((interrupted && interrupted()) || options_.must_stop()) return std::nullopt;
      if (inspector_ && slot.stopped(*inspector_)) continue;
      slot.feed();
      if (slot.sent == 0 && slot.channel().outgrown_by(slot.queue.front())) {
        slot.channel().make_room_for(slot.queue.front());
        if (auto started = slot.restart(); !started) return cannot_go_on(slot, started.error().message);
      }
      if (!slot.retired()) sleep(slot);
      if (slot.channel().has_trace()) break;
      if (slot.retired() || !slot.process.alive()) {
        if (slot.channel().has_trace()) break;
        return worker_gone(slot, interrupted);
      }
      const std::optional<std::string> why = watchdog.look_at(slot.process);
      if (why) return give_up(slot, *why);
      if (watchdog.has_looked() && take_over_loops(slot)) watchdog.restart();
    }
    if (watchdog.has_looked()) take_over_loops(slot);
    return hold(slot);
  }

  void cancel() override {
    release();
    // Finishes and discards what is under way, which costs less than new processes unless it takes long.
    const auto patience = std::chrono::steady_clock::now() + kCancelPatience;
    for (auto& slot : slots_) slot->finish_by(patience);
    dealt_.clear();
  }

  void promote(const PromotedPoints& points) override { change(launch_.promoted, points, &WorkerChannel::promote); }
  void allow_spurious(uint32_t wakeups) override { change(launch_.spurious, wakeups, &WorkerChannel::allow_spurious); }
  void allow_delay(uint32_t max_delay_ms) override {
    change(launch_.max_delay_ms, max_delay_ms, &WorkerChannel::allow_delay);
  }
  void trust(const std::vector<CodeRange>& code) override { change(launch_.trusted, code, &WorkerChannel::trust); }
  void preempt_in(const std::vector<CodeRange>& code) override {
    change(launch_.preemptible, code, &WorkerChannel::preempt_in);
  }

  Detailed run_detailed(Plan plan, Inspector* inspector) override {
    cancel();
    plan.detail = true;
    plan.inspect = inspector != nullptr;
    inspector_ = inspector;
    if (!capture_.clear()) warn("the program's output cannot be captured");
    submit(plan);
    Detailed result;
    if (auto trace = next(nullptr)) result.trace = Trace(*trace);
    inspector_ = nullptr;
    cancel();
    result.output = capture_.text();
    return result;
  }

  std::vector<Module> modules() override {
    if (std::exchange(modules_are_current_, true)) return modules_;
    std::vector<Module> modules = modules_of(slots_.at(0)->process.pid());
    if (!modules.empty()) modules_ = std::move(modules);
    return modules_;
  }

  std::string given_name(uint64_t address) override { return name_given_to(address, thread_table()); }
  std::vector<ThreadTable::Entry> threads() override {
    const ThreadTable& table = thread_table();
    return {table.entry, table.entry + table.count.load(std::memory_order_acquire)};
  }

 private:
  const ThreadTable& thread_table() const { return *static_cast<const ThreadTable*>(table_.data()); }

  template <class T, class Given>
  void change(T& setting, const T& value, void (WorkerChannel::*set)(Given)) {
    setting = value;
    cancel();
    for (auto& slot : slots_) (slot->channel().*set)(value);
  }

  Result<bool> start_workers(unsigned count) {
    while (slots_.size() < std::max(1u, count)) {
      slots_.push_back(std::make_unique<WorkerSlot>(launch_));
      if (auto started = slots_.back()->process.start(); !started) return started.error();
    }
    const Channel& channel = slots_[0]->channel().shared();
    info_.instrumented = channel.instrumented;
    info_.fibers = channel.fiber;
    info_.isolation = channel.isolation_used;
    (void)modules();
    return true;
  }

  // Runs the first plan three times. The executions must be equal; otherwise something survives the reset. Two
  // executions are enough if they take long, or if there is nothing to explore: one thread without choices.
  Result<bool> verify_reset() {
    constexpr auto kLong = std::chrono::milliseconds(200);
    constexpr uint32_t kEnough = 100'000;  // steps of the second execution: a longer one is compared up to here
    const auto begin = std::chrono::steady_clock::now();
    std::optional<Trace> first;
    for (int round = 0; round < 3; ++round) {
      if (round == 2 && (is_sequential_ || std::chrono::steady_clock::now() - begin > kLong)) break;
      Plan plan{};
      const bool shortened = first && first->view().steps().size() > kEnough;
      if (shortened) plan.max_steps = kEnough;
      submit(plan);
      auto trace = next(options_.late);
      if (!trace) break;  // out of time
      if (trace->outcome() == Outcome::Uncontrolled) {
        // The search will run into the same and report it, with a shorter wait.
        options_.watchdog = std::min(options_.watchdog, std::chrono::milliseconds(1000));
        break;
      }
      if (!first) {
        first.emplace(*trace);
        is_sequential_ = trace->header().threads <= 1 && std::ranges::none_of(trace->steps(), &Step::is_choice);
        continue;
      }
      const TraceView again = *trace;
      const bool same_end = shortened ? again.outcome() == Outcome::StepLimit
                                      : again.outcome() == first->view().outcome() &&
                                            again.steps().size() == first->view().steps().size();
      if (same_end && !first_difference(*first, again)) continue;
      release();
      info_.isolation_reason = "its memory could not be restored exactly";
      warn("the program starts differently after its memory is restored; each execution now runs in a fork (slower)");
      launch_.isolation = Isolation::Fork;
      slots_.clear();
      dealt_.clear();
      return start_workers(1);
    }
    cancel();
    return true;
  }
  // Runs before the first plan, so that all uninstrumented code is noticed. Libraries that the program loads later are
  // examined after the execution that loads them.
  void watch_plain_functions() {
    launch_.watched_code = plain_code_.find(modules(), launch_.plain_modules, kMaxPlainFunctions);
    WorkerChannel& first = slots_[0]->channel();
    first.modules() = launch_.plain_modules;
    first.watch(launch_.watched_code);
  }
  void watch_libraries(WorkerSlot& slot) {
    WorkerChannel& worker = slot.channel();
    worker.libraries();
    // Otherwise the library disappears with the child that loaded it, or when the program closes it.
    const bool stays = worker.shared().isolation_used == Isolation::Reset;
    const size_t room = kMaxPlainFunctions - worker.shared().plain_count.load(std::memory_order_relaxed);
    if (info_.instrumented && stays)
      worker.watch(plain_code_.find(modules_of(slot.process.pid()), worker.modules(), room));
  }

  TraceView hold(WorkerSlot& slot) {
    modules_are_current_ = false;  // it may have loaded libraries
    if (slot.channel().has_new_libraries()) watch_libraries(slot);
    held_ = &slot;
    dealt_.pop_front();
    return slot.channel().front();
  }
  void release() {
    if (!held_) return;
    held_->pop();
    held_ = nullptr;
  }

  void warn(const std::string& text) {
    if (std::find(warnings_.begin(), warnings_.end(), text) == warnings_.end()) warnings_.push_back(text);
  }

  // The process has ended. If it retired, it has not started the plan; if it died, the plan was the cause. In both
  // cases a new process takes over the remaining plans.
  std::optional<TraceView> worker_gone(WorkerSlot& slot, const std::function<bool()>& interrupted) {
    const bool in_good_order = slot.retired();
    const int status = slot.process.alive() ? 0 : slot.process.exit_status();
    const bool culprit = !in_good_order && slot.channel().shared().executing.load() == slot.queue.front().id + 1;
    // A worker killed from outside is not the program's fault: the plan is tried a few times more.
    const bool by_itself = !(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    const Plan first = slot.queue.front();
    if (slot.suspect != first.id) slot.killed = 0;
    const bool blame = culprit && (by_itself || slot.killed >= kKilledBefore);
    slot.suspect.reset();
    if (blame) {
      slot.queue.pop_front();
    } else if (!in_good_order) {
      if (culprit) slot.suspect = first.id;
      if (culprit) ++slot.killed;
      warn("a worker process was killed from outside and has been replaced");
    }
    if (auto started = slot.restart(); !started)
      return own_trace(first, Outcome::Uncontrolled, started.error().message);
    slot.channel().ring();
    if (!blame) return next(interrupted);
    return own_trace(first, Outcome::WorkerDied, unexpected_ending(status));
  }

  void sleep(WorkerSlot& slot) {
    const auto begin = std::chrono::steady_clock::now();
    slot.channel().sleep_until_trace(slot.sent, kPoll);
    core_.waited(processes_of(slots_), dealt_.size(), std::chrono::steady_clock::now() - begin);
    slot.channel().take_turns(core_.shared());
  }
  // A worker without progress between two checks looks for a spin loop without scheduling points. All workers receive
  // what it finds.
  bool take_over_loops(WorkerSlot& slot) {
    if (!slot.channel().add_found_loops(launch_.native_loops)) return false;
    for (auto& other : slots_) other->channel().know_loops(launch_.native_loops);
    return true;
  }

  std::optional<TraceView> give_up(WorkerSlot& slot, const std::string& why) {
    const Channel& channel = slot.channel().shared();
    const uint32_t words = std::min<uint32_t>(channel.stuck_words.load(), std::size(channel.stuck_stack) + 1);
    const std::vector<uint64_t> stack(channel.stuck_stack, channel.stuck_stack + (words ? words - 1 : 0));
    return cannot_go_on(slot, "thread " + std::to_string(channel.stuck_thread) + " " + why, stack);
  }
  std::optional<TraceView> cannot_go_on(WorkerSlot& slot, const std::string& why,
                                        const std::vector<uint64_t>& stack = {}) {
    (void)modules();
    const Plan plan = slot.queue.front();
    slot.process.kill();
    slot.clear();
    return own_trace(plan, Outcome::Uncontrolled, why, stack);
  }

  TraceView own_trace(const Plan& plan, Outcome outcome, const std::string& message,
                      const std::vector<uint64_t>& stack = {}) {
    own_ = trace_without_steps(plan.id, outcome, message, stack);
    dealt_.pop_front();
    return own_;
  }

  TargetOptions options_;
  LaunchOptions launch_{};
  SharedMemory table_;
  CapturedOutput capture_;
  std::vector<std::unique_ptr<WorkerSlot>> slots_;
  TargetInfo info_;
  std::vector<std::string> warnings_;
  PlainCodeFinder plain_code_;
  std::vector<Module> modules_;
  bool modules_are_current_ = false;
  CodeFacts code_facts_;
  struct {
    std::set<Fact> facts;
    std::set<std::string> libraries;
    uint64_t resumed = 0;
  } elsewhere_;                 // what other machines showed
  std::deque<unsigned> dealt_;  // slots of the plans in flight, oldest first
  LeastBusy least_busy_;
  bool is_sequential_ = false;  // one thread without choices, as far as the first execution shows
  CpuAffinity core_;
  Inspector* inspector_ = nullptr;  // for the detailed execution under way
  WorkerSlot* held_ = nullptr;      // the slot whose trace the caller is reading
  Trace own_;
};

}  // namespace

Result<std::unique_ptr<Target>> Target::start(TargetOptions options) {
  auto target = std::make_unique<WorkerTarget>(std::move(options));
  if (auto started = target->start(); !started) return started.error();
  return std::unique_ptr<Target>(std::move(target));
}

}  // namespace lockstep
