// What the language and its library bring along: local statics, futures, shared pointers, thread-local variables,
// exceptions, time. Correct programs, as in primitives.cpp.
#include "named.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>

using namespace std::chrono_literals;

namespace {

struct Slow {
  int value;
  Slow() {
    std::this_thread::yield();
    value = 5;
  }
};
void local_static() {
  auto work = [] {
    static Slow s;
    assert(s.value == 5);
  };
  together(work, work);
}

void atomic_wait() {
  std::atomic<int> a{0};
  together([&] { a.wait(0); },
           [&] {
             a.store(1);
             a.notify_one();
           });
}

void futures() {
  std::promise<int> p;
  auto f = p.get_future();
  together([&] { p.set_value(7); });
  assert(f.get() == 7);
  auto a = std::async(std::launch::async, [] { return 3; });
  assert(a.get() == 3);
  auto e = std::async(std::launch::async, []() -> int { throw std::runtime_error("boom"); });
  bool caught = false;
  try {
    e.get();
  } catch (const std::runtime_error& error) {
    caught = std::strcmp(error.what(), "boom") == 0;
  }
  assert(caught);
}

void jthread_stop() {
  std::jthread t([](std::stop_token stop) {
    while (!stop.stop_requested()) std::this_thread::yield();
  });
}

void shared_pointer() {
  auto p = std::make_shared<int>(1);
  std::weak_ptr<int> w = p;
  together([p] { assert(*p == 1); },
           [w] {
             if (auto q = w.lock()) assert(*q == 1);
           });
}

void atomic_shared_pointer() {
  std::atomic<std::shared_ptr<int>> a;
  together([&] { a.store(std::make_shared<int>(3)); },
           [&] {
             auto p = a.load();
             assert(!p || *p == 3);
           });
  assert(*a.load() == 3);
}

std::atomic<int> alive{0};
struct Local {
  int value = 42;
  Local() { alive.fetch_add(1); }
  ~Local() { alive.fetch_sub(1); }
};
thread_local Local local;
thread_local std::string text = "thread-local text with a heap buffer of its own";
void thread_locals() {
  auto work = [](int id) {
    assert(local.value == 42 && text.size() == 47);
    local.value = id;
    text += "!";
    std::this_thread::yield();
    assert(local.value == id && text.size() == 48);
  };
  together([&] { work(1); }, [&] { work(2); });
  assert(alive == 0);
}

pthread_key_t key;
std::atomic<int> key_destroyed{0};
void keys() {
  pthread_key_create(&key, [](void* p) { key_destroyed.fetch_add(*static_cast<int*>(p)); });
  static int one = 1;
  auto work = [] {
    assert(!pthread_getspecific(key));
    pthread_setspecific(key, &one);
    assert(pthread_getspecific(key) == &one);
  };
  together(work, work);
  assert(key_destroyed == 2);
  pthread_key_delete(key);
}

void thread_exit() {
  struct Guard {
    bool* set;
    ~Guard() { *set = true; }
  };
  bool unwound = false;
  pthread_t t;
  pthread_create(
      &t, nullptr,
      [](void* p) -> void* {
        Guard guard{static_cast<bool*>(p)};
        std::this_thread::yield();
        pthread_exit(reinterpret_cast<void*>(5));
      },
      &unwound);
  void* result = nullptr;
  assert(pthread_join(t, &result) == 0);
  assert(unwound && result == reinterpret_cast<void*>(5));
  assert(pthread_join(pthread_self(), nullptr) == EDEADLK);
}

void detached() {
  auto done = std::make_shared<std::atomic<int>>(0);
  std::thread([done] {
    done->store(1);
    done->notify_one();
  }).detach();
  done->wait(0);
}

void sleeping() {
  const auto before = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(20ms);
  usleep(1000);
  assert(std::chrono::steady_clock::now() - before >= 21ms);
  std::atomic<int> n{0};
  together(
      [&] {
        std::this_thread::sleep_for(1ms);
        n.fetch_add(1);
      },
      [&] { n.fetch_add(1); });
}

// What one thread measured, another must not see in the future.
void clock_is_causal() {
  std::mutex m;
  auto latest = std::chrono::steady_clock::now();
  auto work = [&] {
    for (int i = 0; i < 2; ++i) {
      std::lock_guard lock(m);
      const auto now = std::chrono::steady_clock::now();
      assert(now >= latest);
      latest = now;
    }
  };
  together(work, work);
}

void exceptions_across_switches() {
  std::mutex m;
  int n = 0;
  auto work = [&](int id) {
    try {
      std::lock_guard lock(m);
      throw id;
    } catch (int caught) {
      std::this_thread::yield();
      assert(caught == id);
      try {
        throw;
      } catch (int again) {
        assert(again == id);
      }
      std::lock_guard lock(m);
      ++n;
    }
  };
  together([&] { work(1); }, [&] { work(2); });
  assert(n == 2);
}

void nested_threads() {
  std::atomic<int> n{0};
  auto parent = [&] {
    std::thread child([&] { n.fetch_add(1); });
    n.fetch_add(1);
    child.join();
  };
  together(parent, parent);
  assert(n == 4);
}

void spin_loop() {
  std::atomic<int> flag{0};
  int data = 0;
  together(
      [&] {
        data = 1;
        flag.store(1);
      },
      [&] {
        while (!flag.load()) {
        }
        assert(data == 1);
      });
}

void wide_atomics() {
  std::atomic<unsigned char> a{0};
  std::atomic<short> b{0};
  std::atomic<long> c{0};
  auto work = [&] {
    a.fetch_or(1);
    b.fetch_sub(1);
    c.fetch_xor(3);
    long expected = 3;
    c.compare_exchange_strong(expected, 3);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  };
  together(work, work);
  assert(a == 1 && b == -2 && c == 0);
}

const Named kAll[] = {
    NAMED(local_static),
    NAMED(atomic_wait),
    NAMED(futures),
    NAMED(jthread_stop),
    NAMED(shared_pointer),
    NAMED(atomic_shared_pointer),
    NAMED(thread_locals),
    NAMED(keys),
    NAMED(thread_exit),
    NAMED(detached),
    NAMED(sleeping),
    NAMED(clock_is_causal),
    NAMED(exceptions_across_switches),
    NAMED(nested_threads),
    NAMED(spin_loop),
    NAMED(wide_atomics),
};

}  // namespace

int main(int argc, char** argv) { return run_named(kAll, argc, argv); }
