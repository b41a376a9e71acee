// Locks and the like that are used after they were destroyed, freed or left behind on a stack, beside the uses that are
// allowed; misuse after which a program goes on; objects that are initialised before main.
#undef NDEBUG
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <cassert>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

static std::atomic<bool> told{false};
static void wait_until_told() {
  while (!told) std::this_thread::yield();
}

// --- destroyed too early: by the state of the object ---
static void condition_notified_later() {
  static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  std::thread other([] {
    told = true;
    pthread_cond_signal(&changed);
  });
  wait_until_told();
  pthread_cond_destroy(&changed);
  other.join();
}
static void semaphore_posted_later() {
  static sem_t event;
  sem_init(&event, 0, 0);
  std::thread other([] {
    told = true;
    sem_post(&event);
  });
  wait_until_told();
  sem_destroy(&event);
  other.join();
}
static void barrier_reached_later() {
  static pthread_barrier_t meeting;
  pthread_barrier_init(&meeting, nullptr, 1);
  std::thread other([] {
    told = true;
    pthread_barrier_wait(&meeting);
  });
  wait_until_told();
  pthread_barrier_destroy(&meeting);
  other.join();
}
static void writer_comes_later() {
  static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
  std::thread other([] {
    told = true;
    pthread_rwlock_wrlock(&table);
    pthread_rwlock_unlock(&table);
  });
  wait_until_told();
  pthread_rwlock_destroy(&table);
  other.join();
}
static void spin_lock_released_later() {
  static pthread_spinlock_t lock;
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  std::thread other([] {
    pthread_spin_lock(&lock);
    told = true;
    pthread_spin_unlock(&lock);
  });
  wait_until_told();
  pthread_spin_destroy(&lock);
  other.join();
}
static void mutex_locked_later() {
  static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
  std::thread other([] {
    told = true;
    if (pthread_mutex_lock(&guard) == 0) pthread_mutex_unlock(&guard);
  });
  wait_until_told();
  pthread_mutex_destroy(&guard);
  other.join();
}

// --- freed too early ---
struct Node {
  int values[5] = {};
  std::mutex guard;
  std::condition_variable changed;
};
static void unlocked_in_freed_block() {
  auto* node = new Node;
  std::thread other([node] {
    node->guard.lock();
    told = true;
    node->guard.unlock();
  });
  wait_until_told();
  node->guard.lock();  // so that it is not held when it is freed: only the order of the two is missing
  node->guard.unlock();
  std::thread user([node] { std::lock_guard hold(node->guard); });
  delete node;
  user.join();
  other.join();
}
static void freed_under_waiter() {
  static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
  auto* changed = static_cast<pthread_cond_t*>(std::calloc(1, sizeof(pthread_cond_t)));
  static bool waits;
  std::thread waiter([changed] {
    pthread_mutex_lock(&guard);
    waits = true;
    pthread_cond_wait(changed, &guard);
    pthread_mutex_unlock(&guard);
  });
  for (pthread_mutex_lock(&guard); !waits; pthread_mutex_lock(&guard)) {
    pthread_mutex_unlock(&guard);
    sched_yield();
  }
  std::free(changed);
  pthread_mutex_unlock(&guard);
  waiter.join();
}

// --- left behind on a stack ---
struct Request {
  std::atomic<bool> done{false};
  std::atomic<int> result{0};
  int plain = 0;
  std::mutex guard;
};
static std::thread completer;
[[gnu::noinline]] static void ask_for_atomic() {
  Request request;
  completer = std::thread([&request] {
    request.done = true;
    request.result = 1;
  });
  while (!request.done) std::this_thread::yield();
}
[[gnu::noinline]] static void ask_for_plain() {
  Request request;
  completer = std::thread([&request] {
    request.done = true;
    request.plain = 1;
  });
  while (!request.done) std::this_thread::yield();
}
[[gnu::noinline]] static void ask_for_lock() {
  Request request;
  completer = std::thread([&request] {
    request.guard.lock();
    request.done = true;
    request.guard.unlock();
  });
  while (!request.done) std::this_thread::yield();
}
static void atomic_of_caller() {
  ask_for_atomic();
  completer.join();
}
static void plain_of_caller() {
  ask_for_plain();
  completer.join();
}
static void lock_of_caller() {
  ask_for_lock();
  completer.join();
}
static void atomic_of_a_thread() {
  std::thread([] { atomic_of_caller(); }).join();
}
static void plain_of_a_thread() {
  std::thread([] { plain_of_caller(); }).join();
}

