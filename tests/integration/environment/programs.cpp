// One program for each freedom that C++ and POSIX give: it fails exactly if the freedom is used.
#undef NDEBUG
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <latch>
#include <memory>
#include <mutex>
#include <random>
#include <semaphore>
#include <shared_mutex>
#include <thread>

namespace {

std::mutex m;
std::condition_variable changed;
bool ready;
int order[2], count;

void spurious_wakeup() {
  std::thread setter([] {
    std::lock_guard hold(m);
    ready = true;
    changed.notify_one();
  });
  {
    std::unique_lock hold(m);
    if (!ready) changed.wait(hold);
    assert(ready);
  }
  setter.join();
}

void weak_compare_exchange() {
  std::atomic<int> value{0};
  std::thread other([&] {
    int expected = 0;
    assert(value.compare_exchange_weak(expected, 1));
  });
  other.join();
}

// The standard library's own atomics are weaker than seq_cst. What they do is specified by more than their orders.
void orders_of_standard_headers() {
  std::counting_semaphore<2> slots{1};
  std::latch started{1};
  const auto use = [&] {
    started.wait();
    slots.acquire();
    slots.release();
  };
  std::thread a(use), b(use);
  started.count_down();
  a.join();
  b.join();
}

void own_order_beside_shared_ptr() {
  const auto value = std::make_shared<std::atomic<int>>(0);
  std::thread other([value] { value->fetch_add(1, std::memory_order_relaxed); });
  value->fetch_add(1);
  other.join();
}

void try_lock_of_a_free_mutex() {
  std::thread other([] {
    assert(m.try_lock());
    m.unlock();
  });
  other.join();
}

// Which of two waiters a notification wakes.
void waiter_woken() {
  std::condition_variable told;
  int waiting = 0, may_go = 0, woken = 0;
  const auto wait = [&](int me) {
    std::unique_lock hold(m);
    ++waiting;
    told.notify_one();
    changed.wait(hold, [&] { return may_go > 0; });
    --may_go;
    if (!woken) woken = me;
    told.notify_one();
  };
  std::thread one(wait, 1), two(wait, 2);
  {
    std::unique_lock hold(m);
    told.wait(hold, [&] { return waiting == 2; });
    may_go = 1;
    changed.notify_one();
    told.wait(hold, [&] { return woken != 0; });
    may_go = 1;
    changed.notify_one();
  }
  one.join();
  two.join();
  assert(woken == 1);
}

// Whether a reader or a writer that both wait gets a lock first.
void reader_or_writer(bool writer_first) {
  std::shared_mutex lock;
  lock.lock();
  std::thread writer([&] {
    std::unique_lock hold(lock);
    order[count++] = 'w';
  });
  std::thread reader([&] {
    std::shared_lock hold(lock);
    order[count++] = 'r';
  });
  lock.unlock();
  writer.join();
  reader.join();
  assert((order[0] == 'w') != writer_first);
}
void writer_before_reader() { reader_or_writer(true); }
void reader_before_writer() { reader_or_writer(false); }

void interrupted_without_signals() {
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  std::thread poster([&] { sem_post(&semaphore); });
  assert(sem_wait(&semaphore) == 0);
  poster.join();
}

void interrupted_by_a_signal() {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  sigaction(SIGUSR1, &action, nullptr);
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  const pthread_t main = pthread_self();
  std::thread poster([&] {
    pthread_kill(main, SIGUSR1);
    sem_post(&semaphore);
  });
  const int result = sem_wait(&semaphore);
  poster.join();
  assert(result == 0);
}

// A read that returns less than there is.
void short_read() {
  int ends[2];
  assert(pipe(ends) == 0);
  std::thread writer([&] { assert(write(ends[1], "twelve bytes", 12) == 12); });
  char text[12];
  assert(read(ends[0], text, 12) == 12);
  writer.join();
}
// Less than is written later, because more is not there yet.
void read_before_all_is_written() {
  int ends[2];
  assert(pipe(ends) == 0);
  std::thread writer([&] {
    assert(write(ends[1], "twelve", 6) == 6);
    assert(write(ends[1], " bytes", 6) == 6);
  });
  char text[12];
  const ssize_t size = read(ends[0], text, 12);
  writer.join();
  assert(size == 12);
}

void failing_allocation() {
  std::thread other([] {
    void* p = malloc(100);
    assert(p);
    free(p);
  });
  other.join();
}
void failing_thread() {
  pthread_t other;
  assert(pthread_create(
             &other, nullptr, [](void*) -> void* { return nullptr; }, nullptr) == 0);
  pthread_join(other, nullptr);
}

void timeout_while_others_run() {
  bool in_time = true;
  std::thread setter([] {
    std::lock_guard hold(m);
    ready = true;
    changed.notify_one();
  });
  {
    std::unique_lock hold(m);
    in_time = changed.wait_for(hold, std::chrono::milliseconds(1), [] { return ready; });
  }
  setter.join();
  assert(in_time);
}

// A signal finds a thread before or after a step of its own.
std::atomic<int> steps, seen{-1};
void signal_between_plain_accesses() {
  static volatile sig_atomic_t interrupts = 0;
  struct sigaction action {};
  action.sa_handler = [](int) { interrupts = interrupts + 1; };
  sigaction(SIGUSR1, &action, nullptr);
  const pthread_t target = pthread_self();
  std::thread sender([&] { pthread_kill(target, SIGUSR1); });
  const int before = interrupts, after = interrupts;
  sender.join();
  assert(before == after);
}

void signal_between_steps() {
  struct sigaction action {};
  action.sa_handler = [](int) { seen = steps.load(); };
  sigaction(SIGUSR1, &action, nullptr);
  std::atomic<bool> started{false};
  std::thread target([&] {
    steps = 1;
    started = true;
    steps = 2;
  });
  const pthread_t handle = target.native_handle();
  while (!started) std::this_thread::yield();
  pthread_kill(handle, SIGUSR1);
  target.join();
  assert(seen != 1);
}

// What other values of a clock, a counter or a random number would lead to.
void other_time() {
  std::thread other([] { assert(std::chrono::steady_clock::now().time_since_epoch() < std::chrono::hours(1)); });
  other.join();
}
void cycle_counter() {
  std::atomic<int> total{0};
  std::thread other([&] {
    if (__rdtsc() & 64) total++;
    unsigned processor = 7;
    if (__rdtscp(&processor) & 64) total++;
    total++;
    assert(processor == 0);
  });
  total++;
  other.join();
}
void random_device() {
  std::atomic<int> total{0};
  std::thread other([&] {
    if (std::random_device{}() & 1) total++;
    total++;
  });
  total++;
  other.join();
}
volatile unsigned looked_at;
void random_instruction() {
  std::atomic<int> total{0};
  std::thread other([&] {
    unsigned number = 0;
    if (__builtin_cpu_supports("rdrnd")) asm volatile("rdrand %0" : "=r"(number) : : "cc");
    looked_at = number;
    total++;
  });
  total++;
  other.join();
}

// Files: what an earlier execution left is seen by later ones.
std::atomic<int> looked;
void with_threads() {
  std::thread other([] { looked++; });
  looked++;
  other.join();
}
void reads_what_it_wrote_before() {
  int number = 0;
  if (FILE* file = fopen("left.txt", "r")) {
    if (fscanf(file, "%d", &number) != 1) number = 0;
    fclose(file);
  }
  FILE* file = fopen("left.txt", "w");
  fprintf(file, "%d\n", number + 1);
  fclose(file);
  with_threads();
}
void writes_then_reads() {
  FILE* file = fopen("own.txt", "w");
  fprintf(file, "7\n");
  fclose(file);
  int number = 0;
  file = fopen("own.txt", "r");
  assert(fscanf(file, "%d", &number) == 1 && number == 7);
  fclose(file);
  with_threads();
}
void appends_to_a_log() {
  FILE* file = fopen("log.txt", "a");
  fprintf(file, "ran\n");
  fclose(file);
  with_threads();
}

struct Case {
  const char* name;
  void (*run)();
};
#define CASE(f) \
  { #f, f }
// The variable is protected by the lock; who gets it first is not fixed.
void lock_of_a_file() {
  char name[] = "/tmp/lockstep-environment-XXXXXX";
  const int a = mkstemp(name), b = open(name, O_RDWR);
  unlink(name);
  int first = 0;
  const auto enter = [&](int fd, int who) {
    flock(fd, LOCK_EX);
    if (!first) first = who;
    flock(fd, LOCK_UN);
  };
  std::thread other(enter, b, 2);
  enter(a, 1);
  other.join();
  close(a);
  close(b);
  assert(first == 1);
}

// Two locks on files, taken in opposite orders. With `flags` LOCK_NB the threads spin instead of waiting.
template <int flags>
void two_locks_of_files() {
  char names[2][40] = {"/tmp/lockstep-environment-XXXXXX", "/tmp/lockstep-environment-XXXXXX"};
  int fds[2][2];
  for (int i = 0; i < 2; ++i) {
    fds[0][i] = mkstemp(names[i]);
    fds[1][i] = open(names[i], O_RDWR);
    unlink(names[i]);
  }
  const auto enter = [](int outer, int inner) {
    while (flock(outer, LOCK_EX | flags) != 0) continue;
    while (flock(inner, LOCK_EX | flags) != 0) continue;
    flock(inner, LOCK_UN);
    flock(outer, LOCK_UN);
  };
  std::thread other(enter, fds[1][1], fds[1][0]);
  enter(fds[0][0], fds[0][1]);
  other.join();
  for (auto& row : fds)
    for (const int fd : row) close(fd);
}
void locks_of_files_in_opposite_orders() { two_locks_of_files<0>(); }
void tried_locks_of_files_in_opposite_orders() { two_locks_of_files<LOCK_NB>(); }

// Who reads `environ` by itself looks at what setenv() writes.
void environment_read_by_itself() {
  std::thread other([] { setenv("LOCKSTEP_TEST", "1", 1); });
  size_t count = 0;
  for (char** variable = environ; *variable; ++variable) ++count;
  other.join();
  assert(count > 0);
}

// Memory that is shared with a child process, which may end a wait there.
template <class T>
T* shared() {
  return static_cast<T*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
}
template <class Child, class Thread>
void with_child(Child child, Thread thread) {
  const pid_t pid = fork();
  if (pid == 0) {
    usleep(2000);
    child();
    _exit(0);
  }
  std::thread(thread).join();
  waitpid(pid, nullptr, 0);
}
void child_posts_shared_semaphore() {
  auto* ready = shared<sem_t>();
  sem_init(ready, 1, 0);
  with_child([=] { sem_post(ready); }, [=] { sem_wait(ready); });
}
void child_posts_named_semaphore() {
  sem_t* ready = sem_open("/lockstep-environment", O_CREAT, 0600, 0);
  with_child([=] { sem_post(ready); }, [=] { sem_wait(ready); });
  sem_unlink("/lockstep-environment");
}
void child_sets_shared_flag() {
  auto* flag = shared<std::atomic<int>>();
  with_child([=] { flag->store(1); },
             [=] {
               while (!flag->load()) std::this_thread::yield();
             });
}
void child_posts_nothing() {
  auto* ready = shared<sem_t>();
  sem_init(ready, 1, 0);
  with_child([] {}, [=] { sem_wait(ready); });
}
struct Monitor {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  int ready;
};
Monitor* shared_monitor() {
  auto* monitor = shared<Monitor>();
  pthread_mutexattr_t mutex;
  pthread_condattr_t condition;
  pthread_mutexattr_init(&mutex);
  pthread_condattr_init(&condition);
  pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
  pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&monitor->mutex, &mutex);
  pthread_cond_init(&monitor->condition, &condition);
  return monitor;
}
void child_unlocks_shared_mutex() {
  Monitor* monitor = shared_monitor();
  with_child(
      [=] {
        pthread_mutex_lock(&monitor->mutex);
        usleep(2000);
        pthread_mutex_unlock(&monitor->mutex);
      },
      [=] {
        for (int i = 0; i < 3; ++i) {
          pthread_mutex_lock(&monitor->mutex);
          usleep(1000);
          pthread_mutex_unlock(&monitor->mutex);
        }
      });
}
void child_signals_shared_condition() {
  Monitor* monitor = shared_monitor();
  with_child(
      [=] {
        pthread_mutex_lock(&monitor->mutex);
        monitor->ready = 1;
        pthread_cond_signal(&monitor->condition);
        pthread_mutex_unlock(&monitor->mutex);
      },
      [=] {
        pthread_mutex_lock(&monitor->mutex);
        while (!monitor->ready) pthread_cond_wait(&monitor->condition, &monitor->mutex);
        pthread_mutex_unlock(&monitor->mutex);
      });
}

const Case cases[] = {CASE(spurious_wakeup),
                      CASE(lock_of_a_file),
                      CASE(locks_of_files_in_opposite_orders),
                      CASE(tried_locks_of_files_in_opposite_orders),
                      CASE(environment_read_by_itself),
                      CASE(child_posts_shared_semaphore),
                      CASE(child_posts_named_semaphore),
                      CASE(child_posts_nothing),
                      CASE(child_sets_shared_flag),
                      CASE(child_unlocks_shared_mutex),
                      CASE(child_signals_shared_condition),
                      CASE(weak_compare_exchange),
                      CASE(orders_of_standard_headers),
                      CASE(own_order_beside_shared_ptr),
                      CASE(try_lock_of_a_free_mutex),
                      CASE(waiter_woken),
                      CASE(writer_before_reader),
                      CASE(reader_before_writer),
                      CASE(interrupted_without_signals),
                      CASE(interrupted_by_a_signal),
                      CASE(short_read),
                      CASE(read_before_all_is_written),
                      CASE(failing_allocation),
                      CASE(failing_thread),
                      CASE(timeout_while_others_run),
                      CASE(signal_between_steps),
                      CASE(signal_between_plain_accesses),
                      CASE(other_time),
                      CASE(cycle_counter),
                      CASE(random_device),
                      CASE(reads_what_it_wrote_before),
                      CASE(writes_then_reads),
                      CASE(appends_to_a_log),
                      CASE(random_instruction)};

}  // namespace

int main(int argc, char** argv) {
  for (const Case& c : cases)
    if (argc > 1 && strcmp(argv[1], c.name) == 0) return c.run(), 0;
  return 2;
}
