// Correct programs, each with an idiom of its own: nothing may be reported in any of them.
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <threads.h>
#include <unistd.h>

#include <deque>
#include <functional>
#include <iostream>
#include <list>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <variant>

#include "races.hpp"

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kAcqRel = std::memory_order_acq_rel;

int x, y;
std::mutex m;

__attribute__((noinline)) void sink(long value) { asm volatile("" : : "r"(value)); }

// --- messages through the kernel ---

void through_pipe() {
  int fd[2];
  if (pipe(fd) != 0) std::abort();
  together([&] { x = 1; if (write(fd[1], "a", 1) != 1) std::abort(); }, [&] {
    char c;
    if (read(fd[0], &c, 1) == 1) sink(x);
  });
  close(fd[0]);
  close(fd[1]);
}

void pipe_both_ways() {
  int to[2], back[2];
  if (pipe(to) != 0 || pipe(back) != 0) std::abort();
  together([&] {
    int* p = new int(5);
    if (write(to[1], &p, sizeof p) != sizeof p) std::abort();
    char c;
    if (read(back[0], &c, 1) != 1) std::abort();
    sink(*p);
    delete p;
  }, [&] {
    int* p;
    if (read(to[0], &p, sizeof p) != sizeof p) std::abort();
    *p = 6;
    if (write(back[1], "b", 1) != 1) std::abort();
  });
}

void end_of_pipe() {
  int fd[2];
  if (pipe(fd) != 0) std::abort();
  together([&] { x = 1; close(fd[1]); }, [&] {
    char c;
    if (read(fd[0], &c, 1) == 0) sink(x);
  });
  close(fd[0]);
}

void through_socket() {
  int fd[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd) != 0) std::abort();
  together([&] { x = 1; send(fd[0], "a", 1, 0); }, [&] {
    char c;
    if (recv(fd[1], &c, 1, 0) == 1) sink(x);
  });
}

void through_eventfd() {
  const int fd = eventfd(0, 0);
  together([&] { x = 1; eventfd_write(fd, 1); }, [&] {
    eventfd_t value;
    eventfd_read(fd, &value);
    sink(x);
  });
}

void through_poll() {
  const int fd = eventfd(0, 0);
  together([&] { x = 1; eventfd_write(fd, 1); }, [&] {
    pollfd p{fd, POLLIN, 0};
    if (poll(&p, 1, -1) == 1) sink(x);
  });
}

void through_epoll() {
  const int fd = eventfd(0, EFD_NONBLOCK), loop = epoll_create1(0);
  epoll_event event{};
  event.events = EPOLLIN;
  epoll_ctl(loop, EPOLL_CTL_ADD, fd, &event);
  together([&] { x = 1; eventfd_write(fd, 1); }, [&] {
    epoll_event out;
    if (epoll_wait(loop, &out, 1, -1) == 1) sink(x);
  });
}

// --- signals, cancellation, the end of threads and of the process ---

std::atomic<bool> handled;
void on_signal(int) { sink(x); handled = true; }

void signal_handler() {
  handled = false;
  signal(SIGUSR1, on_signal);
  static std::atomic<bool> sent;
  sent = false;
  std::thread t([] {
    while (!sent) std::this_thread::yield();
    while (!handled) std::this_thread::yield();
  });
  x = 1;
  pthread_kill(t.native_handle(), SIGUSR1);
  sent = true;
  t.join();
}

void signal_waited_for() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::thread t([&] {
    int number;
    sigwait(&set, &number);
    sink(x);
  });
  x = 1;
  pthread_kill(t.native_handle(), SIGUSR2);
  t.join();
}

void cancelled() {
  pthread_t t;
  pthread_create(&t, nullptr, [](void*) -> void* {
    pthread_cleanup_push([](void*) { sink(x); }, nullptr);
    for (;;) {
      pthread_testcancel();
      sched_yield();
    }
    pthread_cleanup_pop(0);
    return nullptr;
  }, nullptr);
  x = 1;
  pthread_cancel(t);
  pthread_join(t, nullptr);
  x = 2;
}

void tried_to_join() {
  pthread_t t;
  pthread_create(&t, nullptr, [](void*) -> void* { x = 1; return nullptr; }, nullptr);
  while (pthread_tryjoin_np(t, nullptr) != 0) sched_yield();
  sink(x);
}