// --- misuse after which a program goes on ---
static std::mutex door;
static std::atomic<int> inside{0};
static void enter() {
  door.lock();
  assert(++inside == 1);
  --inside;
  door.unlock();
}
static void opened_by_another() {
  std::thread first(enter), second(enter);
  door.unlock();
  first.join();
  second.join();
}
static void destroyed_while_held() {
  static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&guard);
  assert(pthread_mutex_destroy(&guard) == EBUSY);
  assert(pthread_mutex_unlock(&guard) == 0);
  assert(pthread_mutex_destroy(&guard) == 0);
  assert(pthread_mutex_lock(&guard) == EINVAL);
  std::exit(3);
}

// --- allowed ---
static void condition_after_broadcast() {
  static std::mutex guard;
  static bool ready;
  auto* changed = new std::condition_variable;
  std::thread waiter([changed] {
    std::unique_lock hold(guard);
    while (!ready) changed->wait(hold);
  });
  {
    std::lock_guard hold(guard);
    ready = true;
    changed->notify_all();
    delete changed;
  }
  waiter.join();
}
struct Counted {
  pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
  int users = 2;
};
static void drop(Counted* counted) {
  pthread_mutex_lock(&counted->guard);
  const int left = --counted->users;
  pthread_mutex_unlock(&counted->guard);
  if (left) return;
  pthread_mutex_destroy(&counted->guard);
  delete counted;
}
static void last_user_frees() {
  auto* counted = new Counted;
  std::thread other(drop, counted);
  drop(counted);
  other.join();
}
static void waiter_frees_semaphore() {
  auto* done = new sem_t;
  sem_init(done, 0, 0);
  std::thread worker([done] { sem_post(done); });
  sem_wait(done);
  sem_destroy(done);
  delete done;
  worker.join();
}
static void serial_thread_frees_barrier() {
  auto* meeting = new pthread_barrier_t;
  pthread_barrier_init(meeting, nullptr, 2);
  auto meet = [meeting] {
    if (pthread_barrier_wait(meeting) != PTHREAD_BARRIER_SERIAL_THREAD) return;
    pthread_barrier_destroy(meeting);
    delete meeting;
  };
  std::thread other(meet);
  meet();
  other.join();
}
static void used_again_after_init() {
  static sem_t event;
  static pthread_mutex_t guard;
  static pthread_rwlock_t table;
  static pthread_spinlock_t lock;
  for (int round = 0; round < 2; ++round) {
    sem_init(&event, 0, 0);
    pthread_mutex_init(&guard, nullptr);
    pthread_rwlock_init(&table, nullptr);
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    std::thread poster([] {
      pthread_mutex_lock(&guard);
      pthread_mutex_unlock(&guard);
      sem_post(&event);
    });
    sem_wait(&event);
    pthread_rwlock_rdlock(&table);
    pthread_rwlock_unlock(&table);
    pthread_spin_lock(&lock);
    pthread_spin_unlock(&lock);
    pthread_spin_destroy(&lock);
    pthread_rwlock_destroy(&table);
    pthread_mutex_destroy(&guard);
    sem_destroy(&event);
    poster.join();
  }
}
// The frame is left only after the other thread has said, under the lock of the frame, that it is done.
[[gnu::noinline]] static void ask_and_wait() {
  Request request;
  sem_t answered;
  sem_init(&answered, 0, 0);
  completer = std::thread([&] {
    request.guard.lock();
    request.plain = 1;
    request.result = 1;
    request.guard.unlock();
    sem_post(&answered);
  });
  sem_wait(&answered);
  assert(request.plain == 1);
  sem_destroy(&answered);
}
static void frame_left_in_time() {
  ask_and_wait();
  completer.join();
}
// The same place on the stack is another frame's, and used by another thread again.
static void frame_after_frame() {
  for (int round = 0; round < 2; ++round) {
    ask_and_wait();
    completer.join();
  }
}

