// Random programs so small that all their schedules can be run: ./small SEED [timed]
//
// Two or three threads with one to three actions each, over a few objects of two families of primitives. They deadlock,
// leave early and time out as they please. Nothing but the order of operations decides what they do.
#include <pthread.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <latch>
#include <lockstep/lockstep.hpp>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;

struct Dice {
  uint64_t state;
  unsigned below(unsigned n) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return static_cast<unsigned>(state >> 33) % n;
  }
};

std::atomic<int> variable[2], flag, waited;
std::mutex mutex[2];
std::timed_mutex timed;
std::shared_timed_mutex shared;
std::condition_variable condition;
std::counting_semaphore<> semaphore{1};
sem_t posix_semaphore;
pthread_barrier_t barrier;
pthread_spinlock_t spin;
std::once_flag once;
std::latch two{2};
int pipe_ends[2], event;
pthread_t partner;  // of main

using Action = std::function<void()>;

void touch(unsigned x, int mark) { variable[x].store(mark, std::memory_order_relaxed); }

timespec soon() {
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_sec += 1;
  return t;
}

Action on_atomics(Dice& d, int mark) {
  const unsigned x = d.below(2);
  switch (d.below(5)) {
    case 0: return [=] { (void)variable[x].load(); };
    case 1: return [=] { variable[x].store(mark); };
    case 2: return [=] { variable[x].fetch_add(mark); };
    case 3:
      return [=] {
        int none = 0;
        variable[x].compare_exchange_strong(none, mark);
      };
    default: return [=] { variable[x].exchange(mark); };
  }
}

Action on_mutexes(Dice& d, int mark) {
  const unsigned m = d.below(2);
  switch (d.below(4)) {
    case 0: return [=] { std::lock_guard lock(mutex[m]); };
    case 1:
      return [=] {
        std::lock_guard lock(mutex[m]);
        touch(0, mark);
      };
    case 2:
      return [=] {
        if (!mutex[m].try_lock()) return;
        touch(1, mark);
        mutex[m].unlock();
      };
    default: return [=] { std::lock_guard outer(mutex[m]), inner(mutex[1 - m]); };
  }
}

Action on_timed(Dice& d, int mark) {
  switch (d.below(4)) {
    case 0:
      return [=] {
        std::lock_guard lock(timed);
        touch(0, mark);
      };
    case 1:
      return [=] {
        if (!timed.try_lock_for(1ms)) return;
        touch(0, mark);
        timed.unlock();
      };
    case 2:
      return [=] {
        const timespec limit = soon();
        if (sem_timedwait(&posix_semaphore, &limit) == 0) touch(1, mark);
      };
    default: return [] { sem_post(&posix_semaphore); };
  }
}

Action on_shared(Dice& d, int mark) {
  switch (d.below(6)) {
    case 0:
    case 1: return [] { std::shared_lock lock(shared); };
    case 2:
      return [=] {
        std::unique_lock lock(shared);
        touch(0, mark);
      };
    case 3:
      return [] {
        if (shared.try_lock_shared()) shared.unlock_shared();
      };
    case 4:
      return [=] {
        if (!shared.try_lock()) return;
        touch(0, mark);
        shared.unlock();
      };
    default:
      return [=] {
        if (!shared.try_lock_for(1ms)) return;
        touch(0, mark);
        shared.unlock();
      };
  }
}

Action on_conditions(Dice& d, int) {
  switch (d.below(6)) {
    case 0:
      return [] {
        std::unique_lock lock(mutex[0]);
        condition.wait(lock);
      };
    case 1:
      return [] {
        std::unique_lock lock(mutex[0]);
        while (waited == 0) condition.wait(lock);
      };
    case 2:
      return [] {
        std::unique_lock lock(mutex[0]);
        if (condition.wait_for(lock, 1ms) == std::cv_status::timeout) waited = 2;
      };
    case 3:
      return [] {
        std::lock_guard lock(mutex[0]);
        waited = 1;
        condition.notify_one();
      };
    case 4: return [] { condition.notify_one(); };
    default: return [] { condition.notify_all(); };
  }
}

Action on_semaphores(Dice& d, int mark) {
  switch (d.below(5)) {
    case 0: return [] { semaphore.acquire(); };
    case 1: return [] { semaphore.release(); };
    case 2:
      return [=] {
        if (semaphore.try_acquire()) touch(0, mark);
      };
    case 3: return [] { sem_wait(&posix_semaphore); };
    default:
      return [=] {
        if (sem_trywait(&posix_semaphore) == 0)
          touch(1, mark);
        else
          sem_post(&posix_semaphore);
      };
  }
}

Action on_meetings(Dice& d, int mark) {
  switch (d.below(5)) {
    case 0: return [] { pthread_barrier_wait(&barrier); };
    case 1: return [=] { std::call_once(once, [=] { touch(0, mark); }); };
    case 2: return [] { two.count_down(); };
    case 3: return [] { two.wait(); };
    default:
      return [=] {
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) touch(1, mark);
      };
  }
}

