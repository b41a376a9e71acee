// Random programs over the whole threads API, correct by construction: ./generated SEED
//
// Locks are nested in one global order; a thread waits only for what a thread of smaller number does in the same phase,
// and phases are separated by barriers. So there is no deadlock, and what is counted under locks is known in advance.
#undef NDEBUG
#include <pthread.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <cassert>
#include <condition_variable>
#include <cstdlib>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace {

struct Random {
  uint64_t state;
  unsigned below(unsigned n) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return static_cast<unsigned>(state >> 33) % n;
  }
};

timespec soon(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  t.tv_nsec += 1'000'000;
  if (t.tv_nsec >= 1'000'000'000) ++t.tv_sec, t.tv_nsec -= 1'000'000'000;
  return t;
}

// --- locks, with what they protect ---

struct Lock {
  virtual ~Lock() = default;
  virtual bool take(Random& r) = 0;  // by one of the ways there are; false if that way gave up
  virtual void give() = 0;
  long count = 0;
};

struct PosixMutex : Lock {
  pthread_mutex_t mutex;
  const int type;
  explicit PosixMutex(int kind) : type(kind) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, kind);
    pthread_mutex_init(&mutex, &attributes);
  }
  ~PosixMutex() override { assert(pthread_mutex_destroy(&mutex) == 0); }
  bool take(Random& r) override {
    const timespec limit = soon(CLOCK_REALTIME);
    switch (r.below(4)) {
      case 0: return pthread_mutex_trylock(&mutex) == 0;
      case 1: return pthread_mutex_timedlock(&mutex, &limit) == 0;
      default: break;
    }
    assert(pthread_mutex_lock(&mutex) == 0);
    if (type == PTHREAD_MUTEX_RECURSIVE) assert(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
    if (type == PTHREAD_MUTEX_ERRORCHECK) assert(pthread_mutex_lock(&mutex) == EDEADLK);
    return true;
  }
  void give() override { assert(pthread_mutex_unlock(&mutex) == 0); }
};
struct PosixSpin : Lock {
  pthread_spinlock_t lock;
  PosixSpin() { pthread_spin_init(&lock, 0); }
  bool take(Random& r) override {
    return r.below(3) ? pthread_spin_lock(&lock) == 0 : pthread_spin_trylock(&lock) == 0;
  }
  void give() override { pthread_spin_unlock(&lock); }
};
struct ReadWrite : Lock {  // taken for writing; a reader looks first
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  bool take(Random& r) override {
    if (r.below(2)) {
      assert(pthread_rwlock_rdlock(&lock) == 0);
      const long seen = count;
      assert(seen >= 0 && pthread_rwlock_unlock(&lock) == 0);
    }
    const timespec limit = soon(CLOCK_REALTIME);
    switch (r.below(4)) {
      case 0: return pthread_rwlock_trywrlock(&lock) == 0;
      case 1: return pthread_rwlock_timedwrlock(&lock, &limit) == 0;
      default: return pthread_rwlock_wrlock(&lock) == 0;
    }
  }
  void give() override { assert(pthread_rwlock_unlock(&lock) == 0); }
};
template <class M>
struct Standard : Lock {
  M mutex;
  bool take(Random& r) override {
    if (r.below(4) == 0) return mutex.try_lock();
    if constexpr (requires { mutex.try_lock_for(std::chrono::milliseconds(1)); })
      if (r.below(2)) return mutex.try_lock_for(std::chrono::milliseconds(1));
    mutex.lock();
    return true;
  }
  void give() override { mutex.unlock(); }
};
struct BinarySemaphore : Lock {
  sem_t semaphore;
  BinarySemaphore() { sem_init(&semaphore, 0, 1); }
  bool take(Random& r) override {
    const timespec limit = soon(CLOCK_REALTIME);
    switch (r.below(4)) {
      case 0: return sem_trywait(&semaphore) == 0;
      case 1: return sem_timedwait(&semaphore, &limit) == 0;
      default: return sem_wait(&semaphore) == 0;
    }
  }
  void give() override { sem_post(&semaphore); }
};
struct OwnSpin : Lock {
  std::atomic<int> held{0};
  bool take(Random& r) override {
    const bool yields = r.below(2);
    for (int free = 0; !held.compare_exchange_weak(free, 1, std::memory_order_acquire); free = 0)
      if (yields) std::this_thread::yield();
    return true;
  }
  void give() override { held.store(0, std::memory_order_release); }
};

