// Two coroutines that resume each other by symmetric transfer so often that only tail calls keep them on the stack,
// and a lock that is taken in between.
#include <atomic>
#include <coroutine>
#include <mutex>
#include <thread>
#undef NDEBUG
#include <cassert>

namespace {

struct Player {
  struct promise_type {
    Player get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};

constexpr int kRounds = 300'000;

struct Table {
  std::coroutine_handle<> player[2];
  std::mutex lock;
  long hits = 0;
};

struct Pass {
  std::coroutine_handle<> to;
  bool await_ready() noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<>) noexcept { return to; }
  void await_resume() noexcept {}
};

Player play(Table& table, int me) {
  for (int round = 0; round < kRounds; ++round) {
    if (round % (kRounds / 2) == 0) {
      std::lock_guard hold(table.lock);
      ++table.hits;
    }
    co_await Pass{table.player[1 - me]};
  }
}

void game(Table& table) {
  Player first = play(table, 0), second = play(table, 1);
  table.player[0] = first.handle;
  table.player[1] = second.handle;
  first.handle.resume();
  first.handle.destroy();
  second.handle.destroy();
}

}  // namespace

int main() {
  Table table;
  std::thread other([&] {
    std::lock_guard hold(table.lock);
    ++table.hits;
  });
  std::thread worker(game, std::ref(table));
  other.join();
  worker.join();
  assert(table.hits == 5);
}
