// How threads meet, wait for atomics, promise and end, by the standard library and POSIX: ./counted_meetings NAME
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <latch>
#include <lockstep/lockstep.hpp>
#include <memory>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <thread>

#include "named.hpp"

namespace {

using namespace std::chrono_literals;

std::atomic<int> x, y;
std::mutex m[3];

// --- meetings

void latch_of_two() {
  static std::latch latch(2);
  together(
      [] {
        x = 1;
        latch.count_down();
      },
      [] {
        y = 1;
        latch.count_down();
      },
      [] {
        latch.wait();
        (void)x.load();
      });
}
void latch_arrived_at() {
  static std::latch latch(2);
  together(
      [] {
        latch.arrive_and_wait();
        x = 1;
      },
      [] {
        latch.arrive_and_wait();
        (void)x.load();
      });
}
void latch_tried() {
  static std::latch latch(1);
  together([] { latch.count_down(); },
           [] {
             if (latch.try_wait()) x = 1;
           });
}
void posix_barrier_twice() {
  static pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 2);
  const auto body = [](int me) {
    return [me] {
      x = me;
      pthread_barrier_wait(&barrier);
      (void)x.load();
      pthread_barrier_wait(&barrier);
      y = me;
    };
  };
  together(body(1), body(2));
}
void binary_semaphores() {
  static std::binary_semaphore ping(0), pong(0);
  together(
      [] {
        x = 1;
        ping.release();
        pong.acquire();
      },
      [] {
        ping.acquire();
        (void)x.load();
        pong.release();
      });
}
void two_of_three() {
  static sem_t places;
  sem_init(&places, 0, 2);
  const auto body = [] {
    sem_wait(&places);
    x.fetch_add(1);
    sem_post(&places);
  };
  together(body, body, body);
}
void semaphore_for_a_while() {
  static sem_t places;
  sem_init(&places, 0, 0);
  together(
      [] {
        timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 1;
        if (sem_timedwait(&places, &until) == 0) x = 1;
      },
      [] { sem_post(&places); }, [] { (void)x.load(); });
}
void semaphore_looked_at() {
  static sem_t places;
  sem_init(&places, 0, 1);
  together([] { sem_wait(&places); },
           [] {
             int value = 0;
             sem_getvalue(&places, &value);
             if (value == 0) sem_post(&places);
           });
}
void once_by_three() {
  static std::once_flag once;
  const auto body = [] {
    std::call_once(once, [] { x = 1; });
    (void)x.load();
  };
  together(body, body, body);
}
void static_of_a_function() {
  const auto body = [] {
    static const int value = x.fetch_add(1);
    y.fetch_add(value);
  };
  together(body, body);
}
void posix_once() {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  const auto body = [] { pthread_once(&once, [] { x.fetch_add(1); }); };
  together(body, body);
}

// --- waiting for atomics

void waited_and_notified() {
  together(
      [] {
        x.wait(0);
        y = 1;
      },
      [] {
        x = 1;
        x.notify_one();
      });
}
void never_notified() {
  together([] { x.wait(0); }, [] { x = 1; });
}
void flag_waited_for() {
  static std::atomic_flag flag;
  together([] { flag.wait(false); },
           [] {
             flag.test_and_set();
             flag.notify_one();
           });
}
void futex_lock() {  // 0 free, 1 taken, 2 taken and somebody waits (Drepper 2011)
  const auto body = [] {
    int c = 0;
    if (!x.compare_exchange_strong(c, 1)) {
      if (c != 2) c = x.exchange(2);
      while (c != 0) {
        x.wait(2);
        c = x.exchange(2);
      }
    }
    y.fetch_add(1);
    if (x.fetch_sub(1) != 1) {
      x = 0;
      x.notify_one();
    }
  };
  together(body, body);
}
void referred_to() {
  static int plain;
  together([] { std::atomic_ref(plain).fetch_add(1); }, [] { std::atomic_ref(plain).fetch_add(2); },
           [] { (void)std::atomic_ref(plain).load(); });
}

// --- futures and threads

void promised() {
  static std::promise<int> promise;
  together([] { promise.set_value(1); }, [] { promise.get_future().wait(); });
}
void waited_for_a_while() {
  static std::promise<int> promise;
  static std::future<int> future = promise.get_future();
  together([] { promise.set_value(1); },
           [] {
             if (future.wait_for(1ms) == std::future_status::ready) x = 1;
           });
}
void deferred() {
  auto later = std::async(std::launch::deferred, [] { return x.fetch_add(1); });
  std::thread other([] { x.fetch_add(1); });
  later.get();
  other.join();
}
void stopped() {
  std::jthread worker([](std::stop_token stop) {
    while (!stop.stop_requested()) std::this_thread::yield();
    x = 1;
  });
  (void)x.load();
  worker.request_stop();
}
void slept() {
  together(
      [] {
        std::this_thread::sleep_for(1ms);
        x = 1;
      },
      [] { (void)x.load(); });
}
thread_local std::unique_ptr<int, void (*)(int*)> last_words(nullptr, [](int* p) {
  x.fetch_add(*p);
  delete p;
});
void said_in_the_end() {
  const auto body = [] { last_words.reset(new int(1)); };
  together(body, body);
}
void chosen_and_locked() {
  together(
      [] {
        std::lock_guard lock(m[lockstep::choose(2)]);
        x = 1;
      },
      [] {
        std::lock_guard lock(m[0]);
        x = 2;
      });
}
void chosen_by_both() {
  const auto body = [](int me) { return [me] { (lockstep::choose(2) ? x : y).store(me); }; };
  together(body(1), body(2));
}
void chosen_by_main() {
  if (lockstep::choose(3) == 0) return;
  together([] { x = 1; }, [] { (void)x.load(); });
}

constexpr Named kPrograms[] = {
    NAMED(latch_of_two),
    NAMED(latch_arrived_at),
    NAMED(latch_tried),
    NAMED(posix_barrier_twice),
    NAMED(binary_semaphores),
    NAMED(two_of_three),
    NAMED(semaphore_for_a_while),
    NAMED(semaphore_looked_at),
    NAMED(once_by_three),
    NAMED(static_of_a_function),
    NAMED(posix_once),
    NAMED(waited_and_notified),
    NAMED(never_notified),
    NAMED(flag_waited_for),
    NAMED(futex_lock),
    NAMED(referred_to),
    NAMED(promised),
    NAMED(waited_for_a_while),
    NAMED(deferred),
    NAMED(stopped),
    NAMED(slept),
    NAMED(said_in_the_end),
    NAMED(chosen_and_locked),
    NAMED(chosen_by_both),
    NAMED(chosen_by_main),
};

}  // namespace

int main(int argc, char** argv) { return run_named(kPrograms, argc, argv); }
