// A beginning of N scheduling points in which nothing can go otherwise, and 1,680 traces behind it.
#include <atomic>
#include <cstdlib>
#include <thread>

std::atomic<int> work, shared;

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 10'000;
  std::thread([steps] {
    for (int i = 0; i < steps; ++i) work.fetch_add(1);
  }).join();
  const auto body = [] {
    for (int i = 0; i < 3; ++i) shared.fetch_add(1);
  };
  std::thread a(body), b(body), c(body);
  a.join();
  b.join();
  c.join();
}
