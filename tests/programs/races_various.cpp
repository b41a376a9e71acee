// More racy programs and race-free twins: order by way of objects of the standard library, memory that is used again,
// parts of words, and what runs when threads and programs end.
#include "races.hpp"

#include <coroutine>
#include <deque>
#include <list>
#include <new>
#include <optional>
#include <sstream>
#include <stop_token>
#include <unordered_map>

int shared_value, value;  // not static: written and never read, they would be gone

// --- parts of words ---
struct Bits {
  unsigned a : 4, b : 4, : 0, c : 8;
};
Bits bits;
static void bit_fields_of_one_unit() {
  together([] { bits.a = 1; },  //
           [] { bits.b = 2; });
}
static void bit_fields_of_two_units() {
  together([] { bits.a = 1; }, [] { bits.c = 2; });
}
static std::vector<bool> flags(64);
static void vector_of_bool() {
  together([] { flags[1] = true; },  //
           [] { flags[2] = true; });
}
static void vector_of_bool_apart() {
  static std::vector<bool> many(256);
  together([] { many[1] = true; }, [] { many[130] = true; });
}
static void vector_of_char() {
  static std::vector<char> many(64);
  together([] { many[1] = 1; }, [] { many[2] = 1; });
}
char raw[32];
static void unaligned_apart() {
  together(
      [] {
        int v = 1;
        std::memcpy(raw + 1, &v, 4);
      },
      [] {
        int v = 2;
        std::memcpy(raw + 5, &v, 4);
      });
}
static void unaligned_overlap() {
  together(
      [] {
        int v = 1;
        std::memcpy(raw + 9, &v, 4);
      },
      [] {
        int v = 2;
        std::memcpy(raw + 12, &v, 4);
      });
}
char text[64];
static void last_byte_of_range() {
  together([] { std::memset(text, 1, 41); },  //
           [] { text[40] = 2; });
}
static void just_behind_range() {
  together([] { std::memset(text, 1, 40); }, [] { text[40] = 2; });
}
// --- strings, streams, containers ---
static void string_appended() {
  static std::string text = "abc";
  text.reserve(64);
  together([] { text[0] = 'x'; },  //
           [] { shared_value = text[0]; });
}
static void string_moved_under_lock() {
  static std::string text;
  static std::mutex m;
  together(
      [] {
        std::string mine(40, 'a');
        std::lock_guard l(m);
        text = std::move(mine);
      },
      [] {
        std::lock_guard l(m);
        std::string copy = text;
        if (copy.size() == 1) std::abort();
      });
}
static void own_streams() {
  together(
      [] {
        std::ostringstream s;
        s << 1 << "x" << 2.5;
        if (s.str().empty()) std::abort();
      },
      [] {
        std::ostringstream s;
        s << 3 << "y";
        if (s.str().empty()) std::abort();
      });
}
static void map_under_shared_lock() {
  static std::unordered_map<int, int> map;
  static std::shared_mutex m;
  together(
      [] {
        std::unique_lock l(m);
        map[1] = 2;
      },
      [] {
        std::shared_lock l(m);
        if (map.count(3)) std::abort();
      },
      [] {
        std::shared_lock l(m);
        if (map.count(4)) std::abort();
      });
}
static void written_under_shared_lock() {
  static std::shared_mutex m;
  together(
      [] {
        std::shared_lock l(m);
        value = 1;
      },
      [] {
        std::shared_lock l(m);
        value = 2;
      });
}
static void two_deques() {
  static std::deque<int> a, b;
  together(
      [] {
        for (int i = 0; i < 5; ++i) a.push_back(i);
      },
      [] {
        for (int i = 0; i < 5; ++i) b.push_back(i);
      });
}
// --- memory that is used again ---
static void placement_new_again() {
  alignas(16) static char place[16];
  static std::mutex m;
  together(
      [] {
        std::lock_guard l(m);
        auto* p = new (place) long(1);
        *p = 2;
      },
      [] {
        std::lock_guard l(m);
        auto* p = new (place) int(1);
        *p = 2;
      });
}
static void grown_in_place() {
  char* p = static_cast<char*>(std::malloc(8));
  p[0] = 1;
  p = static_cast<char*>(std::realloc(p, 4000));
  together([p] { p[0] = 2; }, [p] { p[3000] = 2; });
  std::free(p);
}
static void stack_used_again() {
  for (int i = 0; i < 2; ++i) {
    int local = 0;
    std::thread t([&] { local = 1; });
    t.join();
    if (local != 1) std::abort();
  }
}
static void stack_of_next_thread() {
  std::thread([] {
    [[maybe_unused]] volatile int a[16] = {};
    a[3] = 1;
  }).join();
  std::thread([] {
    [[maybe_unused]] volatile int a[16] = {};
    a[3] = 2;
  }).join();
}
static void freed_and_allocated_again() {
  together(
      [] {
        for (int i = 0; i < 3; ++i) {
          auto* p = new int(i);
          *p = 2;
          delete p;
        }
      },
      [] {
        for (int i = 0; i < 3; ++i) {
          auto* p = new int(i);
          *p = 3;
          delete p;
        }
      });
}
// --- ends ---
static int at_end;
struct CountsAtEnd {
  ~CountsAtEnd() { at_end = at_end + 1; }
  int used = 0;
};
static thread_local CountsAtEnd counts_at_end;
static void destructors_of_two_threads() {
  together([] { counts_at_end.used = 1; }, [] { counts_at_end.used = 1; });
}
static void destructors_in_turn() {
  std::thread([] { counts_at_end.used = 1; }).join();
  std::thread([] { counts_at_end.used = 1; }).join();
  if (at_end != 2) std::abort();
}
static int left_behind;
static void handler_after_join() {
  std::thread([] { left_behind = 1; }).join();
  std::atexit([] { left_behind = 2; });
}
static void scoped_threads() {
  {
    std::jthread t([&] { value = 1; });
  }
  value = 2;
}
static void scoped_thread_not_over() {
  std::jthread t([] { value = 11; });
  value = 2;
}
static void stop_requested() {
  std::jthread t([](std::stop_token s) {
    while (!s.stop_requested()) std::this_thread::yield();
    value = value + 1;
  });
  value = 5;
  t.request_stop();
}
static void callback_on_stop() {
  std::stop_source source;
  std::thread t([s = source.get_token()] { std::stop_callback c(s, [] { value = value + 1; }); });
  source.request_stop();
  t.join();
  value = 2;
}
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

