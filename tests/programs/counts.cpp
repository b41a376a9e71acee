// Small programs whose number of schedules is known exactly, chosen by name: `counts faa 3 2` is three threads with
// two fetch_adds each. Threads do nothing but the operations that count; main only creates and joins.
#include <semaphore.h>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

std::atomic<int> x{0}, y{0}, own[8];
std::mutex m[4];
std::condition_variable c;
bool flag = false;

void run(const std::vector<std::function<void()>>& bodies) {
  std::vector<std::thread> threads;
  threads.reserve(bodies.size());
  for (const auto& body : bodies) threads.emplace_back(body);
  for (auto& t : threads) t.join();
}

void run(int n, const std::function<void(int)>& body) {
  std::vector<std::function<void()>> bodies;
  for (int i = 0; i < n; ++i) bodies.push_back([&body, i] { body(i); });
  run(bodies);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  const int n = argc > 2 ? std::atoi(argv[2]) : 2, k = argc > 3 ? std::atoi(argv[3]) : 2;
  if (name == "indep") {
    run(n, [k](int i) {
      for (int j = 0; j < k; ++j) own[i].store(j);
    });
  } else if (name == "faa") {
    run(n, [k](int) {
      for (int j = 0; j < k; ++j) x.fetch_add(1);
    });
  } else if (name == "inc") {
    run(n, [k](int) {
      for (int j = 0; j < k; ++j) x.store(x.load() + 1);
    });
  } else if (name == "cas") {
    run(n, [](int i) {
      int zero = 0;
      x.compare_exchange_strong(zero, i + 1);
    });
  } else if (name == "readers") {
    run(n + 1, [](int i) {
      if (i == 0)
        x.store(1);
      else
        x.load();
    });
  } else if (name == "lock") {
    run(n, [k](int) {
      for (int j = 0; j < k; ++j) std::lock_guard lock(m[0]);
    });
  } else if (name == "mutex_counter") {
    run(n, [k](int) {
      for (int j = 0; j < k; ++j) {
        std::lock_guard lock(m[0]);
        x.store(x.load() + 1);
      }
    });
  } else if (name == "abba") {
    run(2, [](int i) {
      std::lock_guard first(m[i]);
      std::lock_guard second(m[1 - i]);
    });
  } else if (name == "philosophers") {
    run(n, [n](int i) {
      m[i].lock();
      m[(i + 1) % n].lock();
      m[(i + 1) % n].unlock();
      m[i].unlock();
    });
  } else if (name == "trylock") {
    run({[] {
           m[0].lock();
           x.store(1);
           m[0].unlock();
         },
         [] {
           if (m[0].try_lock()) {
             x.store(2);
             m[0].unlock();
           }
         }});
  } else if (name == "condvar_signal" || name == "condvar_broadcast") {
    const bool all = name == "condvar_broadcast";
    run(n + 1, [n, all](int i) {
      if (i < n) {
        std::unique_lock lock(m[0]);
        while (!flag) c.wait(lock);
      } else {
        std::lock_guard lock(m[0]);
        flag = true;
        all ? c.notify_all() : c.notify_one();
      }
    });
  } else if (name == "lost_wakeup") {
    run({[] {
           std::unique_lock lock(m[0]);
           c.wait(lock);
         },
         [] {
           std::lock_guard lock(m[0]);
           c.notify_one();
         }});
  } else if (name == "semaphore") {
    static sem_t s;
    sem_init(&s, 0, 1);
    run(n, [](int) {
      sem_wait(&s);
      x.store(x.load() + 1);
      sem_post(&s);
    });
  } else if (name == "detached") {
    // Process exit conflicts with everything: the detached thread runs before it or not at all.
    std::thread([] {
      x.store(1);
      y.store(1);
    }).detach();
    x.load();
  } else {
    return 2;
  }
  return 0;
}
