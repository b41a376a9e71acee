// Compute-heavy kernels in four threads, with one shared counter that is rarely touched: what does an execution cost
// when only that is tracked?   usage: kernel monte_carlo|molecules|tours [ROUNDS]
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static std::mutex m;
static long finished = 0;

struct Random {
  uint64_t state;
  uint64_t operator()() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  }
};

// Prices of paths of a random walk, kept in a table.
static double monte_carlo(int thread, int rounds) {
  static double table[4][4096];
  double* mine = table[thread];
  Random random{88172645463325252ull + static_cast<uint64_t>(thread)};
  for (int r = 0; r < rounds; ++r)
    for (int i = 1; i < 4095; ++i)
      mine[i] = (mine[i - 1] + mine[i] + mine[i + 1]) / 3 + static_cast<double>(random() >> 40) * 1e-9;
  return mine[2048];
}

// Particles that push each other apart.
struct Particle {
  double x, y, z, vx, vy, vz;
};
static double molecules(int thread, int rounds) {
  std::vector<Particle> all(64);
  Random random{1234567 + static_cast<uint64_t>(thread)};
  for (Particle& p : all)
    p = {static_cast<double>(random() % 100),
         static_cast<double>(random() % 100),
         static_cast<double>(random() % 100),
         0,
         0,
         0};
  for (int r = 0; r < rounds; ++r) {
    for (Particle& p : all)
      for (const Particle& q : all) {
        const double dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, d = dx * dx + dy * dy + dz * dz + 1;
        const double force = 1 / (d * std::sqrt(d));
        p.vx += dx * force;
        p.vy += dy * force;
        p.vz += dz * force;
      }
    for (Particle& p : all) {
      p.x += p.vx * 1e-3;
      p.y += p.vy * 1e-3;
      p.z += p.vz * 1e-3;
    }
  }
  return all[0].x;
}

// Tours through cities, shortened by turning parts of them round.
static double tours(int thread, int rounds) {
  constexpr size_t kCities = 128;
  std::vector<double> x(kCities), y(kCities);
  Random random{424242 + static_cast<uint64_t>(thread)};
  for (size_t i = 0; i < kCities; ++i) {
    x[i] = static_cast<double>(random() % 1000);
    y[i] = static_cast<double>(random() % 1000);
  }
  std::vector<size_t> tour(kCities);
  for (size_t i = 0; i < kCities; ++i) tour[i] = i;
  const auto distance = [&](size_t a, size_t b) {
    return std::hypot(x[tour[a]] - x[tour[b]], y[tour[a]] - y[tour[b]]);
  };
  double saved = 0;
  for (int r = 0; r < rounds; ++r)
    for (size_t i = 1; i + 1 < kCities; ++i) {
      const size_t j = 1 + random() % (kCities - 2);
      const size_t from = std::min(i, j), to = std::max(i, j);
      const double gain =
          distance(from - 1, from) + distance(to, to + 1) - distance(from - 1, to) - distance(from, to + 1);
      if (gain <= 0 || from == to) continue;
      for (size_t a = from, b = to; a < b; ++a, --b) std::swap(tour[a], tour[b]);
      saved += gain;
    }
  return saved;
}

static volatile double result[4];

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "monte_carlo";
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 200;
  const auto kernel = name == "molecules" ? molecules : name == "tours" ? tours : monte_carlo;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([=] {
      result[i] = kernel(i, rounds);
      std::lock_guard lock(m);
      ++finished;
    });
  for (auto& t : threads) t.join();
  return finished == 4 ? 0 : 1;
}
