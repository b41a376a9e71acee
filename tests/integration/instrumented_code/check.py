#!/usr/bin/env python3
"""Programs with one outcome print the same with and without instrumentation, at every level of optimisation.

usage: check.py LOCKSTEP-BIN-FOLDER WORK-FOLDER [PROGRAMS [FIRST]]

Compilers know things about the functions that instrumentation calls: gcc takes __tsan_atomic* for leaf functions. What
they conclude can be wrong as soon as another thread runs inside the call. So generated programs hand variables of all
kinds from thread to thread in straight-line code, where a value may wrongly stay in a register, by every kind of
synchronisation; the order is fixed, so there is one outcome. They run without Lockstep: what is checked is the code.
"""
import os
import random
import subprocess
import sys

LEVELS = ("-O0", "-O1", "-O2", "-O3", "-Os", "-O2 -fipa-pta")  # the last one for gcc

HEAD = """
#include <pthread.h>
#include <semaphore.h>
#include <atomic>
#include <condition_variable>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <thread>

#define relax() ((void)0)  // a call or an instruction would make the compiler forget what it wrongly knows

namespace {
struct Wide { uint64_t a, b; bool operator==(const Wide&) const = default; };
struct Odd { unsigned char c[3]; };
struct Bits { unsigned low : 5, high : 11; int rest; };
std::atomic<int> turn;
std::atomic<int64_t> turn64;
std::atomic<short> turn16;
std::atomic<Wide> turn_wide;
std::atomic<Odd> turn_odd;
int legacy;
std::mutex mutex;
std::condition_variable changed;
int locked_turn;
int written_turn;
pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
sem_t arrived[TURNS + 1];
std::atomic_flag flags[TURNS + 1];

static int scalar;
static uint64_t never_pointed_to, handed_over;  // nothing has their addresses: most is known about them
static unsigned numbers[8];
static double real;
static Bits bits;
static char text[32];
static int* pointer = &scalar;
volatile int looked_at;
thread_local int own;

int& local_static() { static int value; return value; }
[[gnu::noinline]] int read_scalar() { return scalar; }
[[gnu::noinline, gnu::pure]] int look_up(int i) { return static_cast<int>(numbers[i & 7]); }
[[gnu::noinline]] void add_through(int* p, int n) { *p += n; }
[[gnu::noinline]] int recurse(int n) { return n ? recurse(n - 1) + scalar : static_cast<int>(numbers[1]); }
[[gnu::noinline]] void thrower(int n) { if (n & 1) throw std::runtime_error("odd"); scalar += 3; }
[[gnu::noinline]] void jump(int n) { std::jmp_buf b; if (setjmp(b) == 0) { scalar ^= n; longjmp(b, 1); } }
uint64_t mix(uint64_t h, uint64_t v) { return (h ^ v) * 0x9e3779b97f4a7c15ull; }
Odd odd(int t) { return {{static_cast<unsigned char>(t), 1, 2}}; }
"""

