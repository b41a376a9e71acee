// Explored with workers of a queue. The first argument names the program.
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

// n threads take k steps each: (n*k)! / k!^n orders. The object lies on the stack of main.
int orders(int n, int k) {
  std::atomic<int> x{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < n; ++i)
    threads.emplace_back([&, k] {
      for (int j = 0; j < k; ++j) x.fetch_add(1);
    });
  for (std::thread& thread : threads) thread.join();
  return 0;
}

// Likewise with a failure: some update is lost, and nobody reads before the end.
int lost_update(int n) {
  std::atomic<int> x{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < n; ++i)
    threads.emplace_back([&] {
      const int seen = x.load();
      x.store(seen + 1);
    });
  for (std::thread& thread : threads) thread.join();
  assert(x.load() == n);
  return 0;
}

// Which threads are created depends on the schedule.
int late_threads() {
  std::atomic<int> x{0};
  const auto grow = [&] {
    if (x.fetch_add(1) != 1) return;
    std::thread more([&] { x.fetch_add(1); });
    more.join();
  };
  std::thread a(grow), b(grow), c(grow);
  a.join();
  b.join();
  c.join();
  return 0;
}

// Two plain accesses: found to race, they become scheduling points, and the search starts over.
int plain_race() {
  int x = 0, y = 0;
  std::thread a([&] { x = 1, y = x + 1; }), b([&] { x = 2, y = x + 2; });
  a.join();
  b.join();
  return x + y < 0;
}

// The number of steps is read from a file of the working folder.
int from_file() {
  int k = 0;
  std::ifstream("input/steps.txt") >> k;
  return k == 0 ? 7 : orders(2, k);
}

// What it does depends on the machine.
int by_machine() {
  char name[64] = {};
  gethostname(name, sizeof name - 1);
  return orders(2, std::strcmp(name, "other") == 0 ? 3 : 2);
}

// One execution ends its machine, as far as its worker can see: the process that serves the queue dies with it.
int deadly() {
  std::atomic<int> x{0};
  int seen = 0;
  std::thread a([&] { x.fetch_add(1), x.fetch_add(1), x.fetch_add(1); });
  std::thread b([&] { seen = x.fetch_add(10), x.fetch_add(10); });
  a.join();
  b.join();
  const char* guard = std::getenv("DEADLY");
  if (seen == 2 && guard && std::strtol(guard, nullptr, 10) != getppid()) kill(getppid(), 9);
  return 0;
}

// 34,650 orders, of which some fail that every search meets late.
int late_bug() {
  std::atomic<int> x{0};
  int who[12] = {};
  const auto run = [&](int me) {
    for (int i = 0; i < 4; ++i) who[x.fetch_add(1)] = me;
  };
  std::thread a(run, 1), b(run, 2), c(run, 3);
  a.join();
  b.join();
  c.join();
  assert(!(who[0] == 3 && who[1] == 2 && who[2] == 3 && who[11] == 1));
  return 0;
}

// In few of many orders a thread is created by a thread.
int late_creation() {
  std::atomic<int> x{0}, y{0};
  const auto run = [&](int me) {
    int before = 0;
    for (int i = 0; i < 3; ++i) before = before * 3 + x.fetch_add(1) % 3;
    if (me == 1 && before == 14) std::thread([&] { y.fetch_add(1); }).join();
    if (me == 2 && before == 5) std::thread([&] { y.fetch_add(2); }).join();
  };
  std::thread a(run, 0), b(run, 1), c(run, 2);
  a.join();
  b.join();
  c.join();
  return 0;
}

// Of 34,650 executions one is deadly().
int late_death() {
  std::atomic<int> x{0};
  int who[12] = {};
  const auto run = [&](int me) {
    for (int i = 0; i < 4; ++i) who[x.fetch_add(1)] = me;
  };
  std::thread a(run, 0), b(run, 1), c(run, 2);
  a.join();
  b.join();
  c.join();
  constexpr int kDeadly[12] = {1, 2, 1, 0, 2, 2, 0, 0, 1, 0, 1, 2};
  const char* guard = std::getenv("DEADLY");
  if (std::memcmp(who, kDeadly, sizeof who) == 0 && guard && std::strtol(guard, nullptr, 10) != getppid())
    kill(getppid(), 9);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  const int n = argc > 2 ? std::atoi(argv[2]) : 2, k = argc > 3 ? std::atoi(argv[3]) : 2;
  if (name == "orders") return orders(n, k);
  if (name == "lost_update") return lost_update(n);
  if (name == "late_threads") return late_threads();
  if (name == "plain_race") return plain_race();
  if (name == "from_file") return from_file();
  if (name == "by_machine") return by_machine();
  if (name == "deadly") return deadly();
  if (name == "late_bug") return late_bug();
  if (name == "late_creation") return late_creation();
  if (name == "late_death") return late_death();
  return 2;
}
