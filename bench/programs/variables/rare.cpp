// Two variables; the bug is at one of them, which is accessed three times, while the other one is accessed N times.
#undef NDEBUG
#include <cassert>
#include <cstdlib>
#include <thread>

static int rare = 0, busy = 0;
[[gnu::noipa]] static int look(const int& x) { return x; }
[[gnu::noipa]] static void change(int& x, int value) { x = value; }

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 10;
  std::thread first([n] {
    for (int i = 0; i < n / 2; ++i) change(busy, i);
    const int before = look(rare);
    assert(before == look(rare));
  });
  std::thread second([n] {
    change(rare, 1);
    for (int i = 0; i < n / 2; ++i) change(busy, -i);
  });
  first.join();
  second.join();
}
