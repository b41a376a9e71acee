// Plans go to the worker that has the least left to do, and traces come back in the order of their plans, whoever ran
// them: what a search sees depends on the number of workers, never on timing.
#include "target/target.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <deque>

#include "model/plan_queue.hpp"
#include "model/schedule.hpp"
#include "target/chance_instructions.hpp"
#include "target/launch.hpp"
#include "target/mapped_modules.hpp"
#include "target/remarks.hpp"
#include "target/same_core.hpp"

namespace lockstep {
namespace {

constexpr size_t kWindowPerWorker = 256;
constexpr int kWatchdogSignal = 62;  // the runtime's handler reports where it is
constexpr auto kPatience = std::chrono::milliseconds(20);
constexpr unsigned kKilledBefore = 3;  // times that a plan may have been under way when its worker was killed
constexpr auto kLook = std::chrono::milliseconds(250);  // without a trace: how often a worker is asked what it does
constexpr int kPoll = 50;  // milliseconds between looks at clocks, signals and dead children

// A search with so few plans under way waits for its worker all the time; one with many works at the same time.
constexpr uint64_t kFewForOne = 32, kFewEach = 8, kManyPlans = 64;

class WorkerTarget final : public Target {
 public:
  explicit WorkerTarget(TargetOptions options) : options_(std::move(options)) {}

  Result<bool> start() {
    auto table = make_thread_table(options_.threads);
    if (!table) return table.error();
    table_ = std::move(*table);
    auto capture = SharedMemory::create("lockstep-output", 1);
    if (!capture) return capture.error();
    capture_ = std::move(*capture);
    if (options_.input && !options_.input->warning().empty()) warn(options_.input->warning());
    std::string path = "the body";
    if (!options_.body) {
      auto found = find_program(options_.command.at(0));
      if (!found) return found.error();
      path = *found;
    }
    launch_ = launch_options(options_, path, table_.fd(), capture_.fd(), core_.everywhere());
    if (auto started = start_workers(1); !started) return started.error();
    if (info_.instrumented) watch_plain_functions();
    if (options_.isolation == Isolation::Auto) {
      if (auto verified = verify_reset(); !verified) return verified.error();
    }
    // What one execution leaves in a file, another one reads: they must not run side by side.
    if (slots_[0]->process.facts().contains({0, FactKind::WritesFiles})) options_.workers = 1;
    if (auto started = start_workers(options_.workers); !started) return started.error();
    return true;
  }

  size_t window() const override { return kWindowPerWorker * std::max(1u, options_.workers); }
  const TargetInfo& info() const override { return info_; }
  std::string dependence() override { return lockstep::dependence(facts(), info_.isolation); }
  std::set<Fact> facts() override {
    std::set<Fact> all = noticed();
    (void)modules();
    std::set<std::string> paths;
    for (const Module& module : modules_) paths.insert(module.path);
    const Fact uncontrolled{0, FactKind::CycleCounter};  // by the looks of its bytes
    if (paths != looked_into_)
      in_code_ = chance_facts(modules_, !all.contains(uncontrolled));  // libraries may have come
    looked_into_ = std::move(paths);
    if (!has(in_code_, FactKind::CycleCounter) && all.size() < FactTable::kMost) all.erase(uncontrolled);
    all.insert(in_code_.begin(), in_code_.end());
    return all;
  }
  std::vector<PlainCode> plain_code() override {
    if (!info_.instrumented) return {{"", "", program_name(), true}};
    std::set<std::string> libraries;
    for (auto& slot : slots_) libraries.merge(std::set(slot->process.libraries()));
    return plain_code_.ran(facts(), libraries);
  }
  std::vector<uint64_t> native_loops() override { return launch_.native_loops; }
  std::vector<std::string> warnings() override {
    for (std::string& text : in_words(facts())) warn(std::move(text));
    return warnings_;
  }

