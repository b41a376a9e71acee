// The waits of libc++: latch, semaphore, one with a time limit; and a program that releases too early.
#include <cassert>
#include <chrono>
#include <latch>
#include <semaphore>
#include <string>
#include <thread>

using namespace std::chrono_literals;

namespace {

int value = 0;

void semaphore(bool early) {
  std::binary_semaphore turn(0);
  std::atomic<int> shared{0};
  std::thread other([&] {
    if (early) turn.release();
    shared = 1;
    if (!early) turn.release();
  });
  turn.acquire();
  assert(shared == 1);
  other.join();
}

void latch() {
  std::latch ready(2);
  std::thread other([&] {
    value = 1;
    ready.arrive_and_wait();
  });
  ready.arrive_and_wait();
  assert(value == 1);
  other.join();
}

void timed() {
  std::binary_semaphore turn(0);
  std::thread other([&] { turn.release(); });
  if (turn.try_acquire_for(1ms)) turn.release();
  other.join();
  assert(turn.try_acquire());
}

}  // namespace

int main(int, char** words) {
  const std::string name = words[1];
  if (name == "latch") latch();
  if (name == "timed") timed();
  if (name == "semaphore" || name == "misuse") semaphore(name == "misuse");
}
