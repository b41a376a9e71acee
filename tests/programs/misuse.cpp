// Blocks given back in another way than they were asked for, a notification that nobody hears, objects with given
// names.
#undef NDEBUG
#include <lockstep/lockstep.hpp>

#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>

static void malloc_delete() {
  int* volatile p = static_cast<int*>(std::malloc(sizeof(int)));  // volatile: or compilers warn of what is meant
  delete p;
}
static void new_free() {
  int* volatile p = new int;
  std::free(p);
}
static void array_delete() {
  int* volatile p = new int[4];
  delete p;
}
static void delete_array() {
  int* volatile p = new int;
  delete[] p;
}
static void all_in_kind() {
  struct alignas(64) Wide {
    char c[64];
  };
  delete[] new (std::nothrow) int[3];
  delete new (std::nothrow) int;
  delete new Wide;
  delete[] new Wide[2];
  std::free(strdup("text"));
  std::free(std::realloc(std::malloc(8), 100));
  ::operator delete(::operator new(10));
  const auto several = std::make_unique<int[]>(4);
  const std::shared_ptr<int[]> shared(new int[3]);
  const std::vector<std::string> words(3, std::string(100, 'x'));
}

static std::mutex mutex;
static std::condition_variable changed;
static void notified_too_early() {
  std::thread waiter([] {
    std::unique_lock lock(mutex);
    changed.wait(lock);
  });
  {
    std::lock_guard lock(mutex);
    changed.notify_one();
  }
  waiter.join();
}

struct Queue {
  int head = 0, tail = 0;
};
static void named_on_heap() {
  const auto queue = std::make_unique<Queue>();
  lockstep::name(queue->tail, "the queue's tail");
  std::thread other([&] { queue->tail = 1; });
  queue->tail = 2;
  other.join();
}
// An update is lost in the third cell. What lies around it is as much accessed.
static void cells_on_heap() {
  struct Cell {
    std::atomic<int> looked{0}, updated{0};
  };
  std::vector<std::unique_ptr<Cell>> cells;
  for (int i = 0; i < 4; ++i) cells.push_back(std::make_unique<Cell>());
  auto work = [&] {
    for (int i = 0; i < 4; ++i) {
      Cell& cell = *cells[static_cast<size_t>(i)];
      cell.looked.fetch_add(1);
      const int before = i == 2 ? cell.updated.load() : 0;
      cell.updated.store(before + 1);
    }
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
  assert(cells[2]->updated.load() == 2);
}
static void named_local() {
  int done = 0;
  lockstep::name(done, "done");
  std::thread other([&] { done = 1; });
  done = 2;
  other.join();
}

int main(int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "";
#define CASE(name) \
  if (wanted == #name) return name(), 0
  CASE(malloc_delete);
  CASE(new_free);
  CASE(array_delete);
  CASE(delete_array);
  CASE(all_in_kind);
  CASE(notified_too_early);
  CASE(named_on_heap);
  CASE(named_local);
  CASE(cells_on_heap);
  return 2;
}