  uint64_t resumed() override {
    uint64_t sum = 0;
    for (auto& slot : slots_) sum += slot->process.resumed();
    return sum;
  }

  bool checkpoints_failed() override {
    if (launch_.checkpoints == CheckpointUse::Off || !has(noticed(), FactKind::CheckpointsDiffer)) return false;
    launch_.checkpoints = CheckpointUse::Off;
    cancel();
    for (auto& slot : slots_) slot->process.kill();
    return true;
  }

  void submit(const Plan& plan) override {
    const unsigned number = least_busy();
    Slot& slot = *slots_[number];
    dealt_.push_back(number);
    ++slot.to_do;
    slot.queue.push_back(plan);
    if (slot.process.pid() < 0 && slot.queue.size() == 1 && !slot.process.start()) return;  // next() will say why
    slot.process.send(plan);
  }

  std::optional<TraceView> next(const std::function<bool()>& interrupted) override {
    release();
    if (dealt_.empty()) return std::nullopt;
    Slot& slot = *slots_[dealt_.front()];
    if (slot.queue.empty()) return std::nullopt;
    if (slot.process.has_trace()) return hold(slot);
    Watch watch;
    while (!slot.process.has_trace()) {
      if (interrupted && interrupted()) return std::nullopt;
      if (!retired(slot)) sleep(slot);
      if (slot.process.has_trace()) break;
      if (retired(slot) || !slot.process.alive()) {
        if (slot.process.has_trace()) break;
        return worker_gone(slot);
      }
      look_at(slot, watch);
      if (const char* why = stuck(slot, watch)) return give_up(slot, why);
    }
    if (watch.looked != watch.since) take_over_loops(slot);
    return hold(slot);
  }

  void cancel() override {
    release();
    // What is under way is finished and thrown away, which costs less than new processes; unless it takes long.
    const auto patience = std::chrono::steady_clock::now() + kPatience;
    for (auto& slot : slots_) {
      while (!slot->queue.empty()) {
        while (!slot->process.has_trace() && !retired(*slot) && slot->process.alive() &&
               std::chrono::steady_clock::now() < patience)
          slot->process.sleep_until_trace(slot->queue.size(), 5);
        if (!slot->process.has_trace()) {
          slot->process.kill();  // started again when it is needed
          slot->queue.clear();
          break;
        }
        slot->process.front();
        slot->process.pop();
        slot->queue.pop_front();
      }
    }
    dealt_.clear();
  }

  void promote(const PromotedPoints& points) override {
    cancel();
    launch_.promoted = points;
    for (auto& slot : slots_) slot->process.promote(points);
  }

  void allow_spurious(uint32_t wakeups) override {
    cancel();
    launch_.spurious = wakeups;
    for (auto& slot : slots_) slot->process.allow_spurious(wakeups);
  }

  void trust(const std::vector<CodeRange>& code) override {
    cancel();
    launch_.trusted = code;
    for (auto& slot : slots_) slot->process.trust(code);
  }

  Detailed run_detailed(Plan plan) override {
    cancel();
    plan.detail = true;
    if (ftruncate(capture_.fd(), 0) != 0) warn("the program's output cannot be captured");
    lseek(capture_.fd(), 0, SEEK_SET);
    submit(plan);
    Detailed result;
    if (auto trace = next(nullptr)) result.trace = Trace(*trace);
    release();
    dealt_.clear();
    result.output = captured();
    return result;
  }

  std::vector<Module> modules() override {
    std::vector<Module> modules = modules_of(slots_.at(0)->process.pid());
    if (!modules.empty()) modules_ = modules;
    return modules_;
  }

  std::string given_name(uint64_t address) override {
    const ObjectNames& names = static_cast<const ThreadTable*>(table_.data())->names;
    for (uint32_t i = names.count.load(std::memory_order_acquire); i-- > 0;) {
      const ObjectNames::Entry& e = names.entry[i];
      const uint64_t offset = address - e.address;
      if (offset < std::max<uint64_t>(e.size, 1))
        return e.text + (offset ? "+" + std::to_string(offset) : std::string());
    }
    return {};
  }

