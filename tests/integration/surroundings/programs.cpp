// `programs HOW [WORD]`: one way to be explored each.
#undef NDEBUG
#include <lockstep/lockstep.hpp>

#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

static std::atomic<int> total{0};

static void add() {
  int seen = total;
  total = seen + 1;
}

static void count(int rounds) {
  for (int i = 0; i < rounds; ++i) total++;
}

static void compute() {
  uint64_t seed = 1;
  for (uint64_t i = 0; i < 200'000'000'000; ++i) seed = seed * 6364136223846793005u + 1;
  total = static_cast<int>(seed);
}

template <class F>
static void run(int threads, F body) {
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) all.emplace_back(body);
  for (std::thread& thread : all) thread.join();
}

int main(int, char** words) {
  const char* how = words[1];
  if (!std::strcmp(how, "loses")) {
    lockstep::name(total, "\033[31mtotal\007");
    run(2, add);
    assert(total == 2);
  } else if (!std::strcmp(how, "large")) {
    run(4, [] { count(30); });
  } else if (!std::strcmp(how, "computes")) {
    run(1, compute);
  } else if (!std::strcmp(how, "fails_late")) {  // after thousands of switches
    run(3, [] {
      count(3000);
      add();
      count(3000);
    });
    lockstep::require(total == 18'003, "nothing is lost");
  } else if (!std::strcmp(how, "ends_with")) {
    run(2, [] { count(1); });
    return std::atoi(words[2]);
  } else if (!std::strcmp(how, "--list")) {
    std::printf("loses\nlarge\n");
  }
  return 0;
}
