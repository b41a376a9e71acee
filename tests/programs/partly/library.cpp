// The part that is not instrumented. With -DATOMICS it also synchronises in a way that nobody sees.
#include <mutex>
#ifdef ATOMICS
#include <atomic>
static std::atomic<int> flag{0}, counter{0};
void publish() {
  flag.store(1, std::memory_order_release);
  int expected = 0;
  counter.compare_exchange_strong(expected, 1);
}
bool published() { return flag.load(std::memory_order_acquire); }
#endif
static std::mutex mutex;
static int total;
void add(int n) {
  std::lock_guard lock(mutex);
  total += n;
}
int sum() {
  std::lock_guard lock(mutex);
  return total;
}