  std::vector<ThreadTable::Entry> threads() override {
    const auto& table = *static_cast<const ThreadTable*>(table_.data());
    return {table.entry, table.entry + table.count.load(std::memory_order_acquire)};
  }

 private:
  struct Slot {
    explicit Slot(const LaunchOptions& options) : process(options) {}
    WorkerProcess process;
    PlanQueue queue;                  // sent and not answered, oldest first
    uint64_t to_do = 0;               // of these, how many it had not run when it was last looked at
    std::optional<uint64_t> suspect;  // plan under way when the worker was killed; blamed if it happens again and again
    unsigned killed = 0;              // so often
  };
  // When a worker says nothing for long: is it still making steps?
  struct Watch {
    std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point looked = since;  // when it was last asked
    uint64_t steps = ~0ull;
    bool asked = false;
  };

  std::set<Fact> noticed() {  // by the workers
    std::set<Fact> all;
    for (auto& slot : slots_) all.insert(slot->process.facts().begin(), slot->process.facts().end());
    return all;
  }

  Result<bool> start_workers(unsigned count) {
    while (slots_.size() < std::max(1u, count)) {
      slots_.push_back(std::make_unique<Slot>(launch_));
      if (auto started = slots_.back()->process.start(); !started) return started.error();
    }
    const Channel& channel = slots_[0]->process.channel();
    info_.instrumented = channel.instrumented;
    info_.fibers = channel.fiber;
    info_.isolation = channel.isolation_used;
    (void)modules();
    return true;
  }

