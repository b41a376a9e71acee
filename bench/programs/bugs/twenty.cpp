// Twenty threads at work; the first reads two variables that the last one writes one after the other.
#include <pthread.h>
#include "harness.hpp"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static std::atomic<int> low{0}, high{0};
static int jobs;
static void* run(void* p) {
  const long me = reinterpret_cast<long>(p);
  pthread_mutex_lock(&lock);
  ++jobs;
  pthread_mutex_unlock(&lock);
  if (me == 19) {
    low = 1;
    high = 1;
  } else if (me == 0) {
    const int h = high, l = low;
    const int again = high;
    assert(!(h == 0 && l == 1 && again == 1));
  }
  pthread_mutex_lock(&lock);
  --jobs;
  pthread_mutex_unlock(&lock);
  return nullptr;
}
int main() {
  pthread_t t[20];
  for (long i = 0; i < 20; ++i) pthread_create(&t[i], nullptr, run, reinterpret_cast<void*>(i));
  for (pthread_t x : t) pthread_join(x, nullptr);
}