std::unique_ptr<Lock> some_lock(Random& r) {
  switch (r.below(10)) {
    case 0: return std::make_unique<PosixMutex>(PTHREAD_MUTEX_NORMAL);
    case 1: return std::make_unique<PosixMutex>(PTHREAD_MUTEX_RECURSIVE);
    case 2: return std::make_unique<PosixMutex>(PTHREAD_MUTEX_ERRORCHECK);
    case 3: return std::make_unique<PosixSpin>();
    case 4: return std::make_unique<ReadWrite>();
    case 5: return std::make_unique<Standard<std::timed_mutex>>();
    case 6: return std::make_unique<Standard<std::shared_timed_mutex>>();
    case 7: return std::make_unique<BinarySemaphore>();
    case 8: return std::make_unique<OwnSpin>();
    default: return std::make_unique<Standard<std::mutex>>();
  }
}

// --- edges: one thread does, another waits for it ---

struct Edge {
  virtual ~Edge() = default;
  virtual void signal() = 0;
  virtual void wait() = 0;
  int data = 0;  // written before, read after
};
struct Condition : Edge {
  std::mutex mutex;
  std::condition_variable changed;
  bool set = false;
  const unsigned how;
  explicit Condition(Random& r) : how(r.below(3)) {}
  void signal() override {
    std::lock_guard lock(mutex);
    set = true;
    how == 1 ? changed.notify_all() : changed.notify_one();
  }
  void wait() override {
    std::unique_lock lock(mutex);
    if (how == 2)
      while (!changed.wait_for(lock, std::chrono::milliseconds(1), [this] { return set; })) {
      }
    else
      changed.wait(lock, [this] { return set; });
  }
};
struct SemaphoreEdge : Edge {
  std::counting_semaphore<> semaphore{0};
  const bool timed;
  explicit SemaphoreEdge(Random& r) : timed(r.below(2)) {}
  void signal() override { semaphore.release(); }
  void wait() override {
    if (timed)
      while (!semaphore.try_acquire_for(std::chrono::milliseconds(1))) {
      }
    else
      semaphore.acquire();
  }
};
struct AtomicEdge : Edge {
  std::atomic<int> flag{0};
  const unsigned how;
  explicit AtomicEdge(Random& r) : how(r.below(3)) {}
  void signal() override {
    flag.store(1, std::memory_order_release);
    flag.notify_all();
  }
  void wait() override {
    if (how == 0) flag.wait(0, std::memory_order_acquire);
    while (flag.load(std::memory_order_acquire) == 0)
      if (how == 1) sched_yield();
  }
};
struct LatchEdge : Edge {
  std::latch latch{1};
  void signal() override { latch.count_down(); }
  void wait() override { latch.wait(); }
};
struct FutureEdge : Edge {
  std::promise<int> promise;
  void signal() override { promise.set_value(7); }
  void wait() override { assert(promise.get_future().get() == 7); }
};
struct DescriptorEdge : Edge {
  int ends[2];
  const bool event;
  explicit DescriptorEdge(Random& r) : event(r.below(2)) {
    if (event)
      ends[0] = ends[1] = eventfd(0, 0);
    else
      assert(pipe(ends) == 0);
  }
  ~DescriptorEdge() override {
    close(ends[0]);
    if (!event) close(ends[1]);
  }
  void signal() override {
    const uint64_t one = 1;
    assert(write(ends[1], &one, sizeof one) == sizeof one);
  }
  void wait() override {
    uint64_t value = 0;
    assert(read(ends[0], &value, sizeof value) == sizeof value && value == 1);
  }
};

std::unique_ptr<Edge> some_edge(Random& r) {
  switch (r.below(6)) {
    case 0: return std::make_unique<Condition>(r);
    case 1: return std::make_unique<SemaphoreEdge>(r);
    case 2: return std::make_unique<AtomicEdge>(r);
    case 3: return std::make_unique<LatchEdge>();
    case 4: return std::make_unique<FutureEdge>();
    default: return std::make_unique<DescriptorEdge>(r);
  }
}

// --- a program ---

