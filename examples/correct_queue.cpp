// A bounded queue for several producers and consumers, without a bug.
//
// One mutex, one condition variable for each side, conditions checked in loops. Lockstep explores it up to the bound
// it is given and says so: this one passes.
#undef NDEBUG
#include <array>
#include <cassert>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

template <class T, size_t kCapacity>
class BoundedQueue {
 public:
  void push(T item) {
    std::unique_lock lock(mutex_);
    while (size_ == kCapacity) not_full_.wait(lock);
    items_[(first_ + size_++) % kCapacity] = item;
    not_empty_.notify_one();
  }

  T pop() {
    std::unique_lock lock(mutex_);
    while (size_ == 0) not_empty_.wait(lock);
    T item = items_[first_];
    first_ = (first_ + 1) % kCapacity;
    --size_;
    not_full_.notify_one();
    return item;
  }

 private:
  std::mutex mutex_;
  std::condition_variable not_full_, not_empty_;
  std::array<T, kCapacity> items_{};
  size_t first_ = 0, size_ = 0;
};

int main() {
  BoundedQueue<int, 1> queue;
  int first = 0, second = 0;
  std::thread first_consumer([&] { first = queue.pop(); });
  std::thread second_consumer([&] { second = queue.pop(); });
  queue.push(1);
  queue.push(2);
  first_consumer.join();
  second_consumer.join();
  assert((first == 1 && second == 2) || (first == 2 && second == 1));
}
