// Virtual time: clocks of threads and objects.
#include "runtime/sched/virtual_clock.hpp"

#include "runtime/base/runtime.hpp"
#include "runtime/base/timespec.hpp"
#include "runtime/sched/scheduler.hpp"

namespace lockstep::rt {
namespace {
constexpr uint32_t kCells = 1u << 16;
bool is_realtime(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}
void start_moving() {
  runtime.time_moved = true;
  scheduler().time_has_moved();
}
uint32_t first_slot(ObjectId object) {
  return static_cast<uint32_t>(static_cast<uint64_t>(object) * 0x9e3779b97f4a7c15ull >> 48);
}
uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }
}  // namespace

void VirtualClock::init() { cells_ = static_cast<Cell*>(map_pages(sizeof(Cell) * kCells)); }

uint64_t VirtualClock::read(Thread& me, clockid_t clock) {
  start_moving();
  me.clock += kClockReadCost;
  ++me.effects;  // a loop that reads the time is in a different state each round
  ++me.polled_changes;
  return me.clock + (is_realtime(clock) ? kRealtimeOffset : 0);
}

void VirtualClock::sleep_until(Thread& me, uint64_t deadline) {
  start_moving();
  advance_to(me, deadline);
}

void VirtualClock::poll(Thread& me, uint64_t least) {
  start_moving();
  const uint32_t changes = me.effects - me.unchanging - me.lock_steps;
  if (changes != me.polled_changes && me.polled > 2 * kBusyPollCost) me.polled = 2 * kBusyPollCost;
  me.polled_changes = changes;
  const uint64_t cost = larger(least, me.polled / 2);
  me.polled += cost;
  me.clock += cost;
}

uint64_t VirtualClock::to_monotonic(clockid_t clock, const timespec& deadline) {
  if (deadline.tv_sec < 0) return 0;
  const uint64_t at = nanoseconds(deadline);
  if (!is_realtime(clock)) return at;
  return at > kRealtimeOffset ? at - kRealtimeOffset : 0;
}

VirtualClock::Cell& VirtualClock::cell(ObjectId object) {
  // When the table is full, objects share cells: time advances too far for some threads, but stays monotonic and
  // causal.
  const uint32_t slot = first_slot(object);
  for (uint32_t probe = 0; probe < 64; ++probe) {
    Cell& c = cells_[(slot + probe) % kCells];
    if (c.generation != generation_) {
      c = {object, generation_, 0, 0};
      return c;
    }
    if (c.object == object) return c;
  }
  return cells_[slot];
}

const VirtualClock::Cell* VirtualClock::find(ObjectId object) const {
  const uint32_t slot = first_slot(object);
  for (uint32_t probe = 0; probe < 64; ++probe) {
    const Cell& c = cells_[(slot + probe) % kCells];
    if (c.generation != generation_) return nullptr;
    if (c.object == object) return &c;
  }
  return &cells_[slot];
}

uint64_t VirtualClock::ready_since(const Thread& t, const Step& next) const {
  uint64_t time = t.clock;
  if (!runtime.time_moved || !(is_acquire(next.kind) || next.flags & Step::kBlocked)) return time;
  for (const Access& access : accesses(next.operation()))
    if (const Cell* c = find(access.object)) time = larger(time, c->written);
  return time;
}

void VirtualClock::join(Thread& me, const Step& step) {
  for (const Access& access : accesses(step.operation())) {
    const Cell& c = cell(access.object);
    advance_to(me, access.write ? larger(c.written, c.read) : c.written);
  }
  for (const Access& access : accesses(step.operation())) {
    Cell& c = cell(access.object);
    if (access.write)
      c.written = larger(c.written, me.clock);
    else
      c.read = larger(c.read, me.clock);
  }
}

const Module virtual_clock_module = {
    .name = "virtual clock",
    .start = [] { virtual_clock.init(); },
    .before_execution = [] { virtual_clock.begin(); },
};

}  // namespace lockstep::rt
