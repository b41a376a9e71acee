// A table made at the first use, told by a flag set too early; plain variables, pthreads.
#include <pthread.h>
#include "harness.hpp"
static int ready, table[4], uses;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void* use(void* p) {
  const long me = reinterpret_cast<long>(p);
  if (!ready) {
    pthread_mutex_lock(&lock);
    if (!ready) {
      ready = 1;
      for (int i = 0; i < 4; ++i) table[i] = i + 1;
    }
    pthread_mutex_unlock(&lock);
  }
  assert(table[me] != 0);
  ++uses;
  return nullptr;
}
int main() {
  pthread_t t[4];
  for (long i = 0; i < 4; ++i) pthread_create(&t[i], nullptr, use, reinterpret_cast<void*>(i));
  for (pthread_t x : t) pthread_join(x, nullptr);
}
