// More racy programs and race-free twins: what is usually built from the standard library's threads.
#include "races.hpp"

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory_resource>
#include <optional>
#include <stop_token>
#include <variant>

static int shared;

// --- a pool of threads ---
namespace {
class Pool {
 public:
  explicit Pool(int size) {
    for (int i = 0; i < size; ++i) threads_.emplace_back([this](std::stop_token stop) { work(stop); });
  }
  template <class F>
  std::future<void> submit(F task) {
    auto packed = std::make_shared<std::packaged_task<void()>>(task);
    std::future<void> result = packed->get_future();
    {
      std::lock_guard hold(mutex_);
      tasks_.emplace_back([packed] { (*packed)(); });
    }
    there_is_work_.notify_one();
    return result;
  }

 private:
  void work(std::stop_token stop) {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock hold(mutex_);
        if (!there_is_work_.wait(hold, stop, [&] { return !tasks_.empty(); })) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }
  std::mutex mutex_;
  std::condition_variable_any there_is_work_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::jthread> threads_;
};
}  // namespace
static void pool_tasks_in_turn() {
  Pool pool(2);
  for (int i = 0; i < 2; ++i) pool.submit([] { ++shared; }).get();
}
static void pool_tasks_at_once() {
  Pool pool(2);
  auto a = pool.submit([] {
    shared = 1;
  });
  auto b = pool.submit([] {
    shared = 2;
  });
  a.get(), b.get();
}
static void pool_tasks_with_lock() {
  static std::mutex mutex;
  Pool pool(2);
  const auto task = [] {
    std::lock_guard hold(mutex);
    ++shared;
  };
  auto a = pool.submit(task), b = pool.submit(task);
  a.get(), b.get();
}

// --- made when first needed ---
static void made_once_behind_atomic() {
  static std::atomic<int*> made;
  static std::mutex mutex;
  made = nullptr;
  const auto get = [] {
    int* p = made.load(std::memory_order_acquire);
    if (!p) {
      std::lock_guard hold(mutex);
      p = made.load(std::memory_order_relaxed);
      if (!p) made.store(p = new int(3), std::memory_order_release);
    }
    if (*p != 3) std::abort();
  };
  together(get, get);
}
static void made_once_behind_pointer() {
  static int* made;
  static std::mutex mutex;
  made = nullptr;
  const auto get = [] {
    if (!made) {
      std::lock_guard hold(mutex);
      if (!made)
        made = new int(3);
    }
  };
  together(get, get);
}

// --- parts of one word ---
static void bits_of_a_vector() {
  std::vector<bool> bits(8);
  together([&] { bits[0] = true; },
           [&] { bits[1] = true; });
}
static void fields_of_bits() {
  static struct {
    unsigned low : 4, high : 4;
  } fields;
  together([] { fields.low = 1; },
           [] { fields.high = 2; });
  shared = fields.low + fields.high;
}
static void every_other_byte() {
  static char bytes[8];
  together(
      [] {
        for (int i = 0; i < 8; i += 2) bytes[i] = 1;
      },
      [] {
        for (int i = 1; i < 8; i += 2) bytes[i] = 2;
      });
  shared = bytes[0] + bytes[1];
}
// A counter and a number under a lock, in the same eight bytes; the lock orders the number and nothing orders the rest.
static void neighbours_in_a_word() {
  struct alignas(8) {
    std::atomic<int> counter{0};
    int number = 0;
  } word;
  std::mutex mutex;
  const auto work = [&] {
    for (int i = 0; i < 2; ++i) word.counter.fetch_add(1, std::memory_order_relaxed);
    std::lock_guard hold(mutex);
    ++word.number;
    word.counter.fetch_add(1, std::memory_order_relaxed);
  };
  together(work, work, work);
  if (word.number != 3 || word.counter != 9) std::abort();
}
static void neighbour_without_lock() {
  struct alignas(8) {
    std::atomic<int> counter{0};
    int number = 0;
  } word;
  std::mutex mutex;
  together(
      [&] {
        word.counter.fetch_add(1, std::memory_order_relaxed);
        std::lock_guard hold(mutex);
        word.number = 1;
        word.counter.fetch_add(1, std::memory_order_relaxed);
      },
      [&] {
        word.counter.fetch_add(1, std::memory_order_relaxed);
        shared = word.number;
        word.counter.fetch_add(1, std::memory_order_relaxed);
      });
}

