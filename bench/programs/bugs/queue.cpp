// A queue whose two sides take turns by flags; the flags change hands before the element is there.
#include "harness.hpp"
int main() {
  constexpr int kItems = 3;
  std::mutex m;
  std::atomic<int> element[kItems] = {}, tail = 0, head = 0;
  std::atomic<bool> may_put = true, may_get = false;
  together(
      [&] {
        for (int i = 1; i <= kItems;) {
          if (!may_put) {
            std::this_thread::yield();
            continue;
          }
          m.lock();
          const int at = tail++;
          may_put = false;
          may_get = true;
          m.unlock();
          element[at] = i++;
        }
      },
      [&] {
        for (int i = 1; i <= kItems;) {
          if (!may_get) {
            std::this_thread::yield();
            continue;
          }
          m.lock();
          const int at = head++;
          may_get = false;
          may_put = true;
          m.unlock();
          assert(element[at] == i++);
        }
      });
}
