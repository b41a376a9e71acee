// `if` where a condition variable needs `while`.
//
// A consumer waits for an item and is notified, but before it has the mutex again the other consumer comes along and
// takes the item. The first one does not look a second time and takes from an empty buffer. No spurious wakeup is
// needed; two consumers are.
#undef NDEBUG
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

class Buffer {
 public:
  void put(int item) {
    std::unique_lock lock(mutex_);
    while (full_) became_empty_.wait(lock);
    item_ = item;
    full_ = true;
    became_full_.notify_one();
  }

  int take() {
    std::unique_lock lock(mutex_);
    if (!full_) became_full_.wait(lock);  // while (!full_) would be right
    assert(full_ && "took from an empty buffer");
    full_ = false;
    became_empty_.notify_one();
    return item_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable became_full_, became_empty_;
  int item_ = 0;
  bool full_ = false;
};

int main() {
  Buffer buffer;
  int first = 0, second = 0;
  std::thread producer([&] {
    buffer.put(1);
    buffer.put(2);
  });
  std::thread first_consumer([&] { first = buffer.take(); });
  std::thread second_consumer([&] { second = buffer.take(); });
  producer.join();
  first_consumer.join();
  second_consumer.join();
  assert(first + second == 3);
}
