// `points T N`: T threads with N fetch_adds each, on variables of their own: what one scheduling point costs.
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

static std::atomic<int> counters[64 * 16];

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 1, n = argc > 2 ? std::atoi(argv[2]) : 1000;
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([t, n] {
      for (int i = 0; i < n; ++i) counters[t * 16].fetch_add(1);
    });
  for (auto& t : all) t.join();
}
