#include "fake_threads.hpp"

#include <ucontext.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>

#include "runtime/backend/backend.hpp"
#include "runtime/base/settings.hpp"
#include "runtime/detect/call_sites.hpp"
#include "runtime/process/backtrace.hpp"
#include "runtime/process/code_patches.hpp"
#include "runtime/process/facts.hpp"
#include "runtime/process/libraries.hpp"
#include "runtime/process/own_process.hpp"
#include "runtime/sched/virtual_clock.hpp"

namespace lockstep::rt {

// --- what the scheduler needs of the rest of the runtime ---

namespace {
struct Context {
  ucontext_t state{};
  std::vector<char> stack = std::vector<char>(256 << 10);
};
std::map<const Thread*, std::unique_ptr<Context>> contexts;
ucontext_t& context_of(const Thread& t) {
  std::unique_ptr<Context>& context = contexts[&t];
  if (!context) context = std::make_unique<Context>();
  return context->state;
}
std::vector<Body> bodies_of_run;
}  // namespace

namespace fiber {
void switch_to(Thread& from, Thread& to) { swapcontext(&context_of(from), &context_of(to)); }
}  // namespace fiber
namespace os_thread {
void switch_to(Thread&, Thread&) { std::abort(); }
}  // namespace os_thread
size_t backtrace(uint64_t*, size_t, bool*) { return 0; }
void ring_bell(Ring&) {}
bool caller_state(CallerState&) { return false; }
size_t caller_state(CallerState&, uint64_t*, size_t) { return 0; }
bool lies_in_library(const void*) { return false; }
bool is_own_code(uintptr_t) { return false; }
bool make_code_writable(uintptr_t, uintptr_t) { return false; }
void add_fact(FactKind, const void*) {}

// --- threads ---

namespace {

Scheduler& s() { return scheduler(); }

void start_body(int index) {
  bodies_of_run[static_cast<size_t>(index)]();
  Thread& me = *runtime.current;
  me.life = Life::Done;
  s().remove_thread(me);
  --s().unjoined;
  if (s().live_count == 0) s().end(Outcome::Ok);
  s().leave();
}

void begin_threads() {
  for (size_t i = 0; i < bodies_of_run.size(); ++i) {
    Thread& t = s().thread(ThreadId(i + 1));
    Context& c = (context_of(t), *contexts[&t]);
    getcontext(&c.state);
    c.state.uc_stack = {c.stack.data(), 0, c.stack.size()};
    makecontext(&c.state, reinterpret_cast<void (*)()>(start_body), 1, static_cast<int>(i));
    t.clock = kClockStart;
    t.life = Life::Live;
    s().add_thread(t);
    ++s().unjoined;
    s().advance(t);  // up to its first operation
  }
}

// Stands for main, which has created the threads and waits for them.
void start_main() {
  begin_threads();
  s().leave();
}

void start_runtime() {
  runtime.threads = static_cast<Thread*>(std::calloc(kMaxThreads, sizeof(Thread)));
  for (unsigned i = 0; i < kMaxThreads; ++i) runtime.threads[i].id = ThreadId(i);
  runtime.channel = static_cast<Channel*>(std::calloc(1, sizeof(Channel)));
  runtime.controller = static_cast<Thread*>(std::calloc(1, sizeof(Thread)));
  runtime.fibers = true;
  new (&scheduler_storage.object) Scheduler;  // as start_modules() does
  s().connect({.would_write = [](const Step& pending) { return (pending.flags & Step::kWrite) != 0; },
               .take_signal = nullptr,
               .deliver_interrupts = nullptr,
               .outside_event_came = [] { return false; },
               .save_checkpoint = nullptr,
               .write_findings = [](bool) {},
               .allocations = nullptr});
  s().init(100'000);
  virtual_clock.init();
}

void* object_number(int n) { return reinterpret_cast<void*>(0x1000ul + 64ul * static_cast<unsigned>(n)); }

}  // namespace

void load(int object) { s().reach(OpKind::Load, object_number(object)); }
void store(int object) { s().reach(OpKind::Store, object_number(object), Step::kWrite); }
void yield() { s().reach(OpKind::Yield, nullptr, Step::kYield); }
void sleep_for(uint64_t milliseconds) {
  Thread& me = *runtime.current;
  const uint64_t deadline = me.clock + milliseconds * 1'000'000;
  s().sleep_until(deadline);
  virtual_clock.sleep_until(me, deadline);
}
void wait_in_vain(int object, uint64_t milliseconds) {
  Thread& me = *runtime.current;
  me.deadline = me.clock + milliseconds * 1'000'000;
  s().reach(OpKind::SemWait, object_number(object), Step::kWrite | Step::kTimed, false);
}

FakeRun run(const Plan& plan, const std::vector<Body>& bodies, uint64_t max_delay) {
  if (!runtime.threads) start_runtime();
  bodies_of_run = bodies;
  std::vector<uint64_t> wire((wire_size(plan) + 7) / 8);
  write_wire(plan, wire.data());
  const auto& header = *reinterpret_cast<const PlanHeader*>(wire.data());
  for (unsigned i = 0; i <= bodies.size(); ++i) {
    std::memset(static_cast<void*>(&runtime.threads[i]), 0, sizeof(Thread));
    runtime.threads[i].id = ThreadId(i);
  }
  runtime.after_step = 0;
  s().max_delay = max_delay;
  virtual_clock.begin();
  settings.plan = &header;
  s().begin(header, header.delta_list(), header.sleeper_list());
  Thread& main = s().thread(kMainThread);
  Context& c = (context_of(main), *contexts[&main]);
  getcontext(&c.state);
  c.state.uc_stack = {c.stack.data(), 0, c.stack.size()};
  makecontext(&c.state, start_main, 0);
  runtime.current = &main;
  runtime.running = true;
  fiber::switch_to(*runtime.controller, main);
  FakeRun result{s().outcome, s().redundancy, {}, {s().log, s().log + s().log_size}, {}, s().reasons, s().delay};
  for (const Step& step : result.steps)
    result.threads += (result.threads.empty() ? "" : " ") + std::to_string(index_of(step.thread));
  for (const Step& step : result.steps)
    result.offered.push_back(step.flags & Step::kWide ? s().sets[step.enabled + 1] : step.enabled);
  return result;
}

}  // namespace lockstep::rt
