// Programs that end while other threads are under way, by name: exit handlers and destructors run beside them. A second
// word makes a program fail where it looks at what the others did, with a message that says what it saw.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
#include <lockstep/lockstep.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <semaphore>
#include <string>

#include "named.hpp"

namespace {

bool fails = false;
std::atomic<int> x, y, z;
std::mutex m;
std::condition_variable& changed = *new std::condition_variable;  // never destroyed
bool ready = false;                                               // protected by m

void saw(int value) {
  if (!fails) return;
  static char text[32];
  std::snprintf(text, sizeof text, "saw %d", value);
  lockstep::require(false, text);
}

// Never joined and never destroyed.
template <class F>
std::thread& leave_running(F body) {
  return *new std::thread(body);
}

// Calls `body` when the static object of this type is destroyed.
template <class F>
struct AtEnd {
  F body;
  ~AtEnd() { body(); }
};
template <class F>
void when_statics_die(F body) {
  static AtEnd<F> object{body};
}

void main_returns() {
  when_statics_die([] { ++z; });
  leave_running([] {
    y = 1;  // of no interest to anybody
    x = 1, x = 2;
  });
  const int first = x, second = x;
  saw(10 * first + second);
}
void destructor_looks() {
  when_statics_die([] { saw(x); });
  leave_running([] { x = 1, x = 2, x = 3; });
}
void handler_looks_twice() {
  std::atexit([] {
    const int first = x;
    saw(10 * first + x);
  });
  leave_running([] { x = 1, x = 2; });
  leave_running([] { x = 4; });
}
void handlers_in_turn() {
  std::atexit([] { saw(10 * y + x); });
  std::atexit([] { y = x.load(); });
  leave_running([] { x = 1, x = 2; });
}
void thread_looks_at_exit() {
  when_statics_die([] { x = 1, x = 2; });
  leave_running([] {
    const int first = x;
    saw(10 * first + x);
  });
}
void exit_by_a_thread() {
  std::atexit([] { saw(10 * x + y); });
  leave_running([] {
    x = 1;
    std::exit(0);
  });
  y = 1, y = 2;
  pause();
}
void exit_with_a_code() {
  std::atexit([] { saw(x); });
  leave_running([] { x = 1, x = 2; });
  if (x == 1) std::exit(3);
}
void two_exits() {
  std::atexit([] { y = 10 * y + 1; });
  std::atexit([] { y = 10 * y + 2; });
  leave_running([] {
    x = 1;
    std::exit(0);
  });
  saw(x);
}
void quick_exits() {
  std::at_quick_exit([] { saw(x); });
  leave_running([] { x = 1, x = 2; });
  y = 1;
  std::quick_exit(0);
}
void exits_at_once() {
  std::atexit([] { saw(99); });  // not called
  leave_running([] {
    x = 1;
    if (y == 1) saw(1);
    x = 2;
  });
  y = 1;
  if (x == 2) saw(2);
  _exit(0);
}
void main_ends_as_a_thread() {
  std::atexit([] { saw(10 * x + y); });
  leave_running([] { x = 1, y = 1; });
  leave_running([] { x = 2, ++y; });
  pthread_exit(nullptr);
}
void detached() {
  when_statics_die([] { saw(10 * x + y); });
  std::thread([] { x = 1, x = 2; }).detach();
  std::thread([] { y = 1; }).detach();
}
void destructor_joins() {
  static std::thread* late = nullptr;
  when_statics_die([] {
    saw(x);
    late->join();
  });
  late = &leave_running([] { x = 1, x = 2; });
  leave_running([] { y = x.load(); });
  y = 3;
}
void destructor_signals() {
  when_statics_die([] {
    {
      std::lock_guard hold(m);
      ready = true;
    }
    changed.notify_one();
    saw(x);
  });
  leave_running([] {
    std::unique_lock hold(m);
    changed.wait(hold, [] { return ready; });
    x = 1;
  });
}
void handler_takes_a_lock() {
  std::atexit([] {
    std::lock_guard hold(m);
    saw(x);
  });
  leave_running([] {
    std::lock_guard hold(m);
    x = 1, x = 2;
  });
}
void handler_waits_for_ever() {
  std::atexit([] {
    std::lock_guard hold(m);
    saw(x);
  });
  leave_running([] {
    m.lock();  // and keeps it
    x = 1;
  });
}
void handler_tries_a_lock() {
  std::atexit([] {
    if (m.try_lock()) m.unlock(), saw(x);
  });
  leave_running([] {
    m.lock();
    x = 1;
    m.unlock();
  });
}
struct Looks {
  ~Looks() { saw(x); }
};
thread_local Looks looks;
void thread_locals_of_main() {
  (void)&looks;
  std::atexit([] { y = x.load(); });
  leave_running([] { x = 1, x = 2; });
}
void thread_locals_of_a_thread() {
  when_statics_die([] { x = 1, x = 2; });
  leave_running([] {
    (void)&looks;
    ++y;
  });
}
void key_of_main() {  // destroyed by the end of a thread, not by exit
  static pthread_key_t key;
  pthread_key_create(&key, [](void*) { saw(99); });
  pthread_setspecific(key, &key);
  std::atexit([] { y = x.load(); });
  leave_running([] { x = 1, x = 2; });
}
void registered_by_two() {
  leave_running([] { std::atexit([] { x = 10 * x + 1; }); });
  leave_running([] { std::atexit([] { x = 10 * x + 2; }); });
  std::atexit([] { saw(x); });
}
void registered_late() {
  leave_running([] {
    std::atexit([] { saw(10 * y + x); });
    x = 1;
  });
  y = 1;
}
void thread_blocked_at_exit() {
  when_statics_die([] { saw(x); });
  m.lock();
  leave_running([] {
    x = 1;
    std::lock_guard hold(m);
    x = 2;
  });
}
void timed_wait_at_exit() {
  when_statics_die([] { saw(x); });
  leave_running([] {
    std::unique_lock hold(m);
    if (changed.wait_for(hold, std::chrono::seconds(1)) == std::cv_status::timeout) x = 1;
    x = x + 2;
  });
  changed.notify_one();
}
void canceled_at_exit() {
  when_statics_die([] { saw(x); });
  std::thread& late = leave_running([] {
    x = 1;
    pthread_testcancel();
    x = 2;
  });
  pthread_cancel(late.native_handle());
}
void input_at_exit() {
  static int ends[2];
  if (pipe(ends) != 0) std::abort();
  when_statics_die([] {
    if (write(ends[1], "a", 1) == 1) saw(x);
  });
  leave_running([] {
    char byte;
    if (read(ends[0], &byte, 1) == 1) x = 1;
  });
}
void semaphore_at_exit() {
  static sem_t available;
  sem_init(&available, 0, 0);
  when_statics_die([] {
    sem_post(&available);
    saw(x);
  });
  leave_running([] {
    sem_wait(&available);
    x = 1;
  });
  leave_running([] {
    if (sem_trywait(&available) == 0) x = 2;
  });
}
void handler_chooses() {
  std::atexit([] { saw(10 * lockstep::choose(2) + x); });
  leave_running([] { x = 1 + lockstep::choose(2); });
}
void handler_starts_a_thread() {
  std::atexit([] {
    leave_running([] { x = 1, x = 2; });
    const int first = x;
    saw(10 * first + x);
  });
  leave_running([] { x = 3; });
}
void compare_exchange_at_exit() {
  when_statics_die([] {
    int expected = 1;
    saw(x.compare_exchange_strong(expected, 5) ? 100 + x : expected);
  });
  leave_running([] { x = 1, x = 2; });
  leave_running([] {
    int expected = 5;
    x.compare_exchange_strong(expected, 1);
  });
}

constexpr Named kPrograms[] = {
    NAMED(main_returns),
    NAMED(destructor_looks),
    NAMED(handler_looks_twice),
    NAMED(handlers_in_turn),
    NAMED(thread_looks_at_exit),
    NAMED(exit_by_a_thread),
    NAMED(exit_with_a_code),
    NAMED(two_exits),
    NAMED(quick_exits),
    NAMED(exits_at_once),
    NAMED(main_ends_as_a_thread),
    NAMED(detached),
    NAMED(destructor_joins),
    NAMED(destructor_signals),
    NAMED(handler_takes_a_lock),
    NAMED(handler_waits_for_ever),
    NAMED(handler_tries_a_lock),
    NAMED(thread_locals_of_main),
    NAMED(thread_locals_of_a_thread),
    NAMED(key_of_main),
    NAMED(registered_by_two),
    NAMED(registered_late),
    NAMED(thread_blocked_at_exit),
    NAMED(timed_wait_at_exit),
    NAMED(canceled_at_exit),
    NAMED(input_at_exit),
    NAMED(semaphore_at_exit),
    NAMED(handler_chooses),
    NAMED(handler_starts_a_thread),
    NAMED(compare_exchange_at_exit),
};

}  // namespace

int main(int argc, char** argv) {
  fails = argc > 2;
  return run_named(kPrograms, argc, argv);
}
