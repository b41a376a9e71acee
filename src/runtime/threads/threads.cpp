// Creates and ends logical threads; grows the pool.
#include "runtime/threads/threads.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/backend/backend.hpp"
#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/process/imports.hpp"
#include "runtime/process/own_process.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/virtual_clock.hpp"
#include "runtime/threads/timers.hpp"

namespace lockstep::rt {
namespace {

constexpr size_t kDefaultStack = 8ull << 20;
constexpr size_t kLargestStack = kStackStride - (4ull << 20);  // the rest of the stride is a guard

uintptr_t stack_end(unsigned slot) { return kStackBase + (slot + 1) * kStackStride - (1ull << 20); }

// Offsets in a page for the used part of each thread's stack and variables. With equal offsets, a dozen threads would
// evict each other from the processor's caches at every switch.
size_t colour(unsigned slot) { return slot % 61 * size_t{5 * 64}; }

// Body of a pool thread. In fiber mode it parks here permanently and only lends its stack and TLS.
void* pool_main(void* argument) {
  Thread& me = *static_cast<Thread*>(argument);
  me.tls = thread_pointer();
  me.handle = pthread_self();
  capture_tls(me);
  me.stack_top =
      reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) - 8192) & ~uintptr_t{63});
  if (runtime.fibers) {
    // Blocks all signals: only the OS thread that runs the fibers may handle any.
    uint64_t all = ~0ull;
    sys(SYS_rt_sigprocmask, SIG_BLOCK, word(&all), 0, 8);
    __atomic_store_n(&me.ready, 1, __ATOMIC_RELEASE);
    futex_wake(&me.ready);
    for (;;) futex_wait(&me.ready, 1);  // never returns into libc: a fiber uses the stack below
  }
  use_crash_stack();
  os_thread::serve(me);
}

void start_pool_thread(Thread& thread, unsigned slot) {
  const uintptr_t end = stack_end(slot);
  if (!map_fixed(end - kLargestStack, kLargestStack, PROT_NONE)) die("cannot map a thread stack");
  thread.stack_low = reinterpret_cast<char*>(end - kDefaultStack);
  sys(SYS_mprotect, word(thread.stack_low), kDefaultStack, PROT_READ | PROT_WRITE);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, thread.stack_low, kDefaultStack - colour(slot));
  pthread_t handle;
  if (LOCKSTEP_REAL(pthread_create)(&handle, &attributes, pool_main, &thread) != 0) die("cannot create a pool thread");
  pthread_attr_destroy(&attributes);
  while (!__atomic_load_n(&thread.ready, __ATOMIC_ACQUIRE)) futex_wait(&thread.ready, 0);
}

// (parent, child) -> ThreadId, so that the shared table is searched only once per name.
struct NameCache {
  uint32_t key;  // 0: empty
  ThreadId id;
};
NameCache name_cache[4096];

}  // namespace

static void run_thread();  // the entry of every logical thread, including main

void grow_pool(unsigned size) {
  if (size > kMaxThreads) size = kMaxThreads;
  if (!runtime.controller->ready) start_pool_thread(*runtime.controller, kMaxThreads);
  for (unsigned i = runtime.pool_size; i < size; ++i) {
    runtime.threads[i].id = ThreadId(i);
    runtime.threads[i].entry = run_thread;
    start_pool_thread(runtime.threads[i], i);
  }
  if (size > runtime.pool_size) runtime.pool_size = size;
}

void capture_main_thread() {
  Thread& main = runtime.threads[0];
  main.id = kMainThread;
  main.entry = run_thread;
  main.tls = thread_pointer();
  main.handle = pthread_self();
  main.ready = 1;
  capture_tls(main);
  if (runtime.pool_size == 0) runtime.pool_size = 1;
}

ThreadId intern_child(ThreadId parent, unsigned child) {
  const uint32_t key = (index_of(parent) << 16 | child) + 1;
  uint32_t slot = key * 2654435761u >> 20;
  while (name_cache[slot].key && name_cache[slot].key != key) slot = (slot + 1) % 4096;
  if (name_cache[slot].key == key) return name_cache[slot].id;
  ThreadTable& table = *runtime.thread_table;
  uint32_t free = 0;
  while (!table.lock.compare_exchange_weak(free, 1, std::memory_order_acquire)) {
    free = 0;
    sys(SYS_sched_yield);
  }
  const uint32_t count = table.count.load(std::memory_order_relaxed);
  uint32_t id = 1;
  while (id < count && (table.entry[id].parent != index_of(parent) || table.entry[id].child != child)) ++id;
  if (id == count && id < kMaxThreads) {
    table.entry[id] = {static_cast<uint16_t>(index_of(parent)), static_cast<uint16_t>(child)};
    table.count.store(id + 1, std::memory_order_release);
  }
  table.lock.store(0, std::memory_order_release);
  if (id >= kMaxThreads) {
    char text[64];
    format(text, sizeof text, "the program creates more than %u threads", uint64_t{kMaxThreads - 1});
    scheduler().end(Outcome::Uncontrolled, 0, text);
  }
  name_cache[slot] = {key, ThreadId(id)};
  return ThreadId(id);
}

