// A work-stealing queue (Cilk's THE protocol) whose owner takes the last item without asking the thief.
#include "harness.hpp"
int main(int argc, char** argv) {
  const int items = number(argc, argv, 3);
  std::mutex m;
  std::atomic<int> head = 0, tail = items;
  std::vector<std::atomic<int>> taken(static_cast<size_t>(items));
  together(
      [&] {
        for (int i = 0; i < items; ++i) {
          const int t = tail - 1;
          tail = t;
          if (head > t) {
            std::scoped_lock guard(m);
            tail = t + 1;
            return;
          }
          ++taken[static_cast<size_t>(t)];
        }
      },
      [&] {
        for (int i = 0; i < 2; ++i) {
          std::scoped_lock guard(m);
          const int h = head;
          if (h < tail) {
            head = h + 1;
            ++taken[static_cast<size_t>(h)];
          }
        }
      });
  for (auto& count : taken) assert(count <= 1);
}
