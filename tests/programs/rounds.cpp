// Loops that give way, chosen by name: `rounds NAME [MOST]`. In those of `counting` the number of rounds matters: they
// fail if there are more than MOST. On those of `waiting` nothing depends.
#undef NDEBUG
#include <sched.h>

#include <atomic>
#include <cassert>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

namespace {

std::atomic<int> ready{0}, steps{0}, other{0};
std::atomic<int> lock{0};
std::atomic<bool> wants[2];
std::atomic<int> turn{0};
std::mutex mutex;
int data = 0;
int global_rounds = 0, naps = 5;
thread_local int own_rounds = 0;
int most = 1 << 30;

void nap() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }
void check(int rounds) {
  if (rounds > most) std::_Exit(1);
}

template <class A, class B>
void both(A a, B b) {
  std::thread x(a), y(b);
  x.join();
  y.join();
}

void set() {
  steps.store(1);
  ready.store(1);
}

void count_napping() {
  int rounds = 0;
  while (!ready.load()) {
    ++rounds;
    nap();
  }
  check(rounds);
}
void count_yielding() {
  int rounds = 0;
  while (!ready.load()) {
    ++rounds;
    std::this_thread::yield();
  }
  check(rounds);
}
void count_bare() {
  int rounds = 0;
  while (!ready.load()) ++rounds;
  check(rounds);
}
void count_first_napping() {
  int rounds = 0;
  do {
    ++rounds;
    nap();
  } while (!ready.load());
  check(rounds);
}
void count_in_a_global() {
  while (!ready.load()) {
    ++global_rounds;
    nap();
  }
  check(global_rounds);
}
void count_for_the_thread() {
  while (!ready.load()) {
    ++own_rounds;
    nap();
  }
  check(own_rounds);
}
void count_in_an_atomic() {
  while (!ready.load()) {
    other.fetch_add(1);
    nap();
  }
  check(other.load());
}
void count_the_time() {
  const auto begin = std::chrono::steady_clock::now();
  while (!ready.load()) {
    nap();
    check(static_cast<int>((std::chrono::steady_clock::now() - begin) / std::chrono::milliseconds(1)));
  }
}
void count_attempts() {
  int rounds = 0;
  while (!mutex.try_lock()) {
    ++rounds;
    nap();
  }
  mutex.unlock();
  check(rounds);
}
void hold() {
  std::lock_guard guard(mutex);
  steps.store(1);
}
void only_naps() {
  for (int i = 0; i < naps; ++i) nap();
  if (most < 5 && !ready.load()) std::_Exit(1);
}
// No loop: each nap is at another place.
void naps_in_a_row() {
  nap();
  steps.store(2);
  nap();
  steps.store(3);
  nap();
  if (most == 0 && !ready.load()) std::_Exit(1);
}

void wait_napping() {
  while (!ready.load()) nap();
}
void wait_first_napping() {
  do nap();
  while (!ready.load());
}
void wait_yielding() {
  while (!ready.load()) std::this_thread::yield();
}
void wait_for_two() {
  while (!ready.load() || !steps.load()) nap();
}
void wait_attempting() {
  while (!mutex.try_lock()) nap();
  mutex.unlock();
}
void spin_lock() {
  int expected = 0;
  while (!lock.compare_exchange_weak(expected, 1)) {
    expected = 0;
    nap();
  }
  ++data;
  lock.store(0);
}
void back_off() {
  int pause = 1;
  while (!ready.load()) {
    nap();
    if (pause < 2) pause *= 2;  // saturates after a round
  }
}
void peterson(int me) {
  wants[me].store(true);
  turn.store(1 - me);
  while (wants[1 - me].load() && turn.load() == 1 - me) sched_yield();
  ++data;
  wants[me].store(false);
}
void sleep_on() { ready.wait(0); }
void wake() {
  ready.store(1);
  ready.notify_all();
}

struct {
  const char* name;
  void (*loop)();
  void (*partner)();
} const kPrograms[] = {
    {"napping", count_napping, set},
    {"yielding", count_yielding, set},
    {"bare", count_bare, set},
    {"first_napping", count_first_napping, set},
    {"global", count_in_a_global, set},
    {"thread_local", count_for_the_thread, set},
    {"atomic", count_in_an_atomic, set},
    {"time", count_the_time, set},
    {"attempts", count_attempts, hold},
    {"only_naps", only_naps, set},
    {"naps_in_a_row", naps_in_a_row, set},
    {"wait_napping", wait_napping, set},
    {"wait_first_napping", wait_first_napping, set},
    {"wait_yielding", wait_yielding, set},
    {"wait_for_two", wait_for_two, set},
    {"wait_attempting", wait_attempting, hold},
    {"spin_lock", spin_lock, spin_lock},
    {"back_off", back_off, set},
    {"peterson", [] { peterson(0); }, [] { peterson(1); }},
    {"sleep_on", sleep_on, wake},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2) most = std::atoi(argv[2]);
  if (argc > 3) naps = std::atoi(argv[3]);
  for (const auto& program : kPrograms)
    if (argc > 1 && std::strcmp(argv[1], program.name) == 0) {
      both(program.loop, program.partner);
      return 0;
    }
  return 2;
}
