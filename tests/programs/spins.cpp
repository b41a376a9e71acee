// Spin loops of all kinds, chosen by name. `spins NAME`; names that end in "_stuck" never terminate under some
// schedule.
#undef NDEBUG
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <semaphore>
#include <thread>

namespace {

std::atomic<int> flag{0}, next_ticket{0}, serving{0}, lock_a{0}, lock_b{0}, gave_up{0};
int data = 0, waits = 0;
long spins_total = 0;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

template <class A, class B>
void both(A a, B b) {
  std::thread x(a), y(b);
  x.join();
  y.join();
}

template <class Acquire, class Release>
void critical(Acquire acquire, Release release) {
  auto body = [&] {
    for (int i = 0; i < 2; ++i) {
      acquire();
      ++data;
      release();
    }
  };
  both(body, body);
  assert(data == 4);
}

void take(std::atomic<int>& l) {
  while (l.exchange(1)) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
  auto unlock = [] { lock_a.store(0); };
  if (is("flag")) {
    both(
        [] {
          data = 1;
          flag.store(1);
        },
        [] {
          while (!flag.load()) {
          }
          assert(data == 1);
        });
  } else if (is("ticket")) {
    int mine[2] = {};
    (void)mine;
    critical(
        [] {
          int t = next_ticket.fetch_add(1);
          while (serving.load() != t) relax();
        },
        [] { serving.store(serving.load() + 1); });
  } else if (is("test_and_test_and_set")) {
    critical(
        [] {
          for (;;) {
            if (!lock_a.exchange(1)) break;
            while (lock_a.load()) {
            }
          }
        },
        unlock);
  } else if (is("test_and_set")) {
    critical([] { take(lock_a); }, unlock);
  } else if (is("bounded")) {  // gives up after some rounds: every round is another state
    critical(
        [] {
          int k = 0;
          while (lock_a.exchange(1))
            if (++k > 20) {
              gave_up.fetch_add(1);
              take(lock_a);
              break;
            }
        },
        unlock);
    if (argc > 2 && gave_up.load()) return 1;
  } else if (is("bounded_by_a_global")) {
    critical(
        [] {
          while (lock_a.exchange(1))
            if (++waits > 20) {
              gave_up.fetch_add(1);
              take(lock_a);
              break;
            }
        },
        unlock);
    if (argc > 2 && gave_up.load()) return 1;
  } else if (is("backoff")) {
    critical(
        [] {
          int n = 1, expected = 0;
          while (!lock_a.compare_exchange_weak(expected, 1)) {
            expected = 0;
            for (int j = 0; j < n; ++j) relax();
            if (n < 64) n *= 2;
          }
        },
        unlock);
  } else if (is("statistics")) {
    critical(
        [] {
          long s = 0;
          while (lock_a.exchange(1)) ++s;
          spins_total += s;
        },
        unlock);
  } else if (is("yielding")) {
    both(
        [] {
          data = 1;
          flag.store(1);
        },
        [] {
          while (!flag.load()) std::this_thread::yield();
          assert(data == 1);
        });
  } else if (is("yielding_and_counting")) {  // every round changes something, so no row of yields ever ends
    static std::atomic<int> rounds{0};
    both([] { flag.store(1); },
         [] {
           while (!flag.load()) {
             rounds.fetch_add(1);
             std::this_thread::yield();
           }
         });
  } else if (is("flag_set_by_a_signal")) {  // by the handler, in the very thread that waits for it
    signal(SIGUSR1, [](int) { flag.store(1); });
    std::thread waiter([] {
      while (!flag.load()) {
      }
    });
    std::thread other([] { serving.store(1); });
    pthread_kill(waiter.native_handle(), SIGUSR1);
    waiter.join();
    other.join();
  } else if (is("semaphore")) {
    static std::counting_semaphore<2> free_places(1);
    both(
        [] {
          free_places.acquire();
          free_places.release();
        },
        [] {
          free_places.acquire();
          free_places.release();
        });
  } else if (is("unnotified_stuck")) {  // wait() polls and yields before it sleeps; once asleep nobody wakes it
    both([] { flag.store(1); }, [] { flag.wait(0); });
  } else if (is("two_flags")) {
    both(
        [] {
          flag.store(1);
          while (!lock_a.load()) {
          }
        },
        [] {
          while (!flag.load() && !serving.load()) {
          }
          lock_a.store(1);
        });
  } else if (is("abba_stuck")) {
    both(
        [] {
          take(lock_a);
          take(lock_b);
          lock_b.store(0);
          lock_a.store(0);
        },
        [] {
          take(lock_b);
          take(lock_a);
          lock_a.store(0);
          lock_b.store(0);
        });
  } else if (is("forgotten_stuck")) {
    both([] { data = 1; },
         [] {
           while (!flag.load()) {
           }
         });
  } else if (is("polite_stuck")) {  // each lets the other go first, for ever
    static std::mutex a, b;
    auto body = [](std::mutex& first, std::mutex& second) {
      for (;;) {
        first.lock();
        if (second.try_lock()) break;
        first.unlock();
        std::this_thread::yield();
      }
      second.unlock();
      first.unlock();
    };
    std::thread x(body, std::ref(a), std::ref(b)), y(body, std::ref(b), std::ref(a));
    x.join();
    y.join();
  } else if (is("selfish_stuck")) {  // polls under a lock without ever yielding
    static std::mutex m;
    static bool done = false;
    both(
        [] {
          for (bool end = false; !end;) {
            std::lock_guard lock(m);
            end = done;
          }
        },
        [] {
          std::lock_guard lock(m);
          done = true;
        });
  } else {
    return 2;
  }
  return 0;
}