# How a thread waits for its turn t, and how it hands over to turn t. All mean the same: everything before happens before.
HANDOVERS = [
    ("while (turn.load(std::memory_order_acquire) != {t}) relax();", "turn.store({t}, std::memory_order_release);"),
    ("while (turn.load() != {t}) relax();", "turn = {t};"),
    ("while (turn.load(std::memory_order_relaxed) != {t}) relax();\n"
     "  std::atomic_thread_fence(std::memory_order_acquire);",
     "std::atomic_thread_fence(std::memory_order_release);\n  turn.store({t}, std::memory_order_relaxed);"),
    ("for (int e = {t}; !turn.compare_exchange_weak(e, {t}, std::memory_order_acquire, std::memory_order_relaxed); e = {t})\n"
     "    relax();", "turn.exchange({t}, std::memory_order_acq_rel);"),
    ("for (int e = {t}; !turn.compare_exchange_strong(e, {t}); e = {t}) relax();",
     "turn.fetch_add({t} - turn.load(std::memory_order_relaxed), std::memory_order_release);"),
    ("while (turn.fetch_or(0, std::memory_order_acquire) != {t}) relax();", "turn.fetch_xor(turn.load() ^ {t});"),
    ("for (int s = turn; s != {t}; s = turn) turn.wait(s);", "turn.store({t}); turn.notify_all();"),
    ("while (turn64.load(std::memory_order_acquire) != {t}) relax();", "turn64.store({t}, std::memory_order_release);"),
    ("while (turn16.load(std::memory_order_acquire) != {t}) relax();", "turn16.store({t}, std::memory_order_release);"),
    ("while (!(turn_wide.load() == Wide{{{t}, 7}})) relax();", "turn_wide.store(Wide{{{t}, 7}});"),
    ("while (turn_odd.load().c[0] != {t} % 256) relax();", "turn_odd.store(odd({t}));"),
    ("while (__sync_val_compare_and_swap(&legacy, {t}, {t}) != {t}) relax();",
     "__sync_lock_test_and_set(&legacy, {t}); __sync_synchronize();"),
    ("while (__atomic_load_n(&legacy, __ATOMIC_ACQUIRE) != {t}) relax();",
     "__atomic_store_n(&legacy, {t}, __ATOMIC_RELEASE);"),
    ("while (!flags[{t}].test(std::memory_order_acquire)) relax();",
     "flags[{t}].test_and_set(std::memory_order_release);"),
    ("{{ std::unique_lock l(mutex); changed.wait(l, [] {{ return locked_turn == {t}; }}); }}",
     "{{ std::lock_guard l(mutex); locked_turn = {t}; }} changed.notify_all();"),
    ("for (;; relax()) {{ std::unique_lock l(mutex, std::try_to_lock); if (l && locked_turn == {t}) break; }}",
     "mutex.lock(); locked_turn = {t}; mutex.unlock(); changed.notify_all();"),
    ("for (bool mine = false; !mine; relax()) {{ pthread_rwlock_rdlock(&rwlock); mine = written_turn == {t};\n"
     "    pthread_rwlock_unlock(&rwlock); }}",
     "pthread_rwlock_wrlock(&rwlock); written_turn = {t}; pthread_rwlock_unlock(&rwlock);"),
    ("sem_wait(&arrived[{t}]);", "sem_post(&arrived[{t}]);"),
]

# What a thread does with the shared variables in its turn; {n} is a number, {h} its running hash.
ACTIONS = [
    "never_pointed_to += {n};", "handed_over = handed_over * 3 + {n};", "h = mix(h, never_pointed_to + handed_over);",
    "scalar += {n};", "h = mix(h, scalar);", "numbers[{n} & 7] ^= scalar + {n};", "h = mix(h, numbers[{n} & 7]);",
    "real = real * 0.5 + {n};", "h = mix(h, static_cast<uint64_t>(real * 16));", "bits.low += {n}; bits.high ^= {n};",
    "h = mix(h, bits.low + 32 * bits.high + bits.rest);", "bits.rest -= scalar;",
    "std::memset(text, {n}, sizeof text - {n} % 8);", "std::memcpy(text + {n} % 8, numbers, 16);",
    "h = mix(h, static_cast<unsigned char>(text[{n} & 31]));", "std::memmove(text + 3, text, 20);",
    "local_static() += {n};", "h = mix(h, local_static());", "h = mix(h, read_scalar());", "h = mix(h, look_up({n}));",
    "add_through(&scalar, {n});", "add_through(pointer, {n});", "pointer = {n} % 2 ? &scalar : reinterpret_cast<int*>(numbers);",
    "h = mix(h, *pointer);", "looked_at = looked_at + {n};", "h = mix(h, looked_at);", "own += {n}; h = mix(h, own);",
    "h = mix(h, recurse({n} % 4));", "try {{ thrower({n}); }} catch (const std::runtime_error&) {{ scalar -= 1; }}",
    "for (int i = 0; i < {n}; ++i) scalar += i & static_cast<int>(numbers[i & 7]);",
    "{{ auto* p = new int(scalar); *p += {n}; scalar = *p; delete p; }}",
    "jump({n});",
    "{{ std::atomic<unsigned char> a{{static_cast<unsigned char>({n})}}; h = mix(h, a.fetch_sub({n} + 3)); h = mix(h, a); }}",
    "{{ unsigned v = {n}; __atomic_fetch_nand(&v, 0x5au, __ATOMIC_RELAXED); h = mix(h, v); }}",
    "{{ std::atomic<Wide> a{{Wide{{{n}, 1}}}}; Wide e{{{n}, 2}}; h = mix(h, a.compare_exchange_strong(e, Wide{{3, 4}})); h = mix(h, e.b); }}",
    "{{ std::atomic<float> a{{{n}}}; float e = 1; h = mix(h, a.compare_exchange_weak(e, 2)); h = mix(h, static_cast<int>(e)); }}",
]


