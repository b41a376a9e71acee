// Three stages, two threads each: the end is passed on by whoever sees it first, while the other still has an item.
#include "harness.hpp"
struct Stage {
  std::mutex m;
  std::condition_variable c;
  int items = 0;
  bool end = false;
  void put() {
    std::scoped_lock g(m);
    assert(!end);
    ++items;
    c.notify_one();
  }
  void finish() {
    std::scoped_lock g(m);
    end = true;
    c.notify_all();
  }
  bool get() {
    std::unique_lock g(m);
    while (items == 0 && !end) c.wait(g);
    if (items == 0) return false;
    --items;
    return true;
  }
};
int main() {
  Stage a, b;
  auto middle = [&] {
    while (a.get()) b.put();
    b.finish();
  };
  auto last = [&] {
    while (b.get()) {
    }
  };
  together(middle, middle, last, last, [&] {
    a.put();
    a.put();
    a.finish();
  });
}
