// One operation of two threads, chosen by the first argument. The names of weaker ones begin with weak_.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <latch>
#include <memory>
#include <thread>

namespace {

struct Big {
  long a, b, c;
};

std::atomic<int> number{0};
std::atomic<long> wide{0};
std::atomic<bool> flag{false};
std::atomic<int*> pointer{nullptr};
std::atomic_flag raised{};
std::atomic<Big> big{};
std::atomic<double> real{0};
int plain = 0;
const auto shared = std::make_shared<int>(1);
std::latch gate{0};

using enum std::memory_order;

// Several cases do the same operation, so that the compiler merges their code.
void weak_load() { number.load(relaxed); }
void weak_store() { number.store(1, release); }
void weak_add() { number.fetch_add(1, relaxed); }
void weak_add_again() { number.fetch_add(1, relaxed); }
void weak_or() { wide.fetch_or(1, relaxed); }
void weak_exchange() { flag.exchange(true, acq_rel); }
void weak_pointer() { pointer.load(acquire); }
void weak_pointer_add() { pointer.fetch_add(1, relaxed); }
void weak_test_and_set() { (void)raised.test_and_set(acquire); }
void weak_clear() { raised.clear(release); }
void weak_big() { big.load(relaxed); }
void weak_fence() { std::atomic_thread_fence(release); }
void weak_builtin() { __atomic_fetch_add(&plain, 1, __ATOMIC_RELAXED); }
void weak_free_function() { std::atomic_load_explicit(&number, relaxed); }
void weak_wait() { flag.wait(true, acquire); }
void weak_success() {
  int expected = number.load();
  number.compare_exchange_strong(expected, 1, acq_rel, relaxed);
}
void weak_failure() {
  int expected = -1;
  number.compare_exchange_strong(expected, 1, seq_cst, relaxed);
}
void weak_reference() { std::atomic_ref<int>(plain).fetch_add(1, relaxed); }
void weak_real() { real.fetch_add(1.0, relaxed); }

void strong_operations() {
  number.fetch_add(1);
  pointer.load();
  big.load();
  std::atomic_thread_fence(seq_cst);
}
void strong_beside_weak_library() {
  const auto copy = shared;
  gate.wait();
}

#define CASE(name) \
  { #name, name }
constexpr struct {
  const char* name;
  void (*run)();
} kCases[] = {
    CASE(weak_load),
    CASE(weak_store),
    CASE(weak_add),
    CASE(weak_add_again),
    CASE(weak_or),
    CASE(weak_exchange),
    CASE(weak_pointer),
    CASE(weak_pointer_add),
    CASE(weak_test_and_set),
    CASE(weak_clear),
    CASE(weak_big),
    CASE(weak_fence),
    CASE(weak_builtin),
    CASE(weak_free_function),
    CASE(weak_wait),
    CASE(weak_success),
    CASE(weak_failure),
    CASE(weak_reference),
    CASE(weak_real),
    CASE(strong_operations),
    CASE(strong_beside_weak_library),
};

}  // namespace

int main(int count, char** words) {
  for (const auto& c : kCases) {
    if (count < 2)
      std::puts(c.name);
    else if (std::strcmp(words[1], c.name) == 0) {
      std::thread one(c.run), two(c.run);
      one.join();
      two.join();
    }
  }
}