struct Program {
  Random random;
  std::vector<std::unique_ptr<Lock>> locks;
  std::vector<std::unique_ptr<Edge>> edges;
  struct Action {
    enum Kind { Locked, Signal, Wait, Once, Count, Nap, Child, Cancelled, Key, Stopped } kind;
    unsigned which = 0, seed = 0;
  };
  std::vector<std::vector<Action>> phase[2];  // per phase and thread
  unsigned threads;
  std::atomic<long> counted{0}, expected_count{0}, taken{0};
  std::once_flag once;
  int initialised = 0;
  pthread_key_t key;
  std::unique_ptr<std::barrier<>> barrier;

  explicit Program(uint64_t seed) : random{seed * 0x9e3779b97f4a7c15ull + 1} {
    for (int i = 0; i < 8; ++i) random.below(2);
    threads = 2 + random.below(2);
    for (unsigned i = 0, n = 1 + random.below(2); i < n; ++i) locks.push_back(some_lock(random));
    barrier = std::make_unique<std::barrier<>>(threads);
    pthread_key_create(&key, nullptr);
    for (auto& p : phase) {
      p.resize(threads);
      for (unsigned i = 0, n = 1 + random.below(3); i < n; ++i) add(p);
    }
  }
  void add(std::vector<std::vector<Action>>& p) {
    const unsigned thread = random.below(threads);
    const auto kind = static_cast<Action::Kind>(random.below(10));
    if (kind == Action::Signal || kind == Action::Wait) {
      if (thread == 0) return;
      edges.push_back(some_edge(random));
      const unsigned edge = static_cast<unsigned>(edges.size()) - 1;
      p[random.below(thread)].push_back({Action::Signal, edge, 0});
      p[thread].push_back({Action::Wait, edge, 0});
      return;
    }
    p[thread].push_back({kind, random.below(static_cast<unsigned>(locks.size())), random.below(1u << 30)});
  }

  void act(const Action& a) {
    Random r{a.seed * 0x9e3779b97f4a7c15ull + 1};
    r.below(2);
    switch (a.kind) {
      case Action::Locked: {
        std::vector<Lock*> held;
        for (size_t i = a.which; i < locks.size(); ++i)
          if (locks[i]->take(r)) held.push_back(locks[i].get());
        for (Lock* lock : held) ++lock->count, taken.fetch_add(1, std::memory_order_relaxed);
        while (!held.empty()) held.back()->give(), held.pop_back();
        return;
      }
      case Action::Signal:
        edges[a.which]->data = 5;
        edges[a.which]->signal();
        return;
      case Action::Wait:
        edges[a.which]->wait();
        assert(edges[a.which]->data == 5);
        return;
      case Action::Once: std::call_once(once, [this] { ++initialised; }); return;
      case Action::Count:
        ++expected_count;
        if (r.below(2))
          counted.fetch_add(1);
        else
          for (long seen = counted; !counted.compare_exchange_weak(seen, seen + 1);) {
          }
        return;
      case Action::Nap:
        if (r.below(2))
          usleep(10);
        else
          sched_yield();
        return;
      case Action::Child: {
        std::thread child([this] { ++counted; });
        ++expected_count;
        child.join();
        return;
      }
      case Action::Cancelled: {
        pthread_t child;
        assert(pthread_create(
                   &child, nullptr,
                   [](void*) -> void* {
                     for (;;) usleep(100);
                   },
                   nullptr) == 0);
        assert(pthread_cancel(child) == 0);
        void* result = nullptr;
        assert(pthread_join(child, &result) == 0 && result == PTHREAD_CANCELED);
        return;
      }
      case Action::Key: assert(pthread_setspecific(key, this) == 0 && pthread_getspecific(key) == this); return;
      case Action::Stopped: {
        std::jthread child([](std::stop_token token) {
          while (!token.stop_requested()) std::this_thread::yield();
        });
        return;
      }
    }
  }
  void run() {
    auto body = [this](unsigned me) {
      for (auto& p : phase) {
        for (const Action& a : p[me]) act(a);
        barrier->arrive_and_wait();
      }
    };
    std::vector<std::thread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(body, i);
    body(0);
    for (auto& t : others) t.join();
    long total = 0;
    for (auto& lock : locks) total += lock->count;
    assert(total == taken && counted == expected_count && initialised <= 1);
  }
};

}  // namespace

int main(int argc, char** argv) {
  Program(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1).run();
  return 0;
}
