// A producer polls a plain flag with a lock around each half only; three variables must agree.
#include <pthread.h>
#include "harness.hpp"
static int full, sequence, data, seen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void* produce(void*) {
  for (int k = 1; k <= 3; ++k) {
    pthread_mutex_lock(&lock);
    const int f = full;
    pthread_mutex_unlock(&lock);
    if (f) continue;
    data = k;
    sequence = k;
    pthread_mutex_lock(&lock);
    full = 1;
    pthread_mutex_unlock(&lock);
  }
  return nullptr;
}
static void* consume(void*) {
  for (int k = 0; k < 2; ++k) {
    pthread_mutex_lock(&lock);
    const int f = full;
    full = 0;
    pthread_mutex_unlock(&lock);
    if (!f) continue;
    const int s = sequence, d = data;
    assert(s == d);
    ++seen;
  }
  return nullptr;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, nullptr, consume, nullptr);
  pthread_create(&b, nullptr, produce, nullptr);
  pthread_join(a, nullptr);
  pthread_join(b, nullptr);
}
