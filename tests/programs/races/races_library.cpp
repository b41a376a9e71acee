// Correct uses of the C++ library and of the language: nothing may be reported in any of them.
#include <setjmp.h>
#include <sys/mman.h>

#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <variant>

#include "races.hpp"

namespace {

constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;

int x, y;
std::mutex m;

__attribute__((noinline)) void sink(long value) { asm volatile("" : : "r"(value)); }

// --- the library ---

void shared_pointers() {
  auto p = std::make_shared<std::vector<int>>(3, 7);
  std::weak_ptr<std::vector<int>> w = p;
  together([p] { sink((*p)[0]); },
           [w] {
             if (auto q = w.lock()) sink((*q)[1]);
           },
           [&p] { p.reset(); });
}

void atomic_shared_pointer() {
  static std::atomic<std::shared_ptr<int>> p;
  p.store(std::make_shared<int>(1));
  together([] { sink(*p.load()); }, [] { p.store(std::make_shared<int>(2)); });
}

void functions_moved() {
  static std::vector<std::function<void()>> work;
  work.clear();
  auto text = std::make_shared<std::string>("captured by a function object");
  work.emplace_back([text] { *text += "!"; });
  work.emplace_back([] { x = 1; });
  auto take = [] {
    std::function<void()> f;
    {
      std::lock_guard l(m);
      f = std::move(work.back());
      work.pop_back();
    }
    f();
  };
  together(take, take);
}

struct Problem : std::runtime_error {
  explicit Problem(int n) : std::runtime_error("a message that is too long for small strings"), number(n) {}
  int number;
};

void exceptions_thrown() {
  auto use = [](int n) {
    try {
      throw Problem(n);
    } catch (const std::exception& e) {
      sink(e.what()[0]);
    }
  };
  together([&] { use(1); }, [&] { use(2); });
}

void exception_through_future() {
  auto f = std::async(std::launch::async, []() -> int { throw Problem(3); });
  try {
    f.get();
  } catch (const Problem& e) {
    sink(e.number);
  }
}

void exception_kept_by_both() {
  std::promise<void> p;
  auto f = p.get_future().share();
  std::thread t([f] {
    try {
      f.get();
    } catch (const Problem& e) {
      sink(e.number + e.what()[0]);
    }
  });
  f = {};
  p.set_exception(std::make_exception_ptr(Problem(4)));
  { std::promise<void> gone = std::move(p); }
  t.join();
}

void exception_outlives_promise() {
  std::promise<void> p;
  std::thread t([f = p.get_future()]() mutable {
    try {
      f.get();
    } catch (const Problem& e) {
      sink(e.number + e.what()[0]);
    }
  });
  p.set_exception(std::make_exception_ptr(Problem(4)));
  { std::promise<void> gone = std::move(p); }
  t.join();
}

void streams() {
  auto use = [] {
    std::ostringstream out;
    out << 12 << ' ' << 3.5 << std::hex << 255;
    std::cout << out.str() << '\n';
    std::istringstream in("7 8");
    int a, b;
    in >> a >> b;
    std::cerr << a + b << '\n';
  };
  together(use, use);
}

void thread_local_objects() {
  static thread_local std::vector<int> mine;
  auto use = [] {
    mine.push_back(1);
    mine.push_back(2);
  };
  together(use, use);
}

void static_local_object() {
  auto get = []() -> std::map<std::string, int>& {
    static std::map<std::string, int> table{{"one", 1}, {"two", 2}};
    return table;
  };
  together([&] { sink(get().at("one")); }, [&] { sink(get().at("two")); });
}

void fork_and_join() {
  std::vector<int> data(8);
  std::vector<std::future<int>> parts;
  for (int i = 0; i < 2; ++i)
    parts.push_back(std::async(std::launch::async, [&data, i] {
      for (int k = 0; k < 4; ++k) data[4 * i + k] = k;
      return i;
    }));
  for (auto& p : parts) p.get();
  sink(data[7]);
}

void packaged() {
  std::packaged_task<int()> task([] { return x = 3; });
  auto f = task.get_future();
  std::thread t(std::move(task));
  sink(f.get() + x);
  t.join();
}

void stop_tokens() {
  static std::string text;
  std::jthread t([](std::stop_token stop) {
    while (!stop.stop_requested()) std::this_thread::yield();
    sink(static_cast<long>(text.size()));
  });
  text = "written before the stop was requested";
  t.request_stop();
}

void stop_callbacks() {
  static std::condition_variable_any c;
  static bool never;
  std::jthread t([](std::stop_token stop) {
    std::unique_lock l(m);
    c.wait(l, stop, [] { return never; });
    sink(x);
  });
  x = 1;
  t.request_stop();
}

void scoped_locks() {
  static std::mutex a, b;
  together(
      [] {
        std::scoped_lock l(a, b);
        x++;
        y++;
      },
      [] {
        std::scoped_lock l(b, a);
        x++;
        y++;
      });
}

void producer_and_consumer() {
  static std::deque<std::string> queue;
  static std::condition_variable c;
  queue.clear();
  together(
      [] {
        for (int i = 0; i < 2; ++i) {
          std::lock_guard l(m);
          queue.push_back("item " + std::to_string(i) + " with a text of some length");
          c.notify_one();
        }
      },
      [] {
        for (int i = 0; i < 2; ++i) {
          std::string item;
          {
            std::unique_lock l(m);
            c.wait(l, [] { return !queue.empty(); });
            item = std::move(queue.front());
            queue.pop_front();
          }
          sink(static_cast<long>(item.size()));
        }
      });
}

void barrier_with_completion() {
  static int sum, part[2];
  static std::barrier b(2, []() noexcept { sum = part[0] + part[1]; });
  together(
      [] {
        part[0] = 1;
        b.arrive_and_wait();
        sink(sum);
      },
      [] {
        part[1] = 2;
        b.arrive_and_wait();
        sink(sum);
      });
}

void bits_of_different_words() {
  struct Flags {
    unsigned a : 4, b : 4;
    unsigned : 0;
    unsigned c : 4;
  };
  static Flags flags;
  together(
      [] {
        flags.a = 1;
        flags.b = 2;
      },
      [] { flags.c = 3; });
  sink(flags.a + flags.c);
}

void neighbours() {
  static char bytes[8];
  together(
      [] {
        bytes[0] = 1;
        std::memset(bytes + 4, 2, 2);
      },
      [] {
        bytes[1] = 1;
        std::memcpy(bytes + 6, "ab", 2);
      });
}

void mapped_again() {
  auto use = [] {
    auto* p = static_cast<int*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    p[0] = 1;
    munmap(p, 4096);
  };
  together(use, use, use);
}

void locked_stream() {
  static int lines;
  auto use = [] {
    flockfile(stdout);
    lines++;
    funlockfile(stdout);
  };
  together(use, use);
}

void jumps() {
  auto use = [] {
    jmp_buf where;
    volatile int local = 0;
    if (setjmp(where) == 0) {
      local = 1;
      longjmp(where, 1);
    }
    sink(local);
  };
  together(use, use);
}

void handed_over_in_turn() {
  static std::counting_semaphore<2> a{1}, b{0};
  together(
      [] {
        for (int i = 0; i < 2; ++i) {
          a.acquire();
          x++;
          b.release();
        }
      },
      [] {
        for (int i = 0; i < 2; ++i) {
          b.acquire();
          x++;
          a.release();
        }
      });
}

void optional_and_variant() {
  static std::optional<std::variant<int, std::string>> box;
  static std::atomic<bool> full;
  full = false;
  box.reset();
  together(
      [] {
        box.emplace("a string inside a variant");
        full.store(true, kRelease);
      },
      [] {
        if (full.load(kAcquire)) sink(static_cast<long>(std::get<std::string>(*box).size()));
      });
}

void reader_writer_readers_release() {
  static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
  together(
      [] {
        pthread_rwlock_rdlock(&rw);
        sink(x);
        pthread_rwlock_unlock(&rw);
      },
      [] {
        pthread_rwlock_rdlock(&rw);
        sink(x);
        pthread_rwlock_unlock(&rw);
      },
      [] {
        pthread_rwlock_wrlock(&rw);
        x++;
        pthread_rwlock_unlock(&rw);
      });
}

const Case kCases[] = {
    {"shared_pointers", false, shared_pointers, 0, 0},
    {"atomic_shared_pointer", false, atomic_shared_pointer, 0, 0},
    {"functions_moved", false, functions_moved, 0, 0},
    {"exceptions_thrown", false, exceptions_thrown, 0, 0},
    {"exception_through_future", false, exception_through_future, 0, 0},
    {"exception_kept_by_both", false, exception_kept_by_both, 0, 0},
    {"exception_outlives_promise", false, exception_outlives_promise, 0, 0},
    {"streams", false, streams, 0, 0},
    {"thread_local_objects", false, thread_local_objects, 0, 0},
    {"static_local_object", false, static_local_object, 0, 0},
    {"fork_and_join", false, fork_and_join, 0, 0},
    {"packaged", false, packaged, 0, 0},
    {"stop_tokens", false, stop_tokens, 0, 0},
    {"stop_callbacks", false, stop_callbacks, 0, 0},
    {"scoped_locks", false, scoped_locks, 0, 0},
    {"producer_and_consumer", false, producer_and_consumer, 0, 0},
    {"barrier_with_completion", false, barrier_with_completion, 0, 0},
    {"bits_of_different_words", false, bits_of_different_words, 0, 0},
    {"neighbours", false, neighbours, 0, 0},
    {"mapped_again", false, mapped_again, 0, 0},
    {"locked_stream", false, locked_stream, 0, 0},
    {"jumps", false, jumps, 0, 0},
    {"handed_over_in_turn", false, handed_over_in_turn, 0, 0},
    {"optional_and_variant", false, optional_and_variant, 0, 0},
    {"reader_writer_readers_release", false, reader_writer_readers_release, 0, 0},
};

}  // namespace

int main(int argc, char** argv) { return run_case(kCases, sizeof kCases / sizeof kCases[0], argc, argv); }
