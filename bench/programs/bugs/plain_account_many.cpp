// Ten threads deposit without a lock; only a loss of at least three deposits is noticed.
#include <pthread.h>
#include "harness.hpp"
static int balance;
static void* deposit(void*) {
  const int old = balance;
  balance = old + 1;
  return nullptr;
}
int main() {
  pthread_t t[10];
  for (pthread_t& x : t) pthread_create(&x, nullptr, deposit, nullptr);
  for (pthread_t x : t) pthread_join(x, nullptr);
  assert(balance > 3);
}
