// Programs for options about what lies around an execution: where threads are preempted, what they write, what they
// leave behind. Each case by name.
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#undef NDEBUG
#include <cassert>

namespace {

std::atomic<int> steps{0}, inside_now{0}, outside_now{0};

// `n` operations each.
[[gnu::noinline]] void outside(int n) {
  for (int i = 0; i < n; ++i) steps.fetch_add(1);
}
[[gnu::noinline]] void inside(int n) {
  for (int i = 0; i < n; ++i) steps.fetch_add(1);
}

template <class A, class B>
void together(A a, B b) {
  std::thread first(a), second(b);
  first.join();
  second.join();
}

// Threads with so many operations outside and inside, in turns: counted by who knows how many interleavings there are.
void steps_of(int a, int b, int c, int d) {
  together([=] { outside(a), inside(b), outside(a); }, [=] { outside(c), inside(d); });
}

// Fails if a thread is preempted in the middle of it.
[[gnu::noinline]] void unlocked_update(std::atomic<int>& value) {
  const int seen = value.load();
  value.store(seen + 1);
}
void updates() {
  static std::atomic<int> value{0};
  together([] { unlocked_update(value); }, [] { unlocked_update(value); });
  assert(value == 2);
}

// The same, and a thread that waits with yields for the other one.
void waits_outside() {
  static std::atomic<bool> ready{false};
  together(
      [] {
        while (!ready) std::this_thread::yield();
      },
      [] { inside(1), ready = true; });
}

// Nobody can take the lock that the thread has left behind.
void locks_for_ever() {
  static std::mutex guard;
  std::thread other([] { guard.lock(); });
  outside(1);
  other.join();
  guard.lock();
}

void prints() {
  together([] { std::puts("a"); }, [] { std::puts("b"); });
  std::puts("end");
}
void prints_in_every_way() {
  together(
      [] {
        std::cout << "a\n" << std::flush;
        std::printf("%s\n", "b");
        std::fflush(stdout);
      },
      [] { assert(write(2, "c\n", 2) == 2); });
}
void prints_under_a_lock() {
  static std::mutex guard;
  const auto print = [](const char* text) {
    std::lock_guard hold(guard);
    std::puts(text);
  };
  together([=] { print("a"), print("b"); }, [=] { print("c"); });
}

// Works once: then its file is there.
void leaves_a_file() {
  assert(access("left", F_OK) != 0);
  fclose(fopen("left", "w"));
  together([] { steps.fetch_add(1); }, [] { steps.fetch_add(1); });
}

std::atomic<bool> flag{false};
void yields() {
  together([] { flag = true; },
           [] {
             while (!flag) std::this_thread::yield();
           });
}

}  // namespace

int main(int count, char** words) {
  const std::string name = count > 1 ? words[1] : "";
  if (name == "steps" && count == 6)
    steps_of(std::atoi(words[2]), std::atoi(words[3]), std::atoi(words[4]), std::atoi(words[5]));
  else if (name == "updates")
    updates();
  else if (name == "waits_outside")
    waits_outside();
  else if (name == "locks_for_ever")
    locks_for_ever();
  else if (name == "prints")
    prints();
  else if (name == "prints_in_every_way")
    prints_in_every_way();
  else if (name == "prints_under_a_lock")
    prints_under_a_lock();
  else if (name == "leaves_a_file")
    leaves_a_file();
  else if (name == "yields")
    yields();
  else
    return 2;
  return 0;
}
