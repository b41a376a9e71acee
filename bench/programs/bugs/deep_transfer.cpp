// Many harmless rounds under locks, then a transfer seen between withdrawal and deposit.
#include "harness.hpp"
int main(int argc, char** argv) {
  const int rounds = number(argc, argv, 40);
  std::mutex m[4];
  std::atomic<int> balance[2] = {100, 100}, noise[4] = {};
  together(
      [&] {
        for (int i = 0; i < rounds; ++i) {
          std::scoped_lock g(m[i % 4]);
          noise[i % 4]++;
        }
        {
          std::scoped_lock g(m[0]);
          balance[0] -= 10;
        }
        {
          std::scoped_lock g(m[0]);
          balance[1] += 10;
        }
        for (int i = 0; i < rounds; ++i) {
          std::scoped_lock g(m[i % 4]);
          noise[i % 4]++;
        }
      },
      [&] {
        for (int i = 0; i < rounds; ++i) {
          std::scoped_lock g(m[i % 4]);
          noise[i % 4]++;
        }
        std::scoped_lock g(m[0]);
        assert(balance[0] + balance[1] == 200);
      },
      [&] {
        for (int i = 0; i < rounds; ++i) {
          std::scoped_lock g(m[i % 4]);
          noise[i % 4]++;
        }
      });
}
