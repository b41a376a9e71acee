// The rest of the standard library and of the language, in programs with threads.
#include <any>
#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <list>
#include <locale>
#include <memory_resource>
#include <mutex>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <variant>
#include <vector>

#include "everyday.hpp"

namespace {
template <class F>
void twice(F f) {
  std::thread other(f);
  f();
  other.join();
}
}  // namespace

EVERYDAY(streams) {
  twice([] {
    std::ostringstream out;
    out << std::setw(4) << std::setfill('0') << 42 << std::hex << 255 << std::boolalpha << true;
    assert(out.str() == "0042fftrue");
    std::cout << out.str() << std::endl;
    std::cerr << "x\n";
    std::printf("%s %d\n", "printf", 3);
  });
}

EVERYDAY(parsing) {
  twice([] {
    std::istringstream in("1 2.5 word");
    int i;
    double d;
    std::string s;
    in >> i >> d >> s;
    assert(i == 1 && d == 2.5 && s == "word");
    assert(std::stoi("17") == 17 && std::to_string(3.5) == "3.500000");
  });
}

EVERYDAY(regular_expressions) {
  twice([] {
    static const std::regex pattern("(\\w+)@(\\w+)");
    std::smatch match;
    const std::string text = "me@home";
    assert(std::regex_match(text, match, pattern) && match[2] == "home");
  });
}

EVERYDAY(locales) {
  twice([] {
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out << 1234567;
    assert(out.str() == "1234567");
    assert(std::toupper('a', std::locale()) == 'A');
  });
}