// --- before main ---
static struct Early {
  pthread_spinlock_t spin;
  pthread_mutex_t recursive;
  pthread_barrier_t meeting;
  sem_t tickets;
  pthread_cond_t changed;
  pthread_rwlock_t table;
  Early() {
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &kind);
    pthread_barrier_init(&meeting, nullptr, 2);
    sem_init(&tickets, 0, 2);
    pthread_cond_init(&changed, nullptr);
    pthread_rwlock_init(&table, nullptr);
  }
} early;
static void initialised_before_main() {
  auto use = [] {
    pthread_spin_lock(&early.spin);
    pthread_spin_unlock(&early.spin);
    pthread_mutex_lock(&early.recursive);
    pthread_mutex_lock(&early.recursive);
    pthread_cond_broadcast(&early.changed);
    pthread_mutex_unlock(&early.recursive);
    pthread_mutex_unlock(&early.recursive);
    pthread_barrier_wait(&early.meeting);
    sem_wait(&early.tickets);
    pthread_rwlock_wrlock(&early.table);
    pthread_rwlock_unlock(&early.table);
  };
  std::thread other(use);
  use();
  other.join();
  int left = -1;
  sem_getvalue(&early.tickets, &left);
  assert(left == 0);
}

// --- notes of deadlocks ---
static std::mutex guard;
static std::condition_variable changed;
static int stage;
static void notified_before_it_looked() {
  static sem_t first_done;
  sem_init(&first_done, 0, 0);
  std::thread other([] {
    {
      std::lock_guard hold(guard);
      stage = 1;
    }
    changed.notify_one();  // seen by who looks at the stage later
    sem_post(&first_done);
    std::lock_guard hold(guard);
    stage = 2;
  });
  sem_wait(&first_done);
  {
    std::unique_lock hold(guard);
    while (stage < 2) changed.wait(hold);
  }
  other.join();
}
static void notified_after_it_looked() {
  static std::atomic<bool> ready{false};
  std::thread other([] {
    ready = true;
    changed.notify_one();
  });
  if (!ready) {
    std::unique_lock hold(guard);
    changed.wait(hold);
  }
  other.join();
}

int main(int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "";
#define CASE(name) \
  if (wanted == #name) return name(), 0
  CASE(condition_notified_later);
  CASE(semaphore_posted_later);
  CASE(barrier_reached_later);
  CASE(writer_comes_later);
  CASE(spin_lock_released_later);
  CASE(mutex_locked_later);
  CASE(unlocked_in_freed_block);
  CASE(freed_under_waiter);
  CASE(atomic_of_caller);
  CASE(plain_of_caller);
  CASE(lock_of_caller);
  CASE(atomic_of_a_thread);
  CASE(plain_of_a_thread);
  CASE(opened_by_another);
  CASE(destroyed_while_held);
  CASE(condition_after_broadcast);
  CASE(last_user_frees);
  CASE(waiter_frees_semaphore);
  CASE(serial_thread_frees_barrier);
  CASE(used_again_after_init);
  CASE(frame_left_in_time);
  CASE(frame_after_frame);
  CASE(initialised_before_main);
  CASE(notified_before_it_looked);
  CASE(notified_after_it_looked);
  return 2;
}
