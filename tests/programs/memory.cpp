// Uses of freed memory that need a certain order of the threads, and programs that look alike but are correct.
#undef NDEBUG
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace {

std::mutex m;
int* cell;
std::atomic<int> references{2};
__attribute__((noinline)) void sink(int value) { asm volatile("" : : "r"(value)); }

template <class A, class B>
void both(A a, B b) {
  std::thread one(a), two(b);
  one.join();
  two.join();
}

// Every access under the lock: no race, and still wrong if the freeing thread comes first.
void locked_read_after_delete() {
  cell = new int(1);
  both(
      [] {
        std::lock_guard lock(m);
        sink(*cell);
      },
      [] {
        std::lock_guard lock(m);
        delete cell;
      });
}

void read_after_join() {
  cell = new int(1);
  std::thread t([] { delete cell; });
  t.join();
  sink(*cell);
}

void atomic_after_free() {
  auto* flag = new std::atomic<int>(0);
  both([flag] { flag->fetch_add(1); },
       [flag] {
         if (flag->load() == 0) delete flag;
       });
}

void counted() {
  cell = new int(1);
  auto drop = [] {
    sink(*cell);
    if (references.fetch_sub(1) == 1) delete cell;
  };
  both(drop, drop);
}

void shared_pointer() {
  auto p = std::make_shared<int>(1);
  both([p] { sink(*p); }, [p] { sink(*p); });
}

void reused() {  // past the quarantine the same memory comes back
  std::thread t([] {
    for (int i = 0; i < 200; ++i) {
      auto* block = static_cast<char*>(std::malloc(1 << 20));
      block[i] = 1;
      std::free(block);
    }
  });
  t.join();
}

// Opposite orders of locks, one after the other and at the same time.
std::mutex a, b, gate;
void a_then_b() {
  std::lock_guard one(a);
  std::lock_guard two(b);
}
void b_then_a() {
  std::lock_guard one(b);
  std::lock_guard two(a);
}
void order_in_turn() {
  std::thread(a_then_b).join();
  std::thread(b_then_a).join();
}
void order_gated() {
  both(
      [] {
        std::lock_guard g(gate);
        a_then_b();
      },
      [] {
        std::lock_guard g(gate);
        b_then_a();
      });
}

}  // namespace

int main(int, char** argv) {
  const std::string name = argv[1];
  if (name == "locked_read_after_delete") locked_read_after_delete();
  if (name == "read_after_join") read_after_join();
  if (name == "atomic_after_free") atomic_after_free();
  if (name == "counted") counted();
  if (name == "shared_pointer") shared_pointer();
  if (name == "reused") reused();
  if (name == "order_in_turn") order_in_turn();
  if (name == "order_gated") order_gated();
  if (name == "order_opposite") both(a_then_b, b_then_a);
}