Action on_spins(Dice& d, int mark) {
  switch (d.below(6)) {
    case 0: return [] { flag = 1; };
    case 1:
      return [] {
        while (flag == 0) {
        }
      };
    case 2:
      return [] {
        while (flag.load() == 0) std::this_thread::yield();
      };
    case 3:
      return [=] {
        pthread_spin_lock(&spin);
        touch(0, mark);
        pthread_spin_unlock(&spin);
      };
    case 4: return [] { flag.wait(0); };
    default:
      return [] {
        flag = 1;
        flag.notify_one();
      };
  }
}

Action on_descriptors(Dice& d, int mark) {
  switch (d.below(4)) {
    case 0:
      return [=] {
        const auto byte = static_cast<char>(mark);
        if (write(pipe_ends[1], &byte, 1) != 1) abort();
      };
    case 1:
      return [] {
        char byte = 0;
        if (read(pipe_ends[0], &byte, 1) != 1) abort();
        touch(0, byte);
      };
    case 2: return [] { eventfd_write(event, 1); };
    default:
      return [] {
        eventfd_t value = 0;
        eventfd_read(event, &value);
        touch(1, static_cast<int>(value));
      };
  }
}

Action on_threads(Dice& d, int mark) {
  switch (d.below(6)) {
    case 0: return [=] { std::thread([=] { touch(0, mark); }).join(); };
    case 1: return [=] { touch(0, lockstep::choose(2) + 5); };
    case 2: return [] { sched_yield(); };
    case 3: return [=] { std::thread([=] { touch(1, mark); }).detach(); };
    case 4:
      return [] {
        if (variable[0] > 0) _exit(0);
      };
    default: return [] { usleep(10); };
  }
}

Action cancels(Dice&, int mark) {
  if (mark < 20) return [] { pthread_cancel(partner); };  // only main, which joins it: the others might come too late
  return [=] {
    pthread_testcancel();
    touch(0, mark);
  };
}

// Sleeps and timed waits, some of which lie further apart than others.
Action on_time(Dice& d, int mark) {
  static constexpr unsigned kMilliseconds[] = {1, 4, 9, 14, 25, 60};
  const auto duration = std::chrono::milliseconds(kMilliseconds[d.below(std::size(kMilliseconds))]);
  switch (d.below(5)) {
    case 0: return [=] { std::this_thread::sleep_for(duration); };
    case 1:
      return [=] {
        std::this_thread::sleep_for(duration);
        touch(0, mark);
      };
    case 2:
      return [=] {
        if (!timed.try_lock_for(duration)) return touch(1, mark);
        touch(0, mark);
        timed.unlock();
      };
    case 3:
      return [=] {
        std::lock_guard lock(timed);
        std::this_thread::sleep_for(duration);
      };
    default:
      return [=] {
        std::unique_lock lock(mutex[0]);
        if (condition.wait_for(lock, duration) == std::cv_status::timeout) touch(1, mark);
      };
  }
}
Action on_conditions_too(Dice&, int) {
  return [] { condition.notify_one(); };
}

using Family = Action (*)(Dice&, int);
constexpr Family kTimed[] = {on_time, on_atomics, on_conditions_too, on_mutexes};
constexpr Family kFamilies[] = {on_mutexes, on_timed,       on_shared,  on_conditions, on_semaphores, on_meetings,
                                on_spins,   on_descriptors, on_threads, on_atomics,    cancels};

void* body(void* actions) {
  for (const Action& action : *static_cast<std::vector<Action>*>(actions)) action();
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  Dice dice{seed * 0x9e3779b97f4a7c15ull + 1};
  for (int i = 0; i < 8; ++i) dice.below(2);
  const bool about_time = argc > 2;
  const Family first = about_time ? on_time : kFamilies[seed % std::size(kFamilies)];
  const Family second =
      about_time ? kTimed[dice.below(std::size(kTimed))] : kFamilies[dice.below(std::size(kFamilies))];
  const unsigned threads = 2 + dice.below(2), most = threads == 2 ? 3 : 2;
  std::vector<Action> actions[3];
  for (unsigned t = 0; t < threads; ++t)
    for (unsigned i = 0, n = 1 + dice.below(most); i < n; ++i)
      actions[t].push_back((dice.below(3) ? first : second)(dice, static_cast<int>(10 * (t + 1) + i)));
  sem_init(&posix_semaphore, 0, dice.below(2));
  pthread_barrier_init(&barrier, nullptr, 2);
  pthread_spin_init(&spin, 0);
  if (pipe(pipe_ends) != 0) abort();
  event = eventfd(0, 0);
  pthread_t others[2];
  for (unsigned t = 1; t < threads; ++t) pthread_create(&others[t - 1], nullptr, body, &actions[t]);
  partner = others[0];
  body(&actions[0]);
  for (unsigned t = 1; t < threads; ++t) pthread_join(others[t - 1], nullptr);
  return 0;
}
