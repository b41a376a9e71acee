// Four threads, three steps each, and a given number of microseconds of computing: 369,600 executions.
#include <atomic>
#include <cstdlib>
#include <thread>

int main(int argc, char** argv) {
  const long rounds = (argc > 1 ? std::atol(argv[1]) : 0) * 1000;  // about a nanosecond each; the clock is virtual
  std::atomic<int> x{0};
  const auto step = [&] {
    for (int i = 0; i < 3; ++i) x.fetch_add(1);
  };
  std::thread a(step), b(step), c(step), d(step);
  a.join();
  b.join();
  c.join();
  d.join();
  unsigned long sum = 1;
  for (long i = 0; i < rounds; ++i) asm volatile("imul $3, %0, %0" : "+r"(sum));
  return sum == 0;
}
