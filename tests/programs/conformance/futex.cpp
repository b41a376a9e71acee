#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "conformance.hpp"

static std::atomic<uint32_t> word{0}, other{0};
static long futex(std::atomic<uint32_t>& a, int op, uint32_t value, const void* timeout = nullptr,
                  void* second = nullptr, uint32_t third = 0) {
  return syscall(SYS_futex, &a, op, value, timeout, second, third);
}
static const void* count(long n) { return reinterpret_cast<void*>(n); }

CASE(futex_wait_wake) {
  together(
      [] {
        while (!word.load()) futex(word, FUTEX_WAIT_PRIVATE, 0);
      },
      [] {
        word.store(1);
        futex(word, FUTEX_WAKE_PRIVATE, 1);
      });
  ERRNO(futex(word, FUTEX_WAIT, 0));
  timespec t{0, 1000};
  ERRNO(futex(word, FUTEX_WAIT, 1, &t));
  SHOW(futex(word, FUTEX_WAKE, 10));
}

CASE(futex_bitset) {
  together(
      [] {
        while (!word.load()) futex(word, FUTEX_WAIT_BITSET, 0, nullptr, nullptr, 2);
      },
      [] {
        word.store(1);
        assert(futex(word, FUTEX_WAKE_BITSET, 10, nullptr, nullptr, 1) == 0);
        futex(word, FUTEX_WAKE_BITSET, 10, nullptr, nullptr, 2);
      });
  SHOW(word.load());
}

CASE(futex_requeue) {
  static std::atomic<int> woken{0};
  auto wait = [] {
    while (!word.load()) futex(word, FUTEX_WAIT, 0);
    woken.fetch_add(1);
  };
  together(wait, wait, [] {
    errno = 0;
    assert(futex(word, FUTEX_CMP_REQUEUE, 0, count(10), &other, 5) == -1 && errno == EAGAIN);
    word.store(1);
    long moved = futex(word, FUTEX_CMP_REQUEUE, 1, count(10), &other, 1);
    long rest = futex(other, FUTEX_WAKE, 10);
    assert(rest <= moved && rest <= 1);
    assert(futex(word, FUTEX_REQUEUE, 1, count(10), &other) == 0);
  });
  SHOW(woken.load());
}

CASE(futex_wake_op) {
  together(
      [] {
        while (!word.load()) futex(word, FUTEX_WAIT, 0);
      },
      [] {
        word.store(1);
        futex(word, FUTEX_WAKE_OP, 10, count(10), &other, FUTEX_OP(FUTEX_OP_ADD, 5, FUTEX_OP_CMP_EQ, 0));
      });
  SHOW(other.load());
}

CASE(futex_std_wait) {
  std::atomic<int> a{0};
  together(
      [&] {
        a.wait(0);
        a.store(2);
        a.notify_all();
      },
      [&] {
        a.store(1);
        a.notify_one();
        a.wait(1);
      });
  SHOW(a.load());
}
