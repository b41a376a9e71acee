// Two threads, each five fetch_adds and one lock/unlock: the body by which executions per second are measured.
// `small_body native N` runs it N times by itself and prints how many a second that is.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

static void body() {
  std::atomic<int> counter{0};
  std::mutex mutex;
  int total = 0;
  auto work = [&] {
    for (int i = 0; i < 5; ++i) counter.fetch_add(1);
    std::lock_guard lock(mutex);
    ++total;
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  if (total != 2 || counter != 10) std::abort();
}

int main(int argc, char** argv) {
  if (argc < 3 || std::strcmp(argv[1], "native") != 0) {
    body();
    return 0;
  }
  const int n = std::atoi(argv[2]);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < n; ++i) body();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%.0f\n", n / seconds);
}