#define FINE(f) \
  { #f, false, f, 0, 0 }
#define RACY(f, a, b) \
  { #f, true, f, a, b }
static const Case kCases[] = {
    RACY(bit_fields_of_one_unit, 22, 23),
    FINE(bit_fields_of_two_units),
    RACY(vector_of_bool, 30, 31),
    FINE(vector_of_bool_apart),
    FINE(vector_of_char),
    FINE(unaligned_apart),
    RACY(unaligned_overlap, 57, 61),
    RACY(last_byte_of_range, 66, 67),
    FINE(just_behind_range),
    RACY(string_appended, 76, 77),
    FINE(string_moved_under_lock),
    FINE(own_streams),
    FINE(map_under_shared_lock),
    RACY(written_under_shared_lock, 129, 133),
    FINE(two_deques),
    FINE(placement_new_again),
    FINE(grown_in_place),
    FINE(stack_used_again),
    FINE(stack_of_next_thread),
    FINE(freed_and_allocated_again),
    RACY(destructors_of_two_threads, 207, 207),
    FINE(destructors_in_turn),
    FINE(handler_after_join),
    FINE(scoped_threads),
    RACY(scoped_thread_not_over, 231, 232),
    FINE(stop_requested),
    FINE(callback_on_stop),
    FINE(semaphore_as_mutex),
    RACY(two_permits, 264, 269),
    FINE(barrier_completion),
    FINE(barrier_dropped),
    RACY(barrier_arrived_only, 306, 311),
    FINE(latch_counted_down),
    FINE(latch_tried),
    FINE(future_shared),
    FINE(future_polled),
    FINE(once_with_exception),
    FINE(condition_any_with_shared_mutex),
    FINE(notified_without_lock),
    RACY(atomic_reference_and_plain, 419, 421),
    FINE(pointer_exchanged),
    RACY(pointer_exchanged_relaxed, 438, 442),
    FINE(pair_published),
    RACY(two_flags_one_release, 463, 470),
    FINE(handed_on_by_fence),
    FINE(waited_for_flag),
    FINE(shared_pointer_swapped),
    RACY(pointee_of_shared_pointer, 513, 514),
    FINE(weak_pointer_locked),
    FINE(coroutine_resumed_in_turn),
    RACY(coroutine_and_thread, 536, 551),
};
int main(int argc, char** argv) { return run_case(kCases, sizeof kCases / sizeof *kCases, argc, argv); }
