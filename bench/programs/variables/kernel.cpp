// A compute-heavy kernel (Monte Carlo integration and a relaxation sweep) in four threads, with one shared counter that is
// rarely touched: what does an execution cost when only that is tracked?
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex m;
static long finished = 0;
static double table[4][4096];

static void work(int thread, int rounds) {
  uint64_t state = 88172645463325252ull + static_cast<uint64_t>(thread);
  double* mine = table[thread];
  for (int r = 0; r < rounds; ++r) {
    for (int i = 1; i < 4095; ++i) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      mine[i] = (mine[i - 1] + mine[i] + mine[i + 1]) / 3 + static_cast<double>(state >> 40) * 1e-9;
    }
  }
  std::lock_guard lock(m);
  ++finished;
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 200;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work, i, rounds);
  for (auto& t : threads) t.join();
  return finished == 4 ? 0 : 1;
}
