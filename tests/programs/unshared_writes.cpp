// Instrumented functions without a single call of the instrumentation: they fill in exceptions and results, which
// nobody else sees yet. They are not taken for code without instrumentation.
#include <stdexcept>
#include <string>
#include <thread>
[[gnu::noinline]] void throws() { throw 5; }
[[gnu::noinline]] void throws_object() { throw std::runtime_error("x"); }
struct Big {
  long a[6];
};
long g(long);
[[gnu::noinline]] Big make(long n) {
  Big b{};
  for (int i = 0; i < 6; ++i) b.a[i] = g(n + i);
  return b;
}
[[gnu::noinline]] long g(long n) { return n * 3; }
int main() {
  std::thread t([] {
    try {
      throws();
    } catch (int) {
    }
    try {
      throws_object();
    } catch (std::exception&) {
    }
    if (make(2).a[3] != 15) throws();
  });
  t.join();
}
