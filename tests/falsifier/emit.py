"""A program of the falsifier's language as C++ source: straight code and static objects, as a compiler likes it.

The interpreter in program.cpp hides the program from the compiler; here it sees all and may do what it thinks is allowed.
"""

START = r"""#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <lockstep/lockstep.hpp>
static std::atomic<int> a0, a1, a2;
static int p0, p1, p2;
static pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER;
static std::mutex m1;
static std::recursive_mutex m2;
static pthread_rwlock_t w0 = PTHREAD_RWLOCK_INITIALIZER;
static std::shared_mutex w1;
static pthread_spinlock_t s0;
static pthread_cond_t c0 = PTHREAD_COND_INITIALIZER;
static std::condition_variable& c1 = *new std::condition_variable;  // never destroyed
static sem_t q0, q2;
static std::counting_semaphore<> q1{0};
static pthread_t threads[5];
static int first_descriptor;
static char files[2][16];
[[gnu::constructor]] static void make_folder() {
  char folder[] = "files-XXXXXX";
  if (!mkdtemp(folder)) abort();
  for (int f = 0; f < 2; ++f) snprintf(files[f], sizeof files[f], "%s/%d", folder, f);
}
static int variable() {
  const char* value = getenv("FALSIFIER");
  return value ? *value - '0' : 0;
}
static timespec soon(int milliseconds) {
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_nsec += milliseconds * 1000000L;
  if (t.tv_nsec >= 1000000000) ++t.tv_sec, t.tv_nsec -= 1000000000;
  return t;
}
"""
HEAP = r"""struct Heap {
  std::atomic<int> a{0};
  int p = 0;
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  sem_t q;
  Heap() { sem_init(&q, 0, 0); }
  ~Heap() { pthread_mutex_destroy(&m), pthread_cond_destroy(&c), sem_destroy(&q); }
};
static Heap* h0;
"""
TIMED = "{{{{ const timespec limit = soon({}); r = {}; }}}}"
# By operation: the statement. {x}, {y}, {z}, {u} are the operands, {t} the thread.
PLAIN = {
    "load": "r = a{x}.load();", "store": "a{x}.store({y});", "put": "a{x}.store(r + 1);", "add": "r = a{x}.fetch_add({y});",
    "xchg": "r = a{x}.exchange({y});", "cas": "{{ int e = {y}; r = a{x}.compare_exchange_strong(e, {z}); }}",
    "loadx": "r = a{x}.load(std::memory_order_relaxed);", "storex": "a{x}.store({y}, std::memory_order_relaxed);",
    "addx": "r = a{x}.fetch_add({y}, std::memory_order_relaxed);", "tinc": "trusted_increment(a{x});",
    "read": "r = p{x};", "write": "p{x} = {y};", "putp": "p{x} = r + 1;", "inc": "p{x} = p{x} + 1;",
    "sl": "pthread_spin_lock(&s0);", "st": "r = pthread_spin_trylock(&s0) == 0;", "su": "pthread_spin_unlock(&s0);",
    "bar": "b{x}.arrive_and_wait();", "yield": "sched_yield();", "sleep": "usleep(1000 * {x});",
    "spin": "while (a{x}.load() != {y}) {{}}", "spiny": "while (a{x}.load() != {y}) sched_yield();",
    "spinc": "for (r = 0; r < {z} && a{x}.load() != {y};) ++r;",
    "casloop": "for (r = a{x}.load(); !a{x}.compare_exchange_strong(r, r + 1);) {{}}",
    "hload": "r = h0->a.load();", "hadd": "r = h0->a.fetch_add({y});", "hread": "r = h0->p;", "hwrite": "h0->p = {y};",
    "hlock": "pthread_mutex_lock(&h0->m);", "hunlock": "pthread_mutex_unlock(&h0->m);", "hpost": "sem_post(&h0->q);",
    "hacq": "sem_wait(&h0->q);", "hnotify": "pthread_cond_signal(&h0->c);", "hfree": "delete h0;",
    "dm": "pthread_mutex_destroy(&m0);", "dc": "pthread_cond_destroy(&c0);", "dq": "sem_destroy(&q0);",
    "dw": "pthread_rwlock_destroy(&w0);", "ds": "pthread_spin_destroy(&s0);", "choose": "r = lockstep::choose({x});",
    "abeg": "{{ lockstep::atomic_section section;", "aend": "}}", "exit": "exit({x});", "qexit": "_exit({x});", "abort": "abort();",
    "req": "lockstep::require(r != {x});", "set": "r = {x};", "spawn": "pthread_create(&threads[{x}], nullptr, thread{x}, nullptr);",
    "join": "{{ void* v; pthread_join(threads[{x}], &v); results[{x}] = (int)(long)v; }}",
    "is": "holds &= a{x}.load() == {y};", "isp": "holds &= p{x} == {y};", "isr": "holds = holds && results[{x}] == {y};",
    "opn": "r = open(\"/dev/null\", O_RDONLY) - first_descriptor;", "cls": "r = close(first_descriptor + {x}) == 0;",
    "mk": "r = mknod(files[{x}], S_IFREG | 0600, 0) == 0;", "rm": "r = unlink(files[{x}]) == 0;",
    "has": "r = access(files[{x}], F_OK) == 0;", "ren": "r = rename(files[{x}], files[{y}]) == 0;", "mask": "r = (int)umask({x});",
    "senv": "setenv(\"FALSIFIER\", \"{x}\", 1);", "uenv": "unsetenv(\"FALSIFIER\");", "genv": "r = variable();",
    "never": "lockstep::require(!holds);", "uinc": "p{x} = p{x} + 1;",
}
# By operation and whether the object is a POSIX one.
EITHER = {
    "lock": ("pthread_mutex_lock(&m{x});", "m{x}.lock();"), "unlock": ("pthread_mutex_unlock(&m{x});", "m{x}.unlock();"),
    "try": ("r = pthread_mutex_trylock(&m{x}) == 0;", "r = m{x}.try_lock();"),
    "tryfor": (TIMED.format("{y}", "pthread_mutex_timedlock(&m{x}, &limit) == 0"),
               TIMED.format("{y}", "pthread_mutex_timedlock(m{x}.native_handle(), &limit) == 0")),
    "spint": ("while (pthread_mutex_trylock(&m{x}) != 0) {{}}", "while (!m{x}.try_lock()) {{}}"),
    "rd": ("pthread_rwlock_rdlock(&w{x});", "w{x}.lock_shared();"), "wr": ("pthread_rwlock_wrlock(&w{x});", "w{x}.lock();"),
    "tryrd": ("r = pthread_rwlock_tryrdlock(&w{x}) == 0;", "r = w{x}.try_lock_shared();"),
    "trywr": ("r = pthread_rwlock_trywrlock(&w{x}) == 0;", "r = w{x}.try_lock();"),
    "unrd": ("pthread_rwlock_unlock(&w{x});", "w{x}.unlock_shared();"), "unwr": ("pthread_rwlock_unlock(&w{x});", "w{x}.unlock();"),
    "notify": ("pthread_cond_signal(&c{x});", "c{x}.notify_one();"), "notifyall": ("pthread_cond_broadcast(&c{x});", "c{x}.notify_all();"),
    "post": ("sem_post(&q{x});", "q{x}.release();"), "acq": ("sem_wait(&q{x});", "q{x}.acquire();"),
    "tryacq": ("r = sem_trywait(&q{x}) == 0;", "r = q{x}.try_acquire();"),
    "acqfor": (TIMED.format("{y}", "sem_timedwait(&q{x}, &limit) == 0"), "r = q{x}.try_acquire_for(std::chrono::milliseconds({y}));"),
    "waitfor": (TIMED.format("{z}", "pthread_cond_timedwait(&c{x}, &m{y}, &limit) != 0"), None),
    "wait": ("pthread_cond_wait(&c{x}, &m{y});", "{{ std::unique_lock l(m{y}, std::adopt_lock); c{x}.wait(l); l.release(); }}"),
}
POSIX = {"post": (0, 2), "acq": (0, 2), "tryacq": (0, 2), "acqfor": (0, 2)}


