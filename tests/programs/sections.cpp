// Code in which no thread is preempted: atomic sections, trusted functions, the C++ library. Each case by name, with
// what it must not see in the end.
#include <lockstep/lockstep.hpp>

#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#undef NDEBUG
#include <cassert>

std::atomic<int> left{3}, right{6};
extern "C" [[gnu::noinline]] void step_left() { left = right + 1; }
extern "C" [[gnu::noinline]] void step_right() { right = left + 1; }
int plain_left = 3, plain_right = 6;
extern "C" [[gnu::noinline]] void set_left() { plain_left = 1; }
extern "C" [[gnu::noinline]] void set_right() { plain_right = 1; }
extern "C" [[gnu::noinline]] void throw_left() {
  left = 1;
  throw 1;
}
extern "C" [[gnu::noinline]] void count_down(int n) {
  if (n) count_down(n - 1);
  ++left;
}

namespace {

int forbidden;
void saw(int value) { assert(value != forbidden); }

template <class A, class B>
void together(A a, B b) {
  std::thread first(a), second(b);
  first.join();
  second.join();
}
template <class F>
auto twice(F body) {
  return [body] {
    for (int round = 0; round < 2; ++round) body();
  };
}
template <class F>
auto in_section(F body) {
  return [body] {
    lockstep::atomic_section section;
    body();
  };
}

void atomics() {
  together(twice(in_section(step_left)), twice(in_section(step_right)));
  saw(100 * left + right);
}
void trusted() {
  together(twice(step_left), twice(step_right));
  saw(100 * left + right);
}
void plain() {
  together(twice(in_section([] { plain_left = plain_right + 1; })),
           twice(in_section([] { plain_right = plain_left + 1; })));
  saw(100 * plain_left + plain_right);
}
std::mutex guard;
void locks() {
  together(twice(in_section([] {
             std::lock_guard hold(guard);
             plain_left = plain_right + 1;
           })),
           twice(in_section([] {
             std::lock_guard hold(guard);
             plain_right = plain_left + 1;
           })));
  saw(100 * plain_left + plain_right);
}
void nested() {
  together(twice(in_section([] { in_section(step_left)(); })), twice(in_section([] { in_section(step_right)(); })));
  saw(100 * left + right);
}
void mixed() {  // only one of them in sections
  together(twice(in_section(step_left)), twice([] { right = left + 1; }));
  saw(100 * left + right);
}
void after_a_section() {
  int first = 0, second = 0;
  plain_left = plain_right = 0;
  together(
      [&] {
        in_section([] { plain_left = 1; })();
        first = plain_right;
      },
      [&] {
        in_section([] { plain_right = 1; })();
        second = plain_left;
      });
  saw(10 * first + second);
}
void after_a_trusted_call() {
  int first = 0, second = 0;
  plain_left = plain_right = 0;
  together(
      [&] {
        set_left();
        first = plain_right;
      },
      [&] {
        set_right();
        second = plain_left;
      });
  saw(10 * first + second);
}
void left_by_an_exception() {
  int seen = 0;
  left = 0;
  together(
      [] {
        try {
          throw_left();
        } catch (int) {
        }
        left = 2;
      },
      [&] { seen = left; });
  saw(seen);
}
void trusted_recursion() {
  int seen = 0;
  left = 0;
  together([] { count_down(2); }, [&] { seen = left; });
  saw(seen);
}
void undisturbed() {
  int seen = 0;
  left = 0;
  together(in_section([] {
             left = 1;
             left = 0;
           }),
           [&] { seen = left; });
  saw(seen);
}
void waits_inside() {  // others go on while a section waits
  left = 0;
  guard.lock();
  std::thread other([] {
    lockstep::atomic_section section;
    std::lock_guard hold(guard);
    left = 10 * left + 1;
  });
  left = 2;
  guard.unlock();
  other.join();
  saw(left);
}
void spins_inside() {
  left = 0;
  together(
      [] {
        for (bool done = false; !done;) {
          lockstep::atomic_section section;
          done = left == 1;
        }
      },
      [] { left = 1; });
  saw(left);
}
void library_calls_in_a_row() {
  static std::shared_ptr<int> value = std::make_shared<int>(0);
  int first = 0, second = 0;
  together(
      [] {
        std::atomic_store(&value, std::make_shared<int>(1));
        std::atomic_store(&value, std::make_shared<int>(2));
      },
      [&] {
        first = *std::atomic_load(&value);
        second = *std::atomic_load(&value);
      });
  saw(10 * first + second);
}

#define CASE(name) \
  { #name, name }
const std::map<std::string, void (*)()> kCases = {CASE(atomics),
                                                  CASE(trusted),
                                                  CASE(plain),
                                                  CASE(locks),
                                                  CASE(nested),
                                                  CASE(mixed),
                                                  CASE(after_a_section),
                                                  CASE(after_a_trusted_call),
                                                  CASE(left_by_an_exception),
                                                  CASE(trusted_recursion),
                                                  CASE(undisturbed),
                                                  CASE(waits_inside),
                                                  CASE(spins_inside),
                                                  CASE(library_calls_in_a_row)};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || !kCases.contains(argv[1])) return 2;
  forbidden = std::atoi(argv[2]);
  kCases.at(argv[1])();
  return 0;
}
