#include <threads.h>

#include "conformance.hpp"

static mtx_t m;
static cnd_t c;
static int n, waiting;

CASE(c11_threads) {
  thrd_t t;
  SHOW(thrd_create(
           &t,
           [](void*) -> int {
             thrd_yield();
             return -3;
           },
           nullptr) == thrd_success);
  int result = 0;
  SHOW(thrd_join(t, &result) == thrd_success);
  SHOW(result);
  SHOW(thrd_create(
           &t, [](void*) -> int { thrd_exit(9); }, nullptr) == thrd_success);
  SHOW(thrd_join(t, &result) == thrd_success);
  SHOW(result);
  thrd_create(
      &t, [](void*) -> int { return 0; }, nullptr);
  SHOW(thrd_detach(t) == thrd_success);
  timespec shortly{0, 1000};
  SHOW(thrd_sleep(&shortly, nullptr));
}

CASE(c11_mutex) {
  SHOW(mtx_init(&m, mtx_timed) == thrd_success);
  auto work = [](void*) -> int {
    mtx_lock(&m);
    ++n;
    mtx_unlock(&m);
    return 0;
  };
  thrd_t a, b;
  thrd_create(&a, work, nullptr);
  thrd_create(&b, work, nullptr);
  thrd_join(a, nullptr);
  thrd_join(b, nullptr);
  SHOW(n);
  SHOW(mtx_trylock(&m) == thrd_success);
  thrd_create(
      &a,
      [](void*) -> int {
        timespec t{1, 0};
        return mtx_trylock(&m) == thrd_busy && mtx_timedlock(&m, &t) == thrd_timedout;
      },
      nullptr);
  int result = 0;
  thrd_join(a, &result);
  SHOW(result);
  mtx_unlock(&m);
  mtx_destroy(&m);
}

CASE(c11_condition) {
  mtx_init(&m, mtx_plain);
  SHOW(cnd_init(&c) == thrd_success);
  auto wait = [](void*) -> int {
    mtx_lock(&m);
    ++waiting;
    while (!n) cnd_wait(&c, &m);
    mtx_unlock(&m);
    return 0;
  };
  thrd_t a, b;
  thrd_create(&a, wait, nullptr);
  thrd_create(&b, wait, nullptr);
  for (mtx_lock(&m); waiting != 2; mtx_lock(&m)) {
    mtx_unlock(&m);
    thrd_yield();
  }
  n = 1;
  cnd_signal(&c);
  cnd_broadcast(&c);
  mtx_unlock(&m);
  thrd_join(a, nullptr);
  thrd_join(b, nullptr);
  mtx_lock(&m);
  timespec t{1, 0};
  SHOW(cnd_timedwait(&c, &m, &t) == thrd_timedout);
  mtx_unlock(&m);
  cnd_destroy(&c);
}

static tss_t key;
static ::once_flag once = ONCE_FLAG_INIT;
CASE(c11_specific_and_once) {
  SHOW(tss_create(&key, [](void*) { ++n; }) == thrd_success);
  auto work = [](void*) -> int {
    ::call_once(&once, [] {
      thrd_yield();
      n += 10;
    });
    if (tss_get(key)) return 1;
    tss_set(key, &key);
    return tss_get(key) != &key;
  };
  int result = 1;
  thrd_t t;
  thrd_create(&t, work, nullptr);
  thrd_join(t, &result);
  SHOW(result);
  thrd_create(&t, work, nullptr);
  thrd_join(t, &result);
  SHOW(result);
  SHOW(n);
  tss_delete(key);
  SHOW(tss_set(key, &key) == thrd_error);
}

CASE(fail_mtx_destroy) {
  mtx_init(&m, mtx_plain);
  mtx_lock(&m);
  mtx_destroy(&m);
}
CASE(fail_cnd_destroy) {
  mtx_init(&m, mtx_plain);
  cnd_init(&c);
  thrd_t t;
  thrd_create(
      &t,
      [](void*) -> int {
        mtx_lock(&m);
        n = 1;
        return cnd_wait(&c, &m);
      },
      nullptr);
  for (mtx_lock(&m); !n; mtx_lock(&m)) {
    mtx_unlock(&m);
    thrd_yield();
  }
  cnd_destroy(&c);
}