void handler_of_another_thread() {
  static sem_t done;
  sem_init(&done, 0, 0);
  std::thread([] {
    x = 1;
    std::atexit([] { sink(x); });
    sem_post(&done);
  }).detach();
  sem_wait(&done);
}

void static_of_another_thread() {
  struct Log {
    std::string text = "begin";
    ~Log() { text += "end"; }
  };
  static sem_t done;
  sem_init(&done, 0, 0);
  std::thread([] {
    static Log log;
    log.text += " middle, long enough for the heap";
    sem_post(&done);
  }).detach();
  sem_wait(&done);
}

// --- C11 threads, keys, robust mutexes ---

void c11_threads() {
  static mtx_t lock;
  static cnd_t changed;
  static bool ready;
  ready = false;
  mtx_init(&lock, mtx_plain);
  cnd_init(&changed);
  thrd_t t;
  thrd_create(&t, [](void*) -> int {
    mtx_lock(&lock);
    x = 1;
    ready = true;
    cnd_signal(&changed);
    mtx_unlock(&lock);
    return 0;
  }, nullptr);
  mtx_lock(&lock);
  while (!ready) cnd_wait(&changed, &lock);
  sink(x);
  mtx_unlock(&lock);
  thrd_join(t, nullptr);
}

void c11_once() {
  static once_flag flag = ONCE_FLAG_INIT;
  auto use = [] {
    call_once(&flag, [] { x = 1; });
    sink(x);
  };
  together(use, use);
}

void keys() {
  static pthread_key_t key;
  pthread_key_create(&key, [](void* p) { delete static_cast<std::string*>(p); });
  auto use = [] {
    auto* text = new std::string("a text that does not fit into the object");
    pthread_setspecific(key, text);
    *static_cast<std::string*>(pthread_getspecific(key)) += "!";
  };
  together(use, use);
}

void robust_mutex() {
  static pthread_mutex_t lock;
  pthread_mutexattr_t how;
  pthread_mutexattr_init(&how);
  pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&lock, &how);
  together([] { if (pthread_mutex_lock(&lock) == EOWNERDEAD) pthread_mutex_consistent(&lock); x = 1; }, [] {
    if (pthread_mutex_lock(&lock) == EOWNERDEAD) pthread_mutex_consistent(&lock);
    x = 2;
    pthread_mutex_unlock(&lock);
  });
}

void timed_semaphore() {
  static sem_t s;
  sem_init(&s, 0, 0);
  together([] { x = 1; sem_post(&s); }, [] {
    timespec t{};
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += 10;
    if (sem_timedwait(&s, &t) == 0) sink(x);
  });
}

void timed_locks() {
  static std::timed_mutex tm;
  static std::shared_timed_mutex st;
  together([] { if (tm.try_lock_for(std::chrono::seconds(1))) { x++; tm.unlock(); } }, [] { std::lock_guard l(tm); x++; },
           [] { if (st.try_lock_shared_for(std::chrono::seconds(1))) { sink(y); st.unlock_shared(); } },
           [] { std::lock_guard l(st); y++; });
}

void timed_condition() {
  static std::condition_variable c;
  static bool ready;
  ready = false;
  together([] { std::lock_guard l(m); x = 1; ready = true; c.notify_all(); }, [] {
    std::unique_lock l(m);
    if (c.wait_for(l, std::chrono::seconds(1), [] { return ready; })) sink(x);
  });
}

// --- lock-free algorithms with the orders they need ---

struct Node {
  int value;
  Node* next;
};

void treiber_stack() {
  static std::atomic<Node*> head;
  head = nullptr;
  auto push = [](int v) {
    Node* n = new Node{v, head.load(kRelaxed)};
    while (!head.compare_exchange_weak(n->next, n, kRelease, kRelaxed)) {}
  };
  together([&] { push(1); }, [] {
    Node* all = head.exchange(nullptr, kAcquire);
    for (; all; all = all->next) sink(all->value);
  }, [&] { push(2); });
}

void ring_buffer() {
  static int slot[2];
  static std::atomic<unsigned> head, tail;
  head = tail = 0;
  together([] {
    for (unsigned i = 0; i < 3; ++i) {
      while (i - tail.load(kAcquire) == 2) std::this_thread::yield();
      slot[i % 2] = static_cast<int>(i);
      head.store(i + 1, kRelease);
    }
  }, [] {
    for (unsigned i = 0; i < 3; ++i) {
      while (head.load(kAcquire) == i) std::this_thread::yield();
      sink(slot[i % 2]);
      tail.store(i + 1, kRelease);
    }
  });
}

