// Spin locks, lock-free structures, waiting on atomics.
#include <array>
#include <atomic>
#include <barrier>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "everyday.hpp"

namespace {

struct SpinLock {
  std::atomic_flag flag = ATOMIC_FLAG_INIT;
  void lock() {
    while (flag.test_and_set(std::memory_order_acquire))
      while (flag.test(std::memory_order_relaxed)) std::this_thread::yield();
  }
  void unlock() { flag.clear(std::memory_order_release); }
};

struct TicketLock {
  std::atomic<unsigned> next{0}, serving{0};
  void lock() {
    const unsigned mine = next.fetch_add(1, std::memory_order_relaxed);
    while (serving.load(std::memory_order_acquire) != mine) {
    }
  }
  void unlock() { serving.store(serving.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
};

struct McsLock {
  struct Node {
    std::atomic<Node*> next{nullptr};
    std::atomic<bool> locked{false};
  };
  std::atomic<Node*> tail{nullptr};
  void lock(Node& node) {
    node.next = nullptr;
    node.locked = true;
    if (Node* before = tail.exchange(&node)) {
      before->next = &node;
      while (node.locked) {
      }
    }
  }
  void unlock(Node& node) {
    if (!node.next) {
      Node* expected = &node;
      if (tail.compare_exchange_strong(expected, nullptr)) return;
      while (!node.next) {
      }
    }
    node.next.load()->locked = false;
  }
};

template <class Lock>
void count_with(Lock& lock) {
  int count = 0;
  auto add = [&] {
    for (int i = 0; i < 2; ++i) {
      std::lock_guard guard(lock);
      ++count;
    }
  };
  std::thread other(add);
  add();
  other.join();
  assert(count == 4);
}

}  // namespace

EVERYDAY(spin_lock) {
  SpinLock lock;
  count_with(lock);
}

EVERYDAY(spin_lock_without_yield) {
  struct {
    std::atomic<bool> held{false};
    void lock() {
      for (;;) {
        if (!held.exchange(true, std::memory_order_acquire)) return;
        while (held.load(std::memory_order_relaxed)) {
        }
      }
    }
    void unlock() { held.store(false, std::memory_order_release); }
  } lock;
  count_with(lock);
}

EVERYDAY(spin_lock_with_backoff) {
  struct {
    std::atomic<int> held{0};
    void lock() {
      for (int pause = 1;; pause = pause < 8 ? 2 * pause : 8) {
        int free = 0;
        if (held.compare_exchange_weak(free, 1, std::memory_order_acquire)) return;
        [[maybe_unused]] volatile int here = 0;
        for (int i = 0; i < pause; ++i) here = i;
      }
    }
    void unlock() { held.store(0, std::memory_order_release); }
  } lock;
  count_with(lock);
}

EVERYDAY(ticket_lock) {
  TicketLock lock;
  count_with(lock);
}

EVERYDAY(mcs_lock) {
  McsLock lock;
  int count = 0;
  auto add = [&] {
    McsLock::Node node;
    lock.lock(node);
    ++count;
    lock.unlock(node);
  };
  std::thread other(add);
  add();
  other.join();
  assert(count == 2);
}

EVERYDAY(sequence_lock) {
  std::atomic<unsigned> sequence{0};
  std::atomic<int> x{0}, y{0};
  std::thread writer([&] {
    for (int i = 1; i <= 2; ++i) {
      sequence.fetch_add(1);
      x.store(i);
      y.store(i);
      sequence.fetch_add(1);
    }
  });
  for (;;) {
    const unsigned before = sequence.load();
    const int a = x.load(), b = y.load();
    if (before % 2 == 0 && sequence.load() == before) {
      assert(a == b);
      break;
    }
  }
  writer.join();
}

EVERYDAY(read_copy_update) {
  struct Config {
    int a, b;
  };
  std::atomic<std::shared_ptr<const Config>> current{std::make_shared<const Config>(Config{1, 1})};
  std::thread writer([&] { current.store(std::make_shared<const Config>(Config{2, 2})); });
  const auto seen = current.load();
  assert(seen->a == seen->b);
  writer.join();
  assert(current.load()->a == 2);
}

EVERYDAY(treiber_stack) {
  struct Node {
    int value;
    Node* next;
  };
  std::atomic<Node*> top{nullptr};
  Node nodes[3] = {{1, nullptr}, {2, nullptr}, {3, nullptr}};
  auto push = [&](Node& node) {
    node.next = top.load();
    while (!top.compare_exchange_weak(node.next, &node)) {
    }
  };
  std::thread other([&] { push(nodes[0]); });
  push(nodes[1]);
  push(nodes[2]);
  other.join();
  int sum = 0;
  for (Node* n = top; n; n = n->next) sum += n->value;
  assert(sum == 6);
}

EVERYDAY(single_producer_ring) {
  std::array<int, 2> ring{};
  std::atomic<size_t> head{0}, tail{0};
  std::thread producer([&] {
    for (int i = 1; i <= 3; ++i) {
      while (tail.load(std::memory_order_relaxed) - head.load(std::memory_order_acquire) == ring.size())
        std::this_thread::yield();
      ring[tail % ring.size()] = i;
      tail.store(tail + 1, std::memory_order_release);
    }
  });
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    while (tail.load(std::memory_order_acquire) == head.load(std::memory_order_relaxed)) std::this_thread::yield();
    sum += ring[head % ring.size()];
    head.store(head + 1, std::memory_order_release);
  }
  producer.join();
  assert(sum == 6);
}

EVERYDAY(michael_scott_queue) {
  struct Node {
    int value = 0;
    std::atomic<Node*> next{nullptr};
  };
  std::vector<std::unique_ptr<Node>> all;
  for (int i = 0; i < 4; ++i) all.push_back(std::make_unique<Node>());
  std::atomic<Node*> head{all[0].get()}, tail{all[0].get()};
  auto push = [&](Node* node, int value) {
    node->value = value;
    for (;;) {
      Node* last = tail;
      Node* next = last->next;
      if (next) {
        tail.compare_exchange_strong(last, next);
        continue;
      }
      if (last->next.compare_exchange_strong(next, node)) {
        tail.compare_exchange_strong(last, node);
        return;
      }
    }
  };
  std::thread other([&] { push(all[1].get(), 1); });
  push(all[2].get(), 2);
  push(all[3].get(), 3);
  other.join();
  int sum = 0;
  for (Node* n = head.load()->next; n; n = n->next) sum += n->value;
  assert(sum == 6);
}

EVERYDAY(double_checked_initialisation) {
  static std::atomic<int*> instance{nullptr};
  static std::mutex mutex;
  auto get = [] {
    int* p = instance.load(std::memory_order_acquire);
    if (!p) {
      std::lock_guard lock(mutex);
      p = instance.load(std::memory_order_relaxed);
      if (!p) {
        p = new int(42);
        instance.store(p, std::memory_order_release);
      }
    }
    return *p;
  };
  std::thread other([&] { assert(get() == 42); });
  assert(get() == 42);
  other.join();
}

EVERYDAY(local_statics) {
  struct Slow {
    Slow() : value(7) { std::this_thread::yield(); }
    int value;
  };
  auto get = []() -> Slow& {
    static Slow slow;
    return slow;
  };
  std::thread other([&] { assert(get().value == 7); });
  assert(get().value == 7);
  other.join();
}

EVERYDAY(once) {
  std::once_flag flag;
  int initialised = 0;
  auto init = [&] { std::call_once(flag, [&] { ++initialised; }); };
  std::thread a(init), b(init);
  a.join();
  b.join();
  assert(initialised == 1);
}

EVERYDAY(once_with_exception) {
  std::once_flag flag;
  std::atomic<int> tries{0};
  auto init = [&] {
    try {
      std::call_once(flag, [&] {
        if (++tries == 1) throw 1;
      });
    } catch (int) {
    }
  };
  std::thread other(init);
  init();
  other.join();
  init();
  assert(tries == 2);
}

EVERYDAY(waiting_on_an_atomic) {
  std::atomic<int> state{0};
  std::thread other([&] {
    state.wait(0);
    assert(state == 1);
    state = 2;
    state.notify_one();
  });
  state = 1;
  state.notify_one();
  state.wait(1);
  other.join();
}

EVERYDAY(phases_with_a_barrier) {
  int completed = 0;
  std::barrier barrier(2, [&]() noexcept { ++completed; });
  int left[2] = {}, right[2] = {};
  std::thread other([&] {
    for (int phase = 0; phase < 2; ++phase) {
      left[phase] = 1;
      barrier.arrive_and_wait();
      assert(right[phase] == 1);
    }
  });
  for (int phase = 0; phase < 2; ++phase) {
    right[phase] = 1;
    barrier.arrive_and_wait();
    assert(left[phase] == 1);
  }
  other.join();
  assert(completed == 2);
}

EVERYDAY(dropping_out_of_a_barrier) {
  std::barrier barrier(2);
  std::thread other([&] { barrier.arrive_and_drop(); });
  barrier.arrive_and_wait();
  barrier.arrive_and_wait();
  other.join();
}

EVERYDAY(atomic_reference) {
  int plain = 0;
  auto add = [&] { std::atomic_ref(plain).fetch_add(1); };
  std::thread other(add);
  add();
  other.join();
  assert(plain == 2);
}

EVERYDAY(wide_atomics) {
  struct alignas(16) Pair {
    long a, b;
    bool operator==(const Pair&) const = default;
  };
  std::atomic<Pair> pair{Pair{0, 0}};
  auto bump = [&] {
    Pair seen = pair.load();
    while (!pair.compare_exchange_weak(seen, {seen.a + 1, seen.b + 1})) {
    }
  };
  std::thread other(bump);
  bump();
  other.join();
  assert((pair.load() == Pair{2, 2}));
}

EVERYDAY(floating_point_atomics) {
  std::atomic<double> sum{0};
  std::thread other([&] { sum.fetch_add(1.5); });
  sum.fetch_add(2.5);
  other.join();
  assert(sum == 4.0);
}

EVERYDAY(fences) {
  int data = 0;
  std::atomic<bool> ready{false};
  std::thread writer([&] {
    data = 42;
    std::atomic_thread_fence(std::memory_order_release);
    ready.store(true, std::memory_order_relaxed);
  });
  while (!ready.load(std::memory_order_relaxed)) {
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  assert(data == 42);
  writer.join();
}

EVERYDAY(reference_counting) {
  struct Counted {
    std::atomic<int> references{2};
    bool* gone;
    void release() {
      if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        *gone = true;
        delete this;
      }
    }
  };
  bool gone = false;
  auto* object = new Counted{{2}, &gone};
  std::thread other([&] { object->release(); });
  object->release();
  other.join();
  assert(gone);
}

EVERYDAY(hazard_pointer) {
  std::atomic<int*> shared{new int(1)};
  std::atomic<int*> hazard{nullptr};
  std::thread reader([&] {
    int* p;
    do {
      p = shared.load();
      hazard.store(p);
    } while (p != shared.load());
    assert(*p == 1 || *p == 2);
    hazard.store(nullptr);
  });
  int* old = shared.exchange(new int(2));
  while (hazard.load() == old) std::this_thread::yield();
  delete old;
  reader.join();
  delete shared.load();
}
