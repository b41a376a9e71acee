// Thread pools, queues, pipelines.
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <queue>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "everyday.hpp"

namespace {

class Pool {
 public:
  explicit Pool(unsigned n) {
    for (unsigned i = 0; i < n; ++i) workers_.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (auto& w : workers_) w.join();
  }
  template <class F>
  auto submit(F f) {
    auto task = std::make_shared<std::packaged_task<decltype(f())()>>(std::move(f));
    auto result = task->get_future();
    {
      std::lock_guard lock(mutex_);
      tasks_.push([task] { (*task)(); });
    }
    wake_.notify_one();
    return result;
  }

 private:
  void work() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return stop_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop();
      }
      task();
    }
  }
  std::mutex mutex_;
  std::condition_variable wake_;
  std::queue<std::function<void()>> tasks_;
  bool stop_ = false;
  std::vector<std::thread> workers_;
};

template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(size_t capacity) : capacity_(capacity) {}
  void push(T value) {
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [&] { return items_.size() < capacity_; });
    items_.push_back(std::move(value));
    not_empty_.notify_one();
  }
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [&] { return closed_ || !items_.empty(); });
    if (items_.empty()) return std::nullopt;
    T value = std::move(items_.front());
    items_.pop_front();
    not_full_.notify_one();
    return value;
  }
  void close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
    not_empty_.notify_all();
  }

 private:
  const size_t capacity_;
  std::mutex mutex_;
  std::condition_variable not_full_, not_empty_;
  std::deque<T> items_;
  bool closed_ = false;
};

}  // namespace

EVERYDAY(pool_of_two) {
  Pool pool(2);
  auto a = pool.submit([] { return 20; });
  auto b = pool.submit([] { return 22; });
  assert(a.get() + b.get() == 42);
}

EVERYDAY(pool_with_exceptions) {
  Pool pool(1);
  auto broken = pool.submit([]() -> int { throw std::runtime_error("no"); });
  try {
    broken.get();
    assert(false);
  } catch (const std::runtime_error& error) {
    assert(std::string(error.what()) == "no");
  }
}

EVERYDAY(bounded_queue) {
  BoundedQueue<int> queue(1);
  std::thread producer([&] {
    for (int i = 1; i <= 3; ++i) queue.push(i);
    queue.close();
  });
  int sum = 0;
  while (auto value = queue.pop()) sum += *value;
  producer.join();
  assert(sum == 6);
}

EVERYDAY(queue_of_unique_pointers) {
  BoundedQueue<std::unique_ptr<std::string>> queue(2);
  std::thread consumer([&] {
    std::string all;
    while (auto text = queue.pop()) all += **text;
    assert(all == "ab");
  });
  queue.push(std::make_unique<std::string>("a"));
  queue.push(std::make_unique<std::string>("b"));
  queue.close();
  consumer.join();
}

EVERYDAY(two_stage_pipeline) {
  BoundedQueue<int> first(1), second(1);
  std::thread square([&] {
    while (auto v = first.pop()) second.push(*v * *v);
    second.close();
  });
  std::thread feed([&] {
    first.push(2);
    first.push(3);
    first.close();
  });
  int sum = 0;
  while (auto v = second.pop()) sum += *v;
  feed.join();
  square.join();
  assert(sum == 13);
}

EVERYDAY(semaphore_ring) {
  std::counting_semaphore<2> free(2), used(0);
  int ring[2], sum = 0;
  std::thread producer([&] {
    for (int i = 0; i < 3; ++i) {
      free.acquire();
      ring[i % 2] = i;
      used.release();
    }
  });
  for (int i = 0; i < 3; ++i) {
    used.acquire();
    sum += ring[i % 2];
    free.release();
  }
  producer.join();
  assert(sum == 3);
}

EVERYDAY(futures_and_promises) {
  std::promise<int> promise;
  std::shared_future<int> future = promise.get_future().share();
  auto doubled = std::async(std::launch::async, [future] { return 2 * future.get(); });
  std::thread reader([future] { assert(future.get() == 21); });
  promise.set_value(21);
  assert(doubled.get() == 42);
  reader.join();
}

EVERYDAY(deferred_async) {
  auto lazy = std::async(std::launch::deferred, [] { return std::this_thread::get_id(); });
  assert(lazy.wait_for(std::chrono::seconds(0)) == std::future_status::deferred);
  assert(lazy.get() == std::this_thread::get_id());
}

EVERYDAY(future_with_timeout) {
  std::promise<void> promise;
  auto future = promise.get_future();
  std::thread later([&] { promise.set_value(); });
  while (future.wait_for(std::chrono::milliseconds(5)) != std::future_status::ready) {
  }
  later.join();
}

EVERYDAY(broken_promise) {
  std::future<int> future;
  std::thread quitter([&] {
    std::promise<int> promise;
    future = promise.get_future();
  });
  quitter.join();
  try {
    future.get();
    assert(false);
  } catch (const std::future_error& error) {
    assert(error.code() == std::future_errc::broken_promise);
  }
}

