// OpenMP, by the names with which gcc calls libgomp. libgomp's own threads wait in the kernel with inline instructions.
// Here a team consists of normal threads, which live as long as its parallel region. Functions that are not implemented
// here (tasks, ordered loops, nested locks, cancellation) are refused by name.
#include "runtime/intercept/openmp.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/process/imports.hpp"
#include "runtime/sched/refuse_call.hpp"

namespace lockstep::rt {

using Region = void (*)(void*);

// The iterations of a loop, or the sections, still to be distributed.
struct Work {
  uint64_t number;  // of the construct in its region, from 1; 0: none yet
  long next, end, step, chunk;
  bool guided;

  bool take(unsigned threads, long* begin, long* stop) {
    const long left = step > 0 ? (end - next + step - 1) / step : (end - next + step + 1) / step;
    if (left <= 0) return false;
    const long share = guided ? left / static_cast<long>(threads) : 0;
    const long wanted = share > chunk ? share : chunk;
    *begin = next;
    next = wanted >= left ? end : next + wanted * step;
    *stop = next;
    return true;
  }
};

constexpr unsigned kMostOpen = 16;  // constructs that threads without a common barrier may be in at the same time
struct Team {
  struct Member {
    Team* team;
    unsigned index;
    pthread_t handle;
  };
  Region region;
  void* data;
  unsigned size;
  pthread_barrier_t barrier;
  pthread_mutex_t lock;  // protects the fields below
  uint64_t singles;      // number of single constructs that a thread has entered
  Work work[kMostOpen];
  Member member[];
};

namespace {

constinit struct {
  pthread_mutex_t critical, atomic;
  unsigned threads;  // omp_set_num_threads; 0: one per processor
} openmp{};

unsigned most_threads() { return openmp.threads ? openmp.threads : static_cast<unsigned>(CPU_COUNT(&runtime.cpus)); }

class Locked {
 public:
  explicit Locked(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
  ~Locked() { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t& mutex_;
};

void* run_member(void* argument) {
  const auto& m = *static_cast<Team::Member*>(argument);
  self().place = {m.team, m.index, 0, 0};
  m.team->region(m.team->data);
  return nullptr;
}

void run_region(Region region, void* data, unsigned size, const Work& first = {}) {
  if (imports.openmp) refuse_call(imports.openmp, "this part of OpenMP is not supported");
  if (!size) size = most_threads();
  auto* team = static_cast<Team*>(calloc(1, sizeof(Team) + size * sizeof(Team::Member)));
  team->region = region;
  team->data = data;
  team->size = size;
  team->work[1 % kMostOpen] = first;
  pthread_barrier_init(&team->barrier, nullptr, size);
  const TeamPlace outer = self().place;
  for (unsigned i = 1; i < size; ++i) {
    team->member[i] = {team, i, {}};
    pthread_create(&team->member[i].handle, nullptr, run_member, &team->member[i]);
  }
  self().place = {team, 0, 0, 0};
  region(data);
  for (unsigned i = 1; i < size; ++i) pthread_join(team->member[i].handle, nullptr);
  self().place = outer;
  pthread_barrier_destroy(&team->barrier);
  pthread_mutex_destroy(&team->lock);
  free(team);
}

// The work-sharing construct of the running thread, which must have a team (team_of_one() outside of a region).
Work& current_work(const TeamPlace& at) { return at.team->work[(at.constructs + 1) % kMostOpen]; }

bool next_work(long* begin, long* stop) {
  const TeamPlace& at = self().place;
  const Locked lock(at.team->lock);
  return current_work(at).take(at.team->size, begin, stop);
}

// Outside of a region the thread is a team of one.
Team& team_of_one() {
  TeamPlace& at = self().place;
  if (!at.team) {
    at.team = static_cast<Team*>(calloc(1, sizeof(Team)));
    at.team->size = 1;
    pthread_barrier_init(&at.team->barrier, nullptr, 1);
  }
  return *at.team;
}

bool start_work(Work fresh, long* begin, long* stop) {
  Team& team = team_of_one();
  const TeamPlace& at = self().place;
  {
    const Locked lock(team.lock);
    Work& work = current_work(at);
    if (work.number != at.constructs + 1) {
      work = fresh;
      work.number = at.constructs + 1;
    }
  }
  return next_work(begin, stop);
}

void end_work(bool wait) {
  ++self().place.constructs;
  if (wait) pthread_barrier_wait(&self().place.team->barrier);
}

pthread_mutex_t& named_lock(void** slot) {
  if (!*slot) {
    auto* mutex = static_cast<pthread_mutex_t*>(calloc(1, sizeof(pthread_mutex_t)));
    *slot = mutex;
  }
  return *static_cast<pthread_mutex_t*>(*slot);
}

}  // namespace

const Module openmp_module = {
    .name = "OpenMP",
    .before_execution = [] { openmp = {}; },
};

}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

// The linker drops libgomp when it finds these names here, but they still have to work without control.
static void* find_real(const char* name) {
  if (void* next = dlsym(RTLD_NEXT, name)) return next;
  void* library = LOCKSTEP_REAL(dlopen)("libgomp.so.1", RTLD_NOW);
  return library ? dlsym(library, name) : nullptr;
}

// Declared here, because there is no header for these functions.
#define LOCKSTEP_GOMP(result, name, parameters, arguments, ...)              \
  extern "C" result name parameters;                                         \
  LOCKSTEP_EXPORT result name parameters {                                   \
    static decltype(&name) real;                                             \
    if (!controlled()) {                                                     \
      if (!real) real = reinterpret_cast<decltype(&name)>(find_real(#name)); \
      return real arguments;                                                 \
    }                                                                        \
    __VA_ARGS__                                                              \
  }

LOCKSTEP_GOMP(void, GOMP_parallel, (Region region, void* data, unsigned size, unsigned flags),
              (region, data, size, flags), run_region(region, data, size);)
LOCKSTEP_GOMP(void, GOMP_barrier, (), (), pthread_barrier_wait(&team_of_one().barrier);)
LOCKSTEP_GOMP(void, GOMP_critical_start, (), (), pthread_mutex_lock(&openmp.critical);)
LOCKSTEP_GOMP(void, GOMP_critical_end, (), (), pthread_mutex_unlock(&openmp.critical);)
LOCKSTEP_GOMP(void, GOMP_critical_name_start, (void** slot), (slot), pthread_mutex_lock(&named_lock(slot));)
LOCKSTEP_GOMP(void, GOMP_critical_name_end, (void** slot), (slot), pthread_mutex_unlock(&named_lock(slot));)
LOCKSTEP_GOMP(void, GOMP_atomic_start, (), (), pthread_mutex_lock(&openmp.atomic);)
LOCKSTEP_GOMP(void, GOMP_atomic_end, (), (), pthread_mutex_unlock(&openmp.atomic);)
LOCKSTEP_GOMP(bool, GOMP_single_start, (), (), {
  Team& team = team_of_one();
  const Locked lock(team.lock);
  const bool first = self().place.singles++ == team.singles;
  team.singles += first;
  return first;
})

#define LOCKSTEP_GOMP_LOOP(schedule, guided)                                                                         \
  LOCKSTEP_GOMP(                                                                                                     \
      void, GOMP_parallel_loop_##schedule,                                                                           \
      (Region region, void* data, unsigned size, long begin, long end, long step, long chunk, unsigned flags),       \
      (region, data, size, begin, end, step, chunk, flags),                                                          \
      run_region(region, data, size, {1, begin, end, step, chunk, guided});)                                         \
  LOCKSTEP_GOMP(                                                                                                     \
      bool, GOMP_loop_##schedule##_start, (long begin, long end, long step, long chunk, long* first, long* stop),    \
      (begin, end, step, chunk, first, stop), return start_work({0, begin, end, step, chunk, guided}, first, stop);) \
  LOCKSTEP_GOMP(bool, GOMP_loop_##schedule##_next, (long* first, long* stop), (first, stop),                         \
                return next_work(first, stop);)
LOCKSTEP_GOMP_LOOP(dynamic, false)
LOCKSTEP_GOMP_LOOP(guided, true)
LOCKSTEP_GOMP_LOOP(nonmonotonic_dynamic, false)
LOCKSTEP_GOMP_LOOP(nonmonotonic_guided, true)
LOCKSTEP_GOMP(void, GOMP_loop_end, (), (), end_work(true);)
LOCKSTEP_GOMP(void, GOMP_loop_end_nowait, (), (), end_work(false);)

LOCKSTEP_GOMP(void, GOMP_parallel_sections, (Region region, void* data, unsigned size, unsigned count, unsigned flags),
              (region, data, size, count, flags), run_region(region, data, size, {1, 1, count + 1l, 1, 1, false});)
LOCKSTEP_GOMP(unsigned, GOMP_sections_start, (unsigned count), (count), {
  long section = 0, after;
  return start_work({0, 1, count + 1l, 1, 1, false}, &section, &after) ? static_cast<unsigned>(section) : 0;
})
LOCKSTEP_GOMP(unsigned, GOMP_sections_next, (), (), {
  long section = 0, after;
  return next_work(&section, &after) ? static_cast<unsigned>(section) : 0;
})
LOCKSTEP_GOMP(void, GOMP_sections_end, (), (), end_work(true);)
LOCKSTEP_GOMP(void, GOMP_sections_end_nowait, (), (), end_work(false);)

LOCKSTEP_GOMP(int, omp_get_thread_num, (), (), return static_cast<int>(self().place.index);)
LOCKSTEP_GOMP(int, omp_get_num_threads, (), (),
              return self().place.team ? static_cast<int>(self().place.team->size) : 1;)
LOCKSTEP_GOMP(int, omp_get_max_threads, (), (), return static_cast<int>(most_threads());)
LOCKSTEP_GOMP(void, omp_set_num_threads, (int threads), (threads),
              openmp.threads = threads > 0 ? static_cast<unsigned>(threads) : 1;)
LOCKSTEP_GOMP(int, omp_in_parallel, (), (), return self().place.team && self().place.team->size > 1;)

// An OpenMP lock has the size of a spin lock.
LOCKSTEP_GOMP(void, omp_init_lock, (pthread_spinlock_t * lock), (lock), pthread_spin_init(lock, 0);)
LOCKSTEP_GOMP(void, omp_destroy_lock, (pthread_spinlock_t * lock), (lock), pthread_spin_destroy(lock);)
LOCKSTEP_GOMP(void, omp_set_lock, (pthread_spinlock_t * lock), (lock), pthread_spin_lock(lock);)
LOCKSTEP_GOMP(void, omp_unset_lock, (pthread_spinlock_t * lock), (lock), pthread_spin_unlock(lock);)
LOCKSTEP_GOMP(int, omp_test_lock, (pthread_spinlock_t * lock), (lock), return pthread_spin_trylock(lock) == 0;)

LOCKSTEP_GOMP(void, GOMP_task,
              (Region task, void* data, void (*copy)(void*, void*), long size, long alignment, bool deferred,
               unsigned flags, void** depends, int priority, void* detach),
              (task, data, copy, size, alignment, deferred, flags, depends, priority, detach),
              refuse_call("GOMP_task()", "tasks of OpenMP are not supported");)
