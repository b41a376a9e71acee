// A program that tells the truth about itself: prints its mappings, then addresses and what they are.
#include <execinfo.h>
#include <array>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

namespace bank {
struct Account {
  std::mutex lock;
  int balance = 0;
};
Account accounts[3];
struct Queue {
  long size;
  struct {
    long pad;
    long* first;
  } head;
} queue;
std::array<std::mutex, 2> locks;
int table[2][3];
}  // namespace bank

namespace {
int hidden_counter = 1;
}

static void say(const char* what, const void* address) { std::printf("%s %p\n", what, address); }

__attribute__((noinline)) void probe(const char* what) { say(what, __builtin_return_address(0)); }

__attribute__((always_inline)) inline void inner() { probe("inlined"); }  // line 36

__attribute__((noinline)) void outer(int depth) {
  inner();  // line 39
  hidden_counter += depth;
}

template <class T>
__attribute__((noinline)) T twice(T value) {
  probe("template");  // line 45
  return value + value;
}

__attribute__((noinline)) void worker(int depth) {
  void* stack[32];
  const int count = backtrace(stack, 32);
  for (int i = 0; i < count; ++i) say("stack", stack[i]);
  hidden_counter += depth;
}

int main() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) std::puts(line.c_str());
  std::puts("--");
  outer(1);
  auto body = [](int by) {
    probe("lambda");  // line 62
    hidden_counter += by;
  };
  body(2);
  hidden_counter += static_cast<int>(twice<long>(2));
  std::thread(worker, 3).join();
  say("accounts[2].lock", &bank::accounts[2].lock);
  say("accounts[1].balance", &bank::accounts[1].balance);
  say("queue.head.first", &bank::queue.head.first);
  say("locks[1]", &bank::locks[1]);
  say("table[1][2]", &bank::table[1][2]);
  say("hidden_counter", &hidden_counter);
  return 0;
}
