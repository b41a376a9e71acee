// Named semaphores. Others could open them only by being outside, so they are memory of the program like any other, and
// gone when the execution is.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdlib.h>

#include "runtime/intercept/named_semaphores.hpp"

#include "runtime/base/real.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/sched/scheduler.hpp"

namespace lockstep::rt {
namespace {

constexpr unsigned kMost = 256, kLongest = 64;
struct Named {
  char name[kLongest];  // empty: unlinked, and only there for who has it open
  sem_t* semaphore;     // null: a free place
  unsigned open;
};
constinit struct {
  Named place[kMost];
  unsigned used;  // places below this
} names{};

sem_t* fail(int error) {
  errno = error;
  return SEM_FAILED;
}

const char* without_slashes(const char* name) {
  while (*name == '/') ++name;
  return name;
}

Named* find(const char* name) {
  for (unsigned i = 0; i < names.used; ++i)
    if (names.place[i].semaphore && names.place[i].name[0] && equal(names.place[i].name, name)) return &names.place[i];
  return nullptr;
}

Named* free_place() {
  for (unsigned i = 0; i < names.used; ++i)
    if (!names.place[i].semaphore) return &names.place[i];
  return names.used < kMost ? &names.place[names.used++] : nullptr;
}

void forget_if_unused(Named& n) {
  if (n.open || n.name[0]) return;
  free(n.semaphore);
  n.semaphore = nullptr;
}

sem_t* open_named(const char* name, int flags, unsigned value) {
  scheduler().reach(OpKind::Io, &names, Step::kWrite);
  name = without_slashes(name);
  if (!*name || contains(name, "/")) return fail(EINVAL);
  if (length(name) >= kLongest) return fail(ENAMETOOLONG);
  Named* n = find(name);
  if (n && flags & O_CREAT && flags & O_EXCL) return fail(EEXIST);
  if (!n && !(flags & O_CREAT)) return fail(ENOENT);
  if (!n) {
    if (value > SEM_VALUE_MAX) return fail(EINVAL);
    n = free_place();
    if (!n) return fail(EMFILE);
    n->semaphore = static_cast<sem_t*>(malloc(sizeof(sem_t)));
    sem_init(n->semaphore, 0, value);
    copy_bytes(n->name, name, length(name) + 1);
    n->open = 0;
  }
  ++n->open;
  return n->semaphore;
}

}  // namespace

void forget_named_semaphores() {
  if (names.used) names = {};
}

const Module named_semaphores_module = {
    .name = "named semaphores",
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
  return controlled() ? open_named(name, flags, value) : LOCKSTEP_REAL(sem_open)(name, flags, mode, value);
}
LOCKSTEP_EXPORT int sem_close(sem_t* semaphore) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(sem_close)(semaphore);
  scheduler().reach(OpKind::Io, &names, Step::kWrite);
  for (unsigned i = 0; i < names.used; ++i) {
    if (names.place[i].semaphore != semaphore || !names.place[i].open) continue;
    --names.place[i].open;
    forget_if_unused(names.place[i]);
    return 0;
  }
  errno = EINVAL;
  return -1;
}
LOCKSTEP_EXPORT int sem_unlink(const char* name) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(sem_unlink)(name);
  scheduler().reach(OpKind::Io, &names, Step::kWrite);
  Named* n = find(without_slashes(name));
  if (!n) {
    errno = ENOENT;
    return -1;
  }
  n->name[0] = 0;
  forget_if_unused(*n);
  return 0;
}
