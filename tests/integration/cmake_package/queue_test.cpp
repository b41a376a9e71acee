#include <atomic>
#include <condition_variable>
#include <lockstep/gtest.hpp>
#include <mutex>
#include <queue>
#include <thread>

namespace {

class Queue {
 public:
  void push(int item) {
    std::lock_guard lock(mutex_);
    items_.push(item);
    changed_.notify_one();
  }
  int pop() {
    std::unique_lock lock(mutex_);
    while (items_.empty()) changed_.wait(lock);
    int item = items_.front();
    items_.pop();
    return item;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<int> items_;
};

void one_producer_one_consumer() {
  Queue queue;
  std::thread producer([&] { queue.push(1); });
  EXPECT_EQ(queue.pop(), 1);
  producer.join();
}

TEST(Queue, Plain) { one_producer_one_consumer(); }

TEST(Queue, Explored) {
  lockstep::Result result = lockstep::explore(one_producer_one_consumer, {.preemptions = 2});
  EXPECT_TRUE(result) << result;
  EXPECT_GT(result.executions, 1u);
}

LOCKSTEP_TEST(Queue, ExploredByMacro, .preemptions = 1) { one_producer_one_consumer(); }

TEST(Queue, FindsTheBug) {
  lockstep::Result result = lockstep::explore(
      [] {
        std::atomic<int> counter{0};
        auto count = [&] { counter.store(counter.load() + 1); };
        std::thread first(count), second(count);
        first.join();
        second.join();
        lockstep::require(counter == 2, "both were counted");
      },
      {.preemptions = 1});
  EXPECT_FALSE(result);
  ASSERT_EQ(result.bugs.size(), 1u);
  EXPECT_EQ(result.bugs[0].kind, "assertion");
}

// The libraries that explore() itself loads, the first time or to name places in the code, must not put a race in
// doubt.
TEST(Queue, FindsARaceEveryTime) {
  for (int time = 0; time < 2; ++time) {
    lockstep::Result result = lockstep::explore([] {
      int counter = 0;
      auto count = [&] { counter = counter + 1; };
      std::thread first(count), second(count);
      first.join();
      second.join();
    });
    ASSERT_EQ(result.bugs.size(), 1u) << time << result;
    EXPECT_EQ(result.bugs[0].kind, "data-race");
  }
}

}  // namespace
