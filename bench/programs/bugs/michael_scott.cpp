// Michael and Scott's queue with nodes that are reused at once and no counters.
#include "harness.hpp"
int main() {
  std::atomic<int> head = 0, tail = 0, next[5], value[5], free_list = 1;
  for (int i = 0; i < 5; ++i) next[i] = i == 0 || i == 4 ? -1 : i + 1, value[i] = 0;
  std::atomic<int> sum = 0;
  auto get = [&] {
    int n = free_list;
    while (n != -1 && !free_list.compare_exchange_strong(n, next[n])) {
    }
    return n;
  };
  auto put = [&](int n) {
    int old = free_list;
    do next[n] = old;
    while (!free_list.compare_exchange_strong(old, n));
  };
  auto enqueue = [&](int v) {
    const int n = get();
    if (n < 0) return false;
    value[n] = v;
    next[n] = -1;
    for (int tries = 0; tries < 4; ++tries) {
      int t = tail, nx = next[t];
      if (nx == -1) {
        if (next[t].compare_exchange_strong(nx, n)) {
          tail.compare_exchange_strong(t, n);
          return true;
        }
      } else {
        tail.compare_exchange_strong(t, nx);
      }
    }
    put(n);
    return false;
  };
  auto dequeue = [&] {
    for (int tries = 0; tries < 4; ++tries) {
      int h = head, t = tail;
      const int nx = next[h];
      if (h == t) {
        if (nx == -1) return 0;
        tail.compare_exchange_strong(t, nx);
      } else if (nx != -1) {
        const int v = value[nx];
        if (head.compare_exchange_strong(h, nx)) {
          put(h);
          return v;
        }
      }
    }
    return 0;
  };
  std::atomic<int> in = 0;
  auto work = [&](int me) {
    const int v = me == 0 ? 1 : 10;
    if (enqueue(v)) in += v;
    sum += dequeue();
    if (enqueue(v * 2)) in += v * 2;
    sum += dequeue();
  };
  together([&] { work(0); }, [&] { work(1); });
  for (int v; (v = dequeue()) != 0;) sum += v;
  assert(sum == in);
}
