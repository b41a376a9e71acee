// The program under test: executes the program that its argument encodes (language.hpp) with real threads and objects.
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <condition_variable>
#include <lockstep/lockstep.hpp>
#include <mutex>
#include <new>
#include <optional>
#include <semaphore>
#include <shared_mutex>

#include "language.hpp"

void uninstrumented_increment(int* value);  // plain.cpp: instrumented or not

namespace {
using namespace falsifier;

struct Heap {
  std::atomic<int> a{0};
  int p = 0;
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  sem_t q;
  Heap() { sem_init(&q, 0, 0); }
  ~Heap() {
    pthread_mutex_destroy(&m);
    pthread_cond_destroy(&c);
    sem_destroy(&q);
  }
};

std::atomic<int> atomics[kObjects];
int plain[kObjects];
pthread_mutex_t mutex0 = PTHREAD_MUTEX_INITIALIZER;
std::mutex mutex1;
std::recursive_mutex mutex2;
pthread_rwlock_t rwlock0 = PTHREAD_RWLOCK_INITIALIZER;
std::shared_mutex rwlock1;
pthread_spinlock_t spinlocks[kObjects];
pthread_cond_t condition0 = PTHREAD_COND_INITIALIZER;
std::condition_variable& condition1 =
    *new std::condition_variable;  // not destroyed at exit, when threads may wait on it
sem_t semaphores[kObjects];        // 0: starts at 0, 2: starts at 1
std::counting_semaphore<> semaphore1{0};
pthread_barrier_t barrier0;
std::barrier<>* barrier1;
Heap* heap[kObjects];
pthread_t threads[kThreads];

pthread_mutex_t* native(int m) { return m == 0 ? &mutex0 : m == 1 ? mutex1.native_handle() : mutex2.native_handle(); }
pthread_rwlock_t* native_rw(int w) {
  return w == 0 ? &rwlock0 : static_cast<pthread_rwlock_t*>(rwlock1.native_handle());
}
pthread_cond_t* native_cond(int c) { return c == 0 ? &condition0 : condition1.native_handle(); }

timespec soon(int milliseconds) {
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_nsec += milliseconds * 1'000'000L;
  if (t.tv_nsec >= 1'000'000'000) ++t.tv_sec, t.tv_nsec -= 1'000'000'000;
  return t;
}

[[gnu::noinline]] void trusted_increment(std::atomic<int>& a) { a.store(a.load() + 1); }

// Decoded before main: an execution begins with main, and reads this only.
Program program;
char files[kObjects][16];  // in a folder of this process
int first_descriptor;

bool uses_files() {
  for (const Code& code : program.code)
    for (int n = 0; n < code.length; ++n)
      if (const Op op = code.at[static_cast<std::size_t>(n)].op; op >= Op::mk_ && op <= Op::ren_) return true;
  return false;
}
[[gnu::constructor]] void decode(int argc, char** argv) {
  if (argc > 1) program = parse(argv[argc - 1]);
  char folder[] = "files-XXXXXX";
  if (argc < 2 || !uses_files() || !mkdtemp(folder)) return;
  for (int f = 0; f < kObjects; ++f) std::snprintf(files[f], sizeof files[f], "%s/%d", folder, f);
}

// One instance per thread and variable, so that every access has a place of its own in the code.
template <int T, int V>
struct Plain {
  [[gnu::noinline]] static int read() { return plain[V]; }
  [[gnu::noinline]] static void write(int v) { plain[V] = v; }
  [[gnu::noinline]] static void increment() { plain[V] = plain[V] + 1; }
};
template <int T>
struct Accesses {
  static int read(int v) { return v == 0 ? Plain<T, 0>::read() : v == 1 ? Plain<T, 1>::read() : Plain<T, 2>::read(); }
  static void write(int v, int x) {
    v == 0 ? Plain<T, 0>::write(x) : v == 1 ? Plain<T, 1>::write(x) : Plain<T, 2>::write(x);
  }
  static void increment(int v) {
    v == 0 ? Plain<T, 0>::increment() : v == 1 ? Plain<T, 1>::increment() : Plain<T, 2>::increment();
  }
};

template <int T>
class Thread {
 public:
  explicit Thread(const Code& code) : code_(code) {}
  int run() {
    for (pc_ = 0; pc_ < code_.length; ++pc_) {
      const Instruction i = code_.at[static_cast<std::size_t>(pc_)];
      atomic(i) || memory(i) || mutex(i) || other_lock(i) || condition(i) || meeting(i) || spin(i) || on_heap(i) ||
          process_state(i) || lifetime(i) || control(i);
    }
    return r_;
  }

 private:
  bool atomic(const Instruction& i) {
    std::atomic<int>& a = atomics[i.x];
    switch (i.op) {
      case Op::load_: r_ = a.load(); break;
      case Op::store_: a.store(i.y); break;
      case Op::put_: a.store(r_ + 1); break;
      case Op::add_: r_ = a.fetch_add(i.y); break;
      case Op::xchg_: r_ = a.exchange(i.y); break;
      case Op::cas_: {
        int expected = i.y;
        r_ = a.compare_exchange_strong(expected, i.z);
        break;
      }
      case Op::loadx_: r_ = a.load(std::memory_order_relaxed); break;
      case Op::storex_: a.store(i.y, std::memory_order_relaxed); break;
      case Op::addx_: r_ = a.fetch_add(i.y, std::memory_order_relaxed); break;
      case Op::tinc_: trusted_increment(a); break;
      default: return false;
    }
    return true;
  }
  bool memory(const Instruction& i) {
    switch (i.op) {
      case Op::read_: r_ = Accesses<T>::read(i.x); break;
      case Op::write_: Accesses<T>::write(i.x, i.y); break;
      case Op::putp_: Accesses<T>::write(i.x, r_ + 1); break;
      case Op::inc_: Accesses<T>::increment(i.x); break;
      case Op::uinc_: uninstrumented_increment(&plain[i.x]); break;
      default: return false;
    }
    return true;
  }
  bool mutex(const Instruction& i) {
    switch (i.op) {
      case Op::lock_: i.x == 0 ? (void)pthread_mutex_lock(&mutex0) : i.x == 1 ? mutex1.lock() : mutex2.lock(); break;
      case Op::unlock_:
        i.x == 0 ? (void)pthread_mutex_unlock(&mutex0) : i.x == 1 ? mutex1.unlock() : mutex2.unlock();
        break;
      case Op::try_:
        r_ = i.x == 0 ? pthread_mutex_trylock(&mutex0) == 0 : i.x == 1 ? mutex1.try_lock() : mutex2.try_lock();
        break;
      case Op::tryfor_: {
        const timespec limit = soon(falsifier::duration(i));
        r_ = pthread_mutex_timedlock(native(i.x), &limit) == 0;
        break;
      }
      default: return false;
    }
    return true;
  }
  bool other_lock(const Instruction& i) {
    switch (i.op) {
      case Op::rd_: i.x == 0 ? (void)pthread_rwlock_rdlock(&rwlock0) : rwlock1.lock_shared(); break;
      case Op::wr_: i.x == 0 ? (void)pthread_rwlock_wrlock(&rwlock0) : rwlock1.lock(); break;
      case Op::tryrd_: r_ = pthread_rwlock_tryrdlock(native_rw(i.x)) == 0; break;
      case Op::trywr_: r_ = pthread_rwlock_trywrlock(native_rw(i.x)) == 0; break;
      case Op::unrd_: i.x == 0 ? (void)pthread_rwlock_unlock(&rwlock0) : rwlock1.unlock_shared(); break;
      case Op::unwr_: i.x == 0 ? (void)pthread_rwlock_unlock(&rwlock0) : rwlock1.unlock(); break;
      case Op::sl_: pthread_spin_lock(&spinlocks[i.x]); break;
      case Op::st_: r_ = pthread_spin_trylock(&spinlocks[i.x]) == 0; break;
      case Op::su_: pthread_spin_unlock(&spinlocks[i.x]); break;
      default: return false;
    }
    return true;
  }
  bool condition(const Instruction& i) {
    switch (i.op) {
      case Op::wait_: wait(i.x, i.y); break;
      case Op::waitfor_: {
        const timespec limit = soon(falsifier::duration(i));
        r_ = pthread_cond_timedwait(native_cond(i.x), native(i.y), &limit) != 0;
        break;
      }
      case Op::cwait_:
        while (Accesses<T>::read(i.z) != i.u) wait(i.x, i.y);
        break;
      case Op::notify_: i.x == 0 ? (void)pthread_cond_signal(&condition0) : condition1.notify_one(); break;
      case Op::notifyall_: i.x == 0 ? (void)pthread_cond_broadcast(&condition0) : condition1.notify_all(); break;
      default: return false;
    }
    return true;
  }
  static void wait(int c, int m) {
    if (c == 0) {
      pthread_cond_wait(&condition0, native(m));
    } else {
      std::unique_lock lock(mutex1, std::adopt_lock);
      condition1.wait(lock);
      lock.release();
    }
  }
  bool meeting(const Instruction& i) {
    switch (i.op) {
      case Op::post_: i.x == 1 ? semaphore1.release() : (void)sem_post(&semaphores[i.x]); break;
      case Op::acq_: i.x == 1 ? semaphore1.acquire() : (void)sem_wait(&semaphores[i.x]); break;
      case Op::tryacq_: r_ = i.x == 1 ? semaphore1.try_acquire() : sem_trywait(&semaphores[i.x]) == 0; break;
      case Op::acqfor_: {
        const timespec limit = soon(falsifier::duration(i));
        r_ = sem_timedwait(&semaphores[i.x], &limit) == 0;
        break;
      }
      case Op::bar_: i.x == 0 ? (void)pthread_barrier_wait(&barrier0) : barrier1->arrive_and_wait(); break;
      default: return false;
    }
    return true;
  }
  bool spin(const Instruction& i) {
    std::atomic<int>& a = atomics[i.x];
    switch (i.op) {
      case Op::spin_:
        while (a.load() != i.y) {
        }
        break;
      case Op::spiny_:
        while (a.load() != i.y) sched_yield();
        break;
      case Op::spinc_:
        for (r_ = 0; r_ < i.z && a.load() != i.y;) ++r_;
        break;
      case Op::spint_:
        while (pthread_mutex_trylock(native(i.x)) != 0) {
        }
        break;
      case Op::casloop_:
        for (r_ = a.load(); !a.compare_exchange_strong(r_, r_ + 1);) {
        }
        break;
      case Op::yield_: sched_yield(); break;
      case Op::sleep_: usleep(1000u * static_cast<unsigned>(falsifier::duration(i))); break;
      default: return false;
    }
    return true;
  }
  bool on_heap(const Instruction& i) {
    Heap* h = heap[i.x];
    switch (i.op) {
      case Op::hload_: r_ = h->a.load(); break;
      case Op::hadd_: r_ = h->a.fetch_add(i.y); break;
      case Op::hread_: r_ = h->p; break;
      case Op::hwrite_: h->p = i.y; break;
      case Op::hlock_: pthread_mutex_lock(&h->m); break;
      case Op::hunlock_: pthread_mutex_unlock(&h->m); break;
      case Op::hpost_: sem_post(&h->q); break;
      case Op::hacq_: sem_wait(&h->q); break;
      case Op::hnotify_: pthread_cond_signal(&h->c); break;
      case Op::hfree_: delete h; break;
      default: return false;
    }
    return true;
  }
  bool process_state(const Instruction& i) {
    switch (i.op) {
      case Op::opn_: r_ = open("/dev/null", O_RDONLY) - first_descriptor; break;
      case Op::cls_: r_ = close(first_descriptor + i.x) == 0; break;
      case Op::mk_: r_ = mknod(files[i.x], S_IFREG | 0600, 0) == 0; break;
      case Op::rm_: r_ = unlink(files[i.x]) == 0; break;
      case Op::has_: r_ = access(files[i.x], F_OK) == 0; break;
      case Op::ren_: r_ = rename(files[i.x], files[i.y]) == 0; break;
      case Op::mask_: r_ = static_cast<int>(umask(static_cast<mode_t>(i.x))); break;
      case Op::senv_: {
        const char value[] = {static_cast<char>('0' + i.x), 0};
        setenv("FALSIFIER", value, 1);
        break;
      }
      case Op::uenv_: unsetenv("FALSIFIER"); break;
      case Op::genv_: {
        const char* value = getenv("FALSIFIER");
        r_ = value ? *value - '0' : 0;
        break;
      }
      default: return false;
    }
    return true;
  }
  bool lifetime(const Instruction& i) {
    switch (i.op) {
      case Op::dm_: pthread_mutex_destroy(&mutex0); break;
      case Op::dc_: pthread_cond_destroy(&condition0); break;
      case Op::dq_: sem_destroy(&semaphores[i.x]); break;
      case Op::dw_: pthread_rwlock_destroy(&rwlock0); break;
      case Op::ds_: pthread_spin_destroy(&spinlocks[i.x]); break;
      case Op::spawn_: spawn(i.x); break;
      case Op::join_: {
        void* result;
        pthread_join(threads[i.x], &result);
        results_[i.x] = static_cast<int>(reinterpret_cast<std::intptr_t>(result));
        break;
      }
      case Op::exit_: std::exit(i.x);
      case Op::qexit_: _exit(i.x);
      case Op::abort_: std::abort();
      default: return false;
    }
    return true;
  }
  bool control(const Instruction& i) {
    switch (i.op) {
      case Op::choose_: r_ = lockstep::choose(i.x); break;
      case Op::abeg_: section_.emplace(); break;
      case Op::aend_: section_.reset(); break;
      case Op::req_: lockstep::require(r_ != i.x, "requirement"); break;
      case Op::if_:
        if (r_ != i.x) pc_ += i.y;
        break;
      case Op::set_: r_ = i.x; break;
      case Op::is_: holds_ &= atomics[i.x].load() == i.y; break;
      case Op::isp_: holds_ &= Accesses<T>::read(i.x) == i.y; break;
      case Op::isr_: holds_ = holds_ && results_[i.x] == i.y; break;
      case Op::never_: lockstep::require(!holds_, "final values"); break;
      default: return false;
    }
    return true;
  }
  static void spawn(int t);

  const Code code_;  // on this thread's stack
  int pc_ = 0, r_ = 0;
  int results_[kThreads] = {};
  bool holds_ = true;
  std::optional<lockstep::atomic_section> section_;
};

template <int T>
void* body(void*) {
  return reinterpret_cast<void*>(static_cast<std::intptr_t>(Thread<T>(program.code[T]).run()));
}
template <int T>
void Thread<T>::spawn(int t) {
  static constexpr void* (*bodies[])(void*) = {body<0>, body<1>, body<2>, body<3>, body<4>};
  pthread_create(&threads[t], nullptr, bodies[t], nullptr);
}

void at_exit() { body<kHandler>(nullptr); }
bool destructor_is_handler() {
  return program.code[kHandler].length > 0 && program.code[kHandler].at[0].op == Op::set_;
}
struct Destroyed {
  ~Destroyed() {
    if (destructor_is_handler()) at_exit();
  }
} destroyed;

void prepare() {
  for (int t = 0; t <= kHandler; ++t) {
    const Code& code = program.code[static_cast<std::size_t>(t)];
    for (int n = 0; n < code.length; ++n) {
      const Instruction& i = code.at[static_cast<std::size_t>(n)];
      if (i.op == Op::bar_ && i.x == 0) pthread_barrier_init(&barrier0, nullptr, static_cast<unsigned>(i.y));
      if (i.op == Op::bar_ && i.x == 1 && !barrier1) barrier1 = new std::barrier<>(i.y);
      if (i.op >= Op::hload_ && i.op <= Op::hfree_ && !heap[i.x]) heap[i.x] = new Heap;
    }
  }
  for (pthread_spinlock_t& lock : spinlocks) pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  for (int q = 0; q < kObjects; ++q) sem_init(&semaphores[q], 0, q == 2);
  umask(0);
  first_descriptor = open("/dev/null", O_RDONLY);
  close(first_descriptor);
  if (uses_files())
    for (const char* file : files) unlink(file);
}

}  // namespace

#ifdef FALSIFIER_EXPLORE  // explore.cpp has main
void run_program() {
  prepare();
  body<0>(nullptr);
}
#else
int main() {
  prepare();
  if (program.code[kHandler].length > 0 && !destructor_is_handler()) std::atexit(at_exit);
  body<0>(nullptr);
}
#endif
