// Two stages that must change together, each under a lock of its own.
#include "harness.hpp"
int main(int argc, char** argv) {
  const int n = number(argc, argv, 2);
  std::mutex a, b;
  std::atomic<int> first = 0, second = 0;
  std::vector<std::thread> threads;
  threads.reserve(static_cast<size_t>(n) + 1);
  for (int i = 0; i < n; ++i)
    threads.emplace_back([&] {
      a.lock();
      first = 1;
      a.unlock();
      b.lock();
      second = first + 1;
      b.unlock();
    });
  threads.emplace_back([&] {
    a.lock();
    const int seen = first;
    a.unlock();
    if (seen == 0) return;
    b.lock();
    const int then = second;
    b.unlock();
    assert(then == seen + 1);
  });
  for (std::thread& t : threads) t.join();
}
