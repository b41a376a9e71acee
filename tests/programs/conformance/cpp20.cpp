#include <future>
#include <memory>
#include <stop_token>
#include <string>

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "conformance.hpp"

CASE(cpp_futures) {
  std::promise<int> p;
  auto f = p.get_future();
  together([&] { p.set_value(7); });
  SHOW(f.get());
  auto shared = std::async(std::launch::async, [] { return 3; }).share();
  SHOW(shared.get() + shared.get());
  std::packaged_task<int(int)> task([](int x) -> int {
    if (x) throw x;
    return 0;
  });
  auto result = task.get_future();
  std::thread(std::move(task), 5).join();
  try {
    result.get();
  } catch (int x) {
    SHOW(x);
  }
  std::promise<void> broken;
  auto lost = broken.get_future();
  { auto gone = std::move(broken); }
  try {
    lost.get();
  } catch (const std::future_error& e) {
    SHOW(e.code() == std::future_errc::broken_promise);
  }
  std::promise<int> late;
  SHOW(late.get_future().wait_for(std::chrono::milliseconds(1)) == std::future_status::timeout);
}

CASE(cpp_ready_at_thread_exit) {
  std::promise<int> promise;
  std::packaged_task<int()> task([] { return 4; });
  auto value = promise.get_future();
  auto done = task.get_future();
  together([&] { promise.set_value_at_thread_exit(3); }, [&] { task.make_ready_at_thread_exit(); },
           [&] { SHOW(value.get()); });
  SHOW(done.get());
}

CASE(cpp_jthread) {
  std::atomic<int> turns{0};
  {
    std::mutex m;
    std::condition_variable_any v;
    std::jthread sleeper([&](std::stop_token stop) {
      std::unique_lock lock(m);
      v.wait(lock, stop, [] { return false; });
      turns.fetch_add(1);
    });
    std::jthread spinner([&](std::stop_token stop) {
      while (!stop.stop_requested()) std::this_thread::yield();
      turns.fetch_add(1);
    });
  }
  SHOW(turns.load());
}

struct Three {
  char a, b, c;
};
struct Pair {
  long a, b;
};
// As a compiler without sixteen-byte instructions calls them.
using Wide = unsigned __int128;
extern "C" {
Wide load_16(const volatile void*, int) asm("__atomic_load_16");
void store_16(volatile void*, Wide, int) asm("__atomic_store_16");
Wide exchange_16(volatile void*, Wide, int) asm("__atomic_exchange_16");
bool compare_exchange_16(volatile void*, void*, Wide, int, int) asm("__atomic_compare_exchange_16");
}
CASE(cpp_sixteen_bytes) {
  static Wide wide = 0;
  auto work = [] {
    Wide seen = load_16(&wide, 5);
    while (!compare_exchange_16(&wide, &seen, seen + 1, 5, 5)) {
    }
  };
  together(work, work);
  SHOW(wide);
  together([] {
    SHOW(exchange_16(&wide, 8, 5));
    store_16(&wide, 9, 5);
  });
  SHOW(load_16(&wide, 5));
}

CASE(cpp_wide_atomics) {
  std::atomic<Three> odd{Three{0, 0, 0}};
  std::atomic<Pair> pair{Pair{0, 0}};
  auto work = [&] {
    for (;;) {
      Three seen = odd.load(), next = {static_cast<char>(seen.a + 1), seen.b, static_cast<char>(seen.c + 1)};
      if (odd.compare_exchange_strong(seen, next)) break;
    }
    Pair seen = pair.load();
    while (!pair.compare_exchange_weak(seen, {seen.a + 1, seen.b - 1})) {
    }
  };
  together(work, work);
  SHOW(odd.load().a + odd.load().c);
  SHOW(pair.load().a - pair.load().b);
  SHOW(pair.exchange({5, 6}).a);
  SHOW(odd.exchange(Three{1, 1, 1}).a);
  odd.store(Three{2, 2, 2});
  pair.store({7, 8});
  SHOW(pair.load().a + odd.load().a);
}

CASE(cpp_shared_pointers) {
  std::atomic<std::shared_ptr<int>> a;
  together([&] { a.store(std::make_shared<int>(3)); },
           [&] {
             auto p = a.load();
             assert(!p || *p == 3);
           });
  SHOW(*a.load());
  auto p = std::make_shared<std::string>("text");
  std::weak_ptr<std::string> w = p;
  together([p = std::move(p)]() mutable { p.reset(); },
           [w] {
             if (auto q = w.lock()) assert(*q == "text");
           });
  SHOW(w.expired());
}