  // The first plan three times must be three times the same execution; otherwise something survives the reset.
  Result<bool> verify_reset() {
    std::optional<Trace> first;
    for (int round = 0; round < 3; ++round) {
      submit(Plan{});
      auto trace = next(nullptr);
      if (!trace) return Error{ExitCode::Uncontrolled, "the program could not be run"};
      if (trace->outcome() == Outcome::Uncontrolled) {
        // The search will come across it and say so; nobody has to wait as long again.
        options_.watchdog = std::min(options_.watchdog, std::chrono::milliseconds(1000));
        break;
      }
      if (!first) {
        first.emplace(*trace);
        continue;
      }
      const TraceView again = *trace;
      const bool same = again.outcome() == first->view().outcome() &&
                        again.steps().size() == first->view().steps().size() && !first_difference(*first, again);
      if (same) continue;
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

  // Left its service loop in good order: after a crash its memory is not to be trusted.
  static bool retired(Slot& slot) { return slot.process.channel().state.load() == WorkerState::Exited; }

  // Looking takes the number from the cache of the worker's core, so it is not done every time.
  unsigned least_busy() {
    constexpr unsigned kLookEvery = 16;
    if (slots_.size() == 1) return 0;
    if (++since_look_ >= kLookEvery) {
      since_look_ = 0;
      for (auto& slot : slots_) slot->to_do = slot->process.not_run();
    }
    unsigned least = 0;
    for (unsigned i = 1; i < slots_.size(); ++i)
      if (slots_[i]->to_do < slots_[least]->to_do) least = i;
    return least;
  }
  // Before the first plan: what runs unseen, wherever it is, shall be noticed. Libraries that the program loads later
  // are looked at after the execution that did.
  void watch_plain_functions() {
    launch_.plain_functions = plain_code_.find(modules(), launch_.plain_modules, kMaxPlainFunctions);
    WorkerProcess& first = slots_[0]->process;
    first.modules() = launch_.plain_modules;
    first.watch_functions(launch_.plain_functions);
  }
  void watch_libraries(WorkerProcess& worker) {
    worker.libraries();
    // Otherwise it is gone, or will be: with the child that loaded it, or when the program closes it.
    const bool stays = worker.channel().isolation_used == Isolation::Reset;
    const size_t room = kMaxPlainFunctions - worker.channel().plain_count.load(std::memory_order_relaxed);
    if (info_.instrumented && stays)
      worker.watch_functions(plain_code_.find(modules_of(worker.pid()), worker.modules(), room));
  }
  std::string program_name() const {
    return options_.command.empty() ? "the program"
                                    : options_.command[0].substr(options_.command[0].find_last_of('/') + 1);
  }

  TraceView hold(Slot& slot) {
    if (slot.process.has_new_libraries()) watch_libraries(slot.process);
    held_ = &slot;
    dealt_.pop_front();
    return slot.process.front();
  }
  void release() {
    if (!held_) return;
    held_->process.pop();
    held_->queue.pop_front();
    held_ = nullptr;
  }

  void warn(std::string text) {
    if (std::find(warnings_.begin(), warnings_.end(), text) == warnings_.end()) warnings_.push_back(std::move(text));
  }

  // The process ended. If it retired in good order the plan has not been tried yet; if it died, that was the plan's
  // doing. Either way a fresh process takes over what is left.
  std::optional<TraceView> worker_gone(Slot& slot) {
    const bool in_good_order = retired(slot);
    const int status = slot.process.alive() ? 0 : slot.process.exit_status();
    const bool culprit = !in_good_order && slot.process.channel().executing.load() == slot.queue.front().id + 1;
    // A worker killed from outside is not the program's fault: try the plan a few times more before blaming it.
    const bool by_itself = !(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    Plan first = slot.queue.front();
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
    if (auto started = slot.process.start(); !started)
      return own_trace(first, Outcome::Uncontrolled, started.error().message);
    slot.queue.for_each([&slot](const Plan& plan) { slot.process.send(plan); });
    slot.process.ring();
    if (!blame) return next(nullptr);
    std::string how = WIFSIGNALED(status)
                          ? std::string("the process was killed by signal ") + strsignal(WTERMSIG(status))
                          : "the process ended unexpectedly with exit code " + std::to_string(WEXITSTATUS(status));
    return own_trace(first, Outcome::WorkerDied, how);
  }

  void sleep(Slot& slot) {
    const uint64_t under_way = dealt_.size();
    const auto begin = std::chrono::steady_clock::now();
    slot.process.sleep_until_trace(slot.queue.size(), kPoll);
    if (under_way <= (slots_.size() == 1 ? kFewForOne : kFewEach * slots_.size()))
      core_.took_turns(workers(), std::chrono::steady_clock::now() - begin);
    else if (under_way > kManyPlans)
      core_.part(workers());
    slot.process.take_turns(core_.shared());
  }
  std::vector<pid_t> workers() const {
    std::vector<pid_t> pids;
    for (const auto& slot : slots_)
      if (slot->process.pid() > 0) pids.push_back(slot->process.pid());
    return pids;
  }

  // Asked twice in vain, a worker looks for a spin loop that keeps it from making steps; what it finds all get to know.
  void look_at(Slot& slot, Watch& watch) {
    const auto now = std::chrono::steady_clock::now();
    if (now - watch.looked < kLook) return;
    watch.looked = now;
    // Where every execution is a fork, it is the fork that has to hear it. Otherwise nobody else may: a program that it
    // has started itself would die of it.
    const bool forks = slot.process.channel().isolation_used == Isolation::Fork;
    ::kill(forks ? -slot.process.pid() : slot.process.pid(), kWatchdogSignal);
    if (take_over_loops(slot)) watch = {};
  }
  bool take_over_loops(Slot& slot) {
    const Channel& channel = slot.process.channel();
    std::vector<uint64_t>& known = launch_.native_loops;
    const size_t before = known.size();
    for (uint32_t i = 0; i < channel.found_loops.load(std::memory_order_acquire); ++i)
      if (std::find(known.begin(), known.end(), channel.found_loop[i]) == known.end())
        known.push_back(channel.found_loop[i]);
    if (known.size() == before) return false;
    for (auto& other : slots_) other->process.know_loops(known);
    return true;
  }

  const char* stuck(Slot& slot, Watch& watch) {
    using namespace std::chrono;
    Channel& channel = slot.process.channel();
    if (steady_clock::now() - watch.since < (watch.asked ? milliseconds(1000) : options_.watchdog)) return nullptr;
    watch.since = steady_clock::now();
    if (watch.asked && channel.stuck_words.load(std::memory_order_acquire)) {
      if (channel.stuck_steps.load() == watch.steps)
        return "has run for a long time without reaching a scheduling point";
      watch.steps = channel.stuck_steps.load();
      watch.asked = false;
      return nullptr;
    }
    if (watch.asked) return "does not respond";
    channel.stuck_words.store(0);
    watch.asked = true;
    if (watch.steps == ~0ull) watch.steps = channel.stuck_steps.load();
    ::kill(slot.process.pid(), kWatchdogSignal);
    // The first answer says how far it is; a second one with the same count means stuck.
    for (int i = 0; i < 100 && !channel.stuck_words.load(); ++i) usleep(1000);
    watch.steps = channel.stuck_steps.load();
    channel.stuck_words.store(0);
    ::kill(slot.process.pid(), kWatchdogSignal);
    return nullptr;
  }

  std::optional<TraceView> give_up(Slot& slot, const char* why) {
    const Channel& channel = slot.process.channel();
    stuck_stack_.assign(1, channel.stuck_words.load() ? channel.stuck_words.load() - 1 : 0);
    for (uint64_t i = 0; i < stuck_stack_[0]; ++i) stuck_stack_.push_back(channel.stuck_stack[i]);
    const std::string text = "thread " + std::to_string(channel.stuck_thread) + " " + why;
    (void)modules();
    const Plan plan = slot.queue.front();
    slot.process.kill();
    slot.queue.clear();
    (void)slot.process.start();
    return own_trace(plan, Outcome::Uncontrolled, text);
  }

  TraceView own_trace(const Plan& plan, Outcome outcome, const std::string& message) {
    TraceBuilder builder;
    builder.header.plan_id = plan.id;
    builder.header.outcome = outcome;
    builder.header.culprit = kNoThread;
    builder.message = message;
    if (outcome == Outcome::Uncontrolled && !stuck_stack_.empty()) {
      builder.stacks = stuck_stack_;
      builder.header.detail = 1;
    }
    own_ = builder.build();
    dealt_.pop_front();
    return own_;
  }

  std::string captured() {
    std::string text(static_cast<size_t>(std::max<off_t>(0, lseek(capture_.fd(), 0, SEEK_END))), '\0');
    const ssize_t n = pread(capture_.fd(), text.data(), text.size(), 0);
    text.resize(n > 0 ? static_cast<size_t>(n) : 0);
    return text;
  }

  TargetOptions options_;
  LaunchOptions launch_{};
  SharedMemory table_, capture_;
  std::vector<std::unique_ptr<Slot>> slots_;
  TargetInfo info_;
  std::vector<std::string> warnings_;
  PlainCodeFinder plain_code_;
  std::vector<Module> modules_;
  std::set<std::string> looked_into_;  // files of code, for instructions with values of their own
  std::set<Fact> in_code_;             // what is there
  std::vector<uint64_t> stuck_stack_;
  std::deque<unsigned> dealt_;  // to which slots, oldest first
  unsigned since_look_ = 0;
  SameCore core_;
  Slot* held_ = nullptr;  // whose trace the caller is reading
  Trace own_;
};

}  // namespace

Result<std::unique_ptr<Target>> Target::start(TargetOptions options) {
  auto target = std::make_unique<WorkerTarget>(std::move(options));
  if (auto started = target->start(); !started) return started.error();
  return std::unique_ptr<Target>(std::move(target));
}

}  // namespace lockstep