def statement(node):
    name, operands = node[0], dict(zip("xyzu", node[1:]))
    if name == "cwait":
        wait = statement(("wait", node[1], node[2]))
        return f"while (p{node[3]} != {node[4]}) {wait}"
    if name in EITHER:
        return EITHER[name][0 if node[1] in POSIX.get(name, (0,)) else 1].format(**operands)
    return PLAIN[name].format(**operands)


def lines(body, indent="  "):
    for node in body:
        if node[0] == "if":
            yield f"{indent}if (r == {node[1]}) {{"
            yield from lines(node[2], indent + "  ")
            yield indent + "}"
        else:
            yield indent + statement(node)


def instructions(body):
    for node in body:
        yield node
        if node[0] == "if":
            yield from instructions(node[2])


def source(program):
    bodies = program["threads"] + [program["handler"]]
    every = [node for body in bodies for node in instructions(body)]
    text = [START]
    for b in {node[1]: node[2] for node in every if node[0] == "bar"}.items():
        text.append(f"static std::barrier<>& b{b[0]} = *new std::barrier<>({b[1]});")
    if any(node[0] in ("hfree", "hload", "hadd", "hread", "hwrite", "hlock", "hpost", "hacq", "hnotify") for node in every):
        text.append(HEAP)
    text.append("[[gnu::noinline]] static void trusted_increment(std::atomic<int>& a) { a.store(a.load() + 1); }")
    for t, body in list(enumerate(program["threads"]))[1:]:
        text += [f"static void* thread{t}(void*) {{", "  int r = 0;"] + list(lines(body)) + ["  return (void*)(long)r;", "}"]
    text += ["static void handler() {", "  int r = 0;"] + list(lines(program["handler"])) + ["  (void)r;", "}"]
    text += ["int main() {", "  int r = 0, results[5] = {};", "  bool holds = true;"]
    text += ["  pthread_spin_init(&s0, 0), sem_init(&q0, 0, 0), sem_init(&q2, 0, 1);",
             "  umask(0), first_descriptor = open(\"/dev/null\", O_RDONLY), close(first_descriptor);",
             "  unlink(files[0]), unlink(files[1]);"]
    if HEAP in text:
        text.append("  h0 = new Heap;")
    if program["handler"]:
        text.append("  atexit(handler);")
    text += list(lines(program["threads"][0])) + ["  (void)r, (void)results, (void)holds, (void)handler, (void)trusted_increment, (void)soon, (void)variable;", "}"]
    return "\n".join(text) + "\n"