Thread* thread_of(pthread_t handle) {
  if (handle == runtime.threads[0].handle) return &runtime.threads[0];
  const uintptr_t address = static_cast<uintptr_t>(handle);
  if (address < kStackBase || address >= kStackBase + kMaxThreads * kStackStride) return nullptr;
  Thread& t = runtime.threads[(address - kStackBase) / kStackStride];
  return t.life == Life::Unused ? nullptr : &t;
}

namespace {

void forget_loops(Thread& t) {
  t.wrote = t.compares_writes = false;
  t.write_count = 0;
  t.same_reads = 0;
  t.local_state = 0;
  t.effects = t.unchanging = t.lock_steps = t.spin_effects = t.spin_repeats = t.spin_misses = t.spin_rounds =
      t.watch_count = t.yields = 0;
  t.yield_changes = t.yields_in_row = t.yields_forgiven = 0;
  t.rounds.begin();
  t.different_rounds = 0;
  t.yields_at = t.yields_on_path = 0;
  t.read_object = t.read_value = t.volatile_read = t.volatile_reads = 0;
  t.spinning = t.goes_round = t.repeats_call = false;
  for (uint64_t& key : t.spin_key) key = 0;
}

void forget_interrupts(Thread& t) {
  t.cancel_pending = t.cancel_disabled = t.cancel_async = t.cancel_woke = false;
  t.signals = t.awaited_signals = 0;
  t.signalled = t.could_run = t.interrupted = t.restarts = false;
  t.handled = 0;
  t.signal_stack = kNoSignalStack;
  t.signal_mask = t.id == kMainThread ? 0 : self().signal_mask;
}

}  // namespace

Thread& new_thread(ThreadId id, void* (*function)(void*), void* argument) {
  Thread& t = runtime.threads[index_of(id)];
  t.pending = Step{};
  t.resumer = nullptr;
  t.entry_sp = 0;
  t.program_sp = 0;
  t.section_sp = t.chosen_sp = 0;
  t.shared_low = ~uintptr_t{0};
  t.looked = false;
  t.unsettled = 0;
  t.id = id;
  t.life = Life::Live;
  t.parked = t.woken = t.timed_out = t.detached = t.joined = t.join_waiting = t.start_is_step = false;
  t.no_preempt = 0;
  t.cpus = id == kMainThread ? runtime.cpus : runtime.current->cpus;
  t.children = 0;
  t.fenced = 0;
  t.joiner = kNoThread;
  t.function = function;
  t.argument = argument;
  t.result = nullptr;
  t.destructors = nullptr;
  t.clock = kClockStart;
  t.polled = 0;
  t.polled_changes = 0;
  t.queue = nullptr;
  forget_loops(t);
  forget_interrupts(t);
  t.random_calls = 0;
  t.cleanup = nullptr;
  t.robust = nullptr;
  t.name[0] = 0;
  t.place = {};
  if (t.arrival) t.arrival[0] = 0;
  if (runtime.fibers)
    fiber::prepare(t);
  else
    os_thread::prepare(t);
  return t;
}

Thread& new_main() {
  Thread& main = new_thread(kMainThread, nullptr, nullptr);
  main.destructors = main_destructors();
  scheduler().process_signals = 0;
  scheduler().add_thread(main);
  scheduler().enabled.add(kMainThread);
  return main;
}

void run_thread_local_destructors(Thread& me) {
  while (ThreadDestructor* d = me.destructors) {
    me.destructors = d->next;
    d->function(d->object);
  }
}

void finish_thread(Thread& me, void* result) {
  me.result = result;
  me.cancel_disabled = true;
  run_thread_local_destructors(me);
  run_key_destructors(me);  // exit() does not run these
  if (UNLIKELY(me.robust != nullptr)) abandon_mutexes();
  Scheduler& s = scheduler();
  // The time of a thread's end is visible only to a test whether it has ended: otherwise the end is part of its last
  // step.
  if (UNLIKELY(imports.try_join))
    s.reach(OpKind::ThreadExit, reinterpret_cast<void*>(thread_object(me.id)), Step::kWrite);
  else
    s.note(OpKind::ThreadExit, thread_object(me.id));
  if (s.live_count == 1 + timer_tasks()) finish_process(0);  // main has left by pthread_exit
  me.life = Life::Done;
  me.shared_low = ~uintptr_t{0};  // all later uses of its stack are checked
  s.remove_thread(me);
  // A join is never a decision: it completes in the step in which its target ends.
  if (me.join_waiting) {
    s.thread(me.joiner).woken = true;
    s.advance(s.thread(me.joiner));
  }
  s.leave();
}

static void run_thread() {
  Thread& me = *runtime.current;
  if (me.id == kMainThread) {
    if (runtime.body) {
      runtime.body(runtime.body_argument);
      end_process(0, Flush::No);
    }
    if (UNLIKELY(runtime.program_init != nullptr)) runtime.program_init(runtime.argc, runtime.argv, environ);
    finish_process(runtime.program_main(runtime.argc, runtime.argv, environ));
  }
  fresh_tls(me);
  if (me.start_is_step) scheduler().begin_thread();
  finish_thread(me, me.function(me.argument));
}

const Module threads_module = {
    .name = "threads",
    .start = capture_main_thread,
    .before_execution =
        [] {
          Scheduler& s = scheduler();
          for (uint32_t i = 0; i < s.created; ++i) s.thread(s.born[i]).life = Life::Unused;
        },
};

}  // namespace lockstep::rt
