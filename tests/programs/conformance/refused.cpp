// Cases that must not pass: "refuse_X" ends as uncontrolled and names X, "fail_X" ends as a failure.
#include <dlfcn.h>
#include <sched.h>
#include <semaphore.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "conformance.hpp"

static char* const arguments[] = {const_cast<char*>("true"), nullptr};

CASE(refuse_daemon) { SHOW(daemon(1, 1)); }
CASE(refuse_execve) { execve("/bin/true", arguments, environ); }
CASE(refuse_execv) { execv("/bin/true", arguments); }
CASE(refuse_execvp) { execvp("true", arguments); }
CASE(refuse_execl) { execl("/bin/true", "true", static_cast<char*>(nullptr)); }
CASE(refuse_execlp) { execlp("true", "true", static_cast<char*>(nullptr)); }
CASE(refuse_execle) { execle("/bin/true", "true", static_cast<char*>(nullptr), environ); }
CASE(refuse_execveat) { execveat(0, "/bin/true", arguments, environ, 0); }
CASE(refuse_fexecve) { fexecve(0, arguments, environ); }

CASE(refuse_clone) {
  static char stack[64 << 10];
  clone([](void*) { return 0; }, stack + sizeof stack, CLONE_VM | CLONE_SIGHAND | CLONE_THREAD, nullptr);
}
CASE(refuse_setrlimit) {
  const rlimit limit{512 << 20, RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &limit);
}

CASE(fail_abort) { std::abort(); }
CASE(fail_assert) { assert(getpid() == 0); }

// Programs that others start are not this program: they run outside, and waiting for them is just slow.
CASE(process_spawn) {
  pid_t child = 0;
  int status = -1;
  ERROR(posix_spawn(&child, "/bin/true", nullptr, nullptr, arguments, environ));
  SHOW(waitpid(child, &status, 0) == child && status == 0);
  SHOW(std::system("exit 3") >> 8);
  FILE* f = popen("echo hello", "r");
  char text[16] = {};
  SHOW(std::fgets(text, sizeof text, f) != nullptr);
  std::puts(text);
  SHOW(pclose(f));
}
CASE(process_known_library) {
  void* self = dlopen(nullptr, RTLD_NOW);
  SHOW(self && dlsym(self, "pthread_create"));
  SHOW(dlopen("libc.so.6", RTLD_NOW) != nullptr);
}

CASE(fail_mutex_destroy) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&m);
  pthread_mutex_destroy(&m);
}
CASE(fail_rwlock_destroy) {
  pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
  pthread_rwlock_rdlock(&l);
  pthread_rwlock_destroy(&l);
}
CASE(fail_spin_destroy) {
  pthread_spinlock_t l;
  pthread_spin_init(&l, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_lock(&l);
  pthread_spin_destroy(&l);
}
CASE(fail_sem_destroy) {
  sem_t s;
  sem_init(&s, 0, 0);
  sem_destroy(&s);
  sem_post(&s);
}
CASE(fail_cond_destroy) {
  static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  static bool waits;
  start([](void*) -> void* {
    pthread_mutex_lock(&m);
    waits = true;
    pthread_cond_wait(&c, &m);
    return nullptr;
  });
  for (pthread_mutex_lock(&m); !waits; pthread_mutex_lock(&m)) {
    pthread_mutex_unlock(&m);
    sched_yield();
  }
  pthread_cond_destroy(&c);
}

// Natively it is not there before; under control it is, because every execution starts with it.
CASE(repeat_process_new_library) {
  SHOW(dlopen("libresolv.so.2", RTLD_NOW | RTLD_NOLOAD) != nullptr);
  SHOW(dlopen("libresolv.so.2", RTLD_NOW) != nullptr);
  SHOW(dlopen("libthat-is-not-there.so", RTLD_NOW) != nullptr);
  SHOW(dlerror() != nullptr);
}