void sequence_lock() {
  static std::atomic<unsigned> version;
  static std::atomic<int> a, b;
  version = 0;
  together([] {
    version.fetch_add(1, kAcquire);
    a.store(1, kRelaxed);
    b.store(1, kRelaxed);
    version.fetch_add(1, kRelease);
  }, [] {
    const unsigned before = version.load(kAcquire);
    const int sum = a.load(kRelaxed) + b.load(kRelaxed);
    std::atomic_thread_fence(kAcquire);
    if (!(before & 1) && version.load(kRelaxed) == before && sum == 1) std::abort();
  });
}

void hazard_pointers() {
  static std::atomic<Node*> shared, hazard;
  shared = new Node{1, nullptr};
  hazard = nullptr;
  together([] {
    Node* p = shared.load();
    for (;;) {
      hazard = p;
      Node* again = shared.load();
      if (again == p) break;
      p = again;
    }
    sink(p->value);
    hazard = nullptr;
  }, [] {
    Node* old = shared.exchange(new Node{2, nullptr});
    if (hazard.load() != old) delete old;
  });
}

void read_copy_update() {
  static std::atomic<std::map<int, int>*> current;
  static std::atomic<int> readers;
  auto* first = new std::map<int, int>{{1, 1}};
  current = first;
  readers = 0;
  together([] {
    readers.fetch_add(1);
    sink(static_cast<long>(current.load()->size()));
    readers.fetch_sub(1);
  }, [=] {
    auto* next = new std::map<int, int>(*first);
    (*next)[2] = 2;
    current.store(next);
    for (int i = 0; i < 2 && readers.load() != 0; ++i) std::this_thread::yield();
    if (readers.load() == 0) delete first;
  });
}

void double_checked_locking() {
  static std::atomic<std::string*> instance;
  instance = nullptr;
  auto get = []() -> std::string& {
    std::string* p = instance.load(kAcquire);
    if (!p) {
      std::lock_guard l(m);
      p = instance.load(kRelaxed);
      if (!p) {
        p = new std::string("made once");
        instance.store(p, kRelease);
      }
    }
    return *p;
  };
  together([&] { sink(static_cast<long>(get().size())); }, [&] { sink(static_cast<long>(get().size())); });
}

void ticket_lock() {
  static std::atomic<int> next, serving;
  next = serving = 0;
  auto use = [] {
    const int mine = next.fetch_add(1, kRelaxed);
    while (serving.load(kAcquire) != mine) std::this_thread::yield();
    x++;
    serving.store(mine + 1, kRelease);
  };
  together(use, use);
}

void peterson_lock() {
  static std::atomic<bool> wants[2];
  static std::atomic<int> turn;
  wants[0] = wants[1] = false;
  auto use = [](int me) {
    wants[me] = true;
    turn = 1 - me;
    while (wants[1 - me] && turn == 1 - me) std::this_thread::yield();
    x++;
    wants[me] = false;
  };
  together([&] { use(0); }, [&] { use(1); });
}

void fences_and_flags() {
  static std::atomic<int> flag;
  flag = 0;
  together([] {
    x = 1;
    y = 2;
    std::atomic_thread_fence(kRelease);
    flag.store(1, kRelaxed);
  }, [] {
    while (flag.load(kRelaxed) == 0) std::this_thread::yield();
    std::atomic_thread_fence(kAcquire);
    sink(x + y);
  });
}

void atomic_references() {
  static int counter;
  counter = 0;
  together([] { std::atomic_ref(counter).fetch_add(1, kRelaxed); }, [] { std::atomic_ref(counter).fetch_add(1, kRelaxed); });
  sink(counter);
}

void reference_count() {
  struct Object {
    std::atomic<int> count{2};
    std::string text = "kept by two";
  };
  auto* o = new Object;
  auto drop = [o] {
    sink(static_cast<long>(o->text.size()));
    if (o->count.fetch_sub(1, kRelease) == 1) {
      std::atomic_thread_fence(kAcquire);
      delete o;
    }
  };
  together(drop, drop);
}

void wide_atomic() {
  struct Pair {
    long a, b;
  };
  static std::atomic<Pair> pair;
  pair.store({0, 0});
  together([] { x = 1; pair.store({1, 1}, kRelease); }, [] {
    if (pair.load(kAcquire).a) sink(x);
  });
}

