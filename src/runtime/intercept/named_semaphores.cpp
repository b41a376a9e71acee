// Named semaphores. They are in memory that child processes share, and end with the execution.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <stdarg.h>
#include <sys/mman.h>

#include "runtime/intercept/named_semaphores.hpp"

#include "runtime/base/errors.hpp"
#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/memory/undo.hpp"
#include "runtime/sched/scheduler.hpp"

namespace lockstep::rt {
namespace {

constexpr unsigned kMost = 256, kLongest = 64;
struct Named {
  char name[kLongest];  // empty: unlinked, but still open
  bool used;
  unsigned open;
};
constinit struct {
  Named place[kMost];
  sem_t* semaphore;  // one per place
  bool used;         // any place is used
} names{};

sem_t* fail_to_open(int error) {
  errno = error;
  return SEM_FAILED;
}

const char* without_slashes(const char* name) {
  while (*name == '/') ++name;
  return name;
}

Named* find(const char* name) {
  for (Named& n : names.place)
    if (n.used && n.name[0] && equal(n.name, name)) return &n;
  return nullptr;
}

// Chosen by name, so that a semaphore has the same address in every execution.
Named* free_place(const char* name) {
  unsigned hash = 0;
  for (const char* c = name; *c; ++c) hash = hash * 31 + static_cast<unsigned char>(*c);
  for (unsigned i = 0; i < kMost; ++i)
    if (Named& n = names.place[(hash + i) % kMost]; !n.used) return &n;
  return nullptr;
}

bool is_ours(const sem_t* semaphore) { return semaphore >= names.semaphore && semaphore < names.semaphore + kMost; }
sem_t* semaphore_of(const Named& n) { return names.semaphore + (&n - names.place); }

void forget_if_unused(Named& n) {
  if (!n.open && !n.name[0]) n = {};
}

void map_semaphores() {
  const size_t bytes = sizeof(sem_t) * kMost;
  const long at = sys(SYS_mmap, static_cast<long>(next_shared_address(bytes)), static_cast<long>(bytes),
                      PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (at < 0) die("cannot map memory for semaphores");
  names.semaphore = reinterpret_cast<sem_t*>(at);
}

sem_t* open_named(const char* name, int flags, unsigned value) {
  scheduler().reach(OpKind::Io, &names, Step::kWrite);
  name = without_slashes(name);
  if (!*name || contains(name, "/")) return fail_to_open(EINVAL);
  if (length(name) >= kLongest) return fail_to_open(ENAMETOOLONG);
  Named* n = find(name);
  if (n && flags & O_CREAT && flags & O_EXCL) return fail_to_open(EEXIST);
  if (!n && !(flags & O_CREAT)) return fail_to_open(ENOENT);
  if (!n) {
    if (value > SEM_VALUE_MAX) return fail_to_open(EINVAL);
    n = free_place(name);
    if (!n) return fail_to_open(EMFILE);
    *n = {};
    n->used = names.used = true;
    undo.uses_shared_memory();
    zero_bytes(semaphore_of(*n), sizeof(sem_t));
    sem_init(semaphore_of(*n), 1, value);
    copy_bytes(n->name, name, length(name) + 1);
  }
  ++n->open;
  return semaphore_of(*n);
}

}  // namespace

void forget_named_semaphores() {
  if (!names.used) return;
  for (Named& n : names.place) n = {};
  names.used = false;
}

const Module named_semaphores_module = {
    .name = "named semaphores",
    .start = map_semaphores,
    .before_execution = forget_named_semaphores,
};

}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT sem_t* sem_open(const char* name, int flags, ...) noexcept {
  mode_t mode = 0;
  unsigned value = 0;
  if (flags & O_CREAT) {
    va_list list;
    va_start(list, flags);
    mode = va_arg(list, mode_t);
    value = va_arg(list, unsigned);
    va_end(list);
  }
  if (controlled()) return open_named(name, flags, value);
  // A child process shares the semaphores of its parent.
  const Named* n = names.used ? find(without_slashes(name)) : nullptr;
  return n ? semaphore_of(*n) : LOCKSTEP_REAL(sem_open)(name, flags, mode, value);
}
LOCKSTEP_EXPORT int sem_close(sem_t* semaphore) noexcept {
  if (!controlled()) return is_ours(semaphore) ? 0 : LOCKSTEP_REAL(sem_close)(semaphore);
  scheduler().reach(OpKind::Io, &names, Step::kWrite);
  Named* n = is_ours(semaphore) ? &names.place[semaphore - names.semaphore] : nullptr;
  if (!n || !n->open) return fail_with(EINVAL);
  --n->open;
  forget_if_unused(*n);
  return 0;
}
LOCKSTEP_EXPORT int sem_unlink(const char* name) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(sem_unlink)(name);
  scheduler().reach(OpKind::Io, &names, Step::kWrite);
  Named* n = find(without_slashes(name));
  if (!n) return fail_with(ENOENT);
  n->name[0] = 0;
  forget_if_unused(*n);
  return 0;
}
