// A tracing library that makes its table of threads on first use, by a test outside the lock, and counts them inside.
#include "harness.hpp"
int main(int argc, char** argv) {
  const int n = number(argc, argv, 2);
  std::mutex m;
  std::atomic<bool> ready = false;
  std::atomic<int> known = 0;
  together_n(n, [&](int) {
    if (!ready) {
      m.lock();
      known = 0;
      ready = true;
      m.unlock();
    }
    m.lock();
    ++known;
    m.unlock();
  });
  assert(known == n);
}
