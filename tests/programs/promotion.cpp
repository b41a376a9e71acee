// Programs whose outcome depends on the order of racing plain accesses: the failure shows only if they are scheduling
// points.
#undef NDEBUG
#include <atomic>
#include <cassert>
#include <mutex>
#include <string>
#include <thread>

namespace {

int x, y;
std::mutex m;

template <class A, class B>
void both(A a, B b) {
  std::thread one(a), two(b);
  one.join();
  two.join();
}

void lost_update() {
  auto work = [] { x = x + 1; };
  both(work, work);
  assert(x == 2);
}

// The write between the two reads lies between two racing accesses of the same thread.
void torn_read() {
  int first = 0, second = 0;
  both([] { x = 1; },
       [&] {
         first = x;
         asm volatile("" : : : "memory");  // or the compiler reads once
         second = x;
       });
  assert(first == second);
}

// Only once x is a scheduling point do the threads share y at all: a second round of promotion.
void two_rounds() {
  bool twice = false;
  both(
      [&] {
        x = 1;
        asm volatile("" : : : "memory");
        if (x != 2) return;
        twice = true;
        y = y + 1;
      },
      [] {
        x = 2;
        y = y + 1;
      });
  assert(!twice || y == 2);
}

// Correct under every order.
void benign() {
  both([] { x = 1; }, [] { x = 1; });
  assert(x == 1);
}

// Ordered by a lock, so no race: but every access is shared memory.
void locked() {
  auto work = [] {
    std::lock_guard lock(m);
    x = x + 1;
  };
  both(work, work);
  assert(x == 2);
}

}  // namespace

int main(int, char** argv) {
  const std::string name = argv[1];
  if (name == "lost_update") lost_update();
  if (name == "torn_read") torn_read();
  if (name == "two_rounds") two_rounds();
  if (name == "benign") benign();
  if (name == "locked") locked();
}
