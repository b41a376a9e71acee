// Lamport's bakery without the flag that says "I am choosing".
#include "harness.hpp"
int main(int argc, char** argv) {
  const int n = number(argc, argv, 2);
  std::vector<std::atomic<int>> ticket(static_cast<size_t>(n));
  std::atomic<int> inside = 0;
  together_n(n, [&](int me) {
    int most = 0;
    for (auto& t : ticket) most = std::max(most, t.load());
    ticket[static_cast<size_t>(me)] = most + 1;
    for (int i = 0; i < n; ++i) {
      if (i == me) continue;
      for (;;) {
        const int other = ticket[static_cast<size_t>(i)];
        if (other == 0 || other > most + 1 || (other == most + 1 && i > me)) break;
        std::this_thread::yield();
      }
    }
    assert(++inside == 1);
    --inside;
    ticket[static_cast<size_t>(me)] = 0;
  });
}