EVERYDAY(parallel_sum) {
  std::vector<int> numbers(64);
  std::iota(numbers.begin(), numbers.end(), 1);
  auto half = std::async(std::launch::async, [&] { return std::accumulate(numbers.begin(), numbers.begin() + 32, 0); });
  const int rest = std::accumulate(numbers.begin() + 32, numbers.end(), 0);
  assert(half.get() + rest == 64 * 65 / 2);
}

EVERYDAY(parallel_quicksort) {
  std::vector<int> v{5, 2, 9, 1, 7, 3};
  std::function<void(int*, int*, int)> sort = [&](int* begin, int* end, int depth) {
    if (end - begin < 2) return;
    int* middle = std::partition(begin, end - 1, [pivot = end[-1]](int x) { return x < pivot; });
    std::swap(*middle, end[-1]);
    if (depth == 0) {
      sort(begin, middle, 0);
      sort(middle + 1, end, 0);
      return;
    }
    std::thread left([&] { sort(begin, middle, depth - 1); });
    sort(middle + 1, end, depth - 1);
    left.join();
  };
  sort(v.data(), v.data() + v.size(), 1);
  assert(std::is_sorted(v.begin(), v.end()));
}

EVERYDAY(stoppable_worker) {
  std::mutex mutex;
  std::condition_variable_any wake;
  int done = 0;
  std::jthread worker([&](std::stop_token token) {
    std::unique_lock lock(mutex);
    while (wake.wait(lock, token, [&] { return false; })) {
    }
    done = 1;
  });
  worker.request_stop();
  worker.join();
  assert(done == 1);
}

EVERYDAY(stop_callbacks) {
  std::stop_source source;
  std::atomic<int> called{0};
  std::thread other([&, token = source.get_token()] {
    std::stop_callback callback(token, [&] { ++called; });
    while (!token.stop_requested()) std::this_thread::yield();
  });
  source.request_stop();
  other.join();
  assert(called == 1);
}

EVERYDAY(jthreads_join_themselves) {
  std::atomic<int> sum{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 1; i <= 3; ++i) threads.emplace_back([&, i] { sum += i; });
  }
  assert(sum == 6);
}

EVERYDAY(latch_start) {
  std::latch ready(2), go(1);
  std::atomic<int> running{0};
  auto body = [&] {
    ready.count_down();
    go.wait();
    ++running;
  };
  std::thread a(body), b(body);
  ready.wait();
  assert(running == 0);
  go.count_down();
  a.join();
  b.join();
  assert(running == 2);
}

EVERYDAY(readers_and_writer_cache) {
  struct Cache {
    std::shared_mutex mutex;
    std::map<int, std::string> map;
    std::string get(int key) {
      {
        std::shared_lock lock(mutex);
        if (auto found = map.find(key); found != map.end()) return found->second;
      }
      std::unique_lock lock(mutex);
      return map.try_emplace(key, std::to_string(key)).first->second;
    }
  } cache;
  std::thread other([&] { assert(cache.get(7) == "7"); });
  assert(cache.get(7) == "7");
  other.join();
  assert(cache.map.size() == 1);
}

EVERYDAY(observer_with_weak_pointers) {
  struct Subject {
    std::mutex mutex;
    std::vector<std::weak_ptr<std::atomic<int>>> observers;
    void tell() {
      std::vector<std::shared_ptr<std::atomic<int>>> alive;
      {
        std::lock_guard lock(mutex);
        for (auto& weak : observers)
          if (auto strong = weak.lock()) alive.push_back(strong);
      }
      for (auto& observer : alive) ++*observer;
    }
  } subject;
  auto observer = std::make_shared<std::atomic<int>>(0);
  subject.observers.push_back(observer);
  std::thread teller([&] { subject.tell(); });
  observer.reset();
  teller.join();
}

EVERYDAY(asynchronous_log) {
  struct Log {
    std::mutex mutex;
    std::condition_variable wake;
    std::vector<std::string> lines, written;
    bool stop = false;
    std::thread writer{[this] {
      std::unique_lock lock(mutex);
      for (;;) {
        wake.wait(lock, [this] { return stop || !lines.empty(); });
        std::vector<std::string> batch;
        batch.swap(lines);
        const bool last = stop;
        lock.unlock();
        for (auto& line : batch) written.push_back(std::move(line));
        lock.lock();
        if (last && lines.empty()) return;
      }
    }};
    void add(std::string line) {
      std::lock_guard lock(mutex);
      lines.push_back(std::move(line));
      wake.notify_one();
    }
    ~Log() {
      {
        std::lock_guard lock(mutex);
        stop = true;
      }
      wake.notify_one();
      writer.join();
      assert(written.size() == 2);
    }
  } log;
  std::thread other([&] { log.add("other"); });
  log.add("main");
  other.join();
}
