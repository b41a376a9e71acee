// One bug of every kind, chosen by the first argument.
#include <lockstep/lockstep.hpp>

#include <pthread.h>

#include <atomic>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <thread>

int plain = 0;
int* shared = nullptr;

namespace {

std::mutex first, second;
std::atomic<int> turns{0};

void increment() {
  const int seen = turns.load();
  turns.store(seen + 1);
}

// Two threads that increment; `check` finds that an increment is lost.
template <class Check>
void lose_increment(Check check) {
  std::thread one(increment), two(increment);
  one.join();
  two.join();
  check(turns.load());
}

void take(std::mutex& a, std::mutex& b) {
  std::lock_guard hold_a(a);
  std::lock_guard hold_b(b);
}

void deadlock() {
  std::thread one([] { take(first, second); });
  std::thread two([] { take(second, first); });
  one.join();
  two.join();
}

void race() {
  std::thread one([] { plain = 1; });
  std::thread two([] { plain = 2; });
  one.join();
  two.join();
}

void use_after_free() {
  shared = new int(1);
  std::thread one([] { delete shared; });
  std::thread two([] { *shared = 2; });
  one.join();
  two.join();
}

void double_free() {
  shared = new int(1);
  std::atomic<int*> block{shared};
  auto release = [&] {
    if (int* mine = block.load()) {
      block.store(nullptr);
      std::lock_guard hold(first);
      delete mine;
    }
  };
  std::thread one(release), two(release);
  one.join();
  two.join();
}

void misuse() {
  std::thread one([] { first.lock(); });
  one.join();
  std::thread two([] { first.unlock(); });
  two.join();
}

void livelock() {
  std::thread one([] {
    while (turns.load() == 0) {
    }
  });
  one.join();
}

void leak() {
  std::thread one([] {
    void* volatile block = std::malloc(100);
    block = nullptr;
  });
  one.join();
}

}  // namespace

int main(int, char** argv) {
  const char* kind = argv[1];
  const auto is = [&](const char* name) { return std::strcmp(kind, name) == 0; };
  if (is("assertion")) lose_increment([](int n) { assert(n == 2); });
  if (is("require")) lose_increment([](int n) { lockstep::require(n == 2, "both increments count"); });
  if (is("abort"))
    lose_increment([](int n) {
      if (n != 2) std::abort();
    });
  if (is("exception"))
    lose_increment([](int n) {
      if (n != 2) throw std::runtime_error("lost");
    });
  if (is("crash"))
    lose_increment([](int n) {
      if (n != 2) *static_cast<volatile int*>(nullptr) = 1;
    });
  if (is("exit-code"))
    lose_increment([](int n) {
      if (n != 2) std::exit(3);
    });
  if (is("deadlock") || is("lock-order")) deadlock();
  if (is("data-race")) race();
  if (is("use-after-free")) use_after_free();
  if (is("double-free")) double_free();
  if (is("lock-misuse")) misuse();
  if (is("livelock")) livelock();
  if (is("leak")) leak();
}