EVERYDAY(file_system) {
  namespace fs = std::filesystem;
  static const fs::path folder = fs::temp_directory_path() / ("lockstep-everyday-" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::mutex mutex;
  auto write = [&](const char* name) {
    std::ofstream(folder / name) << name;
    std::ifstream in(folder / name);
    std::string text;
    in >> text;
    assert(text == name);
  };
  std::thread other([&] { write("other"); });
  write("main");
  other.join();
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  assert((names == std::set<std::string>{"main", "other"}));
  assert(fs::file_size(folder / "main") == 4);
  fs::remove_all(folder);
}

EVERYDAY(random_numbers) {
  twice([] {
    std::random_device device;
    std::mt19937 generator(device());
    std::uniform_int_distribution<int> dice(1, 6);
    for (int i = 0; i < 10; ++i) {
      const int n = dice(generator);
      assert(n >= 1 && n <= 6);
    }
  });
}

EVERYDAY(exceptions_in_threads) {
  std::exception_ptr caught;
  std::thread other([&] {
    try {
      std::vector<int>().at(3);
    } catch (...) {
      caught = std::current_exception();
    }
  });
  other.join();
  try {
    std::rethrow_exception(caught);
    assert(false);
  } catch (const std::out_of_range&) {
  }
}

EVERYDAY(nested_exceptions) {
  twice([] {
    try {
      try {
        throw std::runtime_error("inner");
      } catch (...) {
        std::throw_with_nested(std::logic_error("outer"));
      }
    } catch (const std::logic_error& error) {
      try {
        std::rethrow_if_nested(error);
        assert(false);
      } catch (const std::runtime_error& inner) {
        assert(std::string(inner.what()) == "inner");
      }
    }
  });
}

EVERYDAY(exceptions_while_locked) {
  std::mutex mutex;
  auto fail = [&] {
    try {
      std::lock_guard lock(mutex);
      throw 1;
    } catch (int) {
    }
  };
  twice(fail);
  assert(mutex.try_lock());
  mutex.unlock();
}

namespace {
std::atomic<int> alive{0};
struct Counted {
  Counted() { ++alive; }
  ~Counted() { --alive; }
  int value = 0;
};
thread_local Counted counted;
thread_local std::unordered_map<std::string, int> counts;
}  // namespace

EVERYDAY(thread_locals_with_destructors) {
  auto use = [] { assert(++counted.value == 1); };
  std::thread a(use), b(use);
  a.join();
  b.join();
  assert(alive == 0);
}

EVERYDAY(thread_local_containers) {
  twice([] {
    ++counts["a"];
    ++counts["a"];
    assert(counts["a"] == 2 && counts.size() == 1);
  });
}

EVERYDAY(memory_resources) {
  std::pmr::synchronized_pool_resource pool;
  auto work = [&] {
    std::pmr::vector<std::pmr::string> words(&pool);
    for (int i = 0; i < 4; ++i) words.emplace_back("a string that does not fit in place");
    assert(words.size() == 4);
    char buffer[256];
    std::pmr::monotonic_buffer_resource local(buffer, sizeof buffer, &pool);
    std::pmr::list<int> list(&local);
    for (int i = 0; i < 20; ++i) list.push_back(i);
  };
  twice(work);
}

EVERYDAY(allocation) {
  twice([] {
    auto big = std::make_unique<char[]>(3 << 20);
    big[0] = big[(3 << 20) - 1] = 1;
    void* raw = std::malloc(100);
    raw = std::realloc(raw, 10000);
    std::free(raw);
    void* zero = std::calloc(100, 8);
    assert(static_cast<char*>(zero)[799] == 0);
    std::free(zero);
    void* aligned = std::aligned_alloc(4096, 8192);
    assert(reinterpret_cast<uintptr_t>(aligned) % 4096 == 0);
    std::free(aligned);
    struct alignas(64) Wide {
      char c[64];
    };
    delete new Wide;
  });
}

EVERYDAY(variants_and_any) {
  twice([] {
    std::variant<int, std::string> v = "text";
    assert(std::visit([](auto& x) { return sizeof x; }, v) == sizeof(std::string));
    std::any any = std::vector<int>{1, 2};
    assert(std::any_cast<std::vector<int>&>(any).size() == 2);
  });
}

namespace {
struct Task {
  struct promise_type {
    int value = 0;
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_value(int v) { value = v; }
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};
struct OnNewThread {
  std::thread* out;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h) {
    *out = std::thread([h] { h.resume(); });
  }
  void await_resume() {}
};
Task hop(std::thread* thread) {
  const auto before = std::this_thread::get_id();
  co_await OnNewThread{thread};
  co_return std::this_thread::get_id() != before;
}
}  // namespace

EVERYDAY(coroutine_that_changes_threads) {
  std::thread thread;
  Task task = hop(&thread);
  task.handle.resume();
  thread.join();
  assert(task.handle.promise().value == 1);
  task.handle.destroy();
}

EVERYDAY(timer_loop) {
  using namespace std::chrono_literals;
  std::mutex mutex;
  std::condition_variable wake;
  bool stop = false;
  int ticks = 0;
  std::thread timer([&] {
    std::unique_lock lock(mutex);
    while (!wake.wait_for(lock, 10ms, [&] { return stop; })) ++ticks;
  });
  std::this_thread::sleep_for(25ms);
  {
    std::lock_guard lock(mutex);
    stop = true;
  }
  wake.notify_one();
  timer.join();
  assert(ticks >= 0);
}

EVERYDAY(timer_queue) {
  using Clock = std::chrono::steady_clock;
  using namespace std::chrono_literals;
  std::mutex mutex;
  std::condition_variable wake;
  std::multimap<Clock::time_point, int> timers;
  std::vector<int> fired;
  std::thread runner([&] {
    std::unique_lock lock(mutex);
    while (fired.size() < 2) {
      if (timers.empty()) {
        wake.wait(lock);
        continue;
      }
      const auto first = timers.begin()->first;
      if (Clock::now() < first) {
        wake.wait_until(lock, first);
        continue;
      }
      fired.push_back(timers.begin()->second);
      timers.erase(timers.begin());
    }
  });
  {
    std::lock_guard lock(mutex);
    const auto now = Clock::now();
    timers.emplace(now + 20ms, 2);
    timers.emplace(now + 10ms, 1);
  }
  wake.notify_one();
  runner.join();
  assert((fired == std::vector<int>{1, 2}));
}

EVERYDAY(measuring_time) {
  using namespace std::chrono;
  twice([] {
    const auto start = steady_clock::now();
    std::this_thread::sleep_for(milliseconds(3));
    assert(steady_clock::now() - start >= milliseconds(3));
    const std::time_t now = system_clock::to_time_t(system_clock::now());
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[64];
    assert(std::strftime(text, sizeof text, "%Y-%m-%d", &parts) == 10);
    assert(localtime_r(&now, &parts) == &parts);
  });
}

EVERYDAY(timed_mutexes) {
  std::timed_mutex mutex;
  std::thread other([&] {
    if (mutex.try_lock_for(std::chrono::milliseconds(5))) mutex.unlock();
  });
  { std::lock_guard lock(mutex); }
  other.join();
}

EVERYDAY(try_lock_with_deadline_retry) {
  std::timed_mutex mutex;
  int count = 0;
  auto add = [&] {
    while (!mutex.try_lock_until(std::chrono::steady_clock::now() + std::chrono::milliseconds(2))) {
    }
    ++count;
    mutex.unlock();
  };
  twice(add);
  assert(count == 2);
}

EVERYDAY(recursive_mutexes) {
  std::recursive_mutex mutex;
  int depth = 0;
  auto recurse = [&](auto&& self, int n) -> void {
    std::lock_guard lock(mutex);
    if (n == 0) return;
    ++depth;
    self(self, n - 1);
  };
  twice([&] { recurse(recurse, 2); });
  assert(depth == 4);
}

EVERYDAY(bank_transfers) {
  struct Account {
    std::mutex mutex;
    int balance = 10;
  } accounts[2];
  auto transfer = [](Account& from, Account& to, int amount) {
    std::scoped_lock lock(from.mutex, to.mutex);
    from.balance -= amount;
    to.balance += amount;
  };
  std::thread other([&] { transfer(accounts[0], accounts[1], 3); });
  transfer(accounts[1], accounts[0], 5);
  other.join();
  assert(accounts[0].balance + accounts[1].balance == 20);
}

EVERYDAY(detached_thread) {
  struct State {
    std::mutex mutex;
    std::condition_variable done;
    bool finished = false;
  };
  auto state = std::make_shared<State>();
  std::thread([state] {
    std::lock_guard lock(state->mutex);
    state->finished = true;
    state->done.notify_one();
  }).detach();
  std::unique_lock lock(state->mutex);
  state->done.wait(lock, [&] { return state->finished; });
}

EVERYDAY(threads_that_make_threads) {
  std::atomic<int> leaves{0};
  std::function<void(int)> grow = [&](int depth) {
    if (depth == 0) {
      ++leaves;
      return;
    }
    std::thread left([&] { grow(depth - 1); });
    grow(depth - 1);
    left.join();
  };
  grow(2);
  assert(leaves == 4);
}

EVERYDAY(exit_handlers) {
  static std::mutex mutex;
  static std::atomic<int> calls{0};
  calls = 0;
  std::atexit([] {
    std::lock_guard lock(mutex);
    assert(calls == 2);
  });
  twice([] { ++calls; });
}

EVERYDAY(exit_from_a_thread) {
  std::thread other([] { std::exit(0); });
  other.join();
}

EVERYDAY(quick_exit_while_others_wait) {
  static std::mutex mutex;
  mutex.lock();
  std::thread([] { std::lock_guard lock(mutex); }).detach();
  std::quick_exit(0);
}

EVERYDAY(environment_and_arguments) {
  twice([] {
    assert(std::getenv("PATH") != nullptr);
    assert(std::thread::hardware_concurrency() >= 1);
    assert(std::this_thread::get_id() != std::thread::id());
  });
}

EVERYDAY(system_errors) {
  std::thread other([] {});
  other.join();
  try {
    other.join();
    assert(false);
  } catch (const std::system_error& error) {
    assert(error.code() == std::errc::invalid_argument);
  }
}
