// More racy programs and race-free twins: order by way of objects of the standard library, atomics, coroutines.
#include "races.hpp"

#include <coroutine>

int shared_value, value;  // not static: written and never read, they would be gone

// --- synchronisation ---
static void semaphore_as_mutex() {
  static std::binary_semaphore s(1);
  auto body = [] {
    s.acquire();
    value = value + 1;
    s.release();
  };
  together(body, body);
}
static void two_permits() {
  static std::counting_semaphore<4> s(2);
  together(
      [] {
        s.acquire();
        value = 1;
        s.release();
      },
      [] {
        s.acquire();
        value = 2;
        s.release();
      });
}
static void barrier_completion() {
  static int parts[2], total;
  static auto sum = []() noexcept { total = parts[0] + parts[1]; };
  static std::barrier b(2, sum);
  together(
      [] {
        parts[0] = 1;
        b.arrive_and_wait();
        shared_value += 0;
      },
      [] {
        parts[1] = 2;
        b.arrive_and_wait();
        if (total != 3) std::abort();
      });
}
static void barrier_dropped() {
  static std::barrier b(2);
  together(
      [] {
        value = 1;
        b.arrive_and_drop();
      },
      [] {
        b.arrive_and_wait();
        value = 2;
      });
}
static void barrier_arrived_only() {
  static std::barrier b(2);
  together(
      [] {
        auto token = b.arrive();
        value = 1;
        b.wait(std::move(token));
      },
      [] {
        b.arrive_and_wait();
        value = 2;
      });
}
static void latch_counted_down() {
  static std::latch l(1);
  together(
      [] {
        value = 1;
        l.count_down();
      },
      [] {
        l.wait();
        value = 2;
      });
}
static void latch_tried() {
  static std::latch l(1);
  together(
      [] {
        value = 1;
        l.count_down();
      },
      [] {
        if (l.try_wait()) value = 2;
      });
}
static void future_shared() {
  std::promise<void> p;
  std::shared_future<void> f = p.get_future().share();
  together(
      [&] {
        value = 1;
        p.set_value();
      },
      [f] {
        f.wait();
        if (value != 1) std::abort();
      },
      [f] {
        f.wait();
        if (value != 1) std::abort();
      });
}
static void future_polled() {
  std::promise<void> p;
  auto f = p.get_future();
  together(
      [&] {
        value = 1;
        p.set_value();
      },
      [&] {
        if (f.wait_for(std::chrono::seconds(0)) == std::future_status::ready) value = 2;
      });
}
static void once_with_exception() {
  static std::once_flag flag;
  static int tries;
  auto body = [] {
    try {
      std::call_once(flag, [] {
        value = value + 1;
        if (++tries == 1) throw 1;
      });
    } catch (int) {
    }
  };
  together(body, body);
}
static void condition_any_with_shared_mutex() {
  static std::shared_mutex m;
  static std::condition_variable_any c;
  static bool ready;
  together(
      [] {
        std::unique_lock l(m);
        value = 1;
        ready = true;
        c.notify_all();
      },
      [] {
        std::shared_lock l(m);
        c.wait(l, [] { return ready; });
        if (value != 1) std::abort();
      });
}
static void notified_without_lock() {
  static std::mutex m;
  static std::condition_variable c;
  static bool ready;
  together(
      [] {
        {
          std::lock_guard l(m);
          ready = true;
        }
        c.notify_one();
      },
      [] {
        std::unique_lock l(m);
        c.wait(l, [] { return ready; });
      });
}
// --- atomics ---
static void atomic_reference_and_plain() {
  together(
      [] {
        std::atomic_ref r(value);
        r.store(1);
      },
      [] { value = 2; });
}
static void pointer_exchanged() {
  static std::atomic<int*> slot{nullptr};
  together([] { slot.store(new int(7), std::memory_order_release); },
           [] {
             if (int* p = slot.exchange(nullptr, std::memory_order_acquire)) {
               *p = 8;
               delete p;
             }
           });
  delete slot.load();
}
static void pointer_exchanged_relaxed() {
  static std::atomic<int*> slot{nullptr};
  together(
      [] {
        value = 7;
        slot.store(&value, std::memory_order_relaxed);
      },
      [] {
        if (int* p = slot.exchange(nullptr, std::memory_order_acquire)) *p = 8;
      });
}
struct Pair {
  long a, b;
};
static void pair_published() {
  static std::atomic<Pair> pair{Pair{0, 0}};
  together(
      [] {
        value = 1;
        pair.store(Pair{1, 1});
      },
      [] {
        if (pair.load().a == 1) value = 2;
      });
}
static void two_flags_one_release() {
  static std::atomic<int> x{0}, y{0};
  together(
      [] {
        value = 1;
        x.store(1, std::memory_order_release);
      },
      [] {
        if (x.load(std::memory_order_relaxed)) y.store(1, std::memory_order_release);
      },
      [] {
        if (y.load(std::memory_order_acquire)) value = 2;
      });
}
static void handed_on_by_fence() {
  static std::atomic<int> x{0}, y{0};
  together(
      [] {
        value = 1;
        x.store(1, std::memory_order_release);
      },
      [] {
        if (x.load(std::memory_order_relaxed)) {
          std::atomic_thread_fence(std::memory_order_acq_rel);
          y.store(1, std::memory_order_relaxed);
        }
      },
      [] {
        if (y.load(std::memory_order_acquire)) value = 2;
      });
}
static void waited_for_flag() {
  static std::atomic<bool> flag{false};
  together(
      [] {
        value = 1;
        flag.store(true, std::memory_order_release);
        flag.notify_one();
      },
      [] {
        flag.wait(false, std::memory_order_acquire);
        value = 2;
      });
}
static void shared_pointer_swapped() {
  static std::atomic<std::shared_ptr<int>> slot{std::make_shared<int>(1)};
  together([] { slot.store(std::make_shared<int>(2)); },
           [] {
             auto p = slot.load();
             if (*p > 2) std::abort();
           });
}
static void pointee_of_shared_pointer() {
  static std::atomic<std::shared_ptr<int>> slot{std::make_shared<int>(1)};
  together([] { *slot.load() = 2; },  //
           [] { *slot.load() = 3; });
}
static void weak_pointer_locked() {
  static auto owner = std::make_shared<int>(1);
  static std::weak_ptr<int> weak = owner;
  together([] { owner.reset(); },
           [] {
             if (auto p = weak.lock()) shared_value = *p;
           });
}
// --- coroutines ---
struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::abort(); }
  };
  std::coroutine_handle<promise_type> handle;
};
static Task twice(int* value) {
  *value += 1;
  co_await std::suspend_always{};
  *value += 1;
}
static void coroutine_resumed_in_turn() {
  int value = 0;
  Task task = twice(&value);
  std::thread([&] { task.handle.resume(); }).join();
  std::thread([&] { task.handle.resume(); }).join();
  if (value != 2) std::abort();
  task.handle.destroy();
}
static void coroutine_and_thread() {
  Task task = twice(&value);
  std::thread t([&] { task.handle.resume(); });
  value = 5;
  t.join();
  task.handle.destroy();
}

