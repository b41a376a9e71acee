// Timers as tasks: each timer has a thread of the runtime that waits, on the virtual clock, for the timer's time or for
// a change of the timer. Firing is a choice like any timeout. The task then calls a function, sends a signal or makes a
// descriptor readable, depending on the timer's kind.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/errors.hpp"
#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/base/timespec.hpp"
#include "runtime/sched/refuse_call.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/virtual_clock.hpp"
#include "runtime/threads/interrupt.hpp"
#include "runtime/threads/threads.hpp"
#include "runtime/threads/timers.hpp"

namespace lockstep::rt {
namespace {

struct Timer {
  bool used;
  bool armed;
  bool changed;  // set again or deleted while its task waits
  bool has_task;
  clockid_t clock;
  uint64_t deadline, interval;  // virtual nanoseconds
  sigevent event;               // what to do; unused with a descriptor
  int fd;                       // of a timerfd; otherwise -1
};

constexpr unsigned kMostTimers = 256;
constexpr unsigned kAlarm = 0;  // alarm() and setitimer()
constinit struct {
  Timer timer[kMostTimers];
  unsigned high;  // one above the largest timer of this execution
} timers{};

timespec as_timespec(uint64_t t) { return {static_cast<time_t>(t / kSecond), static_cast<long>(t % kSecond)}; }

void fire(Timer& t) {
  if (t.interval)
    t.deadline += t.interval;
  else
    t.armed = false;
  if (t.fd >= 0) {
    const uint64_t once = 1;
    (void)!::write(t.fd, &once, sizeof once);
    return;
  }
  switch (t.event.sigev_notify) {
    case SIGEV_THREAD: t.event.sigev_notify_function(t.event.sigev_value); return;
    case SIGEV_THREAD_ID: send_signal_by_id(t.event._sigev_un._tid, t.event.sigev_signo); return;
    case SIGEV_SIGNAL: send_signal_to_process(t.event.sigev_signo); return;
    default: return;
  }
}

void* task(void* argument) {
  Timer& t = *static_cast<Timer*>(argument);
  Thread& me = self();
  me.signal_mask = ~0ull;  // signals go only to the program's own threads
  while (t.used) {
    me.timed_out = false;
    me.deadline = t.deadline;
    if (t.armed && me.clock >= t.deadline) me.clock = t.deadline;
    scheduler().reach(OpKind::Timer, &t, static_cast<uint8_t>(Step::kWrite | (t.armed ? Step::kTimed : 0)), t.changed);
    t.changed = false;
    if (me.timed_out && t.used && t.armed) fire(t);
  }
  t.has_task = false;
  return nullptr;
}

void give_task(Timer& t) {
  if (t.has_task) return;
  t.has_task = true;
  create_task(task, &t);
}

itimerspec left(const Timer& t) {
  itimerspec value{};
  if (!t.armed) return value;
  const uint64_t now = self().clock;
  value.it_value = as_timespec(t.deadline > now ? t.deadline - now : 1);
  value.it_interval = as_timespec(t.interval);
  return value;
}

// Sets the timer, in one step; its task then reads it again.
void set(Timer& t, bool absolute, const itimerspec& value, itimerspec* old) {
  scheduler().reach(OpKind::Timer, &t, Step::kWrite);
  if (old) *old = left(t);
  t.armed = value.it_value.tv_sec || value.it_value.tv_nsec;
  t.interval = nanoseconds(value.it_interval);
  t.deadline =
      absolute ? VirtualClock::to_monotonic(t.clock, value.it_value) : self().clock + nanoseconds(value.it_value);
  if (t.fd >= 0) {  // drops expirations that were not read
    uint64_t fired;
    const int flags = static_cast<int>(sys(SYS_fcntl, t.fd, F_GETFL));
    sys(SYS_fcntl, t.fd, F_SETFL, flags | O_NONBLOCK);
    sys(SYS_read, t.fd, word(&fired), sizeof fired);
    sys(SYS_fcntl, t.fd, F_SETFL, flags);
  }
  if (!t.has_task) {
    if (t.armed) give_task(t);
    return;
  }
  t.changed = true;
  scheduler().update_waiters(&t, [](const Thread&) { return true; });
}

Timer* fresh(clockid_t clock) {
  for (unsigned i = kAlarm + 1; i < kMostTimers; ++i) {
    Timer& t = timers.timer[i];
    if (t.used || t.has_task) continue;
    if (i >= timers.high) timers.high = i + 1;
    t = {};
    t.used = true;
    t.clock = clock;
    t.fd = -1;
    return &t;
  }
  return nullptr;
}

void remove(Timer& t) {
  scheduler().reach(OpKind::Timer, &t, Step::kWrite);
  t.used = t.armed = false;
  t.changed = true;
  scheduler().update_waiters(&t, [](const Thread&) { return true; });
}

// As in libc a timer_t is not null; here it is the index of the timer.
Timer* find(timer_t id) {
  const auto index = reinterpret_cast<uintptr_t>(id);
  return index > kAlarm && index < timers.high && timers.timer[index].used && timers.timer[index].fd < 0
             ? &timers.timer[index]
             : nullptr;
}
Timer* find_descriptor(int fd) {
  for (unsigned i = kAlarm + 1; i < timers.high; ++i)
    if (timers.timer[i].used && timers.timer[i].fd == fd) return &timers.timer[i];
  return nullptr;
}

Timer& alarm_timer() {
  Timer& t = timers.timer[kAlarm];
  if (!t.used) {
    t = {};
    t.used = true;
    t.fd = -1;
    t.event.sigev_notify = SIGEV_SIGNAL;
    t.event.sigev_signo = SIGALRM;
    if (timers.high == 0) timers.high = 1;
  }
  return t;
}

// Sets a timer that may not exist.
int set(Timer* t, bool absolute, const itimerspec& value, itimerspec* old) {
  if (!t || !is_valid(value.it_value) || !is_valid(value.it_interval)) return fail_with(EINVAL);
  set(*t, absolute, value, old);
  return 0;
}
int get(Timer* t, itimerspec& value) {
  if (!t) return fail_with(EINVAL);
  scheduler().reach(OpKind::Timer, t, Step::kWrite);
  value = left(*t);
  return 0;
}

timespec as_timespec(const timeval& t) { return {t.tv_sec, t.tv_usec * 1000}; }
timeval as_timeval(const timespec& t) { return {t.tv_sec, t.tv_nsec / 1000}; }

}  // namespace

unsigned timer_tasks() {
  unsigned count = 0;
  for (unsigned i = 0; i < timers.high; ++i) count += timers.timer[i].has_task;
  return count;
}

void reset_timers() {
  if (timers.high) timers = {};
}

void descriptor_closed(int fd) {
  if (LIKELY(timers.high == 0)) return;
  if (Timer* t = find_descriptor(fd)) remove(*t);
}

const Module timers_module = {
    .name = "timers",
    .restore = reset_timers,
};

}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT int timer_create(clockid_t clock, sigevent* event, timer_t* id) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(timer_create)(clock, event, id);
  Timer* t = fresh(clock);
  if (!t) return fail_with(EAGAIN);
  if (event) {
    t->event = *event;
  } else {
    t->event.sigev_notify = SIGEV_SIGNAL;
    t->event.sigev_signo = SIGALRM;
  }
  *id = reinterpret_cast<timer_t>(static_cast<uintptr_t>(t - timers.timer));
  return 0;
}
LOCKSTEP_EXPORT int timer_settime(timer_t id, int flags, const itimerspec* value, itimerspec* old) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(timer_settime)(id, flags, value, old);
  return set(find(id), flags & TIMER_ABSTIME, *value, old);
}
LOCKSTEP_EXPORT int timer_gettime(timer_t id, itimerspec* value) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(timer_gettime)(id, value);
  return get(find(id), *value);
}
LOCKSTEP_EXPORT int timer_getoverrun(timer_t id) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(timer_getoverrun)(id);
  return find(id) ? 0 : fail_with(EINVAL);
}
LOCKSTEP_EXPORT int timer_delete(timer_t id) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(timer_delete)(id);
  Timer* t = find(id);
  if (!t) return fail_with(EINVAL);
  remove(*t);
  return 0;
}

