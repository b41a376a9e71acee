// Ten voters; the result is wrong if the third one votes between the two looks of the counter and nobody else does.
#include "harness.hpp"
int main() {
  std::atomic<int> votes = 0, last = -1, wrong = 0;
  std::thread counter([&] {
    const int first = votes;
    const int who = last;
    const int second = votes;
    if (second == first + 1 && who == 2 && first >= 3) wrong = 1;
  });
  together_n(10, [&](int me) {
    last = me;
    ++votes;
  });
  counter.join();
  assert(!wrong);
}
