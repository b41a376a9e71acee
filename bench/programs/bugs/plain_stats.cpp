// Minimum, maximum and count are kept without a lock; three updates have to cross to make them disagree.
#include <pthread.h>
#include "harness.hpp"
static int count, low = 100, high = -1, spread;
static void* sample(void* p) {
  const int x = static_cast<int>(reinterpret_cast<long>(p));
  if (x < low) low = x;
  if (x > high) high = x;
  ++count;
  if (count == 3) spread = high - low;
  return nullptr;
}
int main() {
  pthread_t t[3];
  for (long i = 0; i < 3; ++i) pthread_create(&t[i], nullptr, sample, reinterpret_cast<void*>(5 + 3 * i));
  for (pthread_t x : t) pthread_join(x, nullptr);
  if (count == 3) assert(spread == 6);
}
