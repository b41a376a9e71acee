// Locks and counters written with inline assembler, or kept from being instrumented.
#include <atomic>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

int exchange(volatile int* word, int value) {
  asm volatile("xchgl %0, %1" : "+r"(value), "+m"(*word)::"memory");
  return value;
}
bool compare_exchange(volatile int* word, int expected, int desired) {
  int seen;
  asm volatile("lock; cmpxchgl %2, %1" : "=a"(seen), "+m"(*word) : "r"(desired), "0"(expected) : "memory", "cc");
  return seen == expected;
}
int fetch_add(volatile int* word, int value) {
  asm volatile("lock; xaddl %0, %1" : "+r"(value), "+m"(*word)::"memory", "cc");
  return value;
}
bool drops_to_zero(volatile int* count) {
  bool zero;
  asm volatile("lock; decl %0; sete %1" : "+m"(*count), "=q"(zero)::"memory", "cc");
  return zero;
}
bool set_bit(volatile long* bits, long number) {
  bool was;
  asm volatile("lock; btsq %2, %0; setc %1" : "+m"(*bits), "=q"(was) : "r"(number) : "memory", "cc");
  return was;
}
void pause() { asm volatile("pause" ::: "memory"); }
void compiler_barrier() { asm volatile("" ::: "memory"); }

// One byte further in its word is data that the lock does not make atomic.
struct {
  volatile int word = 0;
  int beside = 0;
} state;
int counter = 0;
alignas(64) volatile long bits[2] = {};

struct Exchange {
  static void lock() {
    while (exchange(&state.word, 1)) pause();
  }
  static void unlock() {
    compiler_barrier();
    state.word = 0;
  }
};
struct TestAndTestAndSet : Exchange {
  static void lock() {
    while (state.word || exchange(&state.word, 1)) pause();
  }
};
struct CompareExchange {
  static void lock() {
    while (!compare_exchange(&state.word, 0, 1)) pause();
  }
  static void unlock() { asm volatile("movl $0, %0" : "=m"(state.word)::"memory"); }  // not seen
};
struct Bit {
  static void lock() {
    while (set_bit(bits, 70)) pause();  // of the second word
  }
  static void unlock() { asm volatile("lock; btrq $6, %0" : "+m"(bits[1])::"memory", "cc"); }
};
struct Kernel {  // loops within the assembler
  static void lock() {
    asm volatile("1: lock; incl %0\n cmpl $1, %0\n je 3f\n lock; decl %0\n2: pause\n cmpl $0, %0\n jne 2b\n jmp 1b\n3:"
                 : "+m"(state.word)::"memory", "cc");
  }
  static void unlock() { asm volatile("lock; decl %0" : "+m"(state.word)::"memory", "cc"); }
};
std::atomic<int> flag{0};
struct Unsanitized {
  __attribute__((no_sanitize("thread"), noinline)) static void lock() {
    while (flag.exchange(1)) pause();
  }
  __attribute__((no_sanitize("thread"), noinline)) static void unlock() { flag.store(0, std::memory_order_release); }
};

template <class F, class G>
void both(F first, G second) {
  std::thread a(first), b(second);
  a.join();
  b.join();
}

template <class Lock, int kTimes = 2>
void excludes() {
  const auto work = [] {
    for (int i = 0; i < kTimes; ++i) {
      Lock::lock();
      ++counter;
      Lock::unlock();
    }
  };
  both(work, work);
  assert(counter == 2 * kTimes);
}

void lost_update() {  // two sections where one is needed
  const auto work = [] {
    Exchange::lock();
    const int seen = counter;
    Exchange::unlock();
    Exchange::lock();
    counter = seen + 1;
    Exchange::unlock();
  };
  both(work, work);
  assert(counter == 2);
}
void one_forgets() {
  both([] { Exchange::lock(), ++counter, Exchange::unlock(); }, [] { ++counter; });
}
void races_beside() {
  both([] { Exchange::lock(), Exchange::unlock(), ++state.beside; },
       [] { Exchange::lock(), Exchange::unlock(), ++state.beside; });
}
void counts() {
  volatile int references = 2;
  int* last = new int(0);
  const auto drop = [&] {
    if (drops_to_zero(&references)) delete last;
  };
  both(drop, drop);
}
void lost_count() {  // reads again what it has counted
  volatile int references = 2;
  int zeros = 0;
  const auto drop = [&] {
    fetch_add(&references, -1);
    if (fetch_add(&references, 0) == 0) fetch_add(&zeros, 1);
  };
  both(drop, drop);
  assert(fetch_add(&zeros, 0) == 1);
}
void volatile_flag() {
  static volatile bool ready = false;
  both(
      [] {
        while (!ready) pause();
      },
      [] { ready = true; });
}

struct Program {
  const char* name;
  void (*run)();
} const programs[] = {{"exchange", excludes<Exchange>},
                      {"test_and_test_and_set", excludes<TestAndTestAndSet, 1>},
                      {"compare_exchange", excludes<CompareExchange>},
                      {"bit", excludes<Bit>},
                      {"kernel", excludes<Kernel, 1>},
                      {"unsanitized", excludes<Unsanitized>},
                      {"counts", counts},
                      {"lost_update", lost_update},
                      {"one_forgets", one_forgets},
                      {"races_beside", races_beside},
                      {"lost_count", lost_count},
                      {"volatile_flag", volatile_flag}};

}  // namespace

int main(int count, char** arguments) {
  for (const Program& program : programs) {
    if (count < 2)
      std::puts(program.name);
    else if (!std::strcmp(arguments[1], program.name))
      return program.run(), 0;
  }
  return count < 2 ? 0 : 2;
}
