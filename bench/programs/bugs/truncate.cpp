// A log is cut when it is long; a reader that has measured it and a writer that appends meet in between.
#include <pthread.h>
#include "harness.hpp"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static std::atomic<int> entries[8], length{0}, base{0};
static void* append(void* p) {
  const int from = static_cast<int>(reinterpret_cast<long>(p));
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&lock);
    entries[length] = from + i;
    ++length;
    pthread_mutex_unlock(&lock);
  }
  return nullptr;
}
static void* cut(void*) {
  for (int i = 0; i < 2; ++i)
    if (length >= 3) {
      pthread_mutex_lock(&lock);
      const int n = length;
      for (int k = 0; k < n; ++k) entries[k] = 0;
      base = base + n;
      length = 0;
      pthread_mutex_unlock(&lock);
    }
  return nullptr;
}
static void* read(void*) {
  const int b = base, n = length;
  if (n >= 2 && b == 0) {
    const int x = entries[n - 1];
    if (base == b) assert(x != 0);
  }
  return nullptr;
}
int main() {
  pthread_t t[4];
  pthread_create(&t[0], nullptr, append, reinterpret_cast<void*>(10));
  pthread_create(&t[1], nullptr, append, reinterpret_cast<void*>(20));
  pthread_create(&t[2], nullptr, cut, nullptr);
  pthread_create(&t[3], nullptr, read, nullptr);
  for (pthread_t x : t) pthread_join(x, nullptr);
}