void odd_sized_atomic() {
  struct Odd {
    char c[3];
  };
  static std::atomic<Odd> odd;
  odd.store({});
  together([] { x = 1; odd.store({{1, 1, 1}}, kRelease); }, [] {
    if (odd.load(kAcquire).c[0]) sink(x);
  });
}

void old_builtins() {
  static int lock;
  lock = 0;
  auto use = [] {
    while (__sync_lock_test_and_set(&lock, 1)) std::this_thread::yield();
    x++;
    __sync_lock_release(&lock);
  };
  together(use, use);
}

// --- the library ---

void shared_pointers() {
  auto p = std::make_shared<std::vector<int>>(3, 7);
  std::weak_ptr<std::vector<int>> w = p;
  together([p] { sink((*p)[0]); }, [w] { if (auto q = w.lock()) sink((*q)[1]); }, [&p] { p.reset(); });
}

void atomic_shared_pointer() {
  static std::atomic<std::shared_ptr<int>> p;
  p.store(std::make_shared<int>(1));
  together([] { sink(*p.load()); }, [] { p.store(std::make_shared<int>(2)); });
}

void functions_moved() {
  static std::vector<std::function<void()>> work;
  work.clear();
  auto text = std::make_shared<std::string>("captured by a function object");
  work.emplace_back([text] { *text += "!"; });
  work.emplace_back([] { x = 1; });
  auto take = [] {
    std::function<void()> f;
    {
      std::lock_guard l(m);
      f = std::move(work.back());
      work.pop_back();
    }
    f();
  };
  together(take, take);
}

struct Problem : std::runtime_error {
  explicit Problem(int n) : std::runtime_error("a message that is too long for small strings"), number(n) {}
  int number;
};

void exceptions_thrown() {
  auto use = [](int n) {
    try {
      throw Problem(n);
    } catch (const std::exception& e) {
      sink(e.what()[0]);
    }
  };
  together([&] { use(1); }, [&] { use(2); });
}

void exception_through_future() {
  auto f = std::async(std::launch::async, []() -> int { throw Problem(3); });
  try {
    f.get();
  } catch (const Problem& e) {
    sink(e.number);
  }
}

void exception_kept_by_both() {
  std::promise<void> p;
  auto f = p.get_future().share();
  std::thread t([f] {
    try {
      f.get();
    } catch (const Problem& e) {
      sink(e.number + e.what()[0]);
    }
  });
  f = {};
  p.set_exception(std::make_exception_ptr(Problem(4)));
  { std::promise<void> gone = std::move(p); }
  t.join();
}

void exception_outlives_promise() {
  std::promise<void> p;
  std::thread t([f = p.get_future()]() mutable {
    try {
      f.get();
    } catch (const Problem& e) {
      sink(e.number + e.what()[0]);
    }
  });
  p.set_exception(std::make_exception_ptr(Problem(4)));
  { std::promise<void> gone = std::move(p); }
  t.join();
}

void streams() {
  auto use = [] {
    std::ostringstream out;
    out << 12 << ' ' << 3.5 << std::hex << 255;
    std::cout << out.str() << '\n';
    std::istringstream in("7 8");
    int a, b;
    in >> a >> b;
    std::cerr << a + b << '\n';
  };
  together(use, use);
}

void thread_local_objects() {
  static thread_local std::vector<int> mine;
  auto use = [] {
    mine.push_back(1);
    mine.push_back(2);
  };
  together(use, use);
}

void static_local_object() {
  auto get = []() -> std::map<std::string, int>& {
    static std::map<std::string, int> table{{"one", 1}, {"two", 2}};
    return table;
  };
  together([&] { sink(get().at("one")); }, [&] { sink(get().at("two")); });
}

void fork_and_join() {
  std::vector<int> data(8);
  std::vector<std::future<int>> parts;
  for (int i = 0; i < 2; ++i)
    parts.push_back(std::async(std::launch::async, [&data, i] {
      for (int k = 0; k < 4; ++k) data[4 * i + k] = k;
      return i;
    }));
  for (auto& p : parts) p.get();
  sink(data[7]);
}

void packaged() {
  std::packaged_task<int()> task([] { return x = 3; });
  auto f = task.get_future();
  std::thread t(std::move(task));
  sink(f.get() + x);
  t.join();
}

