// Programs with so many executions that several workers explore units of them side by side.
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

namespace {

void side_by_side(int count, const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(body, i);
  for (std::thread& thread : threads) thread.join();
}

std::atomic<int> x{0};

void orders() {  // 34,650 orders
  side_by_side(3, [](int) {
    for (int i = 0; i < 4; ++i) x.fetch_add(1);
  });
}

void bug() {  // late in every order of search
  static std::atomic<int> last{-1};
  static int changes[3], first;
  side_by_side(3, [](int me) {
    for (int i = 0; i < 4; ++i) {
      const int before = last.exchange(me);
      changes[me] += before != me;
      if (before == -1) first = me;
    }
  });
  assert(changes[0] + changes[1] + changes[2] < 12 || first != 2);
}

// In few orders a thread is created by a thread: its number must not depend on who met it first.
void late_thread() {
  static std::atomic<int> turns{0};
  side_by_side(3, [](int me) {
    int before = 0;
    for (int i = 0; i < 3; ++i) before = before * 3 + turns.fetch_add(1) % 3;
    if (me == 1 && before == 14) std::thread([] { x.fetch_add(1); }).join();
    if (me == 2 && before == 5) std::thread([] { x.fetch_add(2); }).join();
  });
}

// One of 34,650 executions ends who started it, unless that is the process that DEADLY names.
void deadly() {
  static int who[12];
  side_by_side(3, [](int me) {
    for (int i = 0; i < 4; ++i) who[x.fetch_add(1)] = me;
  });
  constexpr int kDeadly[12] = {1, 2, 1, 0, 2, 2, 0, 0, 1, 0, 1, 2};
  const char* guard = std::getenv("DEADLY");
  if (!std::memcmp(who, kDeadly, sizeof who) && guard && std::strtol(guard, nullptr, 10) != getppid())
    kill(getppid(), 9);
}

int racy = 0;
void race() {
  side_by_side(3, [](int) {
    for (int i = 0; i < 3; ++i)
      if (x.fetch_add(1, std::memory_order_relaxed) >= 7) racy = racy + 1;
  });
}

}  // namespace

int main(int, char** argv) {
  if (!std::strcmp(argv[1], "orders")) orders();
  if (!std::strcmp(argv[1], "bug")) bug();
  if (!std::strcmp(argv[1], "late_thread")) late_thread();
  if (!std::strcmp(argv[1], "race")) race();
  if (!std::strcmp(argv[1], "deadly")) deadly();
}