// --- values ---
static void optional_set_and_asked() {
  std::optional<int> value;
  together(
      [&] {
        value.emplace(1);
      },
      [&] {
        shared = value.has_value();
      });
}
static void variant_with_lock() {
  std::variant<int, std::string> value = 1;
  std::mutex mutex;
  together(
      [&] {
        std::lock_guard hold(mutex);
        value = std::string("text");
      },
      [&] {
        std::lock_guard hold(mutex);
        shared = static_cast<int>(value.index());
      });
}

// --- a queue of one producer and one consumer ---
template <std::memory_order kPublish>
static void pass_through_ring(int count) {
  static std::array<int, 2> ring;
  static std::atomic<unsigned> head, tail;
  head = tail = 0;
  std::jthread producer([count] {
    for (int i = 0; i < count; ++i) {
      const unsigned at = tail.load(std::memory_order_relaxed);
      while (at - head.load(std::memory_order_acquire) == ring.size()) std::this_thread::yield();
      ring[at % ring.size()] = i;
      tail.store(at + 1, kPublish);
    }
  });
  for (int i = 0; i < count; ++i) {
    const unsigned at = head.load(std::memory_order_relaxed);
    while (at == tail.load(std::memory_order_acquire)) std::this_thread::yield();
    shared = ring[at % ring.size()];
    head.store(at + 1, std::memory_order_release);
  }
}
static void ring_released() { pass_through_ring<std::memory_order_release>(3); }
static void ring_relaxed() { pass_through_ring<std::memory_order_relaxed>(1); }

// --- the rest of the library ---
static void pools_of_memory() {
  std::pmr::synchronized_pool_resource memory;
  const auto work = [&] { std::pmr::vector<int>(20, 1, &memory); };
  together(work, work);
}
static void stopped_by_callback() {
  std::jthread waiter([](std::stop_token stop) {
    std::binary_semaphore stopped(0);
    std::stop_callback tell(stop, [&] { stopped.release(); });
    stopped.acquire();
    if (shared != 9) std::abort();
  });
  shared = 9;
  waiter.request_stop();
}
// After the last thread has been joined there is nothing to race with; then there are threads again.
static void alone_in_between() {
  auto value = std::make_unique<int>(0);
  for (int round = 0; round < 2; ++round) {
    std::thread([&] { value = std::make_unique<int>(*value + 1); }).join();
    ++*value;
    ++shared;
    together([&] { shared += *value; });
  }
}
static void alone_before_the_race() {
  std::thread([] { delete new int(1); }).join();
  shared = 1;
  together([] { shared = 2; },
           [] { shared = 3; });
}

static const Case kCases[] = {
    FINE(pool_tasks_in_turn),
    RACY(pool_tasks_at_once, 60, 63),
    FINE(pool_tasks_with_lock),
    FINE(made_once_behind_atomic),
    RACY(made_once_behind_pointer, 102, 99),
    RACY(bits_of_a_vector, 111, 112),
    RACY(fields_of_bits, 118, 119),
    FINE(every_other_byte),
    FINE(neighbours_in_a_word),
    RACY(neighbour_without_lock, 159, 164),
    RACY(optional_set_and_asked, 174, 177),
    FINE(variant_with_lock),
    FINE(ring_released),
    RACY(ring_relaxed, 204, 211),
    FINE(pools_of_memory),
    FINE(stopped_by_callback),
    FINE(alone_in_between),
    RACY(alone_before_the_race, 247, 248),
};
int main(int argc, char** argv) { return run_case(kCases, sizeof kCases / sizeof *kCases, argc, argv); }