void stop_tokens() {
  static std::string text;
  std::jthread t([](std::stop_token stop) {
    while (!stop.stop_requested()) std::this_thread::yield();
    sink(static_cast<long>(text.size()));
  });
  text = "written before the stop was requested";
  t.request_stop();
}

void stop_callbacks() {
  static std::condition_variable_any c;
  static bool never;
  std::jthread t([](std::stop_token stop) {
    std::unique_lock l(m);
    c.wait(l, stop, [] { return never; });
    sink(x);
  });
  x = 1;
  t.request_stop();
}

void scoped_locks() {
  static std::mutex a, b;
  together([] { std::scoped_lock l(a, b); x++; y++; }, [] { std::scoped_lock l(b, a); x++; y++; });
}

void producer_and_consumer() {
  static std::deque<std::string> queue;
  static std::condition_variable c;
  queue.clear();
  together([] {
    for (int i = 0; i < 2; ++i) {
      std::lock_guard l(m);
      queue.push_back("item " + std::to_string(i) + " with a text of some length");
      c.notify_one();
    }
  }, [] {
    for (int i = 0; i < 2; ++i) {
      std::string item;
      {
        std::unique_lock l(m);
        c.wait(l, [] { return !queue.empty(); });
        item = std::move(queue.front());
        queue.pop_front();
      }
      sink(static_cast<long>(item.size()));
    }
  });
}

void barrier_with_completion() {
  static int sum, part[2];
  static std::barrier b(2, []() noexcept { sum = part[0] + part[1]; });
  together([] { part[0] = 1; b.arrive_and_wait(); sink(sum); }, [] { part[1] = 2; b.arrive_and_wait(); sink(sum); });
}

void bits_of_different_words() {
  struct Flags {
    unsigned a : 4, b : 4;
    unsigned : 0;
    unsigned c : 4;
  };
  static Flags flags;
  together([] { flags.a = 1; flags.b = 2; }, [] { flags.c = 3; });
  sink(flags.a + flags.c);
}

void neighbours() {
  static char bytes[8];
  together([] { bytes[0] = 1; std::memset(bytes + 4, 2, 2); }, [] { bytes[1] = 1; std::memcpy(bytes + 6, "ab", 2); });
}

void mapped_again() {
  auto use = [] {
    auto* p = static_cast<int*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    p[0] = 1;
    munmap(p, 4096);
  };
  together(use, use, use);
}

void locked_stream() {
  static int lines;
  auto use = [] {
    flockfile(stdout);
    lines++;
    funlockfile(stdout);
  };
  together(use, use);
}

void jumps() {
  auto use = [] {
    jmp_buf where;
    volatile int local = 0;
    if (setjmp(where) == 0) {
      local = 1;
      longjmp(where, 1);
    }
    sink(local);
  };
  together(use, use);
}

void handed_over_in_turn() {
  static std::counting_semaphore<2> a{1}, b{0};
  together([] { for (int i = 0; i < 2; ++i) { a.acquire(); x++; b.release(); } },
           [] { for (int i = 0; i < 2; ++i) { b.acquire(); x++; a.release(); } });
}

void optional_and_variant() {
  static std::optional<std::variant<int, std::string>> box;
  static std::atomic<bool> full;
  full = false;
  box.reset();
  together([] { box.emplace("a string inside a variant"); full.store(true, kRelease); }, [] {
    if (full.load(kAcquire)) sink(static_cast<long>(std::get<std::string>(*box).size()));
  });
}

void reader_writer_readers_release() {
  static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
  together([] { pthread_rwlock_rdlock(&rw); sink(x); pthread_rwlock_unlock(&rw); },
           [] { pthread_rwlock_rdlock(&rw); sink(x); pthread_rwlock_unlock(&rw); },
           [] { pthread_rwlock_wrlock(&rw); x++; pthread_rwlock_unlock(&rw); });
}

void consume_order() {
  static std::atomic<Node*> p;
  p = nullptr;
  together([] { p.store(new Node{1, nullptr}, kRelease); }, [] {
    if (Node* n = p.load(std::memory_order_consume)) sink(n->value);
  });
}

void modified_in_between() {
  static std::atomic<int> a;
  a = 0;
  together([] { x = 1; a.store(1, kRelease); }, [] { a.fetch_add(2, kRelaxed); }, [] {
    if (a.load(kAcquire) == 3) sink(x);
  });
}

