// A token is handed round; each holder trusts that its predecessor has already written.
#include "harness.hpp"
int main() {
  std::atomic<int> x1 = 1, x2 = 2, x3 = 1;
  std::atomic<bool> wrong = false;
  together([&] { x1 = (x3 + 1) % 4; }, [&] { x2 = x1.load(); }, [&] { x3 = x2.load(); },
           [&] { wrong = x1 != x2 && x2 != x3 && x3 == 1 && x1 == 2 && x2 == 1; });
  assert(!wrong);
}
