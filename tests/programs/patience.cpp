// A producer yields after each of many items, and a consumer gives up after ten seconds by the clock. Yielding takes
// virtual time, so that a thread which polls reaches its deadline; a thread that works does not use up another's.
#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#undef NDEBUG
#include <cassert>

namespace {

constexpr int kItems = 20'000, kRoom = 4;
std::array<int, kRoom> slots;
std::atomic<int> written{0}, read_so_far{0};

void produce() {
  for (int i = 0; i < kItems; ++i) {
    while (written - read_so_far == kRoom) std::this_thread::yield();
    slots[static_cast<size_t>(i % kRoom)] = i;
    written.store(i + 1);
    std::this_thread::yield();
  }
}

}  // namespace

int main() {
  std::thread producer(produce);
  const auto begin = std::chrono::steady_clock::now();
  while (read_so_far < kItems) {
    assert(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
    if (read_so_far == written) {
      std::this_thread::yield();
      continue;
    }
    assert(slots[static_cast<size_t>(read_so_far % kRoom)] == read_so_far);
    ++read_so_far;
    std::this_thread::yield();
  }
  producer.join();
}
