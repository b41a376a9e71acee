// A bounded buffer with one condition variable and notify_one: enough readers and writers and everybody waits.
#include "harness.hpp"
int main(int argc, char** argv) {
  const int n = number(argc, argv, 3);
  std::mutex m;
  std::condition_variable changed;
  int used = 0;
  auto put = [&](int) {
    for (int i = 0; i < 2; ++i) {
      std::unique_lock g(m);
      while (used == 1) changed.wait(g);
      ++used;
      changed.notify_one();
    }
  };
  auto take = [&](int) {
    for (int i = 0; i < 2; ++i) {
      std::unique_lock g(m);
      while (used == 0) changed.wait(g);
      --used;
      changed.notify_one();
    }
  };
  std::thread takers([&] { together_n(n, take); });
  together_n(n, put);
  takers.join();
}
