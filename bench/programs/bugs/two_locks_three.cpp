// Three threads, three locks each in an order of its own; only one of six orders of arrival closes the circle.
#include "harness.hpp"
int main() {
  std::mutex m[3], big;
  std::atomic<int> stage = 0;
  auto work = [&](int first) {
    for (int i = 0; i < 2; ++i) {
      std::scoped_lock a(m[first]);
      if (stage == first) ++stage;
      std::scoped_lock b(m[(first + 1) % 3]);
      { std::scoped_lock c(big); }
    }
  };
  together([&] { work(0); }, [&] { work(1); }, [&] { work(2); });
}