void exchange_as_lock() {
  static std::atomic<int> lock;
  lock = 0;
  auto use = [] {
    while (lock.exchange(1, kAcqRel)) std::this_thread::yield();
    x++;
    lock.store(0, kRelease);
  };
  together(use, use);
}

const Case kCases[] = {
    {"through_pipe", false, through_pipe, 0, 0},
    {"pipe_both_ways", false, pipe_both_ways, 0, 0},
    {"end_of_pipe", false, end_of_pipe, 0, 0},
    {"through_socket", false, through_socket, 0, 0},
    {"through_eventfd", false, through_eventfd, 0, 0},
    {"through_poll", false, through_poll, 0, 0},
    {"through_epoll", false, through_epoll, 0, 0},
    {"signal_handler", false, signal_handler, 0, 0},
    {"signal_waited_for", false, signal_waited_for, 0, 0},
    {"cancelled", false, cancelled, 0, 0},
    {"tried_to_join", false, tried_to_join, 0, 0},
    {"handler_of_another_thread", false, handler_of_another_thread, 0, 0},
    {"static_of_another_thread", false, static_of_another_thread, 0, 0},
    {"c11_threads", false, c11_threads, 0, 0},
    {"c11_once", false, c11_once, 0, 0},
    {"keys", false, keys, 0, 0},
    {"robust_mutex", false, robust_mutex, 0, 0},
    {"timed_semaphore", false, timed_semaphore, 0, 0},
    {"timed_locks", false, timed_locks, 0, 0},
    {"timed_condition", false, timed_condition, 0, 0},
    {"treiber_stack", false, treiber_stack, 0, 0},
    {"ring_buffer", false, ring_buffer, 0, 0},
    {"sequence_lock", false, sequence_lock, 0, 0},
    {"hazard_pointers", false, hazard_pointers, 0, 0},
    {"read_copy_update", false, read_copy_update, 0, 0},
    {"double_checked_locking", false, double_checked_locking, 0, 0},
    {"ticket_lock", false, ticket_lock, 0, 0},
    {"peterson_lock", false, peterson_lock, 0, 0},
    {"fences_and_flags", false, fences_and_flags, 0, 0},
    {"atomic_references", false, atomic_references, 0, 0},
    {"reference_count", false, reference_count, 0, 0},
    {"wide_atomic", false, wide_atomic, 0, 0},
    {"odd_sized_atomic", false, odd_sized_atomic, 0, 0},
    {"old_builtins", false, old_builtins, 0, 0},
    {"shared_pointers", false, shared_pointers, 0, 0},
    {"atomic_shared_pointer", false, atomic_shared_pointer, 0, 0},
    {"functions_moved", false, functions_moved, 0, 0},
    {"exceptions_thrown", false, exceptions_thrown, 0, 0},
    {"exception_through_future", false, exception_through_future, 0, 0},
    {"exception_kept_by_both", false, exception_kept_by_both, 0, 0},
    {"exception_outlives_promise", false, exception_outlives_promise, 0, 0},
    {"streams", false, streams, 0, 0},
    {"thread_local_objects", false, thread_local_objects, 0, 0},
    {"static_local_object", false, static_local_object, 0, 0},
    {"fork_and_join", false, fork_and_join, 0, 0},
    {"packaged", false, packaged, 0, 0},
    {"stop_tokens", false, stop_tokens, 0, 0},
    {"stop_callbacks", false, stop_callbacks, 0, 0},
    {"scoped_locks", false, scoped_locks, 0, 0},
    {"producer_and_consumer", false, producer_and_consumer, 0, 0},
    {"barrier_with_completion", false, barrier_with_completion, 0, 0},
    {"bits_of_different_words", false, bits_of_different_words, 0, 0},
    {"neighbours", false, neighbours, 0, 0},
    {"mapped_again", false, mapped_again, 0, 0},
    {"locked_stream", false, locked_stream, 0, 0},
    {"jumps", false, jumps, 0, 0},
    {"handed_over_in_turn", false, handed_over_in_turn, 0, 0},
    {"optional_and_variant", false, optional_and_variant, 0, 0},
    {"reader_writer_readers_release", false, reader_writer_readers_release, 0, 0},
    {"consume_order", false, consume_order, 0, 0},
    {"modified_in_between", false, modified_in_between, 0, 0},
    {"exchange_as_lock", false, exchange_as_lock, 0, 0},
};

}  // namespace

int main(int argc, char** argv) { return run_case(kCases, sizeof kCases / sizeof kCases[0], argc, argv); }