// --- ready when the thread ends ---
static void promise_at_thread_exit() {
  static std::promise<int> p;
  p = {};
  auto f = p.get_future();
  std::thread t([] {
    p.set_value_at_thread_exit(1);
    value = 1;
  });
  value = f.get();
  t.join();
}

static void task_at_thread_exit() {
  auto task = std::make_shared<std::packaged_task<int()>>([] { return value = 1; });
  auto f = task->get_future();
  std::thread t([task = std::move(task)]() mutable { task->make_ready_at_thread_exit(); });
  value = f.get();
  t.join();
}

// The state is given up by the one who waits or by the thread that ends, whoever comes last.
static void future_given_up_at_thread_exit() {
  static std::promise<void> p;
  p = {};
  std::thread t([] { p.set_exception_at_thread_exit(std::make_exception_ptr(1)); });
  {
    auto f = p.get_future();
    if (f.wait_for(std::chrono::seconds(0)) == std::future_status::ready) value = 2;
  }
  t.join();
  p = {};
}

static void promise_at_once() {
  static std::promise<int> p;
  p = {};
  auto f = p.get_future();
  std::thread t([] {
    p.set_value(1);
    value = 1;  // FIRST
  });
  value = f.get();  // SECOND
  t.join();
}

static const Case kCases[] = {
    FINE(semaphore_as_mutex),
    RACY(two_permits, 23, 28),
    FINE(barrier_completion),
    FINE(barrier_dropped),
    RACY(barrier_arrived_only, 65, 70),
    FINE(latch_counted_down),
    FINE(latch_tried),
    FINE(future_shared),
    FINE(future_polled),
    FINE(once_with_exception),
    FINE(condition_any_with_shared_mutex),
    FINE(notified_without_lock),
    RACY(atomic_reference_and_plain, 178, 180),
    FINE(pointer_exchanged),
    RACY(pointer_exchanged_relaxed, 197, 201),
    FINE(pair_published),
    RACY(two_flags_one_release, 222, 229),
    FINE(handed_on_by_fence),
    FINE(waited_for_flag),
    FINE(shared_pointer_swapped),
    RACY(pointee_of_shared_pointer, 272, 273),
    FINE(weak_pointer_locked),
    FINE(coroutine_resumed_in_turn),
    RACY(coroutine_and_thread, 295, 310),
    FINE(promise_at_thread_exit),
    FINE(task_at_thread_exit),
    FINE(future_given_up_at_thread_exit),
    RACY(promise_at_once, 355, 357),
};
int main(int argc, char** argv) { return run_case(kCases, sizeof kCases / sizeof *kCases, argc, argv); }
