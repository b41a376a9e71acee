// Browser: a message port is handed to a worker while a message is posted to it. The queue is moved, then the port; who
// posts in between puts its message into the queue nobody reads any more.
#include "harness.hpp"
int main() {
  std::mutex queues[2];
  std::atomic<int> length[2] = {0, 0}, owner = 0, received = 0, posted = 0;
  together(
      [&] {
        for (int i = 0; i < 2; ++i) {
          const int to = owner;
          std::lock_guard guard(queues[to]);
          ++length[to];
          ++posted;
        }
      },
      [&] {
        int moved;
        {
          std::lock_guard guard(queues[0]);
          moved = length[0].exchange(0);
        }
        owner = 1;
        std::lock_guard guard(queues[1]);
        length[1] += moved;
      });
  received = length[owner].load();
  assert(received == posted);
}
