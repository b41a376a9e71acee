// A whole program that leaves traces everywhere: globals, statics, thread-locals, iostreams, environment, exit
// handlers, open files. It checks at its start that none of them is left from an earlier execution.
#undef NDEBUG
#include <sys/mman.h>
#include <unistd.h>
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <iostream>
#include <latch>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

std::vector<int> numbers{1, 2, 3};
std::map<std::string, int> names{{"a", 1}, {"b", 2}};
std::string text = "a string that is longer than the small buffer";
std::mutex m;
std::condition_variable changed;
bool ready = false;
int counter = 0, constructed = 0;
bool handler_ran = false;
char large[1 << 20];

struct Local {
  int value = 42;
};
thread_local Local local;
thread_local std::string local_text = "thread-local text with a heap buffer";

struct Global {
  Global() {
    ++constructed;
    local.value = 1000;
  }
  ~Global() { assert(constructed == 1); }
} global;

int& counted_static() {
  static std::vector<int> inner(10, 5);
  static int n = ++inner[0];
  return n;
}

void check_fresh(char** argv) {
  assert(numbers.size() == 3 && names.size() == 2 && text.size() == 45 && !ready && counter == 0);
  assert(constructed == 1 && !handler_ran && large[0] == 0 && large[sizeof large - 1] == 0);
  assert(local.value == 1000 && local_text.size() == 36);
  assert(!(std::cout.flags() & std::ios::hex));
  assert(std::rand() == 1804289383);
  assert(!std::getenv("LOCKSTEP_TEST_LEFT_OVER"));
  assert(argv[0][0] != '#');
  char list[] = "a,b,c";
  assert(std::strcmp(std::strtok(list, ","), "a") == 0);
}

void work(std::latch& together, int id) {
  assert(local.value == 42 && local_text.size() == 36);
  local.value = id;
  local_text += "x";
  try {
    if (id & 1) throw std::runtime_error("boom " + std::to_string(id));
    throw id;
  } catch (const std::exception& e) {
    std::lock_guard lock(m);
    text += e.what();
  } catch (int i) {
    std::lock_guard lock(m);
    numbers.push_back(i);
  }
  together.count_down();
  together.wait();
  {
    std::unique_lock lock(m);
    names[std::to_string(id)] = id;
    if (++counter == 2) {
      ready = true;
      changed.notify_all();
    } else {
      changed.wait(lock, [] { return ready; });
    }
  }
  counted_static();
  assert(local.value == id);
}

}  // namespace

int main(int, char** argv) {
  check_fresh(argv);
  setenv("LOCKSTEP_TEST_LEFT_OVER", "1", 1);
  std::atexit([] { handler_ran = true; });
  std::cout << std::hex << std::showbase;
  large[0] = large[sizeof large - 1] = 1;
  std::FILE* file = std::fopen("/dev/null", "w");
  assert(file && fileno(file) < 100);
  std::fprintf(file, "left open");
  void* page = mmap(nullptr, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::memset(page, 1, 1 << 16);
  argv[0][0] = '#';

  std::latch together(2);
  std::thread a(work, std::ref(together), 1), b(work, std::ref(together), 2);
  a.join();
  b.join();
  auto value = std::async(std::launch::async, [] { return 5; });
  assert(value.get() == 5);
  assert(numbers.size() == 4 && names.size() == 4 && counter == 2 && counted_static() == 6);
  std::cout << text << " " << numbers.size() << std::endl;
  std::ostringstream out;
  out << 3.5 << text;
  assert(out.str().size() > 10);
  new int[10];
  return 0;
}