def program(seed):
    r = random.Random(seed)
    threads, turns = r.randint(2, 3), r.randint(6, 14)
    bodies = [[] for _ in range(threads)]
    ways = [r.choice(HANDOVERS) for _ in range(turns + 1)]
    for t in range(1, turns + 1):
        body = bodies[t % threads]
        body.append(ways[t][0].format(t=t))
        for _ in range(r.randint(1, 4)):
            body.append((r.choice(ACTIONS[:3]) if r.random() < 0.6 else r.choice(ACTIONS)).format(n=r.randint(1, 13)))
        if t < turns:
            body.append(ways[t + 1][1].format(t=t + 1))
    out = [HEAD.replace("TURNS", str(turns))]
    for i, body in enumerate(bodies):
        out += [f"uint64_t hash{i};", f"void thread{i}() {{", "  uint64_t h = 1;"]
        out += ["  " + line for line in body]
        out += [f"  hash{i} = h;", "}"]
    out += ["}  // namespace", "int main() {"]
    out += [f"  for (int t = 0; t <= {turns}; ++t) sem_init(&arrived[t], 0, 0);"]
    out += [f"  std::thread t{i}(thread{i});" for i in range(threads)]
    out += ["  {", "    " + ways[1][1].format(t=1), "  }"]
    out += [f"  t{i}.join();" for i in range(threads)]
    hashes = ", ".join(f"static_cast<unsigned long long>(hash{i})" for i in range(threads))
    out += [f'  std::printf("{" %llx" * threads} %d %llx\\n", {hashes}, scalar,\n'
            "              static_cast<unsigned long long>(never_pointed_to + handed_over));", "}"]
    return "\n".join(out) + "\n"


def build_and_run(command, source, binary):
    subprocess.run([*command, "-std=c++20", "-w", "-pthread", "-mcx16", source, "-o", binary, "-latomic"], check=True)
    try:
        done = subprocess.run([binary], capture_output=True, text=True, timeout=20)
    except subprocess.TimeoutExpired:
        return "does not end"
    return done.stdout + (f" ended with {done.returncode}" if done.returncode else "")


def main():
    tools, work = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 2000 if os.environ.get("LOCKSTEP_TEST_ALL") else 4
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    os.makedirs(work, exist_ok=True)
    wrapper, source, binary = f"{tools}/lockstep-cxx", f"{work}/program.cpp", f"{work}/program"
    wrong = 0
    for seed in range(first, first + count):
        with open(source, "w", encoding="utf-8") as file:
            file.write(program(seed))
        expected = build_and_run(["g++", "-O0"], source, binary)
        for compiler in ("g++", "clang++"):
            for level in LEVELS:
                if compiler == "clang++" and "-f" in level:
                    continue
                if count < 10 and (seed + LEVELS.index(level)) % 2 and level != "-O2":  # a slice
                    continue
                got = build_and_run([wrapper, f"--lockstep-compiler={compiler}", *level.split()], source, binary)
                if got != expected:
                    wrong += 1
                    print(f"program {seed}, {compiler} {level}: {got.strip()} instead of {expected.strip()}", flush=True)
    print(f"{count} programs, {wrong} wrong")
    sys.exit(1 if wrong else 0)


main()