LOCKSTEP_EXPORT int timerfd_create(int clock, int flags) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(timerfd_create)(clock, flags);
  Timer* t = fresh(clock);
  if (!t) return fail_with(EMFILE);
  t->event.sigev_notify = SIGEV_NONE;
  t->fd = eventfd(0, flags);  // it has the same flags, and is read and polled in the same way
  if (t->fd < 0) t->used = false;
  return t->fd;
}
LOCKSTEP_EXPORT int timerfd_settime(int fd, int flags, const itimerspec* value, itimerspec* old) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(timerfd_settime)(fd, flags, value, old);
  return set(find_descriptor(fd), flags & TFD_TIMER_ABSTIME, *value, old);
}
LOCKSTEP_EXPORT int timerfd_gettime(int fd, itimerspec* value) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(timerfd_gettime)(fd, value);
  return get(find_descriptor(fd), *value);
}

LOCKSTEP_EXPORT unsigned alarm(unsigned seconds) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(alarm)(seconds);
  itimerspec value{}, old;
  value.it_value.tv_sec = seconds;
  set(alarm_timer(), false, value, &old);
  return static_cast<unsigned>(old.it_value.tv_sec + (old.it_value.tv_nsec > 0));
}
LOCKSTEP_EXPORT int setitimer(__itimer_which_t which, const itimerval* value, itimerval* old) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(setitimer)(which, value, old);
  if (which != ITIMER_REAL) refuse_call("setitimer()", "processor time is not virtual");
  itimerspec before, wanted{as_timespec(value->it_interval), as_timespec(value->it_value)};
  if (set(&alarm_timer(), false, wanted, &before) != 0) return -1;
  if (old) *old = {as_timeval(before.it_interval), as_timeval(before.it_value)};
  return 0;
}
LOCKSTEP_EXPORT int getitimer(__itimer_which_t which, itimerval* value) noexcept {
  if (!controlled() || which != ITIMER_REAL) return LOCKSTEP_REAL(getitimer)(which, value);
  scheduler().reach(OpKind::Timer, &alarm_timer(), Step::kWrite);
  const itimerspec now = left(alarm_timer());
  *value = {as_timeval(now.it_interval), as_timeval(now.it_value)};
  return 0;
}
