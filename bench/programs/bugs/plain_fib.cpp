// Two numbers that add each other up: the largest result needs every turn to be taken alternately.
#include <pthread.h>
#include "harness.hpp"
static volatile int i = 1, j = 1;
enum { kRounds = 4 };
static void* first(void*) {
  for (int k = 0; k < kRounds; ++k) i = i + j;
  return nullptr;
}
static void* second(void*) {
  for (int k = 0; k < kRounds; ++k) j = j + i;
  return nullptr;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, nullptr, first, nullptr);
  pthread_create(&b, nullptr, second, nullptr);
  pthread_join(a, nullptr);
  pthread_join(b, nullptr);
  assert(i < 55 && j < 55);
}
