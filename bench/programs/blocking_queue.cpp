// A bounded queue without a bug: two producers, two consumers, 8 items each (148 steps an execution) or as many as
// asked for.
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

int main(int argc, char** argv) {
  const int items = argc > 1 ? std::atoi(argv[1]) : 8;
  std::mutex m;
  std::condition_variable can_put, can_take;
  std::deque<int> queue;
  const auto put = [&] {
    for (int i = 0; i < items; ++i) {
      std::unique_lock lock(m);
      while (queue.size() == 2) can_put.wait(lock);
      queue.push_back(i);
      can_take.notify_one();
    }
  };
  const auto take = [&] {
    for (int i = 0; i < items; ++i) {
      std::unique_lock lock(m);
      while (queue.empty()) can_take.wait(lock);
      queue.pop_front();
      can_put.notify_one();
    }
  };
  std::thread threads[] = {std::thread(put), std::thread(put), std::thread(take), std::thread(take)};
  for (std::thread& t : threads) t.join();
}
