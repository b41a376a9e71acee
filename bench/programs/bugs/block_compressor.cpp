// After pbzip2: the main thread frees the queue when the producer is done, while a consumer may still unlock it.
#include <deque>
#include "harness.hpp"
struct Queue {
  std::mutex m;
  std::condition_variable not_empty, not_full;
  std::deque<int> blocks;
};
int main() {
  auto* queue = new Queue;
  std::atomic<bool> done = false;
  std::atomic<int> sum = 0, left = 4;
  auto consume = [&] {
    while (true) {
      std::unique_lock guard(queue->m);
      while (queue->blocks.empty() && !done) queue->not_empty.wait(guard);
      if (queue->blocks.empty()) return;
      sum += queue->blocks.front();
      queue->blocks.pop_front();
      queue->not_full.notify_one();
      --left;
    }
  };
  std::thread a(consume), b(consume);
  for (int i = 0; i < 4; ++i) {
    std::unique_lock guard(queue->m);
    while (queue->blocks.size() >= 2) queue->not_full.wait(guard);
    queue->blocks.push_back(i);
    queue->not_empty.notify_one();
  }
  {
    std::scoped_lock guard(queue->m);
    done = true;
    queue->not_empty.notify_all();
  }
  while (left > 0) std::this_thread::yield();
  delete queue;
  a.join();
  b.join();
}
