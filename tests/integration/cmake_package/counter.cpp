#undef NDEBUG
#include <atomic>
#include <cassert>
#include <cstring>
#include <thread>

int main(int argc, char** argv) {
  const bool right = argc > 1 && std::strcmp(argv[1], "right") == 0;
  std::atomic<int> counter{0};
  auto count = [&] {
    if (right) {
      counter.fetch_add(1);
    } else {
      counter.store(counter.load() + 1);
    }
  };
  std::thread first(count), second(count);
  first.join();
  second.join();
  assert(counter == 2);
}
