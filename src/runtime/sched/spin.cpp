// Detects spin loops by their local state and the values they read.
#include "runtime/sched/spin.hpp"

#include "runtime/detect/call_sites.hpp"
#include "runtime/detect/call_tree.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/process/backtrace.hpp"
#include "runtime/process/facts.hpp"
#include "runtime/process/libraries.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/state_hash.hpp"
#include "runtime/sched/virtual_clock.hpp"

namespace lockstep::rt {
namespace {

// Hash of the running thread's position and of all state it can base a decision on: program counter, registers, own
// stack.
uint64_t hash_of(const CallerState& caller) {
  const char* top = runtime.current->stack_top;
  const char* sp = reinterpret_cast<const char*>(caller.stack_pointer);
  if (sp > top || static_cast<size_t>(top - sp) > kDeepestLoop) return 0;
  StateHash hash;
  hash.add(caller.pc);
  for (uint64_t value : caller.registers) hash.add(value);
  hash.add(sp, static_cast<size_t>(top - sp));
  return hash.value() | 1;
}

// The place of a yield. Two calls of a function that yields are two places.
struct Whereabouts {
  uint64_t address, path, state;
};
Whereabouts whereabouts() {
  constexpr size_t kDeepest = 5;  // sleep_for() and its callers in the program
  uint64_t path[kDeepest];
  CallerState caller;
  const size_t depth = caller_state(caller, path, kDeepest);
  if (!depth) return {};
  StateHash way;
  way.add(path, depth * sizeof *path);
  Whereabouts here{path[0], way.value(), hash_of(caller)};
  size_t i = 0;
  while (i + 1 < depth && from_library(reinterpret_cast<const void*>(path[i]))) ++i;
  here.address = path[i];
  return here;
}

uint64_t current_value(const Watch& w) {
  uint64_t value = 0;
  copy_bytes(&value, reinterpret_cast<const void*>(w.address), w.size);
  return value;
}

// The thread came back to the same state without a yield. If no other thread ran, it would spin for ever, although
// others can run. CHESS calls that a violation of the good samaritan property (section 5, figure 3).
void note_unyielding(Thread& me, const Watch& read) {
  const Scheduler& s = scheduler();
  if (s.enabled.size(s.words()) == s.enabled.contains(me.id)) return;
  uint64_t place[1];
  if (!backtrace(place, 1)) return;
  notice(FactKind::SpinsUnyielding, reinterpret_cast<const void*>(place[0]));
  if (!runtime.channel->check_yields) return;
  RaceAccess access{};
  access.pc = scheduler().describes() ? unwind_calls() : place[0];
  access.address = access.begin = read.address;
  access.step = s.log_size;
  access.size = 1;
  access.thread = me.id;
  access.misuse = Misuse::SpinsUnyielding;
  race_detector.add_misuse(access);
}

// Looks for the current state since the thread last changed anything. If it is found, the thread waits for a change of
// the values that it read since then.
void look_for_a_round(Thread& me, const Watch& now) {
  if (me.spin_misses >= kMostMisses || now.size > 8) return;
  const uint64_t state = local_state();
  if (!state) {
    me.spin_misses = kMostMisses;
    return;
  }
  for (uint32_t i = 0; i < me.spin_rounds; ++i) {
    if (me.round[i].state != state || me.round[i].watch.address != now.address || me.round[i].watch.value != now.value)
      continue;
    me.watch_count = 0;
    for (uint32_t j = i + 1; j < me.spin_rounds; ++j) me.watch[me.watch_count++] = me.round[j].watch;
    me.watch[me.watch_count++] = now;
    // A value that the loop writes repeatedly counts as read: if another thread changes it, a round changes it back.
    for (uint32_t j = 0; j < me.write_count && me.watch_count < kMostWatched; ++j)
      me.watch[me.watch_count++] = me.written[j];
    me.spin_rounds = 0;
    me.spin_misses = 0;
    me.spinning = !watched_value_changed(me);
    if (!me.spinning)
      goes_round(me);
    else if (me.round[i].yields == me.yields)
      note_unyielding(me, now);
    else
      notice(FactKind::SpinsUnyielding);  // here it does yield
    return;
  }
  ++me.spin_misses;
  if (me.spin_rounds == kMostWatched) me.spin_rounds = 0;
  me.round[me.spin_rounds++] = {state, now, me.yields};
}

}  // namespace

uint64_t local_state() {
  CallerState caller;
  return caller_state(caller) ? hash_of(caller) : 0;
}

void remember_write(Thread& me, uintptr_t address, size_t size) {
  const Watch word{address & ~uintptr_t{7}, 0, 8};
  if ((address & 7) + size > 8 || me.write_count == kMostWritten) me.wrote = true;
  for (uint32_t i = 0; i < me.write_count; ++i)
    if (me.written[i].address == word.address) return;
  if (me.wrote) return;
  me.written[me.write_count] = word;
  me.written[me.write_count++].value = current_value(word);
}

void compare_writes(Thread& t) {
  for (uint32_t i = 0; i < t.write_count; ++i) {
    const uint64_t value = current_value(t.written[i]);
    t.wrote = t.wrote || value != t.written[i].value;
    t.written[i].value = value;
  }
}

bool watched_value_changed(const Thread& t) {
  for (uint32_t i = 0; i < t.watch_count; ++i)
    if (current_value(t.watch[i]) != t.watch[i].value) return true;
  return false;
}

uint64_t only_change(const Thread& t) {
  uint64_t address = 0;
  for (uint32_t i = 0; i < t.watch_count; ++i) {
    if (current_value(t.watch[i]) == t.watch[i].value || t.watch[i].address == address) continue;
    if (address) return 0;
    address = t.watch[i].address;
  }
  return address;
}

template <class Changed>
static void wake_if(Changed&& changed) {
  Scheduler& s = scheduler();
  s.live.for_each(s.words(), [&](ThreadId id) {
    Thread& t = s.thread(id);
    if (!t.spinning || !t.parked || s.enabled.contains(id) || !changed(t)) return;
    t.spinning = false;
    t.pending.flags |= Step::kBlocked;
    if (names_change(t.pending.kind)) t.pending.second = Companion::change(ObjectId{only_change(t)});
    --scheduler().spinners;
    s.enable(t, true);
  });
}

void wake_spinners() { wake_if(watched_value_changed); }

void wake_watchers(uint64_t address, size_t size) {
  wake_if([=](const Thread& t) {
    for (uint32_t i = 0; i < t.watch_count; ++i)
      if (t.watch[i].address < address + size && address < t.watch[i].address + t.watch[i].size) return true;
    return false;
  });
}

bool let_go_round(Thread& t) {
  if (!t.spinning || !t.parked || scheduler().enabled.contains(t.id)) return false;
  t.spinning = false;
  t.spin_rounds = 0;
  --scheduler().spinners;
  scheduler().enable(t, true);
  return true;
}

// Lets all spinners run another round before a livelock is declared: something other than an atomic operation may have
// changed memory.
bool try_spinners_again() {
  Scheduler& s = scheduler();
  bool any = false;
  s.live.for_each(s.words(), [&](ThreadId id) { any |= let_go_round(s.thread(id)); });
  return any;
}

void unchanging_repeat(Step& step, const Watch& watch) {
  Thread& me = *runtime.current;
  call_sites.doubt();
  look_for_a_round(me, watch);
  // A round of a loop has up to four reads: more values are not stored.
  const uint32_t rounds = scheduler().spin_rounds;
  const uint32_t most = kFruitlessRepeats > 4 * (rounds + 1) ? kFruitlessRepeats : 4 * (rounds + 1);
  if (++me.spin_repeats < most) return;
  me.spin_repeats = 0;
  scheduler().count_as_yield(step, most);
}

// From here on a switch to another thread is free.
void Scheduler::begin_yield(Step& step, uint64_t duration) {
  step.flags |= Step::kYield;
  last_yielded_ = true;
  yield_is_fair_ = false;
  loop_ = 0;
  turn_began_ = log_size;
  if (duration) virtual_clock.poll(*runtime.current, duration);
  const bool follows_default = policy_ == Policy::Default || policy_ == Policy::RoundRobin;
  if (follows_default && delta_ == delta_count_ && cycles_.yielded(*this)) {
    char text[96];
    format(text, sizeof text, "after %u steps the program is in the same state again", log_size - cycles_.since());
    last_rounds = cycles_.since();
    end(Outcome::Livelock, 0, text);
  }
}

void Scheduler::count_as_yield(Step& step, uint32_t rounds) {
  begin_yield(step, step.kind == OpKind::Sleep ? 0 : rounds * kPollCost);
  fairness_.activate();
  refresh_simple();
  yield_is_fair_ = true;
  Thread& me = *runtime.current;
  if (enabled.size(words_) == enabled.contains(me.id) && timed.empty(words_)) return;  // no other thread is delayed
  count_plain_writes(me);
  // Finding the place and hashing the stack takes far longer than a step. Of a loop whose rounds have differed for
  // long, only a few rounds now and then are compared; the others count as different.
  constexpr uint32_t kManyRounds = 256, kInterval = 32, kLooks = 4;
  const bool looks = me.different_rounds < kManyRounds || me.different_rounds % kInterval < kLooks;
  Whereabouts here = looks ? whereabouts() : Whereabouts{me.yields_at, me.yields_on_path, 0};
  me.yields_at = here.address;
  me.yields_on_path = here.path;
  if (here.state) {  // a change makes this a different round
    StateHash hash;
    hash.add(here.state);
    hash.add(me.effects - me.unchanging - me.lock_steps);
    here.state = hash.value() | 1;
  }
  const Rounds::Pass pass = me.rounds.pass(here.path, here.state, rounds > spin_rounds ? 1 : spin_rounds);
  me.different_rounds = pass == Rounds::Pass::Same ? 0 : me.different_rounds + 1;
  if (pass == Rounds::Pass::First) return;
  yield_is_fair_ = pass != Rounds::Pass::Counts && pass != Rounds::Pass::New;
  if (pass == Rounds::Pass::Beyond) loop_ = here.address;
  if (pass != Rounds::Pass::New) call_sites.doubt();
}

}  // namespace lockstep::rt
