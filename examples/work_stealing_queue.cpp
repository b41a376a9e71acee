// A work-stealing deque whose owner looks too early.
//
// In the THE protocol of Cilk-5 (Frigo, Leiserson, Randall 1998) owner and thief each announce what they are about to
// take and only then look at the other's index, so that at least one of them notices a conflict over the last item.
// Here the owner reads the thieves' index first and announces afterwards: a thief that slips in between takes the last
// item, and so does the owner. It happens under sequential consistency, with one preemption.
#undef NDEBUG
#include <array>
#include <atomic>
#include <cassert>
#include <mutex>
#include <optional>
#include <thread>

class WorkStealingQueue {
 public:
  void push(int item) {  // owner only
    int tail = tail_.load();
    items_[tail] = item;
    tail_.store(tail + 1);
  }

  std::optional<int> take() {  // owner only: the newest item
    int head = head_.load();   // belongs below the store to tail_
    int tail = tail_.load() - 1;
    tail_.store(tail);
    if (head <= tail) return items_[tail];
    tail_.store(tail + 1);  // perhaps a conflict: settle it with the thieves locked out
    std::lock_guard lock(thieves_);
    tail_.store(tail);
    if (head_.load() <= tail) return items_[tail];
    tail_.store(tail + 1);
    return std::nullopt;
  }

  std::optional<int> steal() {  // anybody: the oldest item
    std::lock_guard lock(thieves_);
    int head = head_.load();
    head_.store(head + 1);
    if (head + 1 <= tail_.load()) return items_[head];
    head_.store(head);
    return std::nullopt;
  }

 private:
  std::atomic<int> head_{0}, tail_{0};  // items_[head_, tail_) are in the queue
  std::array<int, 8> items_{};
  std::mutex thieves_;
};

int main() {
  WorkStealingQueue queue;
  std::array<int, 2> taken{};  // how often each item was taken
  queue.push(0);
  queue.push(1);
  std::optional<int> stolen;
  std::thread thief([&] { stolen = queue.steal(); });
  while (std::optional<int> item = queue.take()) ++taken[*item];
  thief.join();
  if (stolen) ++taken[*stolen];
  assert(taken[0] == 1 && taken[1] == 1);
}
