// Loops that end, loops that do not, sleeps and timed waits: ./programs NAME; without a name, lists them.
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <future>
#include <mutex>
#include <semaphore>
#include <thread>

using namespace std::chrono_literals;

namespace {

std::atomic<int> total, ready, good, shared[2];
std::atomic<bool> stop;
std::mutex left, right, guard;
std::condition_variable changed;
int cached;

template <class First, class Second>
void together(First first, Second second) {
  std::thread other(first);
  second();
  other.join();
}

// --- loops that some or all schedules leave ---

void counts_for_long() {
  const auto count = [] {
    for (int i = 0; i < 20'000; ++i) total++;
  };
  together(count, count);
  assert(total == 40'000);
}
void locks_for_long() {
  const auto count = [] {
    for (int i = 0; i < 20'000; ++i) {
      std::lock_guard hold(guard);
      ++cached;
    }
  };
  together(count, count);
  assert(cached == 40'000);
}
void works_until_told() {
  together(
      [] {
        while (!stop) total++;
      },
      [] { stop = true; });
}
void locks_until_told() {
  together(
      [] {
        while (!stop) std::lock_guard hold(guard);
      },
      [] { stop = true; });
}
void caches_what_it_saw() {
  together(
      [] {
        do cached = ready.load();
        while (!cached);
      },
      [] { ready = 1; });
}
// Each takes one lock and tries the other one's. In lockstep they fail for ever, alone each succeeds.
void backs_off() {
  const auto take = [](std::mutex& mine, std::mutex& theirs) {
    for (;;) {
      std::lock_guard hold(mine);
      if (theirs.try_lock()) break;
    }
    theirs.unlock();
  };
  together([=] { take(left, right); }, [=] { take(right, left); });
}

// The same with pauses: the default schedule keeps them in step for ever.
void backs_off_in_step() {
  const auto take = [](std::mutex& mine, std::mutex& theirs) {
    const auto pause = [] { std::this_thread::sleep_for(1ms); };
    for (bool done = false; !done; pause()) {
      mine.lock();
      pause();
      done = theirs.try_lock();
      pause();
      if (done) theirs.unlock();
      mine.unlock();
    }
  };
  together([=] { take(left, right); }, [=] { take(right, left); });
}

// --- loops that no schedule leaves ---

void main_alone() {
  const auto add = [] {
    const int before = total.load();
    total.store(before + 1);
  };
  together(add, add);
  if (total == 2) good = 1;
  while (!good) {
  }
}
void main_alone_yields() {
  const auto add = [] {
    const int before = total.load();
    total.store(before + 1);
  };
  together(add, add);
  if (total == 2) good = 1;
  while (!good) std::this_thread::yield();
}
// Both write and write back, and wait for what neither does.
void toggles_for_ever() {
  const auto toggle = [](int i) {
    while (!ready) {
      shared[i] = 1;
      shared[i] = 0;
      std::this_thread::yield();
    }
  };
  together([=] { toggle(0); }, [=] { toggle(1); });
}
void toggles_while_main_joins() {
  together([] { toggles_for_ever(); }, [] {});
}
void toggles_without_yields() {
  const auto toggle = [](int i) {
    while (!ready) {
      shared[i] = 1;
      shared[i] = 0;
    }
  };
  together([=] { toggle(0); }, [=] { toggle(1); });
}
void naps_for_ever() {
  const auto wait = [] {
    while (!ready) std::this_thread::sleep_for(1ms);
  };
  together(wait, wait);
}

// --- loops that wait, with and without a yield ---

// CHESS figure 3: it seems to yield, but while the notification of somebody else is pending, it does not.
void yields_only_if_idle() {
  ready = 1;
  const auto halt = [] {
    if (ready.load() == 0) std::this_thread::yield();
  };
  together(
      [=] {
        while (ready.load() != 2) halt();
      },
      [] {
        ready = 0;
        ready = 2;
      });
}
void tries_without_yields() {
  together(
      [] {
        while (!guard.try_lock()) {
        }
        guard.unlock();
      },
      [] { std::lock_guard hold(guard); });
}
void yields_while_it_waits() {
  together(
      [] {
        while (!ready.load()) std::this_thread::yield();
        while (!guard.try_lock()) std::this_thread::sleep_for(1ms);
        guard.unlock();
      },
      [] {
        ready = 1;
        std::lock_guard hold(guard);
      });
}
void spins_before_it_yields() {
  together(
      [] {
        for (int i = 1; !ready.load(); ++i)
          if (i % 20 == 0) std::this_thread::yield();
      },
      [] { ready = 1; });
}
void spins_before_it_blocks() {
  together([] { ready.wait(0); },
           [] {
             ready = 1;
             ready.notify_one();
           });
}
void spins_until_a_time() {
  together(
      [] {
        const auto end = std::chrono::steady_clock::now() + 1ms;
        while (!ready.load() && std::chrono::steady_clock::now() < end) {
        }
      },
      [] { ready = 1; });
}

// --- time ---

void sleeps_in_order() {
  together(
      [] {
        std::this_thread::sleep_for(10ms);
        ready = 1;
      },
      [] {
        std::this_thread::sleep_for(1s);
        assert(ready);
      });
}
void sleeps_unwatched() {  // nobody depends on who wakes first
  together([] { std::this_thread::sleep_for(10ms); }, [] { std::this_thread::sleep_for(1s); });
}
void waits_a_minute() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  together([&] { promise.set_value(3); }, [&] { assert(future.wait_for(60s) == std::future_status::ready); });
}
void waits_a_second() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  together([&] { promise.set_value(3); }, [&] { assert(future.wait_for(1s) == std::future_status::ready); });
}
void waits_a_moment() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  together([&] { promise.set_value(3); }, [&] { assert(future.wait_for(1ms) == std::future_status::ready); });
}
void adds_up_waits() {  // fifteen waits of 1 ms are longer than a thread is held up
  std::counting_semaphore<> posted(0);
  together([&] { posted.release(); },
           [&] {
             int tries = 0;
             while (!posted.try_acquire_for(1ms)) ++tries;
             assert(tries < 15);
           });
}
void stops_after_a_sleep() {
  together(
      [] {
        while (!stop) total++;
      },
      [] {
        std::this_thread::sleep_for(100ms);
        stop = true;
      });
}
void polls_until_a_timeout() {
  together(
      [] {
        while (!stop) {
          total++;
          std::this_thread::yield();
        }
      },
      [] {
        std::unique_lock hold(guard);
        changed.wait_for(hold, 100ms);
        stop = true;
      });
}
void timer_before_sleep() {
  together(
      [] {
        std::unique_lock hold(guard);
        changed.wait_for(hold, 50ms);
        ready = 1;
      },
      [] {
        std::this_thread::sleep_for(150ms);
        assert(ready);
      });
}

struct {
  const char* name;
  void (*run)();
} const kCases[] = {
#define CASE(name) \
  { #name, name }
    CASE(counts_for_long),
    CASE(locks_for_long),
    CASE(works_until_told),
    CASE(locks_until_told),
    CASE(caches_what_it_saw),
    CASE(backs_off),
    CASE(backs_off_in_step),
    CASE(main_alone),
    CASE(main_alone_yields),
    CASE(toggles_for_ever),
    CASE(toggles_while_main_joins),
    CASE(toggles_without_yields),
    CASE(naps_for_ever),
    CASE(sleeps_in_order),
    CASE(waits_a_minute),
    CASE(waits_a_moment),
    CASE(adds_up_waits),
    CASE(stops_after_a_sleep),
    CASE(polls_until_a_timeout),
    CASE(timer_before_sleep),
    CASE(sleeps_unwatched),
    CASE(waits_a_second),
    CASE(yields_only_if_idle),
    CASE(tries_without_yields),
    CASE(yields_while_it_waits),
    CASE(spins_before_it_yields),
    CASE(spins_before_it_blocks),
    CASE(spins_until_a_time),
};

}  // namespace

int main(int count, char** words) {
  for (const auto& c : kCases) {
    if (count < 2)
      std::puts(c.name);
    else if (std::strcmp(words[1], c.name) == 0)
      c.run();
  }
}
